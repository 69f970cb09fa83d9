// SPDX-License-Identifier: Apache-2.0
// A whole cell by itself: what its scenario says moves, and loose parts are watched. Internal to
// the folder.
#pragma once

#include <memory>
#include <vector>

#include "longarm/experiments/experiment.h"
#include "longarm/experiments/part_drift.h"
#include "longarm/workcell/work_cell.h"

namespace longarm::experiments {

/// The cell's own context out of an experiment's.
workcell::WorkCellContext cell_context(const ExperimentContext& context);

class CellRun final : public Experiment {
 public:
  /// Throws InputError for what the engine or the world does not go with.
  CellRun(const workcell::WorkCellConfig& config, model::Cell cell,
          const ExperimentContext& context);
  ~CellRun() override;

 private:
  Duration do_length() const override { return work_.config().length; }
  bool do_can_outlast_length() const override {
    return work_.config().network.is_empty();  // its schedules repeat until then
  }
  void do_step() override;
  void do_sample(std::span<double> out) const override;
  nlohmann::ordered_json do_results() const override;
  std::vector<std::string> do_warnings() const override { return work_.warnings(); }
  std::optional<std::string> do_failure() const override { return work_.failure(); }
  std::vector<protocols::Door*> do_doors() override { return work_.doors(); }
  const physics::Engine& do_engine() const override { return work_.engine(); }
  const model::Cell& do_cell() const override { return work_.cell(); }

  workcell::WorkCell work_;
  PartDrift drift_;
};

}  // namespace longarm::experiments
