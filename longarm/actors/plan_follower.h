// SPDX-License-Identifier: Apache-2.0
// A kind whose actors follow a plan, then hold, and say whether they were stable.
#pragma once

#include <nlohmann/json.hpp>

#include "longarm/core/time.h"

namespace longarm::actors {

/// What a search for the latency that they survive needs to know; all of it after plan(). Their
/// keys have `task.hold`, their results what record::Metrics has, their probes `velocity` and
/// `limited` of each joint.
class PlanFollower {
 public:
  virtual ~PlanFollower() = default;
  /// By the scenario: how long the last waypoint is held.
  virtual Duration hold() const = 0;
  /// From the start of the run to where the hold begins.
  virtual Duration hold_start() const = 0;
  /// Between two commands.
  virtual Duration control_period() const = 0;
  /// Whether a run with these results has no verdict for a reason that stays, however long it
  /// holds: the robot was stopped.
  virtual bool has_stopped(const nlohmann::ordered_json& results) const = 0;
};

}  // namespace longarm::actors
