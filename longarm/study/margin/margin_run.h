// SPDX-License-Identifier: Apache-2.0
// One run of a margin search: a latency, a verdict, and a hold that is long enough for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/actors/plan_follower.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/core/time.h"
#include "longarm/record/envelope.h"
#include "longarm/study/margin/margin_prediction.h"

namespace longarm::study {

/// Remembers runs from one search to the next. Called from one thread at a time.
class RunCache {
 public:
  virtual ~RunCache() = default;
  /// What was stored under a run's identity, or nothing.
  virtual std::optional<nlohmann::ordered_json> find(const std::string& identity) = 0;
  virtual void store(const std::string& identity, const nlohmann::ordered_json& result) = 0;
};

/// What a run at one latency showed.
struct MarginTrial {
  Duration latency{0};
  record::Verdict verdict = record::Verdict::kUndecided;
  std::string reason;        ///< the verdict's, in words
  bool has_stopped = false;  ///< the robot, so that no hold is long enough
  std::string joint;         ///< that decides
  /// The first to reach a limit, on the way or in the hold; empty: none did. What grew until then
  /// grows no more, and the fitted growth says nothing of the linear loop.
  std::string limited_joint;
  std::optional<double> growth_per_s;
  std::optional<double> growth_standard_error_per_s;
  std::optional<double> period_s;  ///< of that joint's swing
  Duration hold{0};                ///< of the last run, after extensions
  int runs = 0;

  bool is_stable() const { return verdict == record::Verdict::kStable; }
  /// Of an unstable run: the one at a limit first, or the one that grows fastest.
  const std::string& first_joint() const { return limited_joint.empty() ? joint : limited_joint; }
  bool is_unstable() const { return verdict == record::Verdict::kUnstable; }
};
/// "stable", "unstable" or "undecided".
const char* verdict_text(record::Verdict verdict);

/// What all runs of a search share.
struct MarginRuns {
  std::string scenario;
  cell::LoadOptions load;  ///< with the cut, without link and hold
  const cell::Plugins& plugins;
  Direction direction = Direction::kBoth;
  std::string robot;               ///< whose verdict is asked for
  std::string prefix;              ///< of its keys
  std::vector<std::string> links;  ///< of the network; empty: its own link is late
  Duration hold{0};                ///< the scenario's own
  /// Of the run without its hold, where the scenario says how long it is.
  std::optional<Duration> length_before_hold;
  Duration hold_limit{0};  ///< no run holds longer
  RunCache* cache = nullptr;
};

/// The actor, if it is one of which a margin can be asked; null: it is not.
const actors::PlanFollower* follower_of(const cell::PreparedScenario& prepared,
                                        const std::string& actor);

/// Runs at `latency` with the scenario's hold, then with twice that and so on, until the metrics
/// give a verdict on swings enough or the limit is reached. The verdict is that of the metrics,
/// which know neither gain nor delay; a verdict on too few swings counts as undecided.
MarginTrial try_latency(const MarginRuns& runs, Duration latency);

}  // namespace longarm::study
