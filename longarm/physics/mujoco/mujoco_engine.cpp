// SPDX-License-Identifier: Apache-2.0
// Runs MuJoCo's pipeline in our order, so that what callers read after a step is the present
// instant.
#include "longarm/physics/mujoco/mujoco_engine.h"

#include <algorithm>
#include <cmath>

#include "longarm/core/check.h"
#include "longarm/physics/mujoco/mujoco_attachments.h"
#include "longarm/physics/mujoco/mujoco_bodies.h"
#include "longarm/physics/mujoco/mujoco_collision.h"
#include "longarm/physics/mujoco/mujoco_motors.h"
#include "longarm/physics/mujoco/mujoco_stages.h"
#include "longarm/physics/overlap_query.h"

namespace longarm::physics {
namespace {

using Eigen::Map;
using model::Vector3;

constexpr Capabilities kMujocoCapabilities = [] {
  Capabilities all = kDynamicsCapabilities;
  all.restores_exactly = true;
  all.has_exact_rotor_inertia = true;
  return all;
}();

class MujocoEngine final : public Engine {
 public:
  MujocoEngine(const model::Cell& cell, const MjcfOptions& options);

 private:
  const Capabilities& do_capabilities() const override { return kMujocoCapabilities; }
  void do_step() override;
  std::span<const double> do_positions() const override { return positions_; }
  std::span<const double> do_velocities() const override { return velocities_; }
  std::span<const double> do_efforts() const override { return motors_.efforts(); }
  std::span<const Contact> do_contacts() const override { return contacts_; }
  void do_set_command(JointId joint, const JointCommand& command) override {
    cell_.joint(joint).take(command, motors_.command(joint));
  }
  std::uint64_t do_dropped_contacts() const override { return count_mujoco_drops(*data_); }
  void do_reset_joint(JointId joint, double position, double velocity) override;
  void do_reset_body(BodyId body, const model::Pose& X_WB, const Twist& twist) override;
  model::Pose do_pose(BodyId body) const override { return bodies_.pose(body); }
  Twist do_twist(BodyId body) const override { return bodies_.twist(body); }
  void do_apply_wrench(BodyId body, const Wrench& wrench) override { bodies_.apply(body, wrench); }
  void do_set_gripping(BodyId body, bool is_gripping) override {
    motors_.set_gripping(body, is_gripping);
  }
  void do_set_pair_collision(BodyId a, BodyId b, bool enabled) override {
    collision_.set_pair(a, b, enabled);
    has_stale_contacts_ = true;
  }
  AttachmentId do_attach(BodyId a, BodyId b, Joining joining) override;
  void do_move_attachment(AttachmentId attachment, const model::Pose& X_AB) override;
  void do_detach(AttachmentId attachment) override;
  bool do_can_merge(BodyId a, BodyId b) const override { return bodies_.merged().can_merge(a, b); }
  Wrench do_attachment_reaction(AttachmentId attachment) const override;
  std::optional<RayHit> do_ray(const Vector3& origin_W, const Vector3& direction_W,
                               double max_distance_m) const override;
  std::vector<std::pair<BodyId, BodyId>> do_collisions_at(
      std::span<const double> positions) const override;
  Snapshot do_save() const override;
  void do_restore(const Snapshot& snapshot) override;

  const MujocoShape& shape(int geom) const {
    return numbers_.shapes[static_cast<std::size_t>(geom)];
  }
  void put_joint(std::size_t joint, double position, double velocity);
  void settle() const;
  void refresh();
  void derive() const;
  void read_joints();
  void read_contacts();
  void integrate_in_stages();

  FlatCell cell_;
  MjcfSlots slots_;
  MujocoModelPtr model_;
  MujocoDataPtr data_;
  mutable MujocoDataPtr query_;  ///< for collisions_at(), made when first needed
  MujocoNumbers numbers_;
  MujocoMotors motors_;
  // these three bring the model up to date when it is needed; see settle()
  mutable MujocoBodies bodies_;
  mutable MujocoAttachments attachments_;
  mutable MujocoCollision collision_;
  OverlapQuery overlaps_;
  mutable std::vector<model::Pose> query_poses_;

  std::vector<double> positions_;
  std::vector<double> velocities_;
  std::vector<Contact> contacts_;
  MujocoStages stages_;
  bool is_runge_kutta_ = false;
  bool has_damping_ = false;
  mutable bool has_stale_contacts_ = false;  ///< some pair was switched on or off
};

MujocoEngine::MujocoEngine(const model::Cell& cell, const MjcfOptions& options)
    : cell_(cell),
      slots_(count_slots(check_dynamics(cell_))),
      model_(compile_mujoco_model(write_mjcf(cell_, options, slots_))),
      data_(make_mujoco_data(*model_)),
      numbers_(number_mujoco(cell_, *model_)),
      motors_(cell_, *model_, numbers_),
      bodies_(cell_, *model_, *data_, numbers_),
      attachments_(cell_, *model_, numbers_, slots_.welds),
      collision_(cell_, *model_, numbers_, bodies_.merged()),
      overlaps_(cell_, true),
      query_poses_(cell_.body_count()),
      positions_(cell_.initial_positions()),
      velocities_(positions_.size(), 0.0) {
  contacts_.reserve(static_cast<std::size_t>(model_->nconmax));
  is_runge_kutta_ = options.integrator == "rk4";
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
  settle();
  motors_.solve(*data_, bodies_.external(), attachments_.has_any());
  read_contacts();
  attachments_.read_reactions(*data_, bodies_);
  bodies_.find_reactions(contacts_);
  if (is_runge_kutta_) {
    integrate_in_stages();
  } else {
    bodies_.integrate();
  }
  refresh();
}

/// Classic Runge–Kutta, from the accelerations at the beginning of the step. What motors want they
/// want of the whole step: driven joints end it where Euler's would.
void MujocoEngine::integrate_in_stages() {
  const double h = model_->opt.timestep;
  stages_.begin(*model_, *data_);
  for (const double part : {0.5, 0.5, 1.0}) {
    stages_.go(*model_, *data_, part * h);
    derive();
    motors_.solve_again(*data_, bodies_.external(), attachments_.has_any());
    stages_.add(*data_, part == 1.0 ? 1.0 : 2.0);
  }
  stages_.end(*model_, *data_, motors_.driven());
  bodies_.end_step();
}

/// Brings the model and all that follows from it up to date, once for any number of merged bodies
/// and of pairs that may or may not touch.
void MujocoEngine::settle() const {
  const bool has_new_layout = bodies_.is_stale();
  if (has_new_layout) {
    bodies_.arrange();
    attachments_.arrange(bodies_.merged());
  }
  if (has_new_layout || has_stale_contacts_) {
    collision_.arrange();
  }
  if (has_new_layout) {
    bodies_.take_raw_positions();
    derive();
  } else if (has_stale_contacts_) {
    collision_.detect(*data_);
  }
  has_stale_contacts_ = false;
}

/// Everything that follows from positions and velocities alone. Constraints wait for the commands
/// of the next step.
void MujocoEngine::refresh() {
  bodies_.keep_raw_positions();
  derive();
  read_joints();
}

void MujocoEngine::derive() const {
  mj_kinematics(model_.get(), data_.get());
  mj_comPos(model_.get(), data_.get());
  mj_crb(model_.get(), data_.get());
  collision_.detect(*data_);
  mj_comVel(model_.get(), data_.get());
  if (has_damping_) {
    mj_passive(model_.get(), data_.get());
  }
  mj_rne(model_.get(), data_.get(), 0, data_->qfrc_bias);
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
  settle();
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
  settle();
  bodies_.put(body, X_WB, twist);
  refresh();
}

AttachmentId MujocoEngine::do_attach(BodyId a, BodyId b, Joining joining) {
  if (joining == Joining::kConstraint) {
    return attachments_.attach(bodies_, a, b);
  }
  bodies_.merge(a, b);
  return MergedBodies::attachment(b);
}

void MujocoEngine::do_move_attachment(AttachmentId attachment, const model::Pose& X_AB) {
  check(!MergedBodies::is_merge(attachment), "a merged body cannot be moved");
  attachments_.move(bodies_, attachment, X_AB);
}

void MujocoEngine::do_detach(AttachmentId attachment) {
  if (MergedBodies::is_merge(attachment)) {
    bodies_.split(bodies_.merged().body(attachment));
  } else {
    attachments_.detach(attachment);
  }
}

Wrench MujocoEngine::do_attachment_reaction(AttachmentId attachment) const {
  return MergedBodies::is_merge(attachment)
             ? bodies_.merged().reaction(bodies_.merged().body(attachment))
             : attachments_.reaction(attachment);
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
  settle();
  if (!query_) {
    query_ = bodies_.make_query_data();
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
    query_poses_[b] = bodies_.pose_in(*query_, static_cast<BodyId>(b));
  }
  overlaps_.complete(query_poses_, collision_.filter(), pairs);
  std::erase_if(
      pairs, [&](const auto& pair) { return bodies_.merged().are_one(pair.first, pair.second); });
  return pairs;
}

Snapshot MujocoEngine::do_save() const {
  SnapshotWriter writer;
  bodies_.save(writer);
  motors_.save(writer);
  attachments_.save(writer);
  collision_.save(writer);
  writer.write(static_cast<double>(contacts_.size()));
  for (const Contact& contact : contacts_) {
    writer.write(contact);
  }
  return writer.take();
}

void MujocoEngine::do_restore(const Snapshot& snapshot) {
  SnapshotReader reader(snapshot);
  bodies_.restore(reader);
  motors_.restore(reader);
  attachments_.restore(reader);
  collision_.restore(reader);
  contacts_.resize(static_cast<std::size_t>(reader.read()));
  for (Contact& contact : contacts_) {
    reader.read(contact);
  }
  reader.check_end();
  settle();
  read_joints();
}

}  // namespace

std::unique_ptr<Engine> make_mujoco_engine(const model::Cell& cell, const EngineOptions& options) {
  const MjcfOptions mjcf{.period_s = to_seconds(options.period),
                         .solver = choose_solver(options.solver, {"newton", "noslip", "cg"}),
                         .integrator = choose_integrator(options.integrator, {"euler", "rk4"})};
  return std::make_unique<MujocoEngine>(cell, mjcf);
}

}  // namespace longarm::physics
