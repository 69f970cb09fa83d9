// SPDX-License-Identifier: Apache-2.0
// URScript's motion: movej, movel, speedj, speedl, servoj, stopj, stopl; and sleep. Moves are not
// blended into each other: with any radius the arm rests at each goal.
#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/robots/ur/functions.h"

namespace longarm::robots {
namespace {

/// Why the arm must not be moved now, if so; also arguments that do not fit.
std::optional<UrOutcome> find_obstacle(const UrCall& call) {
  if (!call.arguments.is_good()) {
    return ur_failed(call.arguments.failure());
  }
  const std::string obstacle = call.core.modes.obstacle();
  if (!obstacle.empty()) {
    return ur_failed(fmt::format("{}: {}", call.arguments.function(), obstacle));
  }
  return std::nullopt;
}

/// Waits until the motion has done what keeps its caller waiting.
UrOutcome wait_for(UrCall& call, Result<UrMoveId> begun) {
  if (!begun) {
    return ur_failed(fmt::format("{}: {}", call.arguments.function(), begun.error().message));
  }
  ++call.core.figures.motion_commands;
  UrMotion* motion = &call.core.motion;
  const UrMoveId id = *begun;
  call.wait.move = id;
  call.wait.go_on = [motion, id] { return motion->is_busy(id) ? ur_waiting() : ur_done(); };
  call.wait.abandon = [motion, id] {
    if (motion->is_newest(id)) {
      motion->release();
    }
  };
  return ur_waiting();
}

/// A pose's joint positions, the nearest to where the arm is wanted now.
std::optional<Joints> joints_of(UrCall& call, std::size_t i) {
  const Vector6 six = call.arguments.six(i);
  if (!call.arguments.is_pose(i)) {
    return six;
  }
  const protocols::ur::ControllerInfo& info = call.core.info;
  return call.core.kinematics.nearest(to_pose(six), call.core.motion.target().q,
                                      info.joint_lower_rad, info.joint_upper_rad);
}

model::Pose pose_of(UrCall& call, std::size_t i) {
  const Vector6 six = call.arguments.six(i);
  return call.arguments.is_pose(i) ? to_pose(six) : call.core.kinematics.tool(six);
}

UrOutcome movej(UrCall& call) {
  UrArguments& a = call.arguments;
  const std::optional<Joints> q = joints_of(call, 0);
  const UrPace pace{.speed = a.number(2), .acceleration = a.number(1), .time_s = a.number(3)};
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  if (!q) {
    return ur_failed("movej: there are no joint positions for this pose");
  }
  return wait_for(call, call.core.motion.move_joints(*q, pace));
}

UrOutcome movel(UrCall& call) {
  UrArguments& a = call.arguments;
  const model::Pose X_BT = pose_of(call, 0);
  const UrPace pace{.speed = a.number(2), .acceleration = a.number(1), .time_s = a.number(3)};
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.move_tool(X_BT, pace));
}

UrOutcome movep(UrCall& call) {
  UrArguments& a = call.arguments;
  const model::Pose X_BT = pose_of(call, 0);
  const UrPace pace{.speed = a.number(2), .acceleration = a.number(1), .time_s = 0.0};
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.move_tool(X_BT, pace));
}

UrOutcome speedj(UrCall& call) {
  UrArguments& a = call.arguments;
  const Joints qd = a.six(0);
  const double acceleration = a.number(1);
  const std::optional<double> time_s = a.number_or_nothing(2);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.speed_joints(qd, acceleration, time_s));
}

UrOutcome speedl(UrCall& call) {
  UrArguments& a = call.arguments;
  const Vector6 velocity = a.six(0);
  const double acceleration = a.number(1);
  const std::optional<double> time_s = a.number_or_nothing(2);
  // the manual's default is the letter a: as the other one
  const bool has_turn = a.has(3) && protocols::ur::script::to_string(a.value(3)) == nullptr;
  const std::optional<double> turn = has_turn ? a.number_or_nothing(3) : std::nullopt;
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.speed_tool(velocity, acceleration, time_s, turn));
}

UrOutcome servoj(UrCall& call) {
  UrArguments& a = call.arguments;
  const Joints q = a.six(0);
  const double time_s = a.number(3);
  const double lookahead_s = a.number(4);
  const double gain = a.number(5);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.servo(q, time_s, lookahead_s, gain));
}

UrOutcome stopj(UrCall& call) {
  const double deceleration = call.arguments.number(0);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.stop_joints(deceleration));
}

UrOutcome stopl(UrCall& call) {
  const double deceleration = call.arguments.number(0);
  const std::optional<double> turn = call.arguments.number_or_nothing(1);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.stop_tool(deceleration, turn));
}

UrOutcome refuse(UrCall& call) {
  return ur_failed(fmt::format("{} is not there in this controller", call.arguments.function()));
}

/// For what there is nothing to end or set here.
UrOutcome pass(UrCall&) {
  return ur_done();
}

UrOutcome sleep(UrCall& call) {
  const double time_s = call.arguments.number(0);
  if (!(time_s > 0.0)) {
    return ur_done();
  }
  call.wait.go_on = [left = ur_cycles_of(time_s)]() mutable {
    return --left == 0 ? ur_done() : ur_waiting();
  };
  return ur_waiting();
}

constexpr UrNamedFunction kMotionFunctions[] = {{"end_force_mode", pass},
                                                {"end_freedrive_mode", pass},
                                                {"end_teach_mode", pass},
                                                {"force_mode", refuse},
                                                {"force_mode_set_damping", pass},
                                                {"force_mode_set_gain_scaling", pass},
                                                {"freedrive_mode", refuse},
                                                {"ft_rtde_input_enable", pass},
                                                {"get_actual_joint_positions_history", refuse},
                                                {"movec", refuse},
                                                {"movej", movej},
                                                {"movel", movel},
                                                {"movep", movep},
                                                {"servoc", refuse},
                                                {"servoj", servoj},
                                                {"sleep", sleep},
                                                {"speedj", speedj},
                                                {"speedl", speedl},
                                                {"stopj", stopj},
                                                {"stopl", stopl},
                                                {"teach_mode", refuse},
                                                {"tool_contact", refuse},
                                                {"zero_ftsensor", pass}};

}  // namespace

std::span<const UrNamedFunction> ur_motion_functions() {
  return kMotionFunctions;
}

}  // namespace longarm::robots
