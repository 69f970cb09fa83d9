// SPDX-License-Identifier: Apache-2.0
// The settings of a UR controller, with their defaults, and what is wrong with them.
#pragma once

#include <chrono>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/model/cell.h"
#include "longarm/network/link.h"
#include "longarm/protocols/ur/ports.h"

namespace longarm::robots {

/// The control cycle of the CB3 series: targets are computed and packets made at its multiples.
inline constexpr Duration kUrCycle{std::chrono::milliseconds(8)};

/// A controller in front of one placement of a cell, which is a UR5.
/// What is at the flange, if the model has a gripper there.
struct UrGripperConfig {
  bool is_active = true;         ///< when the simulation starts; otherwise its clients activate it
  std::int64_t tool_output = 0;  ///< of the tool's two digital outputs, closes it; -1: none does
};
void list_fields(Fields& fields, UrGripperConfig& config);

/// Sizes of sub-packages in bytes, with their heads; 0: as the firmware has them. They are inferred
/// from what clients accept, so they can be set.
struct UrPackagesConfig {
  std::int64_t robot_mode_bytes = 0;
  std::int64_t masterboard_bytes = 0;
};
void list_fields(Fields& fields, UrPackagesConfig& config);

struct UrConfig {
  std::string name = "ur5";       ///< of the robot: its doors are "<name>.rtde" …; no key
  std::string placement = "ur5";  ///< of the cell; no key
  std::uint64_t seed = 1;         ///< of random() in programs; no key

  std::string base_frame = "base";  ///< frame of the model that the controller calls its base
  std::string flange = "tool0";     ///< and the one it calls its flange, z out
  std::vector<double> home_rad{0.0,
                               -std::numbers::pi / 2,
                               std::numbers::pi / 2,
                               -std::numbers::pi / 2,
                               -std::numbers::pi / 2,
                               0.0};
  std::string firmware = "3.15.8";
  UrPackagesConfig packages;
  std::string serial_number = "20153500001";
  Duration clock_offset{std::chrono::seconds(40)};  ///< timestamps when the simulation starts
  protocols::ur::PortsConfig ports;

  double servo_gain = 100.0;                    ///< 1/s, of the joints' own position loop
  double joint_speed_rad_s = std::numbers::pi;  ///< no move is planned faster
  /// Beyond it the safety system stops the arm: 191 °/s, as robots are delivered.
  double safety_joint_speed_rad_s = 191.0 / 180.0 * std::numbers::pi;
  double joint_acceleration_rad_s2 = 40.0;  ///< more is never tried
  double stop_deceleration_rad_s2 = 4.0;    ///< of programs that end or are replaced
  double brake_deceleration_rad_s2 = 20.0;  ///< of protective and emergency stops
  double deviation_rad = 0.05;      ///< actual from target, beyond which it has hit something
  std::string over_speed = "stop";  ///< speedj and servoj too fast: stop (protective) or clamp
  double smallest_singular_value = 0.01;  ///< below which no straight motion is tried

  std::string start = "running";  ///< running, idle or power_off
  Duration power_on_time{std::chrono::seconds(3)};
  Duration brake_release_time{std::chrono::seconds(2)};
  Duration unlock_after{std::chrono::seconds(5)};  ///< since the protective stop
  std::optional<Duration> protective_stop_at;      ///< planned
  std::optional<Duration> emergency_stop_at;

  UrGripperConfig gripper;
  std::string programs;             ///< folder of *.script files for `load`; empty: none
  std::string programs_at;          ///< where that was found; no key. Empty: as it is named
  bool loops_back_io = false;       ///< digital outputs are wired to the inputs of the same number
  std::int64_t digital_inputs = 0;  ///< bits, as wired
};
void list_fields(Fields& fields, UrConfig& config);

/// Where its programs are; empty: it has none.
const std::string& programs_folder(const UrConfig& config);

/// Everything in it that makes no sense, by itself and in this cell; keys begin with `prefix`.
/// `period` is that of the physics.
std::vector<network::KeyRemark> judge_ur(const UrConfig& config, const model::Cell& cell,
                                         Duration period, const std::string& prefix);

}  // namespace longarm::robots
