// SPDX-License-Identifier: Apache-2.0
// Runs MuJoCo's pipeline in our order, so that what callers read after a step is the present
// instant.
#include "longarm/physics/mujoco/mujoco_engine.h"

#include <algorithm>
#include <cmath>

#include "longarm/core/check.h"
#include "longarm/physics/mujoco/mujoco_attachments.h"
#include "longarm/physics/mujoco/mujoco_collision.h"
#include "longarm/physics/mujoco/mujoco_motors.h"
#include "longarm/physics/overlap_query.h"

namespace longarm::physics {
namespace {

using Eigen::Map;
using model::Vector3;
using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr Capabilities kCapabilities{.has_dynamics = true,
                                     .has_contacts = true,
                                     .has_constraint_motors = true,
                                     .has_attachments = true,
                                     .has_rays = true,
                                     .has_collision_query = true,
                                     .restores_exactly = true,
                                     .is_thread_deterministic = true,
                                     .has_exact_rotor_inertia = true};

class MujocoEngine final : public Engine {
 public:
  MujocoEngine(const model::Cell& cell, const MjcfOptions& options);

 private:
  const Capabilities& do_capabilities() const override { return kCapabilities; }
  void do_step() override;
  std::span<const double> do_positions() const override { return positions_; }
  std::span<const double> do_velocities() const override { return velocities_; }
  std::span<const double> do_efforts() const override { return motors_.efforts(); }
  std::span<const Contact> do_contacts() const override { return contacts_; }

  void do_set_effort(JointId joint, double effort) override {
    set_command(joint, {CommandMode::kEffort, effort, 0.0});
  }
  void do_set_velocity(JointId joint, double velocity, double max_effort) override {
    set_command(joint, {CommandMode::kVelocity, velocity, max_effort});
  }
  void do_set_position(JointId joint, double position, double max_effort) override {
    set_command(joint, position_command(*cell_.joint(joint).joint, position, max_effort));
  }
  void set_command(JointId joint, const JointCommand& command) {
    if (cell_.joint(joint).takes_commands()) {
      motors_.command(joint) = command;
    }
  }

  void do_reset_joint(JointId joint, double position, double velocity) override;
  void do_reset_body(BodyId body, const model::Pose& X_WB, const Twist& twist) override;
  model::Pose do_pose(BodyId body) const override { return pose_in(*data_, body); }
  Twist do_twist(BodyId body) const override;
  void do_apply_wrench(BodyId body, const Wrench& wrench) override;
  void do_set_pair_collision(BodyId a, BodyId b, bool enabled) override {
    collision_.set_pair(a, b, enabled);
    has_stale_contacts_ = true;
  }
  AttachmentId do_attach(BodyId a, BodyId b, Joining) override {
    return attachments_.attach(*data_, mujoco_body(a), mujoco_body(b));
  }
  void do_detach(AttachmentId attachment) override { attachments_.detach(attachment); }
  Wrench do_attachment_reaction(AttachmentId attachment) const override {
    return attachments_.reaction(attachment);
  }
  std::optional<RayHit> do_ray(const Vector3& origin_W, const Vector3& direction_W,
                               double max_distance_m) const override;
  std::vector<std::pair<BodyId, BodyId>> do_collisions_at(
      std::span<const double> positions) const override;
  Snapshot do_save() const override;
  void do_restore(const Snapshot& snapshot) override;

  int mujoco_body(BodyId body) const { return numbers_.body[static_cast<std::size_t>(body)]; }
  const MujocoShape& shape(int geom) const {
    return numbers_.shapes[static_cast<std::size_t>(geom)];
  }
  model::Pose pose_in(const mjData& data, BodyId body) const;
  void put_joint(std::size_t joint, double position, double velocity);
  void integrate();
  void refresh();
  void read_joints();
  void read_contacts();

  FlatCell cell_;
  MjcfSlots slots_;
  MujocoModelPtr model_;
  MujocoDataPtr data_;
  mutable MujocoDataPtr query_;  ///< for collisions_at(), made when first needed
  MujocoNumbers numbers_;
  MujocoMotors motors_;
  MujocoAttachments attachments_;
  MujocoCollision collision_;
  OverlapQuery overlaps_;
  mutable std::vector<model::Pose> query_poses_;

  std::vector<double> positions_;
  std::vector<double> velocities_;
  std::vector<double> external_;       ///< generalised forces of apply_wrench()
  std::vector<double> raw_positions_;  ///< qpos before MuJoCo normalised its quaternions
  std::vector<Contact> contacts_;
  bool has_damping_ = false;
  bool has_external_ = false;
  bool has_stale_contacts_ = false;  ///< some pair was switched on or off since the last step
};

MujocoEngine::MujocoEngine(const model::Cell& cell, const MjcfOptions& options)
    : cell_(cell),
      slots_(count_slots(check_dynamics(cell_))),
      model_(compile_mujoco_model(write_mjcf(cell_, options, slots_))),
      data_(make_mujoco_data(*model_)),
      numbers_(number_mujoco(cell_, *model_)),
      motors_(cell_, *model_, numbers_),
      attachments_(*model_, slots_.welds),
      collision_(cell_, *model_, numbers_),
      overlaps_(cell_, true),
      query_poses_(cell_.body_count()),
      positions_(cell_.initial_positions()),
      velocities_(positions_.size(), 0.0),
      external_(static_cast<std::size_t>(model_->nv), 0.0),
      raw_positions_(static_cast<std::size_t>(model_->nq), 0.0) {
  contacts_.reserve(static_cast<std::size_t>(model_->nconmax));
  has_damping_ = std::any_of(model_->dof_damping, model_->dof_damping + model_->nv,
                             [](double damping) { return damping > 0.0; });
  for (std::size_t j = 0; j < positions_.size(); ++j) {
    put_joint(j, positions_[j], 0.0);
  }
  refresh();
}

void MujocoEngine::do_step() {
  // A run that blew up stays as it ended; MuJoCo's own answer would be to start over in silence.
  const bool is_finite =
      std::all_of(data_->qvel, data_->qvel + model_->nv, [](double v) { return std::isfinite(v); });
  if (!is_finite) {
    return;
  }
  if (has_stale_contacts_) {
    collision_.detect(*data_);
    has_stale_contacts_ = false;
  }
  motors_.solve(*data_, external_, attachments_.has_any());
  read_contacts();
  attachments_.read_reactions(*data_);
  integrate();
  refresh();
}

void MujocoEngine::integrate() {
  std::copy_n(data_->qacc, model_->nv, data_->qacc_warmstart);
  for (int i = 0; i < model_->nv; ++i) {
    data_->qvel[i] += model_->opt.timestep * data_->qacc[i];
  }
  mj_integratePos(model_.get(), data_->qpos, data_->qvel, model_->opt.timestep);
  data_->time += model_->opt.timestep;
  if (has_external_) {
    std::fill(external_.begin(), external_.end(), 0.0);
    has_external_ = false;
  }
}

/// Everything that follows from positions and velocities alone. Constraints wait for the commands
/// of the next step.
void MujocoEngine::refresh() {
  std::copy_n(data_->qpos, model_->nq, raw_positions_.begin());
  mj_kinematics(model_.get(), data_.get());
  mj_comPos(model_.get(), data_.get());
  mj_crb(model_.get(), data_.get());
  collision_.detect(*data_);
  mj_comVel(model_.get(), data_.get());
  if (has_damping_) {
    mj_passive(model_.get(), data_.get());
  }
  mj_rne(model_.get(), data_.get(), 0, data_->qfrc_bias);
  read_joints();
}

void MujocoEngine::read_joints() {
  for (std::size_t j = 0; j < positions_.size(); ++j) {
    if (numbers_.dof[j] >= 0) {
      positions_[j] = data_->qpos[numbers_.position[j]];
      velocities_[j] = data_->qvel[numbers_.dof[j]];
    }
  }
}

void MujocoEngine::read_contacts() {
  contacts_.clear();
  for (int i = 0; i < data_->ncon; ++i) {
    const mjContact& contact = data_->contact[i];
    if (contact.efc_address < 0) {
      continue;
    }
    mjtNum force[6];
    mj_contactForce(model_.get(), data_.get(), i, force);
    const Map<const RowMajor3> frame(contact.frame);
    contacts_.push_back({.a = shape(contact.geom1).body,
                         .b = shape(contact.geom2).body,
                         .geometry_a = shape(contact.geom1).index,
                         .geometry_b = shape(contact.geom2).index,
                         .p_W = Map<const Vector3>(contact.pos),
                         .normal_W = frame.row(0),
                         .depth_m = -contact.dist,
                         .force_on_b_W = frame.transpose() * Map<const Vector3>(force)});
  }
}

void MujocoEngine::put_joint(std::size_t joint, double position, double velocity) {
  if (numbers_.dof[joint] >= 0) {
    data_->qpos[numbers_.position[joint]] = position;
    data_->qvel[numbers_.dof[joint]] = velocity;
  }
}

void MujocoEngine::do_reset_joint(JointId joint, double position, double velocity) {
  if (!cell_.joint(joint).takes_commands()) {
    return;
  }
  put_joint(static_cast<std::size_t>(joint), position, velocity);
  for (std::size_t j = 0; j < positions_.size(); ++j) {
    const FlatJoint& other = cell_.joints()[j];
    if (other.leader == static_cast<int>(joint)) {
      put_joint(j, other.follow(position), other.joint->mimic->multiplier * velocity);
    }
  }
  refresh();
}

void MujocoEngine::do_reset_body(BodyId body, const model::Pose& X_WB, const Twist& twist) {
  const FlatBody& flat = cell_.body(body);
  check(flat.parent < 0 && !flat.is_static,
        "only the root of a free placement can be put somewhere");
  const int joint = model_->body_jntadr[mujoco_body(body)];
  double* q = data_->qpos + model_->jnt_qposadr[joint];
  double* v = data_->qvel + model_->jnt_dofadr[joint];
  const Eigen::Quaterniond orientation(X_WB.linear());
  Map<Vector3> position(q);
  position = X_WB.translation();
  q[3] = orientation.w();
  Map<Vector3>(q + 4) = orientation.vec();
  Map<Vector3> linear(v);
  linear = twist.linear_W;
  // a free joint turns in its own axes
  Map<Vector3>(v + 3) = X_WB.linear().transpose() * twist.angular_W;
  refresh();
}

model::Pose MujocoEngine::pose_in(const mjData& data, BodyId body) const {
  model::Pose X = model::Pose::Identity();
  X.translation() = Map<const Vector3>(data.xpos + 3 * mujoco_body(body));
  X.linear() = Map<const RowMajor3>(data.xmat + 9 * mujoco_body(body));
  return X;
}

Twist MujocoEngine::do_twist(BodyId body) const {
  mjtNum velocity[6];
  mj_objectVelocity(model_.get(), data_.get(), mjOBJ_XBODY, mujoco_body(body), velocity, 0);
  return {.linear_W = Map<const Vector3>(velocity + 3), .angular_W = Map<const Vector3>(velocity)};
}

void MujocoEngine::do_apply_wrench(BodyId body, const Wrench& wrench) {
  const int number = mujoco_body(body);
  mj_applyFT(model_.get(), data_.get(), wrench.force_W.data(), wrench.torque_W.data(),
             data_->xipos + 3 * number, number, external_.data());
  has_external_ = true;
}

std::optional<RayHit> MujocoEngine::do_ray(const Vector3& origin_W, const Vector3& direction_W,
                                           double max_distance_m) const {
  int geom = -1;
  const double distance =
      mj_ray(model_.get(), data_.get(), origin_W.data(), direction_W.data(), nullptr, 1, -1, &geom);
  if (geom < 0 || distance > max_distance_m) {
    return std::nullopt;
  }
  return RayHit{shape(geom).body, distance};
}

std::vector<std::pair<BodyId, BodyId>> MujocoEngine::do_collisions_at(
    std::span<const double> positions) const {
  if (!query_) {
    query_ = make_mujoco_data(*model_);
  }
  std::copy_n(data_->qpos, model_->nq, query_->qpos);
  for (std::size_t j = 0; j < positions.size(); ++j) {
    if (numbers_.position[j] >= 0) {
      query_->qpos[numbers_.position[j]] = positions[j];
    }
  }
  mj_kinematics(model_.get(), query_.get());
  mj_comPos(model_.get(), query_.get());
  collision_.detect(*query_);
  std::vector<std::pair<BodyId, BodyId>> pairs;
  for (int i = 0; i < query_->ncon; ++i) {
    const mjContact& contact = query_->contact[i];
    if (contact.dist < 0.0) {
      pairs.push_back(std::minmax(shape(contact.geom1).body, shape(contact.geom2).body));
    }
  }
  // MuJoCo 2.2 makes no contact for a capsule whose axis goes through a box; a running simulation
  // lives with that, a plan must not
  for (std::size_t b = 0; b < query_poses_.size(); ++b) {
    query_poses_[b] = pose_in(*query_, static_cast<BodyId>(b));
  }
  overlaps_.complete(query_poses_, collision_.filter(), pairs);
  return pairs;
}

Snapshot MujocoEngine::do_save() const {
  const auto nv = static_cast<std::size_t>(model_->nv);
  SnapshotWriter writer;
  writer.write(data_->time);
  writer.write(raw_positions_);
  writer.write(data_->qvel, nv);
  writer.write(data_->qacc_warmstart, nv);
  motors_.save(writer);
  writer.write(external_);
  attachments_.save(writer);
  collision_.save(writer);
  writer.write(static_cast<double>(contacts_.size()));
  for (const Contact& contact : contacts_) {
    writer.write(contact);
  }
  return writer.take();
}

void MujocoEngine::do_restore(const Snapshot& snapshot) {
  const auto nv = static_cast<std::size_t>(model_->nv);
  SnapshotReader reader(snapshot);
  data_->time = reader.read();
  reader.read(raw_positions_);
  reader.read(data_->qvel, nv);
  reader.read(data_->qacc_warmstart, nv);
  motors_.restore(reader);
  reader.read(external_);
  attachments_.restore(reader);
  collision_.restore(reader);
  contacts_.resize(static_cast<std::size_t>(reader.read()));
  for (Contact& contact : contacts_) {
    reader.read(contact);
  }
  reader.check_end();
  has_external_ = true;
  std::copy(raw_positions_.begin(), raw_positions_.end(), data_->qpos);
  refresh();
}

}  // namespace

std::unique_ptr<Engine> make_mujoco_engine(const model::Cell& cell, const EngineOptions& options) {
  const MjcfOptions mjcf{.period_s = to_seconds(options.period),
                         .solver = choose_solver(options.solver, {"newton", "noslip", "cg"})};
  return std::make_unique<MujocoEngine>(cell, mjcf);
}

}  // namespace longarm::physics
