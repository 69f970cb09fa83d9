// SPDX-License-Identifier: Apache-2.0
// ODE's collision callbacks: contacts for the solver, pairs for queries, the nearest hit of a ray.
#include "longarm/physics/ode/ode_contacts.h"

#include <algorithm>
#include <array>

#include "longarm/physics/ode/ode_world.h"
#include "longarm/physics/pair_surface.h"

namespace longarm::physics {
namespace {

// How much a contact yields: enough to tell redundant contacts apart.
constexpr double kContactSoftness = 1e-8;
// Slower than this, surfaces are taken to stick (m/s).
constexpr double kSlidingSpeed = 1e-6;

std::array<dContactGeom, kMostContactsPerPair> touch(dGeomID a, dGeomID b, int& count) {
  std::array<dContactGeom, kMostContactsPerPair> touches;
  count = collide_ode_shapes(a, b, touches);
  return touches;
}

model::Vector3 point_velocity(dBodyID body, const dReal* p) {
  dVector3 velocity{0, 0, 0, 0};
  if (body != nullptr) {
    dBodyGetPointVel(body, p[0], p[1], p[2], velocity);
  }
  return to_vector(velocity);
}

struct PairQuery {
  const PairFilter& filter;
  std::vector<std::pair<BodyId, BodyId>> pairs;
};

void add_pair(void* query, dGeomID a, dGeomID b) {
  auto& self = *static_cast<PairQuery*>(query);
  const BodyId body_a = shape_of(a).body;
  const BodyId body_b = shape_of(b).body;
  if (!self.filter.may_touch(static_cast<int>(body_a), static_cast<int>(body_b))) {
    return;
  }
  int count = 0;
  touch(a, b, count);
  if (count > 0) {
    self.pairs.push_back(std::minmax(body_a, body_b));
  }
}

void meet_shape(void* hit, dGeomID a, dGeomID b) {
  auto& nearest = *static_cast<std::optional<RayHit>*>(hit);
  const dGeomID shape = dGeomGetClass(a) == dRayClass ? b : a;
  dContactGeom touch;
  // one is enough: ODE was asked for the nearest
  if (dCollide(a, b, 1, &touch, sizeof(touch)) > 0 &&
      (!nearest || touch.depth < nearest->distance_m)) {
    nearest = RayHit{shape_of(shape).body, touch.depth};
  }
}

}  // namespace

void add_ode_contacts(void* self, dGeomID a, dGeomID b) {
  auto& contacts = *static_cast<OdeContacts*>(self);
  const BodyId body_a = shape_of(a).body;
  const BodyId body_b = shape_of(b).body;
  if (!contacts.filter_.may_touch(static_cast<int>(body_a), static_cast<int>(body_b)) ||
      contacts.merged_->are_one(body_a, body_b)) {
    return;
  }
  int count = 0;
  const auto touches = touch(a, b, count);
  for (int i = 0; i < count; ++i) {
    contacts.add(touches[static_cast<std::size_t>(i)], a, b);
  }
}

void OdeContacts::detect(dSpaceID space, const MergedBodies& merged) {
  merged_ = &merged;
  dJointGroupEmpty(joints_);
  contacts_.clear();
  is_on_b_.clear();
  feedback_.clear();
  dSpaceCollide(space, this, add_ode_contacts);
}

void OdeContacts::add(const dContactGeom& touch, dGeomID a, dGeomID b) {
  const dBodyID body_a = dGeomGetBody(a);
  const dBodyID body_b = dGeomGetBody(b);
  const model::Surface& surface_a = shape_of(a).surface;
  const model::Surface& surface_b = shape_of(b).surface;
  dContact contact{};
  contact.geom = touch;
  contact.surface.mode = dContactApprox1 | dContactFDir1 | dContactSoftERP | dContactSoftCFM;
  contact.surface.mu = pair_friction(surface_a, surface_b);
  contact.surface.soft_erp = error_reduction_;
  contact.surface.soft_cfm = kContactSoftness;
  if (is_springy(surface_a, surface_b)) {
    const PairSpring spring = pair_spring(surface_a, surface_b);
    contact.surface.soft_erp = spring.error_reduction(period_s_);
    contact.surface.soft_cfm = spring.softness(period_s_);
  }
  // ODE limits the velocity of corrections for a whole world only; a smaller depth does the same
  contact.geom.depth =
      corrected_depth(surface_a, surface_b, touch.depth, contact.surface.soft_erp, period_s_);
  const model::Vector3 direction = sliding_direction(touch, body_a, body_b);
  std::copy_n(direction.data(), 3, contact.fdir1);

  const dJointID joint = dJointCreateContact(world_, joints_, &contact);
  dJointAttach(joint, body_a, body_b);
  dJointSetFeedback(joint, &feedback_.emplace_back());
  is_on_b_.push_back(body_a == nullptr);
  contacts_.push_back({.a = shape_of(a).body,
                       .b = shape_of(b).body,
                       .geometry_a = shape_of(a).index,
                       .geometry_b = shape_of(b).index,
                       .p_W = to_vector(touch.pos),
                       .normal_W = -to_vector(touch.normal),
                       .depth_m = touch.depth});
}

model::Vector3 OdeContacts::sliding_direction(const dContactGeom& touch, dBodyID a,
                                              dBodyID b) const {
  // ODE's friction is a pyramid: aligned with the motion it is exact. At rest gravity says where
  // things want to go.
  const model::Vector3 normal = to_vector(touch.normal);
  const auto tangential = [&](const model::Vector3& v) -> model::Vector3 {
    return v - normal * normal.dot(v);
  };
  const model::Vector3 slip =
      tangential(point_velocity(a, touch.pos) - point_velocity(b, touch.pos));
  if (slip.norm() > kSlidingSpeed) {
    return slip.normalized();
  }
  const model::Vector3 pull = tangential(gravity_);
  if (pull.norm() > 1e-3 * gravity_.norm()) {
    return pull.normalized();
  }
  return normal.unitOrthogonal();
}

void OdeContacts::read_forces() {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const model::Vector3 first = to_vector(feedback_[i].f1);
    contacts_[i].force_on_b_W = is_on_b_[i] ? first : model::Vector3(-first);
  }
}

std::vector<std::pair<BodyId, BodyId>> OdeContacts::pairs(dSpaceID space) const {
  PairQuery query{filter_, {}};
  dSpaceCollide(space, &query, add_pair);
  return std::move(query.pairs);
}

std::optional<RayHit> cast_ode_ray(dSpaceID space, const model::Vector3& origin_W,
                                   const model::Vector3& direction_W, double max_distance_m) {
  const dGeomID ray = dCreateRay(nullptr, max_distance_m);
  dGeomRaySet(ray, origin_W.x(), origin_W.y(), origin_W.z(), direction_W.x(), direction_W.y(),
              direction_W.z());
  dGeomRaySetClosestHit(ray, 1);
  std::optional<RayHit> nearest;
  dSpaceCollide2(ray, reinterpret_cast<dGeomID>(space), &nearest, meet_shape);
  dGeomDestroy(ray);
  return nearest;
}

}  // namespace longarm::physics
