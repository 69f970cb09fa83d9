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

UrOutcome get_inverse_kin_has_solution(UrCall& call) {
  const UrOutcome found = get_inverse_kin(call);
  return ur_done(script::boolean(found.kind == UrOutcome::Kind::kDone));
}

/// Joint positions within their limits; of a pose, that there are some.
UrOutcome is_within_safety_limits(UrCall& call) {
  const Vector6 six = call.arguments.six(0);
  const protocols::ur::ControllerInfo& info = call.core.info;
  if (call.arguments.is_pose(0)) {
    return ur_done(script::boolean(call.core.kinematics
                                       .nearest(to_pose(six), call.core.live.q_actual,
                                                info.joint_lower_rad, info.joint_upper_rad)
                                       .has_value()));
  }
  bool is_within = true;
  for (std::size_t j = 0; j < six.size(); ++j) {
    is_within = is_within && six[j] >= info.joint_lower_rad[j] && six[j] <= info.joint_upper_rad[j];
  }
  return ur_done(script::boolean(is_within));
}

template <protocols::ur::Vector3 ControllerState::*kWhich>
UrOutcome get_three(UrCall& call) {
  const protocols::ur::Vector3& three = call.core.live.*kWhich;
  return ur_done(
      {script::List{script::number(three[0]), script::number(three[1]), script::number(three[2])}});
}

UrOutcome get_tool_current(UrCall& call) {
  return ur_done(script::number(call.core.live.tool_current_A));
}

UrOutcome random(UrCall& call) {
  return ur_done(script::number(call.core.random.uniform()));
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
    {"get_inverse_kin_has_solution", get_inverse_kin_has_solution},
    {"get_joint_temp", get_joint_temp},
    {"get_joint_torques", get_joint_torques},
    {"get_steptime", get_steptime},
    {"get_target_joint_accelerations", get_list<&ControllerState::qdd_target>},
    {"get_target_joint_moments", get_list<&ControllerState::moment_target_Nm>},
    {"get_target_joint_positions", get_list<&ControllerState::q_target>},
    {"get_target_joint_speeds", get_list<&ControllerState::qd_target>},
    {"get_target_payload", get_target_payload},
    {"get_target_payload_cog", get_three<&ControllerState::payload_cog_m>},
    {"get_target_tcp_pose", get_pose<&ControllerState::tcp_pose_target>},
    {"get_target_tcp_speed", get_list<&ControllerState::tcp_speed_target>},
    {"get_tcp_force", get_list<&ControllerState::tcp_force>},
    {"get_tcp_offset", get_pose<&ControllerState::tcp_offset>},
    {"get_tool_accelerometer_reading", get_three<&ControllerState::tool_acceleration_m_s2>},
    {"get_tool_current", get_tool_current},
    {"is_steady", is_steady},
    {"is_within_safety_limits", is_within_safety_limits},
    {"random", random}};

}  // namespace

std::span<const UrNamedFunction> ur_state_functions() {
  return kStateFunctions;
}

}  // namespace longarm::robots
