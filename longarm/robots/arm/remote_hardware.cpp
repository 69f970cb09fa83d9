// SPDX-License-Identifier: Apache-2.0
// Both ends of a robot that is controlled across the network.
#include "longarm/robots/arm/remote_hardware.h"

#include <utility>

#include "longarm/control/limits.h"

namespace longarm::robots {
namespace {

constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kNumberBytes = 8;

Error refuse_tools() {
  return Error{"a controller on another host cannot change tools"};
}

}  // namespace

std::size_t wire_size_bytes(const HardwareCommand& command) {
  constexpr std::size_t kJoint = 1 + 2 * kNumberBytes;
  constexpr std::size_t kGripper = 4 + 1 + 2 * kNumberBytes;
  return kHeaderBytes + 4 + command.joints.size() * kJoint + kGripper;
}

std::size_t wire_size_bytes(const HardwareReport& report) {
  constexpr std::size_t kJoint = 3 * kNumberBytes;
  constexpr std::size_t kWrench = 6 * kNumberBytes;
  constexpr std::size_t kGripper = 4 + 4 + 4 * kNumberBytes;  // order, flags, numbers
  return kHeaderBytes + 4 + report.joints.size() * kJoint + kWrench + kGripper + 2;
}

/// Each order gets a number; until the robot says that it has carried it out, it is busy.
class RemoteHardware::Gripper final : public RobotGripper {
 public:
  explicit Gripper(RemoteHardware& owner) : owner_(owner) {}

  void set(double opening) override { order(GripperOrder::Kind::kSet, opening); }
  void move_fingers(double position_m, double max_force_N) override {
    order(GripperOrder::Kind::kMove, position_m, max_force_N);
  }
  void drive_fingers(double velocity_m_s, double max_force_N) override {
    order(GripperOrder::Kind::kDrive, velocity_m_s, max_force_N);
  }
  void stop() override { order(GripperOrder::Kind::kStop, 0.0); }
  GripperReport report() const override {
    GripperReport report = owner_.heard_.gripper;
    report.is_busy |= owner_.heard_.gripper_order != owner_.command_.gripper.number;
    return report;
  }
  std::vector<physics::BodyId> bodies() const override { return {}; }
  void before_step() override {}
  void after_step() override {}

 private:
  void order(GripperOrder::Kind kind, double value, double force_N = 0.0) {
    GripperOrder& order = owner_.command_.gripper;
    order = {order.number + 1, kind, value, force_N};
  }

  RemoteHardware& owner_;
};

RemoteHardware::RemoteHardware(const RobotArm& arm, const RobotConfig& config, bool is_servo_here,
                               HardwareReport first)
    : servo_gain_(config.servo_gain),
      is_servo_here_(is_servo_here),
      heard_(std::move(first)),
      gripper_(std::make_unique<Gripper>(*this)) {
  for (const model::TreeJoint& joint : arm.joint_models()) {
    limits_.push_back(joint.limits);
  }
  command_.joints.resize(limits_.size());
}

RemoteHardware::~RemoteHardware() = default;

void RemoteHardware::hear(const HardwareReport& report) {
  if (report.stamp >= heard_.stamp) {
    heard_ = report;
  }
}

const HardwareCommand& RemoteHardware::command(Time now) {
  command_.stamp = now;
  return command_;
}

void RemoteHardware::follow(std::size_t joint, double reference, double velocity) {
  if (!is_servo_here_) {
    command_.joints[joint] = {JointOrder::Kind::kPosition, reference, velocity};
    return;
  }
  const double position = heard_.joints[joint].position;
  const double wanted = velocity + servo_gain_ * (reference - position);
  command_.joints[joint] = {JointOrder::Kind::kVelocity,
                            control::limit_velocity(limits_[joint], position, wanted), 0.0};
}

void RemoteHardware::push(std::size_t joint, double effort) {
  command_.joints[joint] = {JointOrder::Kind::kEffort, effort, 0.0};
}

void RemoteHardware::brake() {
  command_.joints.assign(command_.joints.size(), JointOrder{});
}

RobotGripper& RemoteHardware::gripper() {
  return *gripper_;
}

const RobotGripper& RemoteHardware::gripper() const {
  return *gripper_;
}

Result<bool> RemoteHardware::take_tool() {
  return refuse_tools();
}

Result<bool> RemoteHardware::release_tool() {
  return refuse_tools();
}

HardwareEnd::HardwareEnd(physics::Engine& engine, const model::Cell& cell,
                         const RobotConfig& config, Duration period, Duration silence)
    : arm_(cell, find_placement(cell, config.placement), config.flange),
      hardware_(engine, cell, arm_, config, period),
      silence_(silence) {
  command_.joints.resize(arm_.joint_count());
}

void HardwareEnd::hear(const HardwareCommand& command, Time now) {
  // an older command that was overtaken does not undo a newer one
  if (has_heard_ && command.stamp < command_.stamp) {
    return;
  }
  command_ = command;
  heard_at_ = now;
  has_heard_ = true;
  is_silent_ = false;
  if (command.gripper.number != gripper_order_ && !is_broken_) {
    gripper_order_ = command.gripper.number;
    carry_out(command.gripper);
  }
}

void HardwareEnd::carry_out(const GripperOrder& order) {
  RobotGripper& gripper = hardware_.gripper();
  switch (order.kind) {
    case GripperOrder::Kind::kSet:
      return gripper.set(order.value);
    case GripperOrder::Kind::kMove:
      return gripper.move_fingers(order.value, order.force_N);
    case GripperOrder::Kind::kDrive:
      return gripper.drive_fingers(order.value, order.force_N);
    case GripperOrder::Kind::kStop:
      return gripper.stop();
    case GripperOrder::Kind::kNone:
      return;
  }
}

HardwareReport HardwareEnd::report(Time now) const {
  HardwareReport report;
  report.stamp = now;
  for (std::size_t j = 0; j < arm_.joint_count(); ++j) {
    report.joints.push_back(hardware_.joint(j));
  }
  report.wrench_B = hardware_.wrench_B();
  report.gripper = hardware_.gripper().report();
  report.gripper_order = gripper_order_;
  report.is_stopped = is_stopped_;
  report.is_broken = is_broken_;
  return report;
}

void HardwareEnd::before_step(Time now) {
  drive_joints(now);
  hardware_.before_step();
}

void HardwareEnd::drive_joints(Time now) {
  if (has_heard_ && !is_silent_ && now - heard_at_ > silence_) {
    is_silent_ = true;
    ++silences_;
  }
  if (is_stopped_ || is_broken_ || is_silent_) {
    hardware_.brake();
    return;
  }
  for (std::size_t j = 0; j < command_.joints.size(); ++j) {
    const JointOrder& order = command_.joints[j];
    switch (order.kind) {
      case JointOrder::Kind::kBrake:
        hardware_.drive(j, 0.0);
        break;
      case JointOrder::Kind::kVelocity:
        hardware_.drive(j, order.value);
        break;
      case JointOrder::Kind::kPosition:
        // until the next command the reference goes on as this one says
        hardware_.follow(j, order.value + order.velocity * to_seconds(now - heard_at_),
                         order.velocity);
        break;
      case JointOrder::Kind::kEffort:
        hardware_.push(j, order.value);
        break;
    }
  }
}

Vector3 HardwareEnd::controlled_point() const {
  return arm_.pose(hardware_.positions()).translation();
}

}  // namespace longarm::robots
