// SPDX-License-Identifier: Apache-2.0
// Sets ODE up for hard joints and contacts, one world independent of the other.
#include "longarm/physics/ode/ode_world.h"

#include <cstdarg>
#include <type_traits>
#include <variant>

namespace longarm::physics {
namespace {

// Joint errors are gone after a few steps; constraints yield by nothing that can be measured.
constexpr double kErrorReduction = 0.8;
constexpr double kConstraintForceMixing = 1e-10;
constexpr int kQuickStepIterations = 50;

/// ODE reports near-singular contact sets on stderr and then copes.
void ignore_message(int, const char*, va_list) {}

void to_ode_quaternion(const model::Pose& X, dQuaternion q) {
  const Eigen::Quaterniond rotation(X.linear());
  q[0] = rotation.w();
  q[1] = rotation.x();
  q[2] = rotation.y();
  q[3] = rotation.z();
}

}  // namespace

void prepare_ode_thread() {
  [[maybe_unused]] static const bool is_ready = [] {
    dSetMessageHandler(ignore_message);
    return dInitODE2(0) != 0;
  }();
  dAllocateODEDataForThread(dAllocateMaskAll);
}

OdeWorld::OdeWorld(const model::Vector3& gravity_m_s2,
                   const std::optional<double>& error_reduction) {
  prepare_ode_thread();
  world = dWorldCreate();
  dWorldSetGravity(world, gravity_m_s2.x(), gravity_m_s2.y(), gravity_m_s2.z());
  dWorldSetERP(world, error_reduction.value_or(kErrorReduction));
  dWorldSetCFM(world, kConstraintForceMixing);
  dWorldSetQuickStepNumIterations(world, kQuickStepIterations);
  // the default threading object is shared by all worlds and aborts when two threads meet in it
  threading = dThreadingAllocateSelfThreadedImplementation();
  dWorldSetStepThreadingImplementation(world, dThreadingImplementationGetFunctions(threading),
                                       threading);
  // half the cost of a hash space where many shapes move as one body
  space = dSweepAndPruneSpaceCreate(nullptr, dSAP_AXES_XYZ);
  query_space = dHashSpaceCreate(nullptr);
  contact_joints = dJointGroupCreate(0);
}

OdeWorld::~OdeWorld() {
  dJointGroupDestroy(contact_joints);
  dSpaceDestroy(query_space);
  dSpaceDestroy(space);
  dWorldDestroy(world);
  dThreadingFreeImplementation(threading);
}

dGeomID make_ode_shape(dSpaceID space, const model::Shape& shape, const model::Pose& X_WG,
                       OdeMeshes& meshes) {
  return std::visit(
      [&](const auto& s) -> dGeomID {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, model::Box>) {
          return dCreateBox(space, s.size_m.x(), s.size_m.y(), s.size_m.z());
        } else if constexpr (std::is_same_v<S, model::Sphere>) {
          return dCreateSphere(space, s.radius_m);
        } else if constexpr (std::is_same_v<S, model::Cylinder>) {
          return dCreateCylinder(space, s.radius_m, s.length_m);
        } else if constexpr (std::is_same_v<S, model::Capsule>) {
          return dCreateCapsule(space, s.radius_m, s.length_m);
        } else if constexpr (std::is_same_v<S, model::Mesh>) {
          return dCreateTriMesh(space, meshes.data_of(*s.data), nullptr, nullptr, nullptr);
        } else {
          const model::Vector3 up = X_WG.linear().col(2);
          return dCreatePlane(space, up.x(), up.y(), up.z(), up.dot(X_WG.translation()));
        }
      },
      shape);
}

void place_ode_shape(dGeomID shape, const model::Pose& X_WG) {
  if (dGeomGetClass(shape) == dPlaneClass) {
    return;
  }
  dQuaternion q;
  to_ode_quaternion(X_WG, q);
  dGeomSetQuaternion(shape, q);
  dGeomSetPosition(shape, X_WG.translation().x(), X_WG.translation().y(), X_WG.translation().z());
}

void offset_ode_shape(dGeomID shape, const model::Pose& X_CG) {
  dQuaternion q;
  to_ode_quaternion(X_CG, q);
  dGeomSetOffsetQuaternion(shape, q);
  dGeomSetOffsetPosition(shape, X_CG.translation().x(), X_CG.translation().y(),
                         X_CG.translation().z());
}

dMass to_ode_mass(double mass_kg, const model::Matrix3& inertia_kg_m2) {
  const model::Matrix3& I = inertia_kg_m2;
  dMass mass;
  dMassSetParameters(&mass, mass_kg, 0, 0, 0, I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2));
  return mass;
}

void set_ode_pose(dBodyID body, const model::Pose& X) {
  dQuaternion q;
  to_ode_quaternion(X, q);
  dBodySetQuaternion(body, q);
  dBodySetPosition(body, X.translation().x(), X.translation().y(), X.translation().z());
}

model::Pose get_ode_pose(dBodyID body) {
  const dReal* q = dBodyGetQuaternion(body);
  model::Pose X = model::Pose::Identity();
  X.linear() = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  X.translation() = to_vector(dBodyGetPosition(body));
  return X;
}

}  // namespace longarm::physics
