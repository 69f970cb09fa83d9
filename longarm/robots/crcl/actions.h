// SPDX-License-Identifier: Apache-2.0
// What each CRCL command does to the robot, to the settings or to its client's reports.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/protocols/crcl/commands.h"
#include "longarm/robots/crcl/client.h"
#include "longarm/robots/crcl/config.h"
#include "longarm/robots/crcl/settings.h"
#include "longarm/robots/robot_port.h"

namespace longarm::robots {

/// When a command that was started is over.
enum class CrclWait {
  kNothing,  ///< it is already
  kMotion,   ///< the robot stands at its goal
  kGripper,  ///< the fingers have come to rest
  kTime,     ///< so much time has gone by
};

struct CrclStarted {
  CrclWait wait = CrclWait::kNothing;
  Duration planned{};  ///< how long it should take
};

/// A command either acts or fails with the reason; nothing is done by halves. Whether it may be
/// executed at all, and what InitCanon, EndCanon, StopMotion, GetStatus and loops mean, is for the
/// controller to say.
class CrclActions {
 public:
  CrclActions(RobotPort& robot, const CrclDoorConfig& config, const Pose& X_WB);

  Result<CrclStarted> start(const protocols::crcl::CommandBody& body, CrclClient& client);

  /// Whether it needs a robot that moves: such a command waits while the safety system stops it.
  static bool needs_robot(const protocols::crcl::CommandBody& body);

  /// What holds for a client that has said nothing so far.
  void welcome(CrclClient& client) const;
  /// Settings as after InitCanon; units (except in the lab's dialect), frame and reportModels of
  /// that client too.
  void reset(CrclClient& client);

  CrclSettings& settings() { return settings_; }
  const CrclSettings& settings() const { return settings_; }

  /// Of a parameter that can be reported; `client` because some are its own.
  std::string parameter(std::string_view name, const CrclClient& client) const;

 private:
  struct Visitor;

  Result<CrclStarted> move_joints(const protocols::crcl::ActuateJoints& command,
                                  const CrclDialect& dialect);
  Result<CrclStarted> move_through(bool is_straight,
                                   const std::vector<protocols::crcl::Waypoint>& waypoints,
                                   const CrclDialect& dialect);
  Result<CrclStarted> move_screw(const protocols::crcl::MoveScrew& command,
                                 const CrclDialect& dialect);
  Result<CrclStarted> change_tool(bool opens, const CrclDialect& dialect);
  Result<CrclStarted> dwell(const protocols::crcl::Dwell& command) const;

  Result<CrclStarted> set_end_effector(double setting);
  Result<CrclStarted> set_end_effector(const std::vector<protocols::crcl::Parameter>& parameters);
  Result<CrclStarted> enable_gripper(const std::string& name, bool is_enabled,
                                     const std::vector<protocols::crcl::Parameter>& options);
  /// Why the gripper cannot be told anything; nothing: it can.
  std::optional<Error> gripper_refusal() const;

  Result<CrclStarted> enable_sensor(const std::string& id, bool is_enabled,
                                    const std::vector<protocols::crcl::Parameter>& options);
  Result<CrclStarted> set_robot_parameters(const std::vector<protocols::crcl::Parameter>& given,
                                           CrclClient& client);
  Result<CrclStarted> report_parameter(const std::string& name, bool is_reported,
                                       CrclClient& client) const;
  Result<CrclStarted> configure(const protocols::crcl::ConfigureJointReports& command,
                                CrclClient& client) const;
  Result<CrclStarted> configure(const protocols::crcl::ConfigureStatusReport& command,
                                CrclClient& client) const;
  Result<CrclStarted> set_rate(const protocols::crcl::Rate& rate, double unit, CrclRate& target);
  Result<CrclStarted> set_tolerance(const protocols::crcl::PoseTolerance& tolerance,
                                    const CrclDialect& dialect, GoalTolerance& target);
  Result<std::map<std::size_t, double>> joint_tolerances(
      const std::vector<protocols::crcl::JointTolerance>& given, const CrclDialect& dialect) const;
  CrclDialect usual_dialect() const;
  /// Counted from 0, out of a number counted from 1.
  Result<std::size_t> joint(std::int32_t number) const;

  RobotPort& robot_;
  CrclDoorConfig config_;
  Pose X_WB_;
  CrclSettings settings_;
};

/// A name as XML's NMTOKEN allows it: what cannot stand in one becomes '_'.
std::string to_name_token(std::string_view name);

}  // namespace longarm::robots
