// SPDX-License-Identifier: Apache-2.0
// Fills the sections of a CRCL status from the robot and the settings.
#include "longarm/robots/crcl/status.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "longarm/core/text.h"

namespace longarm::robots {

namespace crcl = protocols::crcl;

namespace {

std::vector<crcl::JointStatus> joint_statuses(const RobotState& state, const RobotInfo& info,
                                              const CrclClient& client) {
  std::vector<crcl::JointStatus> statuses;
  for (const auto& [number, report] : client.joint_reports) {
    const auto index = static_cast<std::size_t>(number) - 1;
    const JointState& joint = state.joints[index];
    const double unit = client.dialect.joint_position(info.is_prismatic[index]);
    crcl::JointStatus status;
    status.joint = number;
    if (report.with_position) {
      status.position = joint.position / unit;
    }
    if (report.with_torque_or_force) {
      status.torque_or_force = joint.effort / client.dialect.joint_effort(info.is_prismatic[index]);
    }
    if (report.with_velocity) {
      status.velocity = joint.velocity / unit;
    }
    if (status.position || status.torque_or_force || status.velocity) {
      statuses.push_back(status);
    }
  }
  return statuses;
}

crcl::GripperStatus gripper_status(const GripperReport& gripper, const CrclSettings& settings,
                                   const CrclDialect& dialect) {
  crcl::GripperStatus status{.name = to_name_token(gripper.name),
                             .options = settings.gripper_options,
                             .is_holding = gripper.is_holding,
                             .kind = {}};
  if (gripper.kind == GripperKind::kVacuum) {
    status.kind = crcl::VacuumGripper{gripper.is_powered};
  } else {
    status.kind = crcl::ParallelGripper{gripper.separation_m / dialect.metres()};
  }
  return status;
}

std::vector<crcl::JointLimit> joint_limits(const RobotInfo& info, const CrclDialect& dialect) {
  const auto finite = [](double value) {
    return std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
  };
  std::vector<crcl::JointLimit> limits;
  for (std::size_t i = 0; i < info.joint_limits.size(); ++i) {
    const double unit = dialect.joint_position(info.is_prismatic[i]);
    const model::JointLimits& joint = info.joint_limits[i];
    limits.push_back(
        {.joint = static_cast<std::int32_t>(i + 1),
         .min_position = finite(joint.lower / unit),
         .max_position = finite(joint.upper / unit),
         .max_torque_or_force = finite(joint.effort / dialect.joint_effort(info.is_prismatic[i])),
         .max_velocity = finite(joint.velocity / unit)});
  }
  return limits;
}

std::optional<double> fraction(const CrclRate& rate) {
  return rate.is_relative ? std::optional<double>(rate.value) : std::nullopt;
}

crcl::SettingsStatus settings_status(const CrclController& controller, const CrclClient& client) {
  const CrclSettings& settings = controller.actions().settings();
  const RobotInfo& info = controller.robot().info();
  const CrclDialect& dialect = client.dialect;
  const SpeedLimits limits = settings.limits(info.fastest);
  crcl::SettingsStatus status;
  status.angle_unit = dialect.units.angle;
  status.force_unit = dialect.units.force;
  status.length_unit = dialect.units.length;
  status.torque_unit = dialect.units.torque;
  status.end_effector_parameters = settings.end_effector_parameters;
  status.end_effector_setting = settings.end_effector_setting;
  status.joint_limits = joint_limits(info, dialect);
  status.is_motion_coordinated = settings.is_coordinated;
  status.end_pose_tolerance = dialect.to_client(settings.end_tolerance);
  status.intermediate_pose_tolerance = dialect.to_client(settings.intermediate_tolerance);
  for (const std::string& name : client.parameter_reports) {
    status.robot_parameters.push_back({name, controller.actions().parameter(name, client)});
  }
  // what is in force, and beside it the fraction where it was set as one
  status.translation_speed_absolute = limits.speed_m_s / dialect.metres();
  status.translation_speed_relative = fraction(settings.speed);
  status.translation_acceleration_absolute = limits.acceleration_m_s2 / dialect.metres();
  status.translation_acceleration_relative = fraction(settings.acceleration);
  status.rotation_speed_absolute = limits.turn_speed_rad_s / dialect.radians();
  status.rotation_speed_relative = fraction(settings.turn_speed);
  status.rotation_acceleration_absolute = limits.turn_acceleration_rad_s2 / dialect.radians();
  status.rotation_acceleration_relative = fraction(settings.turn_acceleration);
  if (!settings.joint_tolerances.empty()) {
    status.joint_tolerances.emplace();
    for (const auto& [index, tolerance] : settings.joint_tolerances) {
      status.joint_tolerances->push_back(
          {static_cast<std::int32_t>(index + 1),
           tolerance / dialect.joint_position(info.is_prismatic[index])});
    }
  }
  return status;
}

crcl::SensorHeader header(const std::string& id, const CrclSensorUse& use) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return {.id = id,
          .read_count = static_cast<std::int32_t>(std::min(use.read_count, kMost)),
          .last_read_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                              use.last_read.time_since_epoch())
                              .count(),
          .parameters = use.options};
}

void add_force_torque(const std::vector<SensorReading>& readings, const std::string& id,
                      crcl::ForceTorqueSensor& sensor) {
  for (const SensorReading& reading : readings) {
    if (reading.id != id) {
      continue;
    }
    double* target = reading.field == "Fx"   ? &sensor.fx_N
                     : reading.field == "Fy" ? &sensor.fy_N
                     : reading.field == "Fz" ? &sensor.fz_N
                     : reading.field == "Tx" ? &sensor.tx_Nm
                     : reading.field == "Ty" ? &sensor.ty_Nm
                     : reading.field == "Tz" ? &sensor.tz_Nm
                                             : nullptr;
    if (target != nullptr) {
      *target = reading.value;
    }
  }
}

crcl::SensorStatuses sensor_statuses(const CrclController& controller) {
  const std::vector<SensorReading> readings = controller.robot().sensors();
  crcl::SensorStatuses statuses;
  for (const auto& [id, use] : controller.actions().settings().sensors) {
    if (id == "force_torque") {
      crcl::ForceTorqueSensor sensor{.header = header(id, use)};
      add_force_torque(readings, id, sensor);
      statuses.force_torque.push_back(sensor);
      continue;
    }
    // a sensor of several fields is as many scalars
    const auto count = std::count_if(readings.begin(), readings.end(),
                                     [&](const SensorReading& r) { return r.id == id; });
    for (const SensorReading& reading : readings) {
      if (reading.id == id) {
        const std::string name = count == 1 ? id : id + "." + reading.field;
        statuses.scalar.push_back({.header = header(name, use), .value = reading.value});
      }
    }
  }
  return statuses;
}

}  // namespace

crcl::Status make_status(const CrclController& controller, const CrclClient& client) {
  const CrclSettings& settings = controller.actions().settings();
  RobotPort& robot = controller.robot();
  const crcl::ConfigureStatusReport& reports = client.reports;
  crcl::Status status;
  status.command = controller.status();
  if (client.complaint) {
    status.command.state = crcl::CommandState::kError;
    status.command.description = *client.complaint;
  }
  const RobotState state = robot.state();
  if (reports.with_joints) {
    std::vector<crcl::JointStatus> joints = joint_statuses(state, robot.info(), client);
    if (!joints.empty()) {
      status.joints = std::move(joints);
    }
  }
  if (reports.with_pose) {
    status.pose = crcl::PoseStatus{.pose = client.dialect.to_client(state.X_BT),
                                   .twist = client.dialect.to_client(state.twist_B),
                                   .wrench = client.dialect.to_client(state.wrench_B),
                                   .configuration = std::nullopt};
  }
  if (const GripperReport gripper = robot.gripper();
      reports.with_gripper && gripper.kind != GripperKind::kNone) {
    status.gripper = gripper_status(gripper, settings, client.dialect);
  }
  if (reports.with_settings) {
    status.settings = settings_status(controller, client);
  }
  if (reports.with_sensors.value_or(false) && !settings.sensors.empty()) {
    status.sensors = sensor_statuses(controller);
  }
  if (reports.with_guards.value_or(false) && !controller.guards().is_empty()) {
    status.guards = controller.guards().status();
    if (controller.guards().fired_at()) {
      status.guards->trigger_pose = client.dialect.to_client(*controller.guards().fired_at());
    }
  }
  return status;
}

}  // namespace longarm::robots
