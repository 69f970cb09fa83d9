// SPDX-License-Identifier: Apache-2.0
// A cell of actors, as experiments are run: what `actors:` in a scenario stands for. Internal to
// the folder.
#pragma once

#include "longarm/cell/cell_run.h"
#include "longarm/experiments/experiment.h"
#include "longarm/scenario/scenario.h"

namespace longarm::experiments {

inline constexpr const char* kCellKind = "cell";

/// Every kind of actor that comes with the program, and those of plug-ins.
cell::ActorRegistry actor_kinds(const scenario::Plugins& plugins);

class CellExperiment final : public Experiment {
 public:
  /// Throws InputError for what only shows now.
  CellExperiment(const cell::PreparedCell& prepared, const cell::CellContext& context);

  cell::CellRun& run() { return run_; }
  const cell::CellRun& run() const { return run_; }

 private:
  Duration do_length() const override;
  bool do_can_outlast_length() const override;
  void do_step() override;
  void do_sample(std::span<double> out) const override { run_.sample(out); }
  nlohmann::ordered_json do_results() const override { return run_.results(); }
  std::vector<std::string> do_warnings() const override { return run_.warnings(); }
  std::optional<std::string> do_failure() const override { return run_.failure(); }
  std::vector<ResultFile> do_files() const override { return run_.files(); }
  std::vector<protocols::Door*> do_doors() override { return run_.world().doors(); }
  const physics::Engine& do_engine() const override { return run_.world().engine(); }
  const model::Cell& do_cell() const override { return run_.world().model(); }

  Duration length_;
  bool has_schedules_;  ///< of cables: they repeat until its length
  cell::CellRun run_;
};

std::unique_ptr<ExperimentModel> make_cell(const scenario::Plugins& plugins);

/// Null: of another kind.
const cell::PreparedCell* find_cell(const ExperimentModel& model);

}  // namespace longarm::experiments
