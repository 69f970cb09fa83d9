// SPDX-License-Identifier: Apache-2.0
// A Robotiq gripper as its maker's software on the robot shows it: variables, activation, and what
// became of the last command.
#pragma once

#include <array>
#include <optional>

#include "longarm/protocols/ur/gripper_door.h"
#include "longarm/robots/arm/linkage_gripper.h"

namespace longarm::robots {

/// What force and speed 0 and 255 mean, by the data sheet of the 2F-85.
struct RobotiqRange {
  double least_force_N = 20.0;
  double most_force_N = 235.0;
  double least_speed_m_s = 0.020;
  double most_speed_m_s = 0.150;
};

/// Positions count from 0, open, to 255, closed, along the turn of the drive.
class Robotiq final : public protocols::ur::GripperPort {
 public:
  /// Borrows the gripper. One that is not active does nothing until ACT becomes 1.
  Robotiq(LinkageGripper& gripper, bool is_active);

  std::optional<int> get(std::string_view variable) const override;
  bool set(std::span<const Setting> settings) override;
  /// The tool's digital output that it is wired to: closes when on, opens when off.
  void wire(bool is_on);

  /// Right after each step of the engine.
  void after_step();

 private:
  enum class Phase { kReset, kCalibrates, kCalibratesBack, kActive, kReleases, kReleased };

  void act(const std::array<int, 7>& before);
  void go();
  void go_to(int position, int speed, int force);
  int position() const;
  int status() const;
  int object() const;
  int fault() const;

  LinkageGripper& gripper_;
  RobotiqRange range_;
  std::array<int, 7> wanted_{};  ///< by number of a variable that can be set
  Phase phase_ = Phase::kReset;
  std::optional<bool> wire_;
};

}  // namespace longarm::robots
