// SPDX-License-Identifier: Apache-2.0
// Reads free bodies from their positions and velocities, others from MuJoCo's kinematics.
#include "longarm/physics/mujoco/mujoco_bodies.h"

#include <algorithm>

#include "longarm/core/check.h"

namespace longarm::physics {
namespace {

using Eigen::Map;
using model::Pose;
using model::Vector3;

/// A free joint's positions as a pose.
Pose free_pose(const double* q) {
  double matrix[9];
  mju_quat2Mat(matrix, q + 3);
  Pose X = Pose::Identity();
  X.translation() = Map<const Vector3>(q);
  X.linear() = Map<const RowMajor3>(matrix);
  return X;
}

Pose tree_pose(const mjData& data, int body) {
  Pose X = Pose::Identity();
  X.translation() = Map<const Vector3>(data.xpos + 3 * body);
  X.linear() = Map<const RowMajor3>(data.xmat + 9 * body);
  return X;
}

}  // namespace

MujocoBodies::MujocoBodies(const FlatCell& cell, mjModel& model, mjData& data,
                           MujocoNumbers& numbers)
    : cell_(cell),
      model_(model),
      data_(data),
      numbers_(numbers),
      merged_(cell),
      layout_(cell, model, numbers),
      external_(static_cast<std::size_t>(model.nv), 0.0),
      raw_positions_(static_cast<std::size_t>(model.nq), 0.0),
      motions_(cell.body_count()) {
  states_.reserve(layout_.free_bodies().size());
}

Pose MujocoBodies::pose(BodyId body) const {
  const BodyId root = merged_.root(body);
  const Pose X_WR = is_free(root) ? free_pose(data_.qpos + layout_.position(root))
                                  : tree_pose(data_, mujoco_body(root));
  return root == body ? X_WR : merged_.pose(body, X_WR);
}

Pose MujocoBodies::pose_in(const mjData& query, BodyId body) const {
  const Pose X_WR = tree_pose(query, mujoco_body(body));
  return merged_.is_merged(body) ? merged_.pose(body, X_WR) : X_WR;
}

Twist MujocoBodies::twist(BodyId body) const {
  const BodyId root = merged_.root(body);
  if (root != body) {
    return merged_.twist(body, pose(root), twist(root));
  }
  if (is_free(body)) {
    // a free joint turns in its own axes
    const double* v = data_.qvel + layout_.dof(body);
    return {Map<const Vector3>(v), pose(body).linear() * Map<const Vector3>(v + 3)};
  }
  mjtNum velocity[6];
  mj_objectVelocity(&model_, &data_, mjOBJ_XBODY, mujoco_body(body), velocity, 0);
  return {.linear_W = Map<const Vector3>(velocity + 3), .angular_W = Map<const Vector3>(velocity)};
}

void MujocoBodies::put(BodyId body, const Pose& X_WB, const Twist& twist) {
  const FlatBody& flat = cell_.body(body);
  check(flat.parent < 0 && !flat.is_static,
        "only the root of a free placement can be put somewhere");
  check(!merged_.is_merged(body), "a body that is part of another cannot be put somewhere");
  const int joint = is_free(body) ? -1 : model_.body_jntadr[mujoco_body(body)];
  double* q = data_.qpos + (joint < 0 ? layout_.position(body) : model_.jnt_qposadr[joint]);
  double* v = data_.qvel + (joint < 0 ? layout_.dof(body) : model_.jnt_dofadr[joint]);
  const Eigen::Quaterniond orientation(X_WB.linear());
  Map<Vector3> position(q);
  position = X_WB.translation();
  q[3] = orientation.w();
  Map<Vector3>(q + 4) = orientation.vec();
  Map<Vector3> linear(v);
  linear = twist.linear_W;
  Map<Vector3>(v + 3) = X_WB.linear().transpose() * twist.angular_W;
}

void MujocoBodies::apply(BodyId body, const Wrench& wrench) {
  push(body, wrench);
  merged_.add_load(body, wrench);
}

void MujocoBodies::push(BodyId body, const Wrench& wrench) {
  const BodyId root = merged_.root(body);
  if (cell_.body(root).is_static) {
    return;
  }
  has_external_ = true;
  const Pose X_WR = pose(root);
  const Vector3 p_W = merged_.centre_of_mass(body, X_WR);
  if (is_free(root)) {
    double* external = external_.data() + layout_.dof(root);
    const Vector3 torque = wrench.torque_W + (p_W - X_WR.translation()).cross(wrench.force_W);
    Map<Vector3> linear(external);
    linear += wrench.force_W;
    Map<Vector3>(external + 3) += X_WR.linear().transpose() * torque;
    return;
  }
  mj_applyFT(&model_, &data_, wrench.force_W.data(), wrench.torque_W.data(), p_W.data(),
             mujoco_body(root), external_.data());
}

void MujocoBodies::merge(BodyId a, BodyId b) {
  const BodyId root = merged_.root(a);
  const BodyMotion moving{pose(b), twist(b), {}};
  const Pose X_WA = pose(a);
  const FreeState state = free_state(b);
  if (is_free(root)) {
    const BodyMotion carrying{pose(root), twist(root), {}};
    const Twist common = merged_.common_twist(root, carrying, b, moving);
    double* v = data_.qvel + layout_.dof(root);
    Map<Vector3> linear(v);
    linear = common.linear_W;
    Map<Vector3>(v + 3) = carrying.X_WB.linear().transpose() * common.angular_W;
  }
  layout_.give_up_place(b);
  merged_.merge(a, b, X_WA.inverse() * moving.X_WB);
  is_stale_ = true;
  if (has_external_) {
    // what was applied to b, so far about its origin, now acts on the root
    const Vector3 force = Map<const Vector3>(state.external);
    const Vector3 arm = merged_.centre_of_mass(b, pose(root)) - moving.X_WB.translation();
    apply(b, {force,
              moving.X_WB.linear() * Map<const Vector3>(state.external + 3) - arm.cross(force)});
  }
}

void MujocoBodies::split(BodyId b) {
  const Pose X_WB = pose(b);
  const Twist moving = twist(b);
  // what was applied to the leaving bodies leaves with them
  const auto push_load = [&](double sign) {
    for (const BodyId body : merged_.merged()) {
      if (has_external_ && merged_.is_part_of(body, b)) {
        const Wrench load = merged_.load(body);
        push(body, {sign * load.force_W, sign * load.torque_W});
      }
    }
  };
  const Wrench own_load = merged_.load(b);
  push_load(-1.0);
  merged_.split(b);
  layout_.take_place(b);
  set_free_state(b, {});
  put(b, X_WB, moving);
  std::copy_n(data_.qpos + layout_.position(b), 7, raw_positions_.data() + layout_.position(b));
  is_stale_ = true;
  if (has_external_) {
    push(b, own_load);
    push_load(1.0);
  }
}

MujocoBodies::FreeState MujocoBodies::free_state(BodyId body) const {
  FreeState state;
  const int q = layout_.position(body);
  const int v = layout_.dof(body);
  std::copy_n(data_.qpos + q, 7, state.position);
  std::copy_n(raw_positions_.data() + q, 7, state.raw_position);
  std::copy_n(data_.qvel + v, 6, state.velocity);
  std::copy_n(data_.qacc_warmstart + v, 6, state.warm_start);
  std::copy_n(external_.data() + v, 6, state.external);
  return state;
}

void MujocoBodies::set_free_state(BodyId body, const FreeState& state) {
  const int q = layout_.position(body);
  const int v = layout_.dof(body);
  std::copy_n(state.position, 7, data_.qpos + q);
  std::copy_n(state.raw_position, 7, raw_positions_.data() + q);
  std::copy_n(state.velocity, 6, data_.qvel + v);
  std::copy_n(state.warm_start, 6, data_.qacc_warmstart + v);
  std::copy_n(state.external, 6, external_.data() + v);
}

void MujocoBodies::arrange() {
  states_.clear();
  for (const BodyId body : layout_.free_bodies()) {
    if (is_free(body)) {
      states_.push_back(free_state(body));
    }
  }
  layout_.assign_places(merged_);
  auto state = states_.begin();
  for (const BodyId body : layout_.free_bodies()) {
    if (is_free(body)) {
      set_free_state(body, *state++);
    }
  }
  layout_.arrange(merged_);
  is_stale_ = false;
}

void MujocoBodies::find_reactions(std::span<const Contact> contacts) {
  BodyId last{-1};
  for (const BodyId body : merged_.merged()) {
    // some roots come more often than once, most of them in a row
    const BodyId root = merged_.root(body);
    if (root != last) {
      motions_[static_cast<std::size_t>(root)] = motion(root);
      last = root;
    }
  }
  merged_.find_reactions(motions_, contacts);
}

BodyMotion MujocoBodies::motion(BodyId root) const {
  if (cell_.body(root).is_static) {
    return {pose(root), {}, {}};
  }
  return {pose(root), twist(root), acceleration(root)};
}

Twist MujocoBodies::acceleration(BodyId root) const {
  if (is_free(root)) {
    const double* a = data_.qacc + layout_.dof(root);
    return {Map<const Vector3>(a), pose(root).linear() * Map<const Vector3>(a + 3)};
  }
  // the sum over the joints that carry it, as in MuJoCo's recursion but without gravity
  const int body = mujoco_body(root);
  mjtNum* sum = data_.cacc + 6 * body;
  std::fill_n(sum, 6, 0.0);
  int dof = model_.body_dofadr[body] + model_.body_dofnum[body] - 1;
  for (; dof >= 0; dof = model_.dof_parentid[dof]) {
    for (int i = 0; i < 6; ++i) {
      sum[i] +=
          data_.cdof[6 * dof + i] * data_.qacc[dof] + data_.cdof_dot[6 * dof + i] * data_.qvel[dof];
    }
  }
  mjtNum found[6];
  mj_objectAcceleration(&model_, &data_, mjOBJ_XBODY, body, found, 0);
  return {Map<const Vector3>(found + 3), Map<const Vector3>(found)};
}

void MujocoBodies::integrate() {
  std::copy_n(data_.qacc, model_.nv, data_.qacc_warmstart);
  for (int i = 0; i < model_.nv; ++i) {
    data_.qvel[i] += model_.opt.timestep * data_.qacc[i];
  }
  mj_integratePos(&model_, data_.qpos, data_.qvel, model_.opt.timestep);
  end_step();
}

void MujocoBodies::end_step() {
  data_.time += model_.opt.timestep;
  if (has_external_) {
    std::fill(external_.begin(), external_.end(), 0.0);
    has_external_ = false;
  }
}

void MujocoBodies::keep_raw_positions() {
  std::copy_n(data_.qpos, model_.nq, raw_positions_.begin());
}

void MujocoBodies::take_raw_positions() {
  std::copy_n(raw_positions_.begin(), model_.nq, data_.qpos);
}

void MujocoBodies::save(SnapshotWriter& writer) const {
  merged_.save(writer);
  writer.write(data_.time);
  writer.write(raw_positions_.data(), layout_.joint_positions());
  writer.write(data_.qvel, layout_.joint_dofs());
  writer.write(data_.qacc_warmstart, layout_.joint_dofs());
  writer.write(external_.data(), layout_.joint_dofs());
  for (const BodyId body : layout_.free_bodies()) {
    if (is_free(body)) {
      const FreeState state = free_state(body);
      writer.write(state.raw_position, 7);
      writer.write(state.velocity, 6);
      writer.write(state.warm_start, 6);
      writer.write(state.external, 6);
    }
  }
}

void MujocoBodies::restore(SnapshotReader& reader) {
  merged_.restore(reader);
  layout_.assign_places(merged_);
  data_.time = reader.read();
  reader.read(raw_positions_.data(), layout_.joint_positions());
  reader.read(data_.qvel, layout_.joint_dofs());
  reader.read(data_.qacc_warmstart, layout_.joint_dofs());
  reader.read(external_.data(), layout_.joint_dofs());
  for (const BodyId body : layout_.free_bodies()) {
    if (is_free(body)) {
      FreeState state;
      reader.read(state.raw_position, 7);
      reader.read(state.velocity, 6);
      reader.read(state.warm_start, 6);
      reader.read(state.external, 6);
      std::copy_n(state.raw_position, 7, state.position);
      set_free_state(body, state);
    }
  }
  has_external_ = true;
  is_stale_ = true;
}

}  // namespace longarm::physics
