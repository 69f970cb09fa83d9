// SPDX-License-Identifier: Apache-2.0
// SDF's inertias, shapes and surfaces turned into ours.
#include "longarm/model/sdf_shapes.h"

#include <fmt/format.h>
#include <sdf/Box.hh>
#include <sdf/Capsule.hh>
#include <sdf/Cylinder.hh>
#include <sdf/Plane.hh>
#include <sdf/Sphere.hh>
#include <sdf/Surface.hh>

#include "longarm/model/surface_reading.h"

namespace longarm::model {
namespace {

/// The first element child's tag: what the geometry is.
std::string shape_tag(pugi::xml_node element) {
  for (const pugi::xml_node child : element.child("geometry").children()) {
    if (child.type() == pugi::node_element) {
      return child.name();
    }
  }
  return "geometry";
}

/// SDF's planes face along a normal, ours along z of their frame.
Pose turned_to(const Vector3& normal) {
  Pose X = Pose::Identity();
  X.linear() = Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), normal).toRotationMatrix();
  return X;
}

}  // namespace

Vector3 to_vector(const ignition::math::Vector3d& v) {
  return {v.X(), v.Y(), v.Z()};
}

Pose to_pose(const ignition::math::Pose3d& pose) {
  Pose X = Pose::Identity();
  X.translation() = to_vector(pose.Pos());
  const ignition::math::Quaterniond& q = pose.Rot();
  X.linear() = Eigen::Quaterniond(q.W(), q.X(), q.Y(), q.Z()).normalized().toRotationMatrix();
  return X;
}

std::optional<Inertial> read_inertial(const sdf::ElementPtr& link) {
  Inertial out;
  out.mass_kg = 1.0;
  out.inertia_kg_m2 = Matrix3::Identity();
  if (!link->HasElement("inertial")) {
    return out;
  }
  const sdf::ElementPtr inertial = link->GetElement("inertial");
  out.mass_kg = inertial->Get<double>("mass", 1.0).first;
  out.X_LC = to_pose(inertial->Get<ignition::math::Pose3d>("pose", {}).first);
  if (inertial->HasElement("inertia")) {
    const sdf::ElementPtr in = inertial->GetElement("inertia");
    const auto moment = [&](const char* name, double otherwise) {
      return in->Get<double>(name, otherwise).first;
    };
    const double ixy = moment("ixy", 0.0);
    const double ixz = moment("ixz", 0.0);
    const double iyz = moment("iyz", 0.0);
    out.inertia_kg_m2 << moment("ixx", 1.0), ixy, ixz, ixy, moment("iyy", 1.0), iyz, ixz, iyz,
        moment("izz", 1.0);
  }
  return out;
}

namespace {

std::optional<Colour> colour_of(const sdf::Visual& visual) {
  // without an element it has the default, white, which nobody asked for
  if (visual.Material() == nullptr || !visual.Material()->Element()->HasElement("diffuse")) {
    return std::nullopt;
  }
  const ignition::math::Color colour = visual.Material()->Diffuse();
  return Colour{colour.R(), colour.G(), colour.B(),
                colour.A() * static_cast<float>(1.0 - visual.Transparency())};
}

}  // namespace

void SdfShapeReader::add(const sdf::Collision& collision, const Pose& X_LG,
                         std::vector<Geometry>& shapes) {
  const pugi::xml_node element = child_named(link_, "collision", collision.Name());
  const std::optional<Shape> shape = read_shape(*collision.Geom(), element);
  if (!shape) {
    return;
  }
  Geometry geometry{collision.Name(), X_LG, *shape, {}};
  if (const sdf::Plane* plane = collision.Geom()->PlaneShape()) {
    geometry.X_LG = X_LG * turned_to(to_vector(plane->Normal()));
  }
  // from the element, because libsdformat's sdf::Surface has no friction yet
  geometry.surface = read_sdf_surface(source_, element, diagnostics_);
  shapes.push_back(std::move(geometry));
}

void SdfShapeReader::add(const sdf::Visual& visual, const Pose& X_LG,
                         std::vector<Geometry>& shapes) {
  const pugi::xml_node element = child_named(link_, "visual", visual.Name());
  const std::optional<Shape> shape = read_shape(*visual.Geom(), element);
  if (!shape) {
    return;
  }
  const sdf::Plane* plane = visual.Geom()->PlaneShape();
  shapes.push_back({visual.Name(),
                    plane == nullptr ? X_LG : Pose(X_LG * turned_to(to_vector(plane->Normal()))),
                    *shape,
                    {},
                    colour_of(visual)});
}

std::optional<Shape> SdfShapeReader::read_shape(const sdf::Geometry& geometry,
                                                pugi::xml_node element) {
  if (const sdf::Box* box = geometry.BoxShape()) {
    return Box{to_vector(box->Size())};
  }
  if (const sdf::Sphere* sphere = geometry.SphereShape()) {
    return Sphere{sphere->Radius()};
  }
  if (const sdf::Cylinder* cylinder = geometry.CylinderShape()) {
    return Cylinder{cylinder->Radius(), cylinder->Length()};
  }
  if (const sdf::Capsule* capsule = geometry.CapsuleShape()) {
    return Capsule{capsule->Radius(), capsule->Length()};
  }
  if (geometry.PlaneShape() != nullptr) {
    return HalfSpace{};
  }
  if (const sdf::Mesh* mesh = geometry.MeshShape()) {
    return read_mesh_shape(*mesh, element);
  }
  const std::string tag = shape_tag(element);
  diagnostics_.warning(
      source_.where(element.child("geometry").child(tag.c_str())),
      fmt::format("{}<{}> is not supported and does not collide", owner_of(element), tag),
      "describe the shape with <box>, <sphere>, <cylinder>, <capsule>, <plane> or <mesh>");
  return std::nullopt;
}

std::optional<Shape> SdfShapeReader::read_mesh_shape(const sdf::Mesh& mesh,
                                                     pugi::xml_node element) {
  const pugi::xml_node mesh_element = element.child("geometry").child("mesh");
  const MeshReference reference{mesh.Uri(), to_vector(mesh.Scale()), owner_of(element),
                                source_.where(mesh_element)};
  if (element.name() == std::string("visual")) {
    return resources_.visual_mesh(reference, diagnostics_);
  }
  if (const pugi::xml_node submesh = mesh_element.child("submesh")) {
    diagnostics_.error(source_.where(submesh),
                       owner_of(element) + "<submesh> is not supported in a <collision>",
                       "write that part of the mesh into a file of its own");
    return std::nullopt;
  }
  return resources_.collision_mesh(reference, diagnostics_);
}

}  // namespace longarm::model
