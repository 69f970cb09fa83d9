// SPDX-License-Identifier: Apache-2.0
// Moments of inertia from the textbook, cells without files, and models that come with the program.
#include "labs/benches/scene.h"

#include <utility>

#include "longarm/config/data_files.h"
#include "longarm/config/ready.h"
#include "longarm/core/diagnostic.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/model_file.h"

namespace longarm::benches {
namespace {

// heavy enough that what lands on it does not shake it
constexpr double kBeltMass_kg = 100.0;

}  // namespace

model::Inertial solid_box(double mass_kg, const model::Vector3& size_m) {
  const model::Vector3 square = size_m.cwiseProduct(size_m);
  const model::Vector3 others(square.y() + square.z(), square.x() + square.z(),
                              square.x() + square.y());
  model::Inertial inertial;
  inertial.mass_kg = mass_kg;
  inertial.inertia_kg_m2 = (mass_kg / 12.0 * others).asDiagonal();
  return inertial;
}

model::Inertial solid_cylinder(double mass_kg, double radius_m, double length_m) {
  const double across = mass_kg * (3.0 * radius_m * radius_m + length_m * length_m) / 12.0;
  const double along = mass_kg * radius_m * radius_m / 2.0;
  model::Inertial inertial;
  inertial.mass_kg = mass_kg;
  inertial.inertia_kg_m2 = model::Vector3(across, across, along).asDiagonal();
  return inertial;
}

model::Pose at(double x_m, double y_m, double z_m) {
  model::Pose X = model::Pose::Identity();
  X.translation() = model::Vector3(x_m, y_m, z_m);
  return X;
}

model::Geometry shape_at(model::Shape shape, const model::Pose& X_LG, double friction) {
  model::Geometry geometry;
  geometry.shape = std::move(shape);
  geometry.X_LG = X_LG;
  geometry.surface.friction = friction;
  return geometry;
}

model::Placement single_body(std::string name, model::Body body, const model::Pose& X_WR,
                             bool is_fixed) {
  model::Placement placement;
  placement.name = std::move(name);
  placement.tree.name = placement.name;
  body.name = placement.name;
  placement.tree.bodies.push_back(std::move(body));
  placement.X_WR = X_WR;
  placement.is_fixed = is_fixed;
  return placement;
}

model::BodyTree read_ready_model(const std::string& name, InputFiles& files) {
  Diagnostics diagnostics;
  const model::Model model = model::read_model_file(config::find_model_file(name, ""),
                                                    config::model_search(), files, diagnostics);
  diagnostics.throw_if_errors();
  model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  return tree;
}

model::Placement belt_model(std::string name, const model::Vector3& size_m,
                            const model::Vector3& top, double friction) {
  model::Body base;
  model::Placement belt = single_body(std::move(name), base, at(top.x(), top.y(), top.z()), true);
  model::Body surface;
  surface.name = "surface";
  surface.inertial = solid_box(kBeltMass_kg, size_m);
  surface.inertial.X_LC = at(0.0, 0.0, -size_m.z() / 2.0);
  surface.collisions.push_back(
      shape_at(model::Box{size_m}, at(0.0, 0.0, -size_m.z() / 2.0), friction));
  model::TreeJoint drive;
  drive.name = "drive";
  drive.type = model::JointType::kPrismatic;
  drive.axis = model::Vector3::UnitX();
  belt.tree.bodies.push_back(std::move(surface));
  belt.tree.joints.push_back(std::move(drive));
  return belt;
}

}  // namespace longarm::benches
