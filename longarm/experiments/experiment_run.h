// SPDX-License-Identifier: Apache-2.0
// An experiment from its first step to its results: state hash, and a stop when it diverges.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/hash.h"
#include "longarm/core/time.h"
#include "longarm/experiments/load_experiment.h"

namespace longarm::experiments {

/// Where a run lost its numbers, and the last state that made sense.
struct Divergence {
  Time at{};
  std::string body;
  Time last_good{};
  model::Pose X_WB = model::Pose::Identity();  ///< of that body, then
};

/// One run, step by step.
class ExperimentRun {
 public:
  /// Throws InputError for what the engine or the experiment refuses.
  explicit ExperimentRun(const PreparedExperiment& prepared, const std::string& folder = {});

  Time now() const { return now_; }
  Time end() const { return is_endless_ ? Time::max() : Time(experiment_->length()); }
  bool is_over() const { return divergence_ || failure_ || now_ >= end(); }
  void run_until(Time until);
  /// From now on it has no end but failure, if the experiment can do without; otherwise false.
  bool lift_length() { return is_endless_ = experiment_->can_outlast_length(); }

  const std::optional<Divergence>& divergence() const { return divergence_; }
  /// Who ended the run before its time, and when.
  const std::optional<std::string>& failure() const { return failure_; }
  const Experiment& experiment() const { return *experiment_; }
  /// What clients may talk to between two steps.
  std::vector<protocols::Door*> doors() { return experiment_->doors(); }
  /// Of the world's states so far, without what was said on its network.
  std::string world_hash() const { return state_hash_.text(); }
  /// Called after each step.
  void set_observer(std::function<void(Time stamp)> observer) { observer_ = std::move(observer); }

  /// What happened so far that one should know of before trusting the results; what was known
  /// before the run is in prepared.warnings.
  std::vector<std::string> warnings() const;
  /// All results so far except the machine's.
  nlohmann::ordered_json results() const;

 private:
  void note_state();
  void look_for_divergence();

  PreparedExperiment prepared_;
  std::unique_ptr<Experiment> experiment_;
  Duration period_{};
  bool is_endless_ = false;
  Time now_{};
  Hash state_hash_;
  std::vector<int> moving_;             ///< bodies that can move
  std::vector<model::Pose> last_good_;  ///< of those
  Time last_good_at_{};
  std::optional<Divergence> divergence_;
  std::optional<std::string> failure_;
  std::function<void(Time)> observer_;
};

}  // namespace longarm::experiments
