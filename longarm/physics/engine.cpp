// SPDX-License-Identifier: Apache-2.0
// Checks what callers ask of an engine before the engine sees it, and lists the engines we ship.
#include "longarm/physics/engine.h"

#include <cmath>

#include "longarm/core/check.h"
#include "longarm/physics/kinematic/kinematic_engine.h"
#include "longarm/physics/mujoco/mujoco_engine.h"
#include "longarm/physics/ode/ode_engine.h"

namespace longarm::physics {
namespace {

void check_joint(const Engine& engine, JointId joint) {
  const int number = static_cast<int>(joint);
  check(number >= 0 && number < engine.joint_count(), "no such joint");
}

}  // namespace

void Engine::set_effort(JointId joint, double effort) {
  check_joint(*this, joint);
  do_set_command(joint, {CommandMode::kEffort, effort, 0.0});
}

void Engine::set_velocity(JointId joint, double velocity, double max_effort) {
  check_joint(*this, joint);
  check(max_effort >= 0.0, "a motor's greatest effort is negative");
  do_set_command(joint, {CommandMode::kVelocity, velocity, max_effort});
}

void Engine::set_position(JointId joint, double position, double max_effort) {
  check_joint(*this, joint);
  check(max_effort >= 0.0, "a motor's greatest effort is negative");
  do_set_command(joint, {CommandMode::kPosition, position, max_effort});
}

void Engine::reset_joint(JointId joint, double position, double velocity) {
  check_joint(*this, joint);
  check(std::isfinite(position) && std::isfinite(velocity), "a joint was reset to infinity");
  do_reset_joint(joint, position, velocity);
}

void Engine::reset_body(BodyId body, const model::Pose& X_WB, const Twist& twist) {
  do_reset_body(body, X_WB, twist);
}

model::Pose Engine::pose(BodyId body) const {
  return do_pose(body);
}

Twist Engine::twist(BodyId body) const {
  return do_twist(body);
}

void Engine::apply_wrench(BodyId body, const Wrench& wrench) {
  do_apply_wrench(body, wrench);
}

void Engine::set_gripping(BodyId body, bool is_gripping) {
  do_set_gripping(body, is_gripping);
}

void Engine::set_pair_collision(BodyId a, BodyId b, bool enabled) {
  do_set_pair_collision(a, b, enabled);
}

AttachmentId Engine::attach(BodyId a, BodyId b, Joining joining) {
  check(capabilities().has_attachments, "this engine cannot attach bodies");
  check(a != b, "a body cannot be attached to itself");
  check(joining == Joining::kConstraint || can_merge(a, b), "these two bodies cannot be merged");
  return do_attach(a, b, joining);
}

void Engine::move_attachment(AttachmentId attachment, const model::Pose& X_AB) {
  check(capabilities().has_attachments, "this engine cannot attach bodies");
  check(X_AB.matrix().allFinite(), "a body is to be held at infinity");
  do_move_attachment(attachment, X_AB);
}

bool Engine::can_merge(BodyId a, BodyId b) const {
  return capabilities().has_merging && a != b && do_can_merge(a, b);
}

void Engine::detach(AttachmentId attachment) {
  do_detach(attachment);
}

Wrench Engine::attachment_reaction(AttachmentId attachment) const {
  return do_attachment_reaction(attachment);
}

std::optional<RayHit> Engine::ray(const model::Vector3& origin_W, const model::Vector3& direction_W,
                                  double max_distance_m) const {
  check(capabilities().has_rays, "this engine has no rays");
  return do_ray(origin_W, direction_W, max_distance_m);
}

std::vector<std::pair<BodyId, BodyId>> Engine::collisions_at(
    std::span<const double> positions) const {
  check(capabilities().has_collision_query, "this engine has no collision query");
  check(positions.size() == this->positions().size(), "a configuration needs every joint");
  return do_collisions_at(positions);
}

Snapshot Engine::save() const {
  check(capabilities().restores_exactly, "this engine cannot save its state");
  return do_save();
}

void Engine::restore(const Snapshot& snapshot) {
  check(capabilities().restores_exactly, "this engine cannot restore a state");
  do_restore(snapshot);
}

EngineRegistry built_in_engines() {
  EngineRegistry engines("physics engine");
  engines.add("mujoco", "default; fast, exact snapshots, soft contacts (MuJoCo)",
              make_mujoco_engine);
  engines.add("ode", "hard contacts and joint motors of the Open Dynamics Engine", make_ode_engine);
  engines.add("kinematic", "joints follow commands exactly; no masses, no contacts",
              make_kinematic_engine);
  return engines;
}

std::string dropped_contacts_warning(const Engine& engine) {
  return std::to_string(engine.dropped_contacts()) +
         " contacts exceeded the capacity of the engine and were ignored; do not trust the forces";
}

}  // namespace longarm::physics
