// SPDX-License-Identifier: Apache-2.0
// How parts are picked and placed: heights, speeds and directions, and where an arm is out of the
// way.
#pragma once

#include <string>
#include <vector>

#include "labs/kitting/ontology.h"
#include "longarm/core/fields.h"
#include "longarm/protocols/crcl/commands.h"

namespace longarm::kitting {

struct HandlingConfig {
  double approach_m = 0.10;         ///< over a grasp or a seat, where fast motion ends
  double grasp_offset_m = -0.0056;  ///< controlled point over the middle of the peg
  double release_m = 0.0003;        ///< a part is let go so far over its seat
  double travel_speed_m_s = 0.6;
  double travel_acceleration_m_s2 = 2.0;
  double fine_speed_m_s = 0.08;  ///< near parts
  double fine_acceleration_m_s2 = 0.5;
  double turn_speed_rad_s = 2.0;
  double turn_acceleration_rad_s2 = 8.0;
  double grasp_wait_s = 0.1;    ///< after the fingers have closed
  double release_wait_s = 0.1;  ///< after they have opened
  double press_m = 0.0003;      ///< a cup goes so far below the surface that it is to seal
  double coupling_m = 0.001;    ///< between flange and tool when one is taken or hung
};
void list_fields(Fields& fields, HandlingConfig& config);

/// One arm's own numbers.
struct ArmConfig {
  std::string name;               ///< of the robot
  double yaw_deg = 0.0;           ///< of the tool's x axis in the world, where nothing is near
  double closes_deg = 0.0;        ///< along which the fingers close, from the tool's x axis
  double finger_reach_m = 0.071;  ///< of open fingers, outwards from the controlled point
  double clearance_m = 0.034;     ///< from the fingers' middle line to pegs beside it
  std::vector<double> clear_m{};  ///< controlled point, in the world, out of everybody's way
};
void list_fields(Fields& fields, ArmConfig& config);

/// Where a robot's base stands.
Pose base_of(const RobotAbility& robot);
/// The tool straight down over p_W, in the robot's base frame.
Pose tool_pose(const RobotAbility& robot, const Vector3& p_W, double yaw_deg);

/// A turn of the tool with which the open fingers stay clear of the pegs of other parts, as near
/// to the usual one as there is; the one with most room if none is clear.
double choose_yaw_deg(const ArmConfig& arm, const Vector3& p_W,
                      const std::vector<Vector3>& others_W);

/// Whether the peg of a part there can be in the way of fingers at p_W.
bool is_near(const Vector3& part_W, const Vector3& p_W);

/// On a straight line or on any path, with speeds of its own.
protocols::crcl::MoveTo move_to(const Pose& X_BT, bool is_straight, double speed_m_s,
                                double acceleration_m_s2, const HandlingConfig& handling);

/// From a status, in metres.
Vector3 point_of(const protocols::crcl::Pose& pose);

}  // namespace longarm::kitting
