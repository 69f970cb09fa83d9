// SPDX-License-Identifier: Apache-2.0
// How one CRCL client counts: its units and its frame, to SI in the robot's base frame and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/protocols/crcl/data.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// `X_FB` is the robot's base in the client's frame: identity where poses are meant in the base
/// frame.
struct CrclDialect {
  protocols::crcl::Units units;
  Pose X_FB = Pose::Identity();

  double metres() const { return protocols::crcl::metres_in(units.length); }
  double radians() const { return protocols::crcl::radians_in(units.angle); }
  double newtons() const { return protocols::crcl::newtons_in(units.force); }
  double newton_metres() const { return protocols::crcl::newton_metres_in(units.torque); }
  /// Of a joint's position, its rates, and what it pushes with.
  double joint_position(bool is_prismatic) const { return is_prismatic ? metres() : radians(); }
  double joint_effort(bool is_prismatic) const {
    return is_prismatic ? newtons() : newton_metres();
  }

  /// The axes are made unit and square; z stays as it is and x gives way. Fails if they are
  /// parallel or nothing at all.
  Result<Pose> to_robot(const protocols::crcl::Pose& pose) const;
  Vector3 to_robot(const protocols::crcl::Point& point) const;
  GoalTolerance to_robot(const protocols::crcl::PoseTolerance& tolerance) const;

  protocols::crcl::Pose to_client(const Pose& X_BT) const;
  protocols::crcl::Twist to_client(const physics::Twist& twist_B) const;
  protocols::crcl::Wrench to_client(const physics::Wrench& wrench_B) const;
  protocols::crcl::PoseTolerance to_client(const GoalTolerance& tolerance) const;
  /// What the robot says, with its quantities as this client counts: a number before m, mm, rad or
  /// °, and three in parentheses before m, which are a point in the base frame.
  std::string to_client(std::string_view sentence) const;
};

}  // namespace longarm::robots
