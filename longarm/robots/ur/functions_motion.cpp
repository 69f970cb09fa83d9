// SPDX-License-Identifier: Apache-2.0
// URScript's motion: moves to goals, speeds, servos, stops; force mode and freedrive; and sleep.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/robots/ur/functions.h"

namespace longarm::robots {
namespace {

// of the arm while it is led by hand: 10 N push it at 0.1 m/s
constexpr double kFreedriveDamping = 0.05;

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
  const double radius_m = a.number(4);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  if (!q) {
    return ur_failed("movej: there are no joint positions for this pose");
  }
  return wait_for(call, call.core.motion.move_joints(*q, pace, radius_m));
}

UrOutcome movel(UrCall& call) {
  UrArguments& a = call.arguments;
  const model::Pose X_BT = pose_of(call, 0);
  const UrPace pace{.speed = a.number(2), .acceleration = a.number(1), .time_s = a.number(3)};
  const double radius_m = a.number(4);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.move_tool(X_BT, pace, radius_m));
}

/// Pace of movep, movec and servoc; `i` is the acceleration's place.
UrPace pace_of(UrArguments& a, std::size_t i) {
  return {.speed = a.number(i + 1), .acceleration = a.number(i), .time_s = 0.0};
}

UrOutcome movep(UrCall& call) {
  const model::Pose X_BT = pose_of(call, 0);
  const UrPace pace = pace_of(call.arguments, 1);
  const double radius_m = call.arguments.number(3);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.move_tool(X_BT, pace, radius_m));
}

UrOutcome movec(UrCall& call) {
  UrPath::Arc arc{.via = pose_of(call, 0), .to = pose_of(call, 1)};
  const UrPace pace = pace_of(call.arguments, 2);
  const double radius_m = call.arguments.number(4);
  arc.turns_with_circle = call.arguments.number(5) != 0.0;
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.move_arc(arc, pace, radius_m));
}

UrOutcome servoc(UrCall& call) {
  const model::Pose X_BT = pose_of(call, 0);
  const UrPace pace = pace_of(call.arguments, 1);
  const double radius_m = call.arguments.number(3);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  return wait_for(call, call.core.motion.servo_tool(X_BT, pace, radius_m));
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
  return ur_failed(
      fmt::format("{} is not available in this controller", call.arguments.function()));
}

/// For what there is nothing to end or set here.
UrOutcome pass(UrCall&) {
  return ur_done();
}

UrOutcome force_mode(UrCall& call) {
  UrArguments& a = call.arguments;
  UrForceTask task;
  task.X_BF = to_pose(a.six(0));
  const Vector6 selection = a.six(1);
  task.wrench = a.six(2);
  const double type = std::round(a.number(3));
  task.limits = a.six(4);
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  if (!(type >= 1.0 && type <= 3.0)) {
    return ur_failed("force_mode: the type must be 1 (point), 2 (simple) or 3 (motion)");
  }
  task.type = static_cast<UrForceTask::Type>(static_cast<int>(type));
  for (std::size_t i = 0; i < selection.size(); ++i) {
    task.is_compliant[i] = selection[i] != 0.0;
    task.limits[i] = std::abs(task.limits[i]);
  }
  call.core.motion.give_way(task, call.core.force_damping, call.core.force_gain);
  return ur_done();
}

UrOutcome freedrive_mode(UrCall& call) {
  if (const auto obstacle = find_obstacle(call)) {
    return *obstacle;
  }
  call.core.motion.give_way_freely(kFreedriveDamping);
  return ur_done();
}

/// 0: not near a singular configuration, or not free; it stays out of those by itself.
UrOutcome get_freedrive_status(UrCall&) {
  return ur_done(protocols::ur::script::integer(0));
}

UrOutcome end_giving_way(UrCall& call) {
  call.core.motion.end_giving_way();
  return ur_done();
}

UrOutcome force_mode_set_damping(UrCall& call) {
  call.core.force_damping = std::clamp(call.arguments.number(0), 0.0, 1.0);
  return ur_done();
}

UrOutcome force_mode_set_gain_scaling(UrCall& call) {
  call.core.force_gain = std::clamp(call.arguments.number(0), 0.0, 2.0);
  return ur_done();
}

/// The program does not go on: the controller ends it before the next motion.
UrOutcome protective_stop(UrCall& call) {
  call.core.wanted_stop = "protective_stop() was called";
  call.wait.go_on = [] { return ur_waiting(); };
  return ur_waiting();
}

UrOutcome position_deviation_warning(UrCall& call) {
  const bool is_on = call.arguments.boolean(0);
  const double share = std::clamp(call.arguments.number(1), 0.0, 1.0);
  if (call.arguments.is_good()) {
    call.core.warned_deviation = is_on ? std::optional(share) : std::nullopt;
  }
  return ur_done();
}

UrOutcome zero_ftsensor(UrCall& call) {
  call.core.zero_force();
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

constexpr UrNamedFunction kMotionFunctions[] = {
    {"enable_external_ft_sensor", pass},
    {"end_force_mode", end_giving_way},
    {"end_freedrive_mode", end_giving_way},
    {"end_teach_mode", end_giving_way},
    {"force_mode", force_mode},
    {"force_mode_set_damping", force_mode_set_damping},
    {"force_mode_set_gain_scaling", force_mode_set_gain_scaling},
    {"freedrive_mode", freedrive_mode},
    {"ft_rtde_input_enable", pass},
    {"get_actual_joint_positions_history", refuse},
    {"get_freedrive_status", get_freedrive_status},
    {"movec", movec},
    {"movej", movej},
    {"movel", movel},
    {"movep", movep},
    {"position_deviation_warning", position_deviation_warning},
    {"protective_stop", protective_stop},
    {"servoc", servoc},
    {"servoj", servoj},
    {"sleep", sleep},
    {"speedj", speedj},
    {"speedl", speedl},
    {"stopj", stopj},
    {"stopl", stopl},
    {"teach_mode", freedrive_mode},
    {"tool_contact", refuse},
    {"zero_ftsensor", zero_ftsensor}};

}  // namespace

std::span<const UrNamedFunction> ur_motion_functions() {
  return kMotionFunctions;
}

}  // namespace longarm::robots
