// SPDX-License-Identifier: Apache-2.0
// A cylinder the size of a person, and where it is when.
#include "longarm/actors/visitor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace longarm::actors {
namespace {

using model::Vector3;

constexpr VisitorShape kShape{};
// over the floor, so that nothing rubs
constexpr double kSole_m = 0.01;
constexpr double kMass_kg = 80.0;

model::Inertial cylinder_inertial() {
  model::Inertial inertial;
  inertial.mass_kg = kMass_kg;
  const double r2 = kShape.radius_m * kShape.radius_m;
  const double across = kMass_kg * (3.0 * r2 + kShape.height_m * kShape.height_m) / 12.0;
  inertial.inertia_kg_m2.diagonal() << across, across, kMass_kg * r2 / 2.0;
  return inertial;
}

/// The slider's way is x, towards the beams.
model::Pose stand(const devices::CurtainConfig& curtain, const Vector3& p_W) {
  const std::vector<double>& pole = curtain.poles.front();
  const Vector3 emitter(pole[0], pole[1], 0.0);
  const Vector3 receiver(pole[3], pole[4], 0.0);
  const Vector3 middle = (emitter + receiver) / 2.0;
  Vector3 inwards = Vector3::UnitZ().cross(receiver - emitter).normalized();
  if (inwards.dot(p_W - middle) < 0.0) {
    inwards = -inwards;
  }
  model::Pose X_WR = model::Pose::Identity();
  X_WR.linear().col(0) = inwards;
  X_WR.linear().col(1) = Vector3::UnitZ().cross(inwards);
  X_WR.linear().col(2) = Vector3::UnitZ();
  X_WR.translation() = middle - (kShape.gap_m + kShape.radius_m) * inwards;
  X_WR.translation().z() = kSole_m + kShape.height_m / 2.0;
  return X_WR;
}

}  // namespace

Duration walk_up() {
  return to_duration(kShape.gap_m / kShape.speed_m_s);
}

Duration shortest_visit() {
  return to_duration(2.0 * kShape.radius_m / kShape.speed_m_s);
}

model::Placement make_visitor(const std::string& name, const devices::CurtainConfig& curtain,
                              const Vector3& p_W) {
  model::Placement placement;
  placement.name = name;
  placement.X_WR = stand(curtain, p_W);
  placement.tree.name = name;
  model::Body floor;
  floor.name = "floor";
  floor.inertial = cylinder_inertial();  // of no matter: it is fixed
  model::Body person;
  person.name = "person";
  person.inertial = cylinder_inertial();
  model::Geometry body;
  body.name = "body";
  body.shape = model::Cylinder{kShape.radius_m, kShape.height_m};
  person.collisions.push_back(body);
  person.visuals.push_back(body);
  model::TreeJoint walk;
  walk.name = "walk";
  walk.type = model::JointType::kPrismatic;
  walk.axis = Vector3::UnitX();
  placement.tree.bodies = {std::move(floor), std::move(person)};
  placement.tree.joints = {std::move(walk)};
  placement.tree.frames = {{"floor", 0, model::Pose::Identity()},
                           {"person", 1, model::Pose::Identity()}};
  return placement;
}

VisitorWalk::VisitorWalk(physics::Engine& engine, physics::JointId joint, std::vector<Visit> visits)
    : engine_(engine), joint_(joint), visits_(std::move(visits)) {}

void VisitorWalk::before_step(Time then) {
  engine_.set_position(joint_, position_m(then), std::numeric_limits<double>::infinity());
}

double VisitorWalk::position_m(Time at) const {
  double position = 0.0;
  for (const Visit& visit : visits_) {
    // in until the middle is in the beams, and back the same way so that the front leaves in time
    const double since_in = to_seconds(at - visit.at) * kShape.speed_m_s + kShape.gap_m;
    const double until_out =
        to_seconds(visit.at + visit.length - at) * kShape.speed_m_s + kShape.gap_m;
    const double deepest = kShape.gap_m + kShape.radius_m;
    position = std::max(position, std::clamp(std::min(since_in, until_out), 0.0, deepest));
  }
  return position;
}

}  // namespace longarm::actors
