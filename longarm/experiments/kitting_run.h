// SPDX-License-Identifier: Apache-2.0
// A cell that makes kits, from the request to the judge's verdict. Internal to the folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/experiments/experiment.h"
#include "longarm/experiments/kitting_config.h"
#include "longarm/experiments/kitting_judge.h"
#include "longarm/kitting/executor.h"
#include "longarm/kitting/ontology.h"
#include "longarm/kitting/world_model.h"
#include "longarm/workcell/work_cell.h"

namespace longarm::experiments {

class KittingRun final : public Experiment {
 public:
  /// Throws InputError for what only shows now.
  KittingRun(const KittingConfig& config, const kitting::Ontology& ontology,
             const pddl::Domain& domain, model::Cell cell, const ExperimentContext& context);
  ~KittingRun() override;

  const kitting::Executor& executor() const { return *executor_; }
  const KittingJudge& judge() const { return *judge_; }
  workcell::WorkCell& work_cell() { return *cell_; }

 private:
  void make_judge();
  void make_executor();
  bool is_over() const;

  Duration do_length() const override;
  void do_step() override;
  void do_sample(std::span<double> out) const override;
  nlohmann::ordered_json do_results() const override;
  std::vector<std::string> do_warnings() const override;
  std::optional<std::string> do_failure() const override { return cell_->failure(); }
  std::vector<ResultFile> do_files() const override;
  std::vector<protocols::Door*> do_doors() override { return cell_->doors(); }
  const physics::Engine& do_engine() const override { return cell_->engine(); }
  const model::Cell& do_cell() const override { return cell_->cell(); }

  KittingConfig config_;
  kitting::Ontology ontology_;
  pddl::Domain domain_;
  Duration period_;
  std::unique_ptr<workcell::WorkCell> cell_;
  std::unique_ptr<KittingJudge> judge_;
  std::unique_ptr<kitting::WorldModel> world_model_;
  std::unique_ptr<kitting::Executor> executor_;
  Time now_{};
  std::optional<Time> ended_;  ///< nothing left to do or to judge
};

}  // namespace longarm::experiments
