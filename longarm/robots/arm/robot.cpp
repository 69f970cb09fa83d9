// SPDX-License-Identifier: Apache-2.0
// Hands commands to motion and tool, and puts together what can be seen of both.
#include "longarm/robots/arm/robot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/index.h"
#include "longarm/robots/arm/robot_hardware.h"
#include "longarm/robots/arm/robot_motion.h"

namespace longarm::robots {
namespace {

void refuse_flaws(const RobotConfig& config, const model::Cell& cell) {
  Diagnostics diagnostics;
  for (const network::KeyRemark& remark : judge_robot(config, cell, "")) {
    diagnostics.error({}, remark.message, remark.hint);
  }
  diagnostics.throw_if_errors();
}

/// Throws before anything is made of a config that makes no sense.
RobotArm make_arm(const RobotConfig& config, const model::Cell& cell) {
  refuse_flaws(config, cell);
  return RobotArm(cell, find_placement(cell, config.placement), config.flange);
}

}  // namespace

Robot::Robot(physics::Engine& engine, const model::Cell& cell, const RobotConfig& config,
             Duration period)
    : arm_(std::make_unique<RobotArm>(make_arm(config, cell))),
      own_(std::make_unique<EngineHardware>(engine, cell, *arm_, config, period)),
      hardware_(own_.get()) {
  describe(cell, config, period);
}

Robot::Robot(RobotHardware& hardware, const model::Cell& cell, const RobotConfig& config,
             Duration period)
    : arm_(std::make_unique<RobotArm>(make_arm(config, cell))), hardware_(&hardware) {
  const int placement = find_placement(cell, config.placement);
  set_first_controlled_point(*arm_, cell.placements[index_of(placement)].tree, config);
  describe(cell, config, period);
}

void Robot::describe(const model::Cell& cell, const RobotConfig& config, Duration period) {
  X_WB_ = cell.placements[index_of(find_placement(cell, config.placement))].X_WR;
  motion_ = std::make_unique<RobotMotion>(*hardware_, *arm_, config, period);
  if (!config.home.empty()) {
    motion_->add_seed(config.home);
  }
  info_.name = config.placement;
  info_.fastest = config.fastest;
  info_.joint_acceleration = config.joint_acceleration;
  for (const model::TreeJoint& joint : arm_->joint_models()) {
    info_.joint_limits.push_back(joint.limits);
    info_.is_prismatic.push_back(joint.type == model::JointType::kPrismatic);
    joint_names_.push_back(joint.name);
  }
}

Robot::~Robot() = default;

void Robot::before_step() {
  motion_->before_step();
  if (own_) {
    own_->before_step();
  }
}

void Robot::after_step() {
  motion_->after_step();
  if (own_) {
    own_->after_step();
  }
}

Result<Duration> Robot::begin(Result<PlannedMotion> planned, std::span<const JointPush> pushes) {
  if (!planned) {
    return planned.error();
  }
  return motion_->begin(std::move(planned).value(), pushes);
}

Result<Duration> Robot::move(const CartesianMotion& motion) {
  if (!fault().empty()) {
    return Error{fault()};
  }
  return begin(motion_->planner().plan(motion, motion_->next_start()), {});
}

Result<Duration> Robot::move(const ScrewMotion& motion) {
  if (!fault().empty()) {
    return Error{fault()};
  }
  return begin(motion_->planner().plan(motion, motion_->next_start()), {});
}

Result<Duration> Robot::move_joints(std::span<const JointGoal> goals,
                                    std::span<const JointPush> pushes) {
  if (!fault().empty()) {
    return Error{fault()};
  }
  for (const JointPush& push : pushes) {
    if (push.joint >= arm_->joint_count() || !std::isfinite(push.effort) ||
        (push.change_rate && !(*push.change_rate > 0.0))) {
      return Error{fmt::format("joint {} cannot apply this effort", push.joint + 1)};
    }
  }
  return begin(motion_->planner().plan(goals, motion_->next_start()), pushes);
}

void Robot::stop(StopKind kind) {
  if (!is_broken_) {
    motion_->stop(kind);
  }
}

MotionReport Robot::motion() const {
  return motion_->report();
}

bool Robot::is_moving() const {
  return motion_->report().state == MotionState::kMoving || !motion_->is_standing();
}

void Robot::set_gripper(double opening) {
  if (fault().empty()) {
    hardware_->gripper().set(std::clamp(std::isfinite(opening) ? opening : 1.0, 0.0, 1.0));
  }
}

void Robot::move_fingers(double position_m, double max_force_N) {
  if (fault().empty() && std::isfinite(position_m) && std::isfinite(max_force_N)) {
    hardware_->gripper().move_fingers(position_m, max_force_N);
  }
}

void Robot::drive_fingers(double velocity_m_s, double max_force_N) {
  if (fault().empty() && std::isfinite(velocity_m_s) && std::isfinite(max_force_N)) {
    hardware_->gripper().drive_fingers(velocity_m_s, max_force_N);
  }
}

GripperReport Robot::gripper() const {
  return hardware_->gripper().report();
}

void Robot::stop_gripper() {
  if (!is_broken_) {
    hardware_->gripper().stop();
  }
}

Result<bool> Robot::release_tool() {
  return fault().empty() ? hardware_->release_tool() : Error{fault()};
}

Result<bool> Robot::take_tool() {
  return fault().empty() ? hardware_->take_tool() : Error{fault()};
}

RobotState Robot::state() const {
  RobotState state;
  const std::vector<double> q = hardware_->positions();
  Eigen::VectorXd v(std::ssize(q));
  for (std::size_t j = 0; j < q.size(); ++j) {
    state.joints.push_back(hardware_->joint(j));
    v[static_cast<Eigen::Index>(j)] = state.joints.back().velocity;
  }
  state.X_BT = arm_->pose(q);
  const Eigen::VectorXd twist = arm_->jacobian(q) * v;
  state.twist_B = {twist.head<3>(), twist.tail<3>()};
  state.wrench_B = hardware_->wrench_B();
  return state;
}

std::vector<SensorReading> Robot::sensors() const {
  std::vector<SensorReading> readings;
  const physics::Wrench wrench = hardware_->wrench_B();
  constexpr const char* kForces[] = {"Fx", "Fy", "Fz"};
  constexpr const char* kTorques[] = {"Tx", "Ty", "Tz"};
  for (int i = 0; i < 3; ++i) {
    readings.push_back({"force_torque", kForces[i], wrench.force_W[i]});
  }
  for (int i = 0; i < 3; ++i) {
    readings.push_back({"force_torque", kTorques[i], wrench.torque_W[i]});
  }
  if (const GripperReport report = gripper(); report.kind != GripperKind::kNone) {
    readings.push_back({"gripper", "force", report.force_N});
  }
  for (std::size_t j = 0; j < arm_->joint_count(); ++j) {
    readings.push_back({"joint_effort", fmt::format("{}", j + 1), hardware_->joint(j).effort});
  }
  return readings;
}

std::string Robot::fault() const {
  if (is_broken_) {
    return fmt::format("'{}' has broken down", info_.name);
  }
  if (!motion_->overload().empty()) {
    return motion_->overload();
  }
  return is_safety_stopped() ? fmt::format("'{}' is stopped by the safety system", info_.name) : "";
}

void Robot::clear_fault() {
  motion_->clear_overload();
}

bool Robot::is_safety_stopped() const {
  return motion_->is_paused();
}

void Robot::safety_stop() {
  if (is_broken_ || motion_->is_paused()) {
    return;
  }
  ++safety_stops_;
  motion_->pause();
}

void Robot::safety_resume() {
  motion_->resume();
}

double Robot::stop_distance_m() const {
  return motion_->stop_distance_m();
}

void Robot::break_down() {
  is_broken_ = true;
  motion_->lock();
}

std::vector<physics::BodyId> Robot::bodies() const {
  return own_->bodies();
}

}  // namespace longarm::robots
