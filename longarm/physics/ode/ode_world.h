// SPDX-License-Identifier: Apache-2.0
// An ODE world with everything it must not share with other worlds, and our types in ODE's.
#pragma once

#include <optional>

#include <ode/ode.h>

#include "longarm/model/shape.h"
#include "longarm/physics/ode/ode_shapes.h"

namespace longarm::physics {

/// Makes ODE usable from the calling thread. Cheap when it already is.
void prepare_ode_thread();

/// A world with gravity and its own threading object, and two spaces: what simulates and what only
/// answers questions.
struct OdeWorld {
  /// `error_reduction` is that of joints; absent: ours.
  explicit OdeWorld(const model::Vector3& gravity_m_s2,
                    const std::optional<double>& error_reduction = {});
  ~OdeWorld();
  OdeWorld(const OdeWorld&) = delete;
  OdeWorld& operator=(const OdeWorld&) = delete;

  dWorldID world = nullptr;
  dSpaceID space = nullptr;
  dSpaceID query_space = nullptr;
  dJointGroupID contact_joints = nullptr;
  dThreadingImplementationID threading = nullptr;
  OdeMeshes meshes;  ///< used by shapes in both spaces
};

/// A shape in `space`, not yet placed. Half spaces cannot be placed later, so they need their pose
/// now.
dGeomID make_ode_shape(dSpaceID space, const model::Shape& shape, const model::Pose& X_WG,
                       OdeMeshes& meshes);

/// Nothing for half spaces: they were born where they are.
void place_ode_shape(dGeomID shape, const model::Pose& X_WG);

/// Places a shape on the body it belongs to, relative to the body's centre of mass.
void offset_ode_shape(dGeomID shape, const model::Pose& X_CG);

inline model::Vector3 to_vector(const dReal* numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

/// About the centre of mass.
dMass to_ode_mass(double mass_kg, const model::Matrix3& inertia_kg_m2);

/// The pose of a body's centre of mass, which is where ODE has its bodies.
void set_ode_pose(dBodyID body, const model::Pose& X);
model::Pose get_ode_pose(dBodyID body);

}  // namespace longarm::physics
