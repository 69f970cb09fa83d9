// SPDX-License-Identifier: Apache-2.0
// Rigid bodies in maximal coordinates: every moving body is an ODE body, every joint a set of
// constraints.
#include "longarm/physics/ode/ode_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "longarm/core/check.h"
#include "longarm/physics/ode/ode_attachments.h"
#include "longarm/physics/ode/ode_bodies.h"
#include "longarm/physics/ode/ode_joint.h"
#include "longarm/physics/overlap_query.h"

namespace longarm::physics {
namespace {

using model::Pose;
using model::Vector3;

// A loop that commands more than this has blown up.
constexpr double kMostCommand = 1e12;

/// Where everything is when joints are at zero; locked joints stay where they start.
std::vector<Pose> zero_poses(const FlatCell& cell) {
  std::vector<Pose> X_WB(cell.body_count(), Pose::Identity());
  std::vector<double> positions;
  for (const FlatJoint& joint : cell.joints()) {
    positions.push_back(joint.is_locked ? joint.initial_position : 0.0);
  }
  for (std::size_t b = 0; b < X_WB.size(); ++b) {
    if (cell.bodies()[b].parent < 0) {
      X_WB[b] = cell.root_pose(cell.bodies()[b].placement);
    }
  }
  forward_kinematics(cell, positions, X_WB);
  return X_WB;
}

class OdeEngine final : public Engine {
 public:
  OdeEngine(const model::Cell& cell, const EngineOptions& options, bool is_quick);

 private:
  const Capabilities& do_capabilities() const override { return capabilities_; }
  void do_step() override;
  std::span<const double> do_positions() const override { return positions_; }
  std::span<const double> do_velocities() const override { return velocities_; }
  std::span<const double> do_efforts() const override { return efforts_; }
  std::span<const Contact> do_contacts() const override { return contacts_.contacts(); }
  void do_set_command(JointId joint, const JointCommand& command) override {
    cell_.joint(joint).take(command, commands_[static_cast<std::size_t>(joint)]);
  }
  void do_reset_joint(JointId joint, double position, double velocity) override;
  void do_reset_body(BodyId body, const Pose& X_WB, const Twist& twist) override;
  Pose do_pose(BodyId body) const override { return bodies_.pose(body); }
  Twist do_twist(BodyId body) const override { return bodies_.twist(body); }
  void do_apply_wrench(BodyId body, const Wrench& wrench) override { bodies_.push(body, wrench); }
  void do_set_pair_collision(BodyId a, BodyId b, bool enabled) override {
    contacts_.filter().set(static_cast<int>(a), static_cast<int>(b), enabled);
  }
  AttachmentId do_attach(BodyId a, BodyId b, Joining joining) override;
  bool do_can_merge(BodyId a, BodyId b) const override { return bodies_.can_merge(a, b); }
  void do_move_attachment(AttachmentId attachment, const Pose& X_AB) override;
  void do_detach(AttachmentId attachment) override;
  Wrench do_attachment_reaction(AttachmentId attachment) const override;
  std::optional<RayHit> do_ray(const Vector3& origin_W, const Vector3& direction_W,
                               double max_distance_m) const override;
  std::vector<std::pair<BodyId, BodyId>> do_collisions_at(
      std::span<const double> positions) const override;
  Snapshot do_save() const override { return {}; }
  void do_restore(const Snapshot&) override {}

  void place_bodies();
  bool are_commands_sane() const;
  void command_joints();
  void command_joint(std::size_t joint);
  double expected_leader_velocity(std::size_t leader) const;
  void read_joints();

  FlatCell cell_;
  double period_s_;
  bool is_quick_;
  Capabilities capabilities_ = kDynamicsCapabilities;
  OdeWorld world_;
  OdeContacts contacts_;
  OdeBodies bodies_;
  OverlapQuery overlaps_;
  std::vector<std::unique_ptr<OdeJoint>> joints_;  ///< null for locked ones
  OdeAttachments attachments_;

  std::vector<JointCommand> commands_;
  std::vector<double> positions_;
  std::vector<double> velocities_;
  std::vector<double> efforts_;
  unsigned long step_count_ = 0;
  bool has_blown_up_ = false;  ///< velocities are not numbers any more; nothing moves
};

OdeEngine::OdeEngine(const model::Cell& cell, const EngineOptions& options, bool is_quick)
    : cell_(cell),
      period_s_(to_seconds(options.period)),
      is_quick_(is_quick),
      world_(check_dynamics(cell_).cell().gravity_m_s2, options.error_reduction),
      contacts_(cell_, world_.world, world_.contact_joints, period_s_, options.error_reduction),
      bodies_(cell_, world_, zero_poses(cell_)),
      overlaps_(cell_, false),
      attachments_(world_.world, bodies_),
      commands_(cell_.joint_count()),
      positions_(cell_.initial_positions()),
      velocities_(positions_.size(), 0.0),
      efforts_(positions_.size(), 0.0) {
  capabilities_.is_thread_deterministic = !is_quick;
  capabilities_.has_true_meshes = true;
  capabilities_.has_exact_surfaces = true;
  for (const FlatJoint& joint : cell_.joints()) {
    const auto child = static_cast<BodyId>(joint.child_body);
    const auto parent = static_cast<BodyId>(joint.parent_body);
    joints_.push_back(joint.is_locked
                          ? nullptr
                          : std::make_unique<OdeJoint>(world_.world, joint, bodies_.mover(child),
                                                       bodies_.mover(parent), bodies_.pose(child)));
  }
  place_bodies();
}

void OdeEngine::do_step() {
  if (has_blown_up_) {
    return;
  }
  has_blown_up_ = !bodies_.are_sane() || !are_commands_sane();
  if (has_blown_up_) {
    std::fill(velocities_.begin(), velocities_.end(), std::numeric_limits<double>::quiet_NaN());
    return;
  }
  prepare_ode_thread();
  command_joints();
  bodies_.carry_rotors();
  contacts_.detect(world_.space, bodies_.merged());
  bodies_.before_step();
  ++step_count_;
  if (is_quick_) {
    // its random order is one sequence for the whole process; this makes repeats equal in a single
    // thread
    dRandSetSeed(step_count_);
    dWorldQuickStep(world_.world, period_s_);
  } else {
    dWorldStep(world_.world, period_s_);
  }
  contacts_.read_forces();
  if (bodies_.merged().has_any()) {
    attachments_.add_loads(bodies_);
  }
  bodies_.after_step(contacts_.contacts(), period_s_);
  read_joints();
}

bool OdeEngine::are_commands_sane() const {
  return std::all_of(commands_.begin(), commands_.end(), [](const JointCommand& command) {
    return std::abs(command.value) < kMostCommand;
  });
}

void OdeEngine::command_joints() {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j] != nullptr) {
      command_joint(j);
    }
  }
}

void OdeEngine::command_joint(std::size_t j) {
  const FlatJoint& flat = cell_.joints()[j];
  const JointCommand& command = commands_[j];
  OdeJoint& joint = *joints_[j];
  joint.set_position(positions_[j]);
  if (flat.leader >= 0) {
    // one way: the follower goes where its leader is about to be, with whatever effort that takes
    const auto leader = static_cast<std::size_t>(flat.leader);
    const double expected = positions_[leader] + period_s_ * expected_leader_velocity(leader);
    joint.drive((flat.follow(expected) - positions_[j]) / period_s_, dInfinity);
  } else if (command.is_motored()) {
    joint.drive(command.target_velocity(positions_[j], period_s_), command.max_effort);
  } else {
    joint.drive(0.0, flat.joint->dynamics.friction);
    joint.push(command.effort());
  }
}

double OdeEngine::expected_leader_velocity(std::size_t leader) const {
  return commands_[leader].is_motored()
             ? commands_[leader].target_velocity(positions_[leader], period_s_)
             : velocities_[leader];
}

void OdeEngine::read_joints() {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    if (joints_[j] == nullptr) {
      continue;
    }
    velocities_[j] = joints_[j]->velocity();
    positions_[j] = joints_[j]->position(positions_[j] + period_s_ * velocities_[j]);
    efforts_[j] = commands_[j].is_motored() ? joints_[j]->motor_effort() : commands_[j].effort();
  }
}

/// Puts all bodies where the joints say they are, starting from the roots' present poses.
void OdeEngine::place_bodies() {
  std::vector<Pose> X_WB(cell_.body_count());
  std::vector<Twist> twists(cell_.body_count());
  for (std::size_t b = 0; b < X_WB.size(); ++b) {
    X_WB[b] = bodies_.pose(static_cast<BodyId>(b));
    twists[b] = bodies_.twist(static_cast<BodyId>(b));
  }
  forward_kinematics(cell_, positions_, X_WB);
  forward_twists(cell_, velocities_, X_WB, twists);
  for (std::size_t b = 0; b < X_WB.size(); ++b) {
    if (!cell_.bodies()[b].is_static) {
      bodies_.put(static_cast<BodyId>(b), X_WB[b], twists[b]);
    }
  }
}

void OdeEngine::do_reset_joint(JointId joint, double position, double velocity) {
  if (!cell_.joint(joint).takes_commands()) {
    return;
  }
  positions_[static_cast<std::size_t>(joint)] = position;
  velocities_[static_cast<std::size_t>(joint)] = velocity;
  for (std::size_t j = 0; j < positions_.size(); ++j) {
    const FlatJoint& other = cell_.joints()[j];
    if (other.leader == static_cast<int>(joint) && !other.is_locked) {
      positions_[j] = other.follow(position);
      velocities_[j] = other.joint->mimic->multiplier * velocity;
    }
  }
  place_bodies();
}

void OdeEngine::do_reset_body(BodyId body, const Pose& X_WB, const Twist& twist) {
  const FlatBody& flat = cell_.body(body);
  check(flat.parent < 0 && !flat.is_static,
        "only the root of a free placement can be put somewhere");
  check(!bodies_.merged().is_merged(body),
        "a body that is part of another cannot be put somewhere");
  bodies_.put(body, X_WB, twist);
  place_bodies();
}

AttachmentId OdeEngine::do_attach(BodyId a, BodyId b, Joining joining) {
  prepare_ode_thread();
  if (joining == Joining::kConstraint) {
    return attachments_.attach(a, b);
  }
  bodies_.merge(a, b);
  attachments_.follow_merges();
  return MergedBodies::attachment(b);
}

void OdeEngine::do_move_attachment(AttachmentId attachment, const Pose& X_AB) {
  check(!MergedBodies::is_merge(attachment), "a merged body cannot be moved");
  prepare_ode_thread();
  attachments_.move(attachment, X_AB);
}

void OdeEngine::do_detach(AttachmentId attachment) {
  if (!MergedBodies::is_merge(attachment)) {
    attachments_.detach(attachment);
    return;
  }
  prepare_ode_thread();
  bodies_.split(bodies_.merged().body(attachment));
  attachments_.follow_merges();
}

Wrench OdeEngine::do_attachment_reaction(AttachmentId attachment) const {
  return MergedBodies::is_merge(attachment)
             ? bodies_.merged().reaction(bodies_.merged().body(attachment))
             : attachments_.reaction(attachment);
}

std::optional<RayHit> OdeEngine::do_ray(const Vector3& origin_W, const Vector3& direction_W,
                                        double max_distance_m) const {
  prepare_ode_thread();
  return cast_ode_ray(world_.space, origin_W, direction_W, max_distance_m);
}

std::vector<std::pair<BodyId, BodyId>> OdeEngine::do_collisions_at(
    std::span<const double> positions) const {
  prepare_ode_thread();
  std::vector<Pose> X_WB(cell_.body_count());
  for (std::size_t b = 0; b < X_WB.size(); ++b) {
    X_WB[b] = bodies_.pose(static_cast<BodyId>(b));
  }
  forward_kinematics(cell_, positions, X_WB);
  bodies_.follow_roots(X_WB);
  bodies_.place_query_shapes(X_WB);
  std::vector<std::pair<BodyId, BodyId>> pairs = contacts_.pairs(world_.query_space);
  overlaps_.complete(X_WB, contacts_.filter(), pairs);
  std::erase_if(
      pairs, [&](const auto& pair) { return bodies_.merged().are_one(pair.first, pair.second); });
  return pairs;
}

}  // namespace

std::unique_ptr<Engine> make_ode_engine(const model::Cell& cell, const EngineOptions& options) {
  const std::string solver = choose_solver(options.solver, {"direct", "quick"});
  choose_integrator(options.integrator, {"euler"});
  return std::make_unique<OdeEngine>(cell, options, solver == "quick");
}

}  // namespace longarm::physics
