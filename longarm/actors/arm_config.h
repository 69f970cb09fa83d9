// SPDX-License-Identifier: Apache-2.0
// The keys of an arm: the robot, what it is to do, and where a link cuts its control loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longarm/actors/robot_file.h"
#include "longarm/cell/wish.h"
#include "longarm/config/link_config.h"
#include "longarm/control/config.h"
#include "longarm/control/controller.h"
#include "longarm/core/fields.h"
#include "longarm/model/joint_choice.h"
#include "longarm/network/link.h"
#include "longarm/tasks/task.h"

namespace longarm::actors {

/// The controller's host: when it ticks, and what its clock says meanwhile.
struct ControlClockConfig {
  Duration period{1'000'000};
  Duration phase{0};
  Duration jitter{0};
  Duration clock_offset{0};
  double clock_drift_ppm = 0.0;
  std::string host;   ///< where the controller runs, if there is a network
  cell::Wish manner;  ///< how messages to and from it travel there
};

struct ControllerConfig {
  std::string name = "pid";
  std::shared_ptr<control::ControllerModel> plugin;  ///< shared: copies of a config only read it
};

struct ArmConfig {
  RobotFileKeys robot{.model = ""};
  std::string end_effector;
  model::JointChoice joints;
  bool ignore_start_overlaps = false;
  JointPositions home_rad;  ///< empty: zeros, as far as limits allow them
  ControlClockConfig control;
  std::optional<Duration> states_period;
  tasks::TaskConfig task;
  std::string cut = "velocity";
  /// What joints are told, one word each; empty: as servo and cut have it.
  std::vector<std::string> command;
  ControllerConfig controller;
  std::optional<double> gain;
  control::GainsConfig gains;
  double feed_forward = 0.0;
  control::ToleranceConfig tolerances;
  control::ServoConfig servo;
  config::LinkConfig link;
  std::optional<Duration> estop_at;
  std::optional<Duration> estop_release;
  bool has_implied_servo = false;  ///< the cut chose it
};

/// What arms' keys may name.
struct ArmParts {
  control::ControllerRegistry controllers;
  network::LinkModelRegistry links;
};

/// Beside `kind` and `host` of an actor.
void list_fields(Fields& fields, ArmConfig& config, const ArmParts& parts);
/// At the top of a scenario, where the robot's own keys stand in a group; `host` is that of its
/// joints.
void list_short_fields(Fields& fields, ArmConfig& config, const ArmParts& parts, std::string& host,
                       bool with_network);
/// What one of an actor's keys is called there.
std::string short_key(const std::string& key);

/// Fills in what depends on other keys.
void resolve(ArmConfig& config, Duration physics_period);

/// `config` has lists for all of an arm's `joints`, of which `driven` have a drive.
control::LoopConfig loop_config(const ArmConfig& config, const std::vector<int>& driven,
                                std::size_t joints, Duration physics_period, std::uint64_t seed);

}  // namespace longarm::actors
