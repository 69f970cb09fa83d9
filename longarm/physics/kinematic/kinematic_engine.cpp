// SPDX-License-Identifier: Apache-2.0
// Integrates joint commands; poses come from forward kinematics, and parts go with what carries
// them.
#include "longarm/physics/kinematic/kinematic_engine.h"

#include <algorithm>

#include "longarm/core/check.h"
#include "longarm/physics/flat_cell.h"
#include "longarm/physics/kinematic/carried_parts.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {
namespace {

constexpr Capabilities kKinematicCapabilities{.restores_exactly = true,
                                              .is_thread_deterministic = true};

class KinematicEngine final : public Engine {
 public:
  KinematicEngine(const model::Cell& cell, Duration period)
      : cell_(cell),
        period_s_(to_seconds(period)),
        positions_(cell_.initial_positions()),
        velocities_(positions_.size(), 0.0),
        efforts_(positions_.size(), 0.0),
        commands_(positions_.size()),
        X_WB_(cell_.body_count(), model::Pose::Identity()),
        twists_(cell_.body_count()),
        carried_(cell_),
        is_blocked_(positions_.size(), 0) {
    for (std::size_t b = 0; b < cell_.body_count(); ++b) {
      if (cell_.bodies()[b].parent < 0) {
        X_WB_[b] = cell_.root_pose(cell_.bodies()[b].placement);
      }
    }
    update_bodies();
  }

 private:
  const Capabilities& do_capabilities() const override { return kKinematicCapabilities; }
  std::span<const double> do_positions() const override { return positions_; }
  std::span<const double> do_velocities() const override { return velocities_; }
  std::span<const double> do_efforts() const override { return efforts_; }
  std::span<const Contact> do_contacts() const override { return carried_.contacts(); }
  model::Pose do_pose(BodyId body) const override { return X_WB_[static_cast<std::size_t>(body)]; }
  Twist do_twist(BodyId body) const override { return twists_[static_cast<std::size_t>(body)]; }

  void do_set_gripping(BodyId body, bool is_gripping) override {
    if (is_gripping) {
      carried_.set_gripping(body);
    }
  }

  // Forces, collisions and attachments mean nothing here.
  void do_apply_wrench(BodyId, const Wrench&) override {}
  void do_set_pair_collision(BodyId, BodyId, bool) override {}
  AttachmentId do_attach(BodyId, BodyId, Joining) override { return {}; }
  void do_detach(AttachmentId) override {}
  Wrench do_attachment_reaction(AttachmentId) const override { return {}; }
  std::optional<RayHit> do_ray(const model::Vector3&, const model::Vector3&,
                               double) const override {
    return std::nullopt;
  }
  std::vector<std::pair<BodyId, BodyId>> do_collisions_at(std::span<const double>) const override {
    return {};
  }

  void do_set_command(JointId joint, const JointCommand& command) override {
    cell_.joint(joint).take(command, commands_[static_cast<std::size_t>(joint)]);
  }

  void do_step() override {
    if (carried_.has_parts()) {
      last_positions_ = positions_;
      last_X_WB_ = X_WB_;
    }
    for (std::size_t j = 0; j < positions_.size(); ++j) {
      move_joint(j);
    }
    follow_leaders();
    for (std::size_t b = 0; b < X_WB_.size(); ++b) {
      if (cell_.bodies()[b].parent < 0 && !carried_.is_carried(b)) {
        drift(X_WB_[b], twists_[b]);
      }
    }
    update_bodies();
    if (carried_.has_parts()) {
      hold_fingers();
      carried_.carry(last_X_WB_, X_WB_, twists_, period_s_);
    }
  }

  /// What is between fingers stops them.
  void hold_fingers() {
    if (!carried_.find_blocked(last_X_WB_, X_WB_, is_blocked_)) {
      return;
    }
    for (std::size_t j = 0; j < positions_.size(); ++j) {
      if (is_blocked_[j] != 0) {
        positions_[j] = last_positions_[j];
        velocities_[j] = 0.0;
        is_blocked_[j] = 0;
      }
    }
    follow_leaders();
    update_bodies();
  }

  void move_joint(std::size_t j) {
    const FlatJoint& joint = cell_.joints()[j];
    if (!joint.takes_commands()) {
      return;
    }
    velocities_[j] = 0.0;
    if (!commands_[j].is_motored()) {
      return;
    }
    const model::JointLimits& limits = joint.joint->limits;
    const double wanted = commands_[j].target_velocity(positions_[j], period_s_);
    const double free = positions_[j] + wanted * period_s_;
    const double next = std::clamp(free, limits.lower, limits.upper);
    velocities_[j] = next == free ? wanted : (next - positions_[j]) / period_s_;
    positions_[j] = next;
  }

  void follow_leaders() {
    for (std::size_t j = 0; j < positions_.size(); ++j) {
      const FlatJoint& joint = cell_.joints()[j];
      if (joint.leader >= 0 && !joint.is_locked) {
        const auto leader = static_cast<std::size_t>(joint.leader);
        positions_[j] = joint.follow(positions_[leader]);
        velocities_[j] = joint.joint->mimic->multiplier * velocities_[leader];
      }
    }
  }

  /// A free root keeps whatever twist it was given.
  void drift(model::Pose& X, const Twist& twist) const {
    const double angle = twist.angular_W.norm() * period_s_;
    X.translation() += twist.linear_W * period_s_;
    if (angle > 0.0) {
      X.linear() = Eigen::AngleAxisd(angle, twist.angular_W.normalized()) * X.linear();
    }
  }

  void update_bodies() {
    forward_kinematics(cell_, positions_, X_WB_);
    forward_twists(cell_, velocities_, X_WB_, twists_);
  }

  void do_reset_joint(JointId joint, double position, double velocity) override {
    if (cell_.joint(joint).takes_commands()) {
      positions_[static_cast<std::size_t>(joint)] = position;
      velocities_[static_cast<std::size_t>(joint)] = velocity;
      follow_leaders();
      update_bodies();
    }
  }

  void do_reset_body(BodyId body, const model::Pose& X_WB, const Twist& twist) override {
    check(cell_.body(body).parent < 0 && !cell_.body(body).is_static,
          "only the root of a free placement can be put somewhere");
    if (X_WB_[static_cast<std::size_t>(body)].matrix() != X_WB.matrix()) {
      carried_.forget(body);
    }
    X_WB_[static_cast<std::size_t>(body)] = X_WB;
    twists_[static_cast<std::size_t>(body)] = twist;
    update_bodies();
  }

  Snapshot do_save() const override;
  void do_restore(const Snapshot& snapshot) override;

  FlatCell cell_;
  double period_s_;
  std::vector<double> positions_;
  std::vector<double> velocities_;
  std::vector<double> efforts_;
  std::vector<JointCommand> commands_;
  std::vector<model::Pose> X_WB_;
  std::vector<Twist> twists_;
  CarriedParts carried_;
  std::vector<char> is_blocked_;  ///< by joint
  // before the step
  std::vector<double> last_positions_;
  std::vector<model::Pose> last_X_WB_;
};

Snapshot KinematicEngine::do_save() const {
  SnapshotWriter writer;
  writer.write(positions_);
  writer.write(velocities_);
  writer.write(commands_);
  for (std::size_t b = 0; b < X_WB_.size(); ++b) {
    writer.write(X_WB_[b].data(), 16);
    writer.write(twists_[b].linear_W);
    writer.write(twists_[b].angular_W);
  }
  carried_.save(writer);
  return writer.take();
}

void KinematicEngine::do_restore(const Snapshot& snapshot) {
  SnapshotReader reader(snapshot);
  reader.read(positions_);
  reader.read(velocities_);
  reader.read(commands_);
  for (std::size_t b = 0; b < X_WB_.size(); ++b) {
    reader.read(X_WB_[b].data(), 16);
    reader.read(twists_[b].linear_W);
    reader.read(twists_[b].angular_W);
  }
  carried_.restore(reader);
  reader.check_end();
}

}  // namespace

std::unique_ptr<Engine> make_kinematic_engine(const model::Cell& cell,
                                              const EngineOptions& options) {
  choose_solver(options.solver, {"none"});
  choose_integrator(options.integrator, {"euler"});
  return std::make_unique<KinematicEngine>(cell, options.period);
}

}  // namespace longarm::physics
