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
void keep_from_each_other(dGeomID standing) {
  dGeomSetCategoryBits(standing, kStanding);
  dGeomSetCollideBits(standing, ~kStanding);
}

}  // namespace

using model::Matrix3;
using model::Pose;
using model::Vector3;

OdeBodies::OdeBodies(const FlatCell& cell, OdeWorld& world, std::span<const Pose> X_WB)
    : cell_(cell), ids_(cell.body_count(), nullptr), static_poses_(X_WB.begin(), X_WB.end()) {
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
  dMass ode_mass;
  dMassSetParameters(&ode_mass, mass, 0, 0, 0, inertia(0, 0), inertia(1, 1), inertia(2, 2),
                     inertia(0, 1), inertia(0, 2), inertia(1, 2));
  dBodySetMass(body, &ode_mass);
  // rotate by the whole angle of a step, however large
  dBodySetFiniteRotationMode(body, 1);
  ids_[number] = body;
}

void OdeBodies::make_shapes(std::size_t number, OdeWorld& world, const Pose& X_WB) {
  const model::Body& body = *cell_.bodies()[number].body;
  for (std::size_t g = 0; g < body.collisions.size(); ++g) {
    const model::Geometry& geometry = body.collisions[g];
    const Pose X_WG = X_WB * geometry.X_LG;
    const auto* mesh = std::get_if<model::Mesh>(&geometry.shape);
    shapes_.push_back(std::make_unique<OdeShape>(
        OdeShape{static_cast<BodyId>(number), static_cast<int>(g), geometry.surface.friction,
                 mesh == nullptr ? nullptr : mesh->data.get()}));
    const dGeomID shape = make_ode_shape(world.space, geometry.shape, X_WG, world.meshes);
    const dGeomID query = make_ode_shape(world.query_space, geometry.shape, X_WG, world.meshes);
    dGeomSetData(shape, shapes_.back().get());
    dGeomSetData(query, shapes_.back().get());
    if (ids_[number] != nullptr) {
      dGeomSetBody(shape, ids_[number]);
      Pose X_CG = geometry.X_LG;
      X_CG.translation() -= body.inertial.X_LC.translation();
      offset_ode_shape(shape, X_CG);
    } else {
      place_ode_shape(shape, X_WG);
      place_ode_shape(query, X_WG);
      keep_from_each_other(shape);
      keep_from_each_other(query);
    }
    if (ids_[number] != nullptr) {
      query_shapes_.push_back({query, number, geometry.X_LG});
    }
  }
}

Pose OdeBodies::pose(BodyId body) const {
  if (id(body) == nullptr) {
    return static_poses_[static_cast<std::size_t>(body)];
  }
  Pose X = get_ode_pose(id(body));
  X.translation() -= X.linear() * cell_.body(body).body->inertial.X_LC.translation();
  return X;
}

Twist OdeBodies::twist(BodyId body) const {
  if (id(body) == nullptr) {
    return {};
  }
  const Vector3 origin = -cell_.body(body).body->inertial.X_LC.translation();
  dVector3 velocity;
  dBodyGetRelPointVel(id(body), origin.x(), origin.y(), origin.z(), velocity);
  return {.linear_W = to_vector(velocity), .angular_W = to_vector(dBodyGetAngularVel(id(body)))};
}

void OdeBodies::put(BodyId body, const Pose& X_WB, const Twist& twist) {
  const Vector3 arm_W = X_WB.linear() * cell_.body(body).body->inertial.X_LC.translation();
  Pose X_WC = X_WB;
  X_WC.translation() += arm_W;
  set_ode_pose(id(body), X_WC);
  const Vector3 velocity = twist.linear_W + twist.angular_W.cross(arm_W);
  dBodySetLinearVel(id(body), velocity.x(), velocity.y(), velocity.z());
  dBodySetAngularVel(id(body), twist.angular_W.x(), twist.angular_W.y(), twist.angular_W.z());
}

void OdeBodies::carry_rotors() const {
  for (const Rotor& rotor : rotors_) {
    dBodyAddForce(rotor.body, rotor.lift.x(), rotor.lift.y(), rotor.lift.z());
  }
}

void OdeBodies::place_query_shapes(std::span<const Pose> X_WB) const {
  for (const QueryShape& shape : query_shapes_) {
    place_ode_shape(shape.id, X_WB[shape.body] * shape.X_BG);
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
