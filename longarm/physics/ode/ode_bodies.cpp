// SPDX-License-Identifier: Apache-2.0
// Makes bodies with mass and shape, and moves between our frames and ODE's.
#include "longarm/physics/ode/ode_bodies.h"

#include <algorithm>
#include <variant>

namespace longarm::physics {
namespace {

// Beyond these a run has blown up; ODE would abort the process a little later.
constexpr double kMostDistance_m = 1e12;
constexpr double kMostSpeed = 1e9;
// ODE's bit for what stands; what moves has all of them.
constexpr unsigned long kStanding = 2;

/// Spares ODE the many pairs of things that cannot move.
void let_stand(dGeomID shape, bool stands) {
  dGeomSetCategoryBits(shape, stands ? kStanding : ~0UL);
  dGeomSetCollideBits(shape, stands ? ~kStanding : ~0UL);
}

}  // namespace

using model::Matrix3;
using model::Pose;
using model::Vector3;

OdeBodies::OdeBodies(const FlatCell& cell, OdeWorld& world, std::span<const Pose> X_WB)
    : cell_(cell),
      merged_(cell),
      ids_(cell.body_count(), nullptr),
      centres_(cell.body_count(), Vector3::Zero()),
      own_masses_(cell.body_count()),
      static_poses_(X_WB.begin(), X_WB.end()),
      shapes_(cell.body_count()),
      motions_(cell.body_count()) {
  for (std::size_t b = 0; b < ids_.size(); ++b) {
    if (!cell.bodies()[b].is_static) {
      make_body(b, world.world);
      put(static_cast<BodyId>(b), X_WB[b], {});
    }
    make_shapes(b, world, X_WB[b]);
  }
}

void OdeBodies::make_body(std::size_t number, dWorldID world) {
  const FlatBody& flat = cell_.bodies()[number];
  const model::Inertial& inertial = flat.body->inertial;
  const Matrix3 R = inertial.X_LC.linear();
  Matrix3 inertia = R * inertial.inertia_kg_m2 * R.transpose();
  double mass = inertial.mass_kg;
  const dBodyID body = dBodyCreate(world);

  // ODE has no rotors. Their inertia goes into the body that the joint carries, along the joint's
  // axis.
  if (flat.joint >= 0) {
    const model::TreeJoint& joint = *cell_.joints()[static_cast<std::size_t>(flat.joint)].joint;
    const double rotor = joint.dynamics.rotor_inertia_kg_m2;
    if (joint.type == model::JointType::kPrismatic) {
      mass += rotor;
      rotors_.push_back({body, -rotor * cell_.cell().gravity_m_s2});
    } else {
      inertia += rotor * joint.axis * joint.axis.transpose();
    }
  }
  own_masses_[number] = to_ode_mass(mass, inertia);
  dBodySetMass(body, &own_masses_[number]);
  // rotate by the whole angle of a step, however large
  dBodySetFiniteRotationMode(body, 1);
  ids_[number] = body;
  centres_[number] = inertial.X_LC.translation();
}

void OdeBodies::make_shapes(std::size_t number, OdeWorld& world, const Pose& X_WB) {
  const model::Body& body = *cell_.bodies()[number].body;
  for (std::size_t g = 0; g < body.collisions.size(); ++g) {
    const model::Geometry& geometry = body.collisions[g];
    const Pose X_WG = X_WB * geometry.X_LG;
    const auto* mesh = std::get_if<model::Mesh>(&geometry.shape);
    user_data_.push_back(std::make_unique<OdeShape>(
        OdeShape{static_cast<BodyId>(number), static_cast<int>(g), geometry.surface,
                 mesh == nullptr ? nullptr : mesh->data.get()}));
    const dGeomID shape = make_ode_shape(world.space, geometry.shape, X_WG, world.meshes);
    const dGeomID query = make_ode_shape(world.query_space, geometry.shape, X_WG, world.meshes);
    dGeomSetData(shape, user_data_.back().get());
    dGeomSetData(query, user_data_.back().get());
    shapes_[number].push_back({shape, query, geometry.X_LG});
    if (ids_[number] == nullptr) {
      place_ode_shape(query, X_WG);
      let_stand(query, true);
    }
  }
  hang_shapes(static_cast<BodyId>(number));
}

void OdeBodies::hang_shapes(BodyId body) {
  const dBodyID carrier = mover(body);
  const BodyId root = merged_.root(body);
  for (const BodyShape& shape : shapes_[static_cast<std::size_t>(body)]) {
    let_stand(shape.id, carrier == nullptr);
    if (carrier == nullptr) {
      dGeomSetBody(shape.id, nullptr);
      place_ode_shape(shape.id, pose(body) * shape.X_BG);
      continue;
    }
    dGeomSetBody(shape.id, carrier);
    Pose X_CG = merged_.X_RB(body) * shape.X_BG;
    X_CG.translation() -= centres_[static_cast<std::size_t>(root)];
    offset_ode_shape(shape.id, X_CG);
  }
}

Pose OdeBodies::pose(BodyId body) const {
  const auto root = static_cast<std::size_t>(merged_.root(body));
  if (ids_[root] == nullptr) {
    return merged_.pose(body, static_poses_[root]);
  }
  Pose X = get_ode_pose(ids_[root]);
  X.translation() -= X.linear() * centres_[root];
  return merged_.is_merged(body) ? merged_.pose(body, X) : X;
}

Twist OdeBodies::twist(BodyId body) const {
  const auto root = static_cast<std::size_t>(merged_.root(body));
  if (ids_[root] == nullptr) {
    return {};
  }
  const Vector3 origin = merged_.X_RB(body).translation() - centres_[root];
  dVector3 velocity;
  dBodyGetRelPointVel(ids_[root], origin.x(), origin.y(), origin.z(), velocity);
  return {.linear_W = to_vector(velocity), .angular_W = to_vector(dBodyGetAngularVel(ids_[root]))};
}

Vector3 OdeBodies::centre_of_mass(BodyId body) const {
  return pose(body) * cell_.body(body).body->inertial.X_LC.translation();
}

void OdeBodies::put(BodyId body, const Pose& X_WB, const Twist& twist) {
  if (merged_.is_merged(body)) {
    return;
  }
  const dBodyID id = mover(body);
  const Vector3 arm_W = X_WB.linear() * centres_[static_cast<std::size_t>(body)];
  Pose X_WC = X_WB;
  X_WC.translation() += arm_W;
  set_ode_pose(id, X_WC);
  const Vector3 velocity = twist.linear_W + twist.angular_W.cross(arm_W);
  dBodySetLinearVel(id, velocity.x(), velocity.y(), velocity.z());
  dBodySetAngularVel(id, twist.angular_W.x(), twist.angular_W.y(), twist.angular_W.z());
}

void OdeBodies::push(BodyId body, const Wrench& wrench) {
  const dBodyID id = mover(body);
  merged_.add_load(body, wrench);
  if (id == nullptr) {
    return;
  }
  const Vector3& force = wrench.force_W;
  Vector3 torque = wrench.torque_W;
  if (merged_.has_any()) {
    torque += (centre_of_mass(body) - to_vector(dBodyGetPosition(id))).cross(force);
  }
  dBodyAddForce(id, force.x(), force.y(), force.z());
  dBodyAddTorque(id, torque.x(), torque.y(), torque.z());
}

void OdeBodies::carry_rotors() const {
  for (const Rotor& rotor : rotors_) {
    dBodyAddForce(rotor.body, rotor.lift.x(), rotor.lift.y(), rotor.lift.z());
  }
}

void OdeBodies::place_query_shapes(std::span<const Pose> X_WB) const {
  for (std::size_t b = 0; b < shapes_.size(); ++b) {
    for (const BodyShape& shape : shapes_[b]) {
      if (ids_[b] != nullptr) {
        place_ode_shape(shape.query, X_WB[b] * shape.X_BG);
      }
    }
  }
}

bool OdeBodies::are_sane() const {
  // written so that a number that is not one fails
  return std::all_of(ids_.begin(), ids_.end(), [](dBodyID body) {
    return body == nullptr || (to_vector(dBodyGetPosition(body)).norm() < kMostDistance_m &&
                               to_vector(dBodyGetLinearVel(body)).norm() < kMostSpeed &&
                               to_vector(dBodyGetAngularVel(body)).norm() < kMostSpeed);
  });
}

}  // namespace longarm::physics
