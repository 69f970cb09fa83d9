// SPDX-License-Identifier: Apache-2.0
// Finds motor efforts: by inverse dynamics where motion is free, as solver rows where it is not.
#include "longarm/physics/mujoco/mujoco_motors.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace longarm::physics {
namespace {

// How much a motor row yields, relative to the joint's own mobility. Much less, and the solver
// stops too early.
constexpr double kMotorSoftness = 1e-6;
// Beyond this many degrees of freedom the solver's sparse rows beat our dense solution.
constexpr int kMostLimitedDofs = 40;
// The solver needs finite numbers; no joint of a robot cell notices the difference.
constexpr double kUnlimitedEffort = 1e9;

}  // namespace

MujocoMotors::MujocoMotors(const FlatCell& cell, mjModel& model, const MujocoNumbers& numbers)
    : cell_(cell),
      model_(model),
      numbers_(numbers),
      joint_count_(cell.joint_count()),
      period_s_(model.opt.timestep),
      commands_(joint_count_),
      efforts_(joint_count_, 0.0),
      acceleration_(static_cast<std::size_t>(model.nv), 0.0),
      effort_(static_cast<std::size_t>(model.nv), 0.0),
      is_driven_(static_cast<std::size_t>(model.nv), 0),
      sticking_(model, numbers),
      sliding_(model, numbers),
      limited_(model.nv <= kMostLimitedDofs ? model.nv : 0) {
  for (const FlatJoint& joint : cell.joints()) {
    has_mimics_ = has_mimics_ || (joint.leader >= 0 && !joint.is_locked);
  }
}

void MujocoMotors::solve(mjData& data, std::span<const double> external, bool has_attachments) {
  aim(data);
  accelerate(data, external, has_attachments);
}

void MujocoMotors::solve_again(mjData& data, std::span<const double> external,
                               bool has_attachments) {
  first_efforts_ = efforts_;
  accelerate(data, external, has_attachments);
  std::swap(efforts_, first_efforts_);
}

void MujocoMotors::accelerate(mjData& data, std::span<const double> external,
                              bool has_attachments) {
  const bool is_constrained = data.ncon > 0 || has_attachments || has_mimics_ || has_dry_joints_;
  if (!is_constrained) {
    make_constraints(data, false);
    if (data.nefc == 0 && solve_freely(data, external)) {
      sticking_.remember(model_, data);  // nothing touches
      return;
    }
  }
  // Contacts, stops or welds: let the solver decide who gives way. Without motors the rows made
  // above are already the right ones.
  if (is_constrained || motor_count_ > 0) {
    make_constraints(data, true);
  }
  solve_forward(data, external);
  read_efforts(data);
}

/// What each motor wants of the coming step, and what other joints are made to exert.
void MujocoMotors::aim(const mjData& data) {
  motor_count_ = 0;
  has_dry_joints_ = false;
  for (std::size_t j = 0; j < joint_count_; ++j) {
    if (numbers_.dof[j] < 0) {
      continue;
    }
    const auto dof = static_cast<std::size_t>(numbers_.dof[j]);
    const JointCommand& command = commands_[j];
    acceleration_[dof] = 0.0;
    effort_[dof] = command.effort();
    is_driven_[dof] = command.is_motored() ? 1 : 0;
    if (command.is_motored()) {
      const double target = command.target_velocity(data.qpos[numbers_.position[j]], period_s_);
      acceleration_[dof] = (target - data.qvel[dof]) / period_s_;
      ++motor_count_;
    } else if (cell_.joints()[j].joint->dynamics.friction > 0.0) {
      has_dry_joints_ = true;
    }
  }
}

/// Nothing but motors holds the joints. False if only the solver can tell.
bool MujocoMotors::solve_freely(mjData& data, std::span<const double> external) {
  if (motor_count_ == 0) {
    solve_forward(data, external);
    read_efforts(data);
    return true;
  }
  if (motor_count_ == model_.nv && solve_driven(data, external)) {
    return true;
  }
  return model_.nv <= kMostLimitedDofs && solve_limited(data, external);
}

/// Every joint gets the acceleration it wants: computed torque. False if that is too much for a
/// motor.
bool MujocoMotors::solve_driven(mjData& data, std::span<const double> external) {
  mj_mulM(&model_, &data, data.qfrc_inverse, acceleration_.data());
  for (std::size_t j = 0; j < joint_count_; ++j) {
    if (numbers_.dof[j] < 0) {
      continue;
    }
    const auto dof = static_cast<std::size_t>(numbers_.dof[j]);
    efforts_[j] =
        data.qfrc_inverse[dof] + data.qfrc_bias[dof] - data.qfrc_passive[dof] - external[dof];
    if (std::abs(efforts_[j]) > commands_[j].max_effort) {
      return false;
    }
  }
  std::copy_n(acceleration_.begin(), model_.nv, data.qacc);
  return true;
}

/// Some motors are at their limits, or some joints have none.
bool MujocoMotors::solve_limited(mjData& data, std::span<const double> external) {
  if (limited_.force.size() != model_.nv) {
    limited_ = LimitedMotors(model_.nv);  // bodies were merged or split
  }
  mj_fullM(&model_, limited_.inertia.data(), data.qM);
  for (Eigen::Index i = 0; i < model_.nv; ++i) {
    const auto dof = static_cast<std::size_t>(i);
    const int joint = numbers_.joint_of_dof[dof];
    const bool is_motored = joint >= 0 && commands_[static_cast<std::size_t>(joint)].is_motored();
    limited_.force[i] = data.qfrc_passive[i] + external[dof] - data.qfrc_bias[i];
    limited_.is_motored[dof] = is_motored ? 1 : 0;
    limited_.wanted_acceleration[i] = acceleration_[dof];
    limited_.limit[i] = is_motored ? commands_[static_cast<std::size_t>(joint)].max_effort : 0.0;
    limited_.effort[i] = effort_[dof];
  }
  if (!limited_.solve()) {
    return false;
  }
  std::copy_n(limited_.acceleration.data(), model_.nv, data.qacc);
  for (std::size_t j = 0; j < joint_count_; ++j) {
    efforts_[j] = numbers_.dof[j] < 0 ? 0.0 : limited_.effort[numbers_.dof[j]];
  }
  return true;
}

void MujocoMotors::make_constraints(mjData& data, bool with_motors) {
  for (std::size_t j = 0; j < joint_count_; ++j) {
    if (numbers_.dof[j] >= 0) {
      const double motor = with_motors ? std::min(commands_[j].max_effort, kUnlimitedEffort) : 0.0;
      model_.dof_frictionloss[numbers_.dof[j]] =
          commands_[j].is_motored() ? motor : cell_.joints()[j].joint->dynamics.friction;
    }
  }
  mj_makeConstraint(&model_, &data);
  if (data.nefc == 0) {
    return;
  }
  const auto is_motor_row = [&](int row) {
    return data.efc_type[row] == mjCNSTR_FRICTION_DOF &&
           commands_[static_cast<std::size_t>(
                         numbers_.joint_of_dof[static_cast<std::size_t>(data.efc_id[row])])]
               .is_motored();
  };
  for (int row = data.ne; row < data.ne + data.nf; ++row) {
    if (is_motor_row(row)) {
      data.efc_R[row] = kMotorSoftness * data.efc_diagApprox[row];
      data.efc_D[row] = 1.0 / data.efc_R[row];
    }
  }
  mj_factorM(&model_, &data);
  mj_projectConstraint(&model_, &data);
  mj_referenceConstraint(&model_, &data);
  for (int row = data.ne; row < data.ne + data.nf; ++row) {
    if (is_motor_row(row)) {
      data.efc_aref[row] = acceleration_[static_cast<std::size_t>(data.efc_id[row])];
    }
  }
}

void MujocoMotors::solve_forward(mjData& data, std::span<const double> external) {
  if (data.nefc == 0) {
    mj_factorM(&model_, &data);
  }
  for (std::size_t dof = 0; dof < static_cast<std::size_t>(model_.nv); ++dof) {
    data.qfrc_applied[dof] = effort_[dof] + external[dof];
  }
  mj_fwdAcceleration(&model_, &data);
  sticking_.prepare(data);
  sliding_.solve(model_, data);
  sticking_.remember(model_, data);
}

void MujocoMotors::read_efforts(const mjData& data) {
  for (std::size_t j = 0; j < joint_count_; ++j) {
    efforts_[j] = numbers_.dof[j] < 0 ? 0.0 : effort_[static_cast<std::size_t>(numbers_.dof[j])];
  }
  for (int row = data.ne; row < data.ne + data.nf; ++row) {
    const auto j =
        static_cast<std::size_t>(numbers_.joint_of_dof[static_cast<std::size_t>(data.efc_id[row])]);
    if (commands_[j].is_motored()) {
      efforts_[j] = data.efc_force[row];
    }
  }
}

void MujocoMotors::save(SnapshotWriter& writer) const {
  writer.write(commands_);
  writer.write(efforts_);
  sliding_.save(writer);
  sticking_.save(writer);
}

void MujocoMotors::restore(SnapshotReader& reader) {
  reader.read(commands_);
  reader.read(efforts_);
  sliding_.restore(reader);
  sticking_.restore(reader);
}

}  // namespace longarm::physics
