// SPDX-License-Identifier: Apache-2.0
// Keys of handling, and poses as CRCL says them.
#include "labs/kitting/handling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace longarm::kitting {
namespace {

namespace crcl = protocols::crcl;

constexpr double kRadians = std::numbers::pi / 180.0;

crcl::Rate absolute(double value) {
  return {false, value};
}

}  // namespace

void list_fields(Fields& fields, HandlingConfig& config) {
  fields.field("approach_m", config.approach_m,
               "height above a grasp or seat at which fast motion ends");
  fields.field("grasp_offset_m", config.grasp_offset_m,
               "height of the controlled point above the middle of the peg");
  fields.field("release_m", config.release_m, "height above its seat at which a part is released");
  fields.field("travel_speed_m_s", config.travel_speed_m_s, "speed between places");
  fields.field("travel_acceleration_m_s2", config.travel_acceleration_m_s2,
               "acceleration between places");
  fields.field("fine_speed_m_s", config.fine_speed_m_s, "speed near parts");
  fields.field("fine_acceleration_m_s2", config.fine_acceleration_m_s2, "acceleration near parts");
  fields.field("turn_speed_rad_s", config.turn_speed_rad_s, "turning speed of the tool");
  fields.field("turn_acceleration_rad_s2", config.turn_acceleration_rad_s2,
               "turning acceleration of the tool");
  fields.field("grasp_wait_s", config.grasp_wait_s, "wait after the fingers have closed");
  fields.field("release_wait_s", config.release_wait_s, "wait after the fingers have opened");
  fields.field("press_m", config.press_m,
               "depth to which a cup is pressed below the surface to seal");
  fields.field("coupling_m", config.coupling_m, "gap between flange and tool when coupling");
  for (const auto& [key, value] :
       {std::pair("approach_m", config.approach_m),
        std::pair("travel_speed_m_s", config.travel_speed_m_s),
        std::pair("travel_acceleration_m_s2", config.travel_acceleration_m_s2),
        std::pair("fine_speed_m_s", config.fine_speed_m_s),
        std::pair("fine_acceleration_m_s2", config.fine_acceleration_m_s2),
        std::pair("turn_speed_rad_s", config.turn_speed_rad_s),
        std::pair("turn_acceleration_rad_s2", config.turn_acceleration_rad_s2)}) {
    if (!(value > 0.0)) {
      fields.reject(key, "must be positive", "remove it to use the default");
    }
  }
  for (const auto& [key, value] : {std::pair("grasp_wait_s", config.grasp_wait_s),
                                   std::pair("release_wait_s", config.release_wait_s)}) {
    if (!(value >= 0.0)) {
      fields.reject(key, "must not be negative", "0: no wait");
    }
  }
}

void list_fields(Fields& fields, ArmConfig& config) {
  fields.field("yaw_deg", config.yaw_deg,
               "direction of the tool's x axis in the world, where no other part is near");
  fields.field("closes_deg", config.closes_deg,
               "direction along which the fingers close, from the tool's x axis");
  fields.field("finger_reach_m", config.finger_reach_m,
               "reach of open fingers outwards from the controlled point");
  fields.field("clearance_m", config.clearance_m,
               "least distance from the fingers' centre line to the pegs of other parts");
  fields.field("clear_m", config.clear_m,
               "x, y, z of the controlled point at which the arm is out of the way");
  if (!config.clear_m.empty() && config.clear_m.size() != 3) {
    fields.reject("clear_m", "needs three numbers", "x, y, z in the world");
  }
}

Pose base_of(const RobotAbility& robot) {
  Pose X_WB = Pose::Identity();
  X_WB.translate(Vector3(robot.base_m[0], robot.base_m[1], robot.base_m[2]));
  X_WB.rotate(Eigen::AngleAxisd(robot.base_yaw_deg * kRadians, Vector3::UnitZ()));
  return X_WB;
}

Pose tool_pose(const RobotAbility& robot, const Vector3& p_W, double yaw_deg) {
  Pose X_WT = Pose::Identity();
  X_WT.translate(p_W);
  X_WT.rotate(Eigen::AngleAxisd(yaw_deg * kRadians, Vector3::UnitZ()));
  X_WT.rotate(Eigen::AngleAxisd(std::numbers::pi, Vector3::UnitX()));  // z down
  return base_of(robot).inverse() * X_WT;
}

double choose_yaw_deg(const ArmConfig& arm, const Vector3& p_W,
                      const std::vector<Vector3>& others_W) {
  constexpr double kStep_deg = 15.0;
  double best_deg = arm.yaw_deg;
  double best_m = -1.0;
  for (int i = 0; i < 12; ++i) {
    // 0, 1, -1, 2, -2, … steps; half a turn is the same to two fingers
    const double turn_deg = kStep_deg * ((i + 1) / 2) * (i % 2 == 1 ? 1.0 : -1.0);
    // the tool points down, so that seen from above its own angles count backwards
    const double angle = (arm.yaw_deg + turn_deg - arm.closes_deg) * kRadians;
    const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
    double room_m = arm.clearance_m;
    for (const Vector3& other : others_W) {
      const Eigen::Vector2d away = (other - p_W).head<2>();
      const double along = std::clamp(away.dot(direction), -arm.finger_reach_m, arm.finger_reach_m);
      room_m = std::min(room_m, (away - along * direction).norm());
    }
    if (room_m > best_m) {
      best_m = room_m;
      best_deg = arm.yaw_deg + turn_deg;
    }
  }
  return best_deg;
}

bool is_near(const Vector3& part_W, const Vector3& p_W) {
  constexpr double kNear_m = 0.13;
  return (part_W - p_W).head<2>().norm() < kNear_m;
}

crcl::MoveTo move_to(const Pose& X_BT, bool is_straight, double speed_m_s, double acceleration_m_s2,
                     const HandlingConfig& handling) {
  const Vector3 p = X_BT.translation();
  const Vector3 x = X_BT.linear().col(0);
  const Vector3 z = X_BT.linear().col(2);
  crcl::SegmentSettings settings;
  settings.is_coordinated = true;
  settings.translation_speed = absolute(speed_m_s);
  settings.translation_acceleration = absolute(acceleration_m_s2);
  settings.rotation_speed = absolute(handling.turn_speed_rad_s);
  settings.rotation_acceleration = absolute(handling.turn_acceleration_rad_s2);
  crcl::MoveTo move;
  move.is_straight = is_straight;
  move.end.pose = {{p.x(), p.y(), p.z()}, {x.x(), x.y(), x.z()}, {z.x(), z.y(), z.z()}};
  move.end.settings = settings;
  return move;
}

Vector3 point_of(const crcl::Pose& pose) {
  return {pose.point.x, pose.point.y, pose.point.z};
}

}  // namespace longarm::kitting
