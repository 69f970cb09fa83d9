// SPDX-License-Identifier: Apache-2.0
// Hands commands to motion and tool, and puts together what can be seen of both.
#include "longarm/robots/arm/robot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/robots/arm/robot_motion.h"
#include "longarm/robots/arm/robot_tool.h"

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
    : engine_(engine), arm_(std::make_unique<RobotArm>(make_arm(config, cell))) {
  const int placement = find_placement(cell, config.placement);
  X_WB_ = cell.placements[static_cast<std::size_t>(placement)].X_WR;
  for (std::size_t j = 0; j < config.home.size(); ++j) {
    engine_.reset_joint(arm_->joints()[j], config.home[j], 0.0);
  }
  tool_ = std::make_unique<RobotTool>(engine_, cell, placement, *arm_, config, period);
  motion_ = std::make_unique<RobotMotion>(engine_, *arm_, config, period);
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
  tool_->before_step();
}

void Robot::after_step() {
  motion_->after_step();
  tool_->after_step();
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
      return Error{fmt::format("joint {} cannot push like that", push.joint + 1)};
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
    tool_->gripper().set(std::clamp(std::isfinite(opening) ? opening : 1.0, 0.0, 1.0));
  }
}

void Robot::move_fingers(double position_m) {
  if (fault().empty() && std::isfinite(position_m)) {
    tool_->gripper().move_fingers(position_m);
  }
}

void Robot::drive_fingers(double velocity_m_s, double max_force_N) {
  if (fault().empty() && std::isfinite(velocity_m_s) && std::isfinite(max_force_N)) {
    tool_->gripper().drive_fingers(velocity_m_s, max_force_N);
  }
}

GripperReport Robot::gripper() const {
  return tool_->gripper().report();
}

void Robot::stop_gripper() {
  if (!is_broken_) {
    tool_->gripper().stop();
  }
}

Result<bool> Robot::release_tool() {
  return fault().empty() ? tool_->release() : Error{fault()};
}

Result<bool> Robot::take_tool() {
  return fault().empty() ? tool_->take() : Error{fault()};
}

RobotState Robot::state() const {
  RobotState state;
  const std::vector<double> q = arm_->positions(engine_);
  Eigen::VectorXd v(std::ssize(q));
  for (std::size_t j = 0; j < q.size(); ++j) {
    const auto id = static_cast<std::size_t>(arm_->joints()[j]);
    v[static_cast<Eigen::Index>(j)] = engine_.velocities()[id];
    state.joints.push_back({q[j], engine_.velocities()[id], engine_.efforts()[id]});
  }
  state.X_BT = arm_->pose(q);
  const Eigen::VectorXd twist = arm_->jacobian(q) * v;
  state.twist_B = {twist.head<3>(), twist.tail<3>()};
  state.wrench_B = wrench_B();
  return state;
}

/// What touches the tool pushes it; the tool's own weight does not, so there is none to take off.
physics::Wrench Robot::wrench_B() const {
  const Vector3 p_WF = (engine_.pose(arm_->last_body()) * arm_->X_LF()).translation();
  const std::vector<physics::BodyId>& own = tool_->bodies();
  const auto is_own = [&](physics::BodyId body) {
    return std::find(own.begin(), own.end(), body) != own.end();
  };
  physics::Wrench sum;
  for (const physics::Contact& contact : engine_.contacts()) {
    const bool has_a = is_own(contact.a);
    const bool has_b = is_own(contact.b);
    if (has_a == has_b) {
      continue;
    }
    const Vector3 force = has_b ? contact.force_on_b_W : Vector3(-contact.force_on_b_W);
    sum.force_W += force;
    sum.torque_W += (contact.p_W - p_WF).cross(force);
  }
  const model::Matrix3 R_BW = X_WB_.linear().transpose();
  return {R_BW * sum.force_W, R_BW * sum.torque_W};
}

std::vector<SensorReading> Robot::sensors() const {
  std::vector<SensorReading> readings;
  const physics::Wrench wrench = wrench_B();
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
    const auto id = static_cast<std::size_t>(arm_->joints()[j]);
    readings.push_back({"joint_effort", fmt::format("{}", j + 1), engine_.efforts()[id]});
  }
  return readings;
}

std::string Robot::fault() const {
  if (is_broken_) {
    return fmt::format("'{}' has broken down", info_.name);
  }
  return is_safety_stopped() ? fmt::format("'{}' is stopped by the safety system", info_.name) : "";
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
  std::vector<physics::BodyId> all = arm_->bodies();
  all.insert(all.end(), tool_->bodies().begin() + 1, tool_->bodies().end());
  return all;
}

}  // namespace longarm::robots
