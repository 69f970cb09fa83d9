// SPDX-License-Identifier: Apache-2.0
// A robot or a part exactly as its file describes it: links and joints, fixed ones included.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/shape.h"

namespace longarm::model {

/// Mass and rotational inertia. `X_LC` places the centre of mass and the axes of `inertia_kg_m2` on
/// the link.
struct Inertial {
  double mass_kg = 0.0;
  Pose X_LC = Pose::Identity();
  Matrix3 inertia_kg_m2 = Matrix3::Zero();
};

struct Link {
  std::string name;
  std::optional<Inertial> inertial;
  std::vector<Geometry> collisions;
  std::vector<Geometry> visuals;
  SourceLocation where;
};

enum class JointType { kFixed, kRevolute, kPrismatic };

/// Metres or radians, and their rates; newtons or newton metres. Infinite means unlimited.
struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();
};

/// q = multiplier * q(joint) + offset
struct Mimic {
  std::string joint;
  double multiplier = 1.0;
  double offset = 0.0;
};

/// What resists motion at a joint, seen at the link side of its gear.
struct JointDynamics {
  double damping = 0.0;              ///< effort per rate
  double friction = 0.0;             ///< Coulomb friction, effort
  double rotor_inertia_kg_m2 = 0.0;  ///< reflected through the gear (kg for a prismatic joint)
};

struct Joint {
  std::string name;
  JointType type = JointType::kFixed;
  std::string parent;
  std::string child;
  Pose X_PJ = Pose::Identity();     ///< joint frame at q = 0 in the parent link
  Pose X_JL = Pose::Identity();     ///< child link in the joint frame; identity except in SDF
  Vector3 axis = Vector3::UnitZ();  ///< unit vector in the joint frame
  JointLimits limits;
  JointDynamics dynamics;
  std::optional<Mimic> mimic;
  SourceLocation where;
};

/// Two links that never collide, by name.
struct IgnoredContact {
  std::string a;
  std::string b;
  SourceLocation where;
};

struct Model {
  std::string name;
  std::vector<Link> links;
  std::vector<Joint> joints;
  bool is_static = false;     ///< SDF's <static>: fixed to the world whatever its joints say
  bool self_collides = true;  ///< links that are not neighbours collide
  std::vector<IgnoredContact> ignored_contacts;
  SourceLocation where;
  std::string own_name{};  ///< before whoever included it gave it another; empty: nobody did
};

}  // namespace longarm::model
