// SPDX-License-Identifier: Apache-2.0
// The linear loops of a scenario's arm, and which of them have a link's latency inside.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/actors/arm.h"
#include "longarm/control/config.h"
#include "longarm/core/time.h"
#include "longarm/study/margin/linear_loop.h"
#include "longarm/study/margin/linear_loop_roots.h"

namespace longarm::study {

/// Which direction of the link has the latency.
enum class Direction { kStates, kCommands, kBoth };
const std::vector<std::string>& direction_names();

/// One loop by itself: the position loop of the joint with the largest gain on a perfect servo, or
/// the velocity loop's fastest mode.
struct SingleLoop {
  std::string name;  ///< "position loop" or "velocity loop"
  double rate_per_s = 0.0;
  std::string joint;                     ///< that has this rate
  std::vector<std::string> tied_joints;  ///< all that have it, if several do
  Duration period{0};                    ///< between two samples
  bool has_states = false;
  bool has_commands = false;
};

/// Reads them off an arm, which must outlive this. docs/how-to/margin.md has the table of
/// cuts and loops.
class ArmLoops {
 public:
  explicit ArmLoops(const actors::ArmModel& arm);

  /// With inertias where the arm holds, and at the worst pose of its plan.
  std::vector<SingleLoop> at_goal() const;
  std::vector<SingleLoop> along_path() const;

  /// The delay in a loop when the link has this latency.
  Duration delay_in(const SingleLoop& loop, Direction direction, Duration latency) const;

  /// Whether a latency is inside a loop and nested() knows both loops at once: the velocity loop is
  /// computed as efforts, and everything is sampled at one rate.
  bool has_nested() const;
  /// Both loops of all joints, where the arm holds.
  NestedLoops nested(Direction direction, Duration latency) const;
  /// The joint whose servo does most of the work in a pattern of velocities.
  std::string busiest_joint(const Eigen::VectorXcd& velocities) const;

  Duration latency_step() const { return arm_.physics_period(); }

 private:
  bool is_remote() const;
  bool has_velocity_loop() const { return config_.servo.model == "pid" || is_computed_torque(); }
  bool is_computed_torque() const;
  Duration servo_period() const;
  std::vector<double> position_gains() const;
  std::vector<double> servo_gains() const;
  std::vector<SingleLoop> with(const VelocityMode& mode) const;
  SingleLoop position_loop() const;
  SingleLoop velocity_loop(const VelocityMode& mode) const;

  const actors::ArmModel& arm_;
  const actors::ArmConfig& config_;
  const model::BodyTree& tree_;
  int count_;
  control::Cut cut_;
};

}  // namespace longarm::study
