// SPDX-License-Identifier: Apache-2.0
// The one list of a UR controller's keys, and its judge.
#include "longarm/robots/ur/config.h"

#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/text.h"
#include "longarm/protocols/ur/realtime.h"
#include "longarm/robots/arm/robot_arm.h"
#include "longarm/robots/arm/robot_tool.h"
#include "longarm/robots/config_judge.h"
#include "longarm/robots/ur/joints.h"
#include "longarm/robots/ur/kinematics.h"

namespace longarm::robots {
namespace {

using network::KeyRemark;

// how well the model must agree with the controller's own geometry
constexpr double kSame = 1e-6;

// what the fields of these sub-packages take, and what no client would read to its end
constexpr std::int64_t kRobotModeBytes = 46;
constexpr std::int64_t kMasterboardBytes = 74;
constexpr std::int64_t kMostPackageBytes = 255;

void judge_package(const char* key, std::int64_t bytes, std::int64_t least, ConfigJudge& judge) {
  if (bytes != 0 && (bytes < least || bytes > kMostPackageBytes)) {
    judge.refuse(key,
                 fmt::format("a sub-package cannot have {} bytes; use {} to {}", bytes, least,
                             kMostPackageBytes),
                 "0: as in the firmware");
  }
}

void judge_numbers(const UrConfig& c, ConfigJudge& judge) {
  judge.positive("servo_gain", c.servo_gain, "100");
  judge.positive("joint_speed_rad_s", c.joint_speed_rad_s, "3.14");
  judge.positive("safety_joint_speed_rad_s", c.safety_joint_speed_rad_s, "3.334");
  if (c.safety_joint_speed_rad_s < c.joint_speed_rad_s) {
    judge.refuse("safety_joint_speed_rad_s",
                 fmt::format("the safety system stops joints at {:.4g} rad/s, but moves are "
                             "planned up to {:.4g} rad/s",
                             c.safety_joint_speed_rad_s, c.joint_speed_rad_s),
                 "lower joint_speed_rad_s, too");
  }
  judge.positive("joint_acceleration_rad_s2", c.joint_acceleration_rad_s2, "40");
  judge.positive("stop_deceleration_rad_s2", c.stop_deceleration_rad_s2, "4");
  judge.positive("brake_deceleration_rad_s2", c.brake_deceleration_rad_s2, "20");
  judge.positive("deviation_rad", c.deviation_rad, "0.05");
  judge.positive("smallest_singular_value", c.smallest_singular_value, "0.01");
  judge.span("clock_offset", c.clock_offset);
  judge.span("power_on_time", c.power_on_time);
  judge.span("brake_release_time", c.brake_release_time);
  judge.span("unlock_after", c.unlock_after);
  judge.span("protective_stop_at", c.protective_stop_at.value_or(Duration::zero()));
  judge.span("emergency_stop_at", c.emergency_stop_at.value_or(Duration::zero()));
  if (c.gripper.tool_output < -1 || c.gripper.tool_output > 1) {
    judge.refuse("gripper.tool_output", "the tool has digital outputs 0 and 1", "-1: none");
  }
  if (c.serial_number.empty() ||
      c.serial_number.find_first_not_of("0123456789") != std::string::npos) {
    judge.refuse("serial_number", "a serial number has digits only", "20153500001");
  }
  judge_package("packages.robot_mode_bytes", c.packages.robot_mode_bytes, kRobotModeBytes, judge);
  judge_package("packages.masterboard_bytes", c.packages.masterboard_bytes, kMasterboardBytes,
                judge);
  if (c.digital_inputs < 0 || c.digital_inputs >= std::int64_t{1} << 18) {
    judge.refuse("digital_inputs", "there are 18 digital inputs", "from 0 to 262143");
  }
}

/// The controller computes with its own geometry, so the model must have the same.
void judge_geometry(const UrConfig& c, const RobotArm& arm, const model::Pose& X_RB,
                    ConfigJudge& judge) {
  const UrKinematics kinematics(ur5_geometry());
  for (const double turn : {0.0, 0.7, -1.9}) {
    Joints q{};
    for (std::size_t j = 0; j < q.size(); ++j) {
      q[j] = turn * (1.0 - 0.3 * static_cast<double>(j));
    }
    const model::Pose X_BF = X_RB.inverse() * arm.pose(q);
    const double off = (X_BF.matrix() - kinematics.flange(q).matrix()).norm();
    if (!(off < kSame)) {
      judge.refuse(
          "flange",
          fmt::format(
              "'{}' is not a UR5 between its frames '{}' and '{}': the flange is off by {:.3g}",
              c.placement, c.base_frame, c.flange, off),
          "models/ur5 has frames base and tool0");
      return;
    }
  }
}

void judge_home(const UrConfig& c, const RobotArm& arm, ConfigJudge& judge) {
  if (c.home_rad.size() != 6) {
    judge.refuse("home_rad", fmt::format("home has {} joint positions", c.home_rad.size()),
                 "give six, one per joint from base to wrist 3");
  } else if (!arm.is_within_limits(c.home_rad)) {
    judge.refuse("home_rad", "home is beyond the limits of a joint", "longarm lint shows them");
  }
}

void judge_arm(const UrConfig& c, const model::Cell& cell, ConfigJudge& judge) {
  try {
    const int number = find_placement(cell, c.placement);
    const model::Placement& placement = cell.placements[static_cast<std::size_t>(number)];
    const RobotArm arm(cell, number, c.flange);
    if (!placement.is_fixed) {
      judge.refuse("model", fmt::format("'{}' is not fixed to the world", c.placement),
                   "fix the base of the robot to the world");
    }
    if (arm.joint_count() != 6) {
      judge.refuse(
          "model",
          fmt::format("'{}' has {} joints up to '{}'", c.placement, arm.joint_count(), c.flange),
          "a UR has six joints");
      return;
    }
    judge_geometry(c, arm, ur_base_on_root(placement, c.base_frame), judge);
    judge_home(c, arm, judge);
  } catch (const InputError& error) {
    judge.refuse("model", error);
  }
}

}  // namespace

void list_fields(Fields& fields, UrGripperConfig& c) {
  fields.field("is_active", c.is_active,
               "whether it is activated when the simulation starts; otherwise send SET ACT 1");
  fields.field("tool_output", c.tool_output,
               "tool output that closes it when on: 0 or 1; -1: none");
}

void list_fields(Fields& fields, UrPackagesConfig& c) {
  fields.field("robot_mode_bytes", c.robot_mode_bytes,
               "size of the robot mode sub-package including its header, padded with zeros; 0: as "
               "in the firmware (47 from 3.5, 46 before)");
  fields.field("masterboard_bytes", c.masterboard_bytes,
               "the same for the masterboard sub-package (75 from 3.10, 74 before)");
}

void list_fields(Fields& fields, UrConfig& c) {
  fields.field("base_frame", c.base_frame, "frame of the model that is the controller's base");
  fields.field("flange", c.flange, "frame of the model that is the controller's flange");
  fields.field("home_rad", c.home_rad, "joint positions at the start, base to wrist 3");
  fields.field("firmware", c.firmware, "firmware version to report; determines the packet layouts");
  fields.section("packages", "sub-packages of the primary and secondary ports",
                 [&](Fields& f) { list_fields(f, c.packages); });
  fields.field("serial_number", c.serial_number, "serial number reported by the dashboard; digits");
  fields.field("clock_offset", c.clock_offset,
               "how long the controller has been on when the simulation starts");
  fields.section("ports", "TCP ports of its servers",
                 [&](Fields& f) { protocols::ur::list_fields(f, c.ports); });
  fields.field("servo_gain", c.servo_gain, "gain of the joints' position loop, 1/s");
  fields.field("joint_speed_rad_s", c.joint_speed_rad_s, "largest joint speed of planned moves");
  fields.field("safety_joint_speed_rad_s", c.safety_joint_speed_rad_s,
               "joint speed above which speedj, speedl and servoj cause a protective stop");
  fields.field("joint_acceleration_rad_s2", c.joint_acceleration_rad_s2,
               "largest joint acceleration; larger requests are clamped");
  fields.field("stop_deceleration_rad_s2", c.stop_deceleration_rad_s2,
               "deceleration when the program is stopped or replaced");
  fields.field("brake_deceleration_rad_s2", c.brake_deceleration_rad_s2,
               "deceleration of protective and emergency stops");
  fields.field("deviation_rad", c.deviation_rad,
               "distance of a joint from its target that counts as a collision: protective stop");
  fields.choice("over_speed", c.over_speed, {"stop", "clamp"},
                "effect of speedj and servoj commands beyond the joint speed: protective stop, or "
                "clamp to the limit");
  fields.field("smallest_singular_value", c.smallest_singular_value,
               "least singular value of the Jacobian (m and rad alike) for straight motions");
  fields.choice("start", c.start, {"running", "idle", "power_off"},
                "state when the simulation starts: brakes released, brakes engaged, or power off");
  fields.field("power_on_time", c.power_on_time, "time from power on to idle");
  fields.field("brake_release_time", c.brake_release_time, "time from brake release to running");
  fields.field("unlock_after", c.unlock_after,
               "time after which a protective stop can be unlocked");
  fields.field("protective_stop_at", c.protective_stop_at,
               "time of a protective stop; default: none");
  fields.field("emergency_stop_at", c.emergency_stop_at,
               "time of an emergency stop; default: none");
  fields.section("gripper", "gripper at the flange, if the model has one",
                 [&](Fields& f) { list_fields(f, c.gripper); });
  fields.field("programs", c.programs, "folder of *.script files for the dashboard; empty: none");
  fields.field("loops_back_io", c.loops_back_io,
               "whether digital outputs are wired to the inputs of the same number");
  fields.field("digital_inputs", c.digital_inputs,
               "levels of the digital inputs: the sum of 2^n of those that are on");
}

const std::string& programs_folder(const UrConfig& c) {
  return c.programs_at.empty() ? c.programs : c.programs_at;
}

std::vector<KeyRemark> judge_ur(const UrConfig& c, const model::Cell& cell, Duration period,
                                const std::string& prefix) {
  ConfigJudge judge(prefix);
  judge_numbers(c, judge);
  if (period <= Duration::zero() || kUrCycle % period != Duration::zero()) {
    judge.add({"physics.period",
               fmt::format("a physics step of {} does not divide the control cycle of 8 ms",
                           format_duration(period)),
               "1ms is usual; 2ms, 4ms and 8ms also work"});
  } else if (c.servo_gain * to_seconds(period) > 1.0) {
    judge.refuse("servo_gain",
                 fmt::format("{}servo_gain is {}: more than 1 per step of {} overshoots", prefix,
                             c.servo_gain, format_duration(period)),
                 "100 is usual");
  }
  if (const auto firmware = protocols::ur::read_firmware(c.firmware); !firmware) {
    judge.refuse("firmware", firmware.error().message, "3.15.8 is usual");
  }
  for (const protocols::ur::PortRemark& each : protocols::ur::judge(c.ports)) {
    judge.add({prefix + "ports." + each.key, each.message, each.hint, each.severity});
  }
  std::error_code error;
  if (!c.programs.empty() && !std::filesystem::is_directory(programs_folder(c), error)) {
    judge.refuse("programs", fmt::format("there is no folder '{}'", c.programs),
                 "name a folder with *.script files");
  }
  judge_arm(c, cell, judge);
  return std::move(judge).remarks();
}

}  // namespace longarm::robots
