// SPDX-License-Identifier: Apache-2.0
// How well an arm follows a driver's plan, in the figures that all arms are judged by.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "longarm/core/time.h"
#include "longarm/model/body_tree.h"
#include "longarm/motion/kinematics.h"
#include "longarm/motion/nearest_distance.h"
#include "longarm/physics/engine.h"
#include "longarm/record/metrics.h"
#include "longarm/sim/probe.h"
#include "longarm/tasks/task.h"

namespace longarm::actors {

/// Of a limit: from here on it is reached.
inline constexpr double kAtLimit = 1.0 - 1e-9;

/// Sees the joints themselves, whoever moves them. Definitions are those of
/// docs/reference/metrics.md.
class DrivenPath {
 public:
  /// Borrows the engine and the tree, whose joints are those of the engine from `first_joint` on.
  /// `frame` of the tree follows the plan, which is to begin at `start`.
  DrivenPath(const physics::Engine& engine, const model::BodyTree& tree, int first_joint, int frame,
             tasks::Plan plan, Duration start, Duration period);

  /// After a step that ended at `now`. The plan began at `begun`; nothing: not yet. `is_limited`:
  /// the robot is asked for more than it may do, which the joints do not show.
  void record(Time now, std::optional<Time> begun, bool is_limited);

  const sim::Probes& probes() const { return probes_; }
  double deviation_m() const { return deviation_m_; }
  /// Where the frame is, in the arm's base.
  model::Vector3 place_m() const { return kinematics_.position_of(frame_, positions()); }
  /// The joint that is farthest from the end of the plan, now: its number, and how far.
  struct GoalError {
    std::size_t joint = 0;
    double error_rad = 0.0;
  };
  GoalError goal_error() const;
  /// Whether the plan is over, the arm is where it ends, and it went there.
  bool is_completed() const;
  /// Metrics so far; a reason why there can be no verdict about the loop, or none.
  nlohmann::ordered_json result(const std::string& inconclusive);

 private:
  std::span<const double> positions() const;
  void offer_probes();
  void survey_plan();
  void note_way(Time now);
  /// The farthest that a point of the plan is from where the tool went.
  double missed_m() const;
  void read_limited(std::span<double> out) const;

  const physics::Engine& engine_;
  const model::BodyTree& tree_;
  std::size_t first_joint_;
  int frame_;
  tasks::Plan plan_;
  motion::Kinematics kinematics_;
  motion::Trajectory::Cursor plan_cursor_;
  motion::PlannedCurve curve_;
  motion::PlannedCurve::Cursor curve_cursor_;
  Duration start_;                             ///< of the plan, as asked
  std::vector<model::Vector3> plan_places_m_;  ///< of the frame, at equal intervals until the hold
  double plan_way_rad_ = 0.0;                  ///< of all joints
  std::vector<model::Vector3> places_m_;       ///< where the frame was, as far as it moved
  std::vector<double> last_rad_;
  double way_rad_ = 0.0;
  double lag_square_m2_ = 0.0;  ///< sum over steps
  double lag_max_m_ = 0.0;
  std::size_t steps_ = 0;
  Duration into_plan_{0};
  bool is_limited_ = false;
  double deviation_m_ = 0.0;
  sim::Probes probes_;
  std::unique_ptr<record::Metrics> metrics_;
};

}  // namespace longarm::actors
