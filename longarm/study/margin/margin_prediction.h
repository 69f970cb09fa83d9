// SPDX-License-Identifier: Apache-2.0
// What mathematics says about a scenario's latency margin.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/actors/arm.h"
#include "longarm/core/time.h"
#include "longarm/study/margin/linear_loop_roots.h"
#include "longarm/study/margin/margin_loops.h"

namespace longarm::study {

/// How much latency a loop, or all of them together, survives.
struct PredictedMargin {
  std::string loop;  ///< "position loop", "velocity loop" or "both loops"
  /// It has no latency of this direction inside: that may be as long as it likes.
  bool is_unlimited = false;
  /// The largest stable latency (each way, if both). Nothing: unlimited, or unstable without any.
  std::optional<Duration> critical;
  std::string formula;                   ///< in signs and words, for a table
  std::string joint;                     ///< the first to fail
  std::vector<std::string> tied_joints;  ///< equal ones that fail together, `joint` among them
};

struct Prediction {
  bool is_known = true;  ///< false: there is no closed form of this loop; the rest says nothing
  /// Linearised where the arm holds, which is where verdicts are made. Both loops together where
  /// that is known, otherwise the weaker one.
  PredictedMargin at_goal;
  /// Each loop as if the other were perfect.
  std::vector<PredictedMargin> alone;
  /// The weaker loop alone, at the worst pose of the plan.
  PredictedMargin along_path;
  std::vector<std::string> remarks;  ///< what it leaves out
};

/// Latencies in whole physics steps. `arm` tells cut, gains, inertias and periods.
Prediction predict_margin(const actors::ArmModel& arm, Direction direction);

/// How the loop that decides swings at a latency; nothing if no latency is inside.
std::optional<LoopSwing> predict_swing(const actors::ArmModel& arm, Direction direction,
                                       Duration latency);

}  // namespace longarm::study
