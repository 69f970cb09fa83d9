// SPDX-License-Identifier: Apache-2.0
// The keys of UR arms at work: the arms and their ports, what stands around them, and a driver
// somewhere on a network. Internal to the folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/control/config.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/network/topology/network_config.h"
#include "longarm/robots/ur_config.h"
#include "longarm/tasks/task.h"

namespace longarm::experiments {

/// An arm and its controller.
struct UrArmSection {
  std::string name;
  std::string model = "ur5";
  std::vector<double> pose_m_deg;  ///< of its base in the world; empty: at the origin
  std::string host = "robot";      ///< of the network, if there is one
  robots::UrConfig controller;
};

/// What the program that servoj needs at the robot is told.
struct ServojSection {
  double lookahead_s = 0.1;
  double gain = 300.0;
  Duration time{8'000'000};
  std::int64_t reverse_port = 50001;        ///< where the driver listens for the robot
  Duration receive_timeout{2'000'000'000};  ///< of the robot's program: then it stops the arm
};

struct SpeedjSection {
  double acceleration_rad_s2 = 15.0;
  Duration time{8'000'000};           ///< after which the robot gives up; 0: never
  std::int64_t watchdog_cycles = 12;  ///< without a packet: the driver sends zeros; 0: never
};

/// Who moves one of the arms, from another host.
struct UrDriverSection {
  std::string kind = "none";  ///< none, speedj, servoj or ros_control
  std::string robot;          ///< empty: the first
  std::string host = "driver";
  Duration start{1'000'000'000};  ///< of the plan; later if the connection takes longer
  std::string tick = "packet";    ///< speedj: packet or timer
  Duration phase{0};              ///< of its timer
  control::GainsConfig gains{{10, 10, 10, 5, 5, 5}, {}, {}, {}, false};
  std::optional<double> gain;
  double feed_forward = 0.0;
  SpeedjSection speedj;
  ServojSection servoj;

  bool is_on() const { return kind != "none"; }
  /// Whether it talks to a UR controller.
  bool speaks_ur() const { return kind == "speedj" || kind == "servoj"; }
};

struct UrRunConfig {
  std::string world;  ///< empty: nothing around the arms
  std::optional<Duration> length;
  std::vector<UrArmSection> robots;
  UrDriverSection driver;
  tasks::TaskConfig task;
  network::NetworkConfig network;

  /// Number of the arm that the driver moves, and that one.
  std::size_t driven() const;
  const UrArmSection& driven_arm() const { return robots[driven()]; }
};

void list_fields(Fields& fields, UrRunConfig& config);

/// Reads the network's files and judges everything that needs no model.
std::vector<network::KeyRemark> load(UrRunConfig& config, InputFiles& files);

}  // namespace longarm::experiments
