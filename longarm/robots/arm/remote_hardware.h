// SPDX-License-Identifier: Apache-2.0
// A robot whose controller is on another host: what crosses the network in each control period, and
// the two ends of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/robots/arm/robot_hardware.h"

namespace longarm::robots {

/// What one joint is to do until the next command.
struct JointOrder {
  enum class Kind : std::uint8_t { kBrake, kVelocity, kPosition, kEffort };
  Kind kind = Kind::kBrake;
  double value = 0.0;
  double velocity = 0.0;  ///< with which a position goes on
};

/// Each command repeats the last order, so that a lost one costs a period and not the grip. A
/// number that has been carried out is not carried out again.
struct GripperOrder {
  enum class Kind : std::uint8_t { kNone, kSet, kMove, kDrive, kStop };
  std::uint32_t number = 0;
  Kind kind = Kind::kNone;
  double value = 0.0;
  double force_N = 0.0;
};

struct HardwareCommand {
  Time stamp{};
  std::vector<JointOrder> joints;
  GripperOrder gripper;
};

struct HardwareReport {
  Time stamp{};
  std::vector<JointState> joints;
  physics::Wrench wrench_B;
  GripperReport gripper;
  std::uint32_t gripper_order = 0;  ///< the last that was carried out
  bool is_stopped = false;          ///< by the safety system
  bool is_broken = false;
};

/// Header, then numbers of 64 bits; kinds and flags are a byte each.
std::size_t wire_size_bytes(const HardwareCommand& command);
std::size_t wire_size_bytes(const HardwareReport& report);

/// At the controller: what was last heard, and what to say next.
class RemoteHardware final : public RobotHardware {
 public:
  /// `is_servo_here`: velocities cross the network, not positions. `first` is believed until
  /// something is heard.
  RemoteHardware(const RobotArm& arm, const RobotConfig& config, bool is_servo_here,
                 HardwareReport first);
  ~RemoteHardware() override;

  /// What was overtaken by a newer one is left alone.
  void hear(const HardwareReport& report);
  const HardwareReport& heard() const { return heard_; }
  /// For this period.
  const HardwareCommand& command(Time now);

  JointState joint(std::size_t joint) const override { return heard_.joints[joint]; }
  std::size_t joint_count() const override { return heard_.joints.size(); }
  physics::Wrench wrench_B() const override { return heard_.wrench_B; }
  void follow(std::size_t joint, double reference, double velocity) override;
  void push(std::size_t joint, double effort) override;
  void brake() override;
  RobotGripper& gripper() override;
  const RobotGripper& gripper() const override;
  Result<bool> take_tool() override;
  Result<bool> release_tool() override;

 private:
  class Gripper;

  std::vector<model::JointLimits> limits_;
  double servo_gain_;
  bool is_servo_here_;
  HardwareReport heard_;
  HardwareCommand command_;
  std::unique_ptr<Gripper> gripper_;
};

/// At the robot: does what the newest command says, and brakes when none comes.
class HardwareEnd {
 public:
  /// Borrows engine and cell. `silence`: so long without a command the drives go on.
  HardwareEnd(physics::Engine& engine, const model::Cell& cell, const RobotConfig& config,
              Duration period, Duration silence);

  void hear(const HardwareCommand& command, Time now);
  HardwareReport report(Time now) const;
  /// Brakes, until released.
  void set_stopped(bool is_stopped) { is_stopped_ = is_stopped; }
  bool is_stopped() const { return is_stopped_; }
  /// Brakes for good.
  void break_down() { is_broken_ = true; }
  bool is_broken() const { return is_broken_; }
  /// How often the drives braked because no command came.
  std::uint64_t silences() const { return silences_; }

  void before_step(Time now);
  void after_step() { hardware_.after_step(); }

  EngineHardware& hardware() { return hardware_; }
  const RobotArm& arm() const { return arm_; }
  /// In the base.
  Vector3 controlled_point() const;

 private:
  void carry_out(const GripperOrder& order);
  void drive_joints(Time now);

  RobotArm arm_;
  EngineHardware hardware_;
  Duration silence_;
  HardwareCommand command_;
  Time heard_at_{};
  bool has_heard_ = false;
  bool is_silent_ = false;
  bool is_stopped_ = false;
  bool is_broken_ = false;
  std::uint32_t gripper_order_ = 0;
  std::uint64_t silences_ = 0;
};

}  // namespace longarm::robots
