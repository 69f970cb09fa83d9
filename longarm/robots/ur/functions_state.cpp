// SPDX-License-Identifier: Apache-2.0
// URScript's view of the arm: positions, speeds, forces, kinematics.
#include <cmath>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/robots/ur/functions.h"

namespace longarm::robots {
namespace {

namespace script = protocols::ur::script;
using protocols::ur::ControllerState;

// a joint slower than this stands still
constexpr double kSteady_rad_s = 0.005;

/// As of the end of the last cycle.
template <Joints ControllerState::*kWhich>
UrOutcome get_list(UrCall& call) {
  return ur_done(script::list(call.core.live.*kWhich));
}

template <Vector6 ControllerState::*kWhich>
UrOutcome get_pose(UrCall& call) {
  return ur_done(script::pose(call.core.live.*kWhich));
}

UrOutcome get_flange_pose(UrCall& call) {
  return ur_done(script::pose(to_numbers(call.core.kinematics.flange(call.core.live.q_actual))));
}

UrOutcome force(UrCall& call) {
  const Vector6& f = call.core.live.tcp_force;
  return ur_done(script::number(std::hypot(f[0], f[1], f[2])));
}

UrOutcome get_forward_kin(UrCall& call) {
  const Joints q = call.arguments.has(0) ? call.arguments.six(0) : call.core.live.q_actual;
  UrKinematics kinematics = call.core.kinematics;
  if (call.arguments.has(1)) {
    kinematics.set_tool(call.arguments.six(1));
  }
  return ur_done(script::pose(to_numbers(kinematics.tool(q))));
}

UrOutcome get_inverse_kin(UrCall& call) {
  const Vector6 pose = call.arguments.six(0);
  const Joints near = call.arguments.has(1) ? call.arguments.six(1) : call.core.live.q_actual;
  if (!call.arguments.is_good()) {
    return ur_done();
  }
  const std::optional<Joints> q = call.core.kinematics.nearest(
      to_pose(pose), near, call.core.info.joint_lower_rad, call.core.info.joint_upper_rad);
  return q ? ur_done(script::list(*q))
           : ur_failed("get_inverse_kin: there are no joint positions for this pose");
}

UrOutcome get_joint_temp(UrCall& call) {
  return ur_done(script::number(call.core.live.motor_temperature_C[call.arguments.index(0, 6)]));
}

UrOutcome get_controller_temp(UrCall& call) {
  return ur_done(script::number(call.core.live.masterboard_temperature_C));
}

UrOutcome get_joint_torques(UrCall& call) {
  return ur_done(script::list(call.core.joints.efforts()));
}

UrOutcome get_steptime(UrCall&) {
  return ur_done(script::number(to_seconds(kUrCycle)));
}

UrOutcome get_target_payload(UrCall& call) {
  return ur_done(script::number(call.core.live.payload_kg));
}

UrOutcome is_steady(UrCall& call) {
  bool stands = call.core.motion.is_at_rest();
  for (const double each : call.core.live.qd_actual) {
    stands = stands && std::abs(each) < kSteady_rad_s;
  }
  return ur_done(script::boolean(stands));
}

constexpr UrNamedFunction kStateFunctions[] = {
    {"force", force},
    {"get_actual_joint_positions", get_list<&ControllerState::q_actual>},
    {"get_actual_joint_speeds", get_list<&ControllerState::qd_actual>},
    {"get_actual_tcp_pose", get_pose<&ControllerState::tcp_pose_actual>},
    {"get_actual_tcp_speed", get_list<&ControllerState::tcp_speed_actual>},
    {"get_actual_tool_flange_pose", get_flange_pose},
    {"get_controller_temp", get_controller_temp},
    {"get_forward_kin", get_forward_kin},
    {"get_inverse_kin", get_inverse_kin},
    {"get_joint_temp", get_joint_temp},
    {"get_joint_torques", get_joint_torques},
    {"get_steptime", get_steptime},
    {"get_target_joint_positions", get_list<&ControllerState::q_target>},
    {"get_target_joint_speeds", get_list<&ControllerState::qd_target>},
    {"get_target_payload", get_target_payload},
    {"get_target_tcp_pose", get_pose<&ControllerState::tcp_pose_target>},
    {"get_target_tcp_speed", get_list<&ControllerState::tcp_speed_target>},
    {"get_tcp_force", get_list<&ControllerState::tcp_force>},
    {"get_tcp_offset", get_pose<&ControllerState::tcp_offset>},
    {"is_steady", is_steady}};

}  // namespace

std::span<const UrNamedFunction> ur_state_functions() {
  return kStateFunctions;
}

}  // namespace longarm::robots
