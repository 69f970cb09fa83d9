// SPDX-License-Identifier: Apache-2.0
// Element by element, with numbers that come back as they were.
#include "longarm/model/urdf_writer.h"

#include <cmath>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <tuple>
#include <variant>

#include <fmt/format.h>
#include <pugixml.hpp>

namespace longarm::model {
namespace {

std::string text_of(double number) {
  return fmt::format("{}", number);
}

std::string text_of(const Vector3& v) {
  return fmt::format("{} {} {}", v.x(), v.y(), v.z());
}

void put_origin(pugi::xml_node parent, const Pose& pose) {
  // roll, pitch, yaw about fixed axes, as URDF has them
  const Matrix3& r = pose.linear();
  const double pitch = std::atan2(-r(2, 0), std::hypot(r(2, 1), r(2, 2)));
  const bool is_upright = std::hypot(r(2, 1), r(2, 2)) < 1e-12;
  const double roll = is_upright ? 0.0 : std::atan2(r(2, 1), r(2, 2));
  const double yaw = is_upright ? std::atan2(-r(0, 1), r(1, 1)) : std::atan2(r(1, 0), r(0, 0));
  pugi::xml_node origin = parent.append_child("origin");
  origin.append_attribute("xyz") = text_of(Vector3(pose.translation())).c_str();
  origin.append_attribute("rpy") = text_of(Vector3(roll, pitch, yaw)).c_str();
}

/// False: URDF has no such shape.
bool put_shape(pugi::xml_node parent, const Shape& shape) {
  if (std::holds_alternative<HalfSpace>(shape)) {
    return false;
  }
  pugi::xml_node geometry = parent.append_child("geometry");
  const auto cylinder = [&](double radius_m, double length_m) {
    pugi::xml_node node = geometry.append_child("cylinder");
    node.append_attribute("radius") = text_of(radius_m).c_str();
    node.append_attribute("length") = text_of(length_m).c_str();
  };
  if (const auto* box = std::get_if<Box>(&shape)) {
    geometry.append_child("box").append_attribute("size") = text_of(box->size_m).c_str();
  } else if (const auto* sphere = std::get_if<Sphere>(&shape)) {
    geometry.append_child("sphere").append_attribute("radius") = text_of(sphere->radius_m).c_str();
  } else if (const auto* round = std::get_if<Cylinder>(&shape)) {
    cylinder(round->radius_m, round->length_m);
  } else if (const auto* capsule = std::get_if<Capsule>(&shape)) {
    cylinder(capsule->radius_m, capsule->length_m + 2.0 * capsule->radius_m);
  } else if (const auto* mesh = std::get_if<Mesh>(&shape)) {
    pugi::xml_node node = geometry.append_child("mesh");
    const std::string file =
        mesh->file.empty() ? mesh->uri : "file://" + std::filesystem::absolute(mesh->file).string();
    node.append_attribute("filename") = file.c_str();
    node.append_attribute("scale") = text_of(mesh->scale).c_str();
  }
  return true;
}

void put_geometry(pugi::xml_node link, const char* element, const Geometry& geometry) {
  pugi::xml_node node = link.append_child(element);
  if (!geometry.name.empty()) {
    node.append_attribute("name") = geometry.name.c_str();
  }
  put_origin(node, geometry.X_LG);
  if (!put_shape(node, geometry.shape)) {
    link.remove_child(node);
    return;
  }
  if (geometry.colour && std::string_view(element) == "visual") {
    const Colour& colour = *geometry.colour;
    pugi::xml_node material = node.append_child("material");
    // materials of one name share a colour
    const std::string rgba = fmt::format("{} {} {} {}", colour[0], colour[1], colour[2], colour[3]);
    material.append_attribute("name") = rgba.c_str();
    material.append_child("color").append_attribute("rgba") = rgba.c_str();
  }
}

void put_link(pugi::xml_node robot, const Body& body) {
  pugi::xml_node link = robot.append_child("link");
  link.append_attribute("name") = body.name.c_str();
  if (body.inertial.mass_kg > 0.0) {
    pugi::xml_node inertial = link.append_child("inertial");
    put_origin(inertial, body.inertial.X_LC);
    inertial.append_child("mass").append_attribute("value") =
        text_of(body.inertial.mass_kg).c_str();
    const Matrix3& I = body.inertial.inertia_kg_m2;
    pugi::xml_node tensor = inertial.append_child("inertia");
    for (const auto& [name, row, column] :
         {std::tuple("ixx", 0, 0), std::tuple("ixy", 0, 1), std::tuple("ixz", 0, 2),
          std::tuple("iyy", 1, 1), std::tuple("iyz", 1, 2), std::tuple("izz", 2, 2)}) {
      tensor.append_attribute(name) = text_of(I(row, column)).c_str();
    }
  }
  for (const Geometry& each : body.visuals) {
    put_geometry(link, "visual", each);
  }
  for (const Geometry& each : body.collisions) {
    put_geometry(link, "collision", each);
  }
}

void put_joint(pugi::xml_node robot, const BodyTree& tree, std::size_t number) {
  const TreeJoint& joint = tree.joints[number];
  pugi::xml_node node = robot.append_child("joint");
  node.append_attribute("name") = joint.name.c_str();
  const bool is_limited = std::isfinite(joint.limits.lower) || std::isfinite(joint.limits.upper);
  const bool is_prismatic = joint.type == JointType::kPrismatic;
  node.append_attribute("type") = is_prismatic ? "prismatic"
                                  : is_limited ? "revolute"
                                               : "continuous";
  put_origin(node, joint.X_PJ);
  node.append_child("parent").append_attribute("link") =
      tree.bodies[static_cast<std::size_t>(joint.parent_body)].name.c_str();
  node.append_child("child").append_attribute("link") = tree.bodies[number + 1].name.c_str();
  node.append_child("axis").append_attribute("xyz") = text_of(joint.axis).c_str();
  pugi::xml_node limit = node.append_child("limit");
  const auto put = [&](const char* name, double value) {
    // URDF has no word for "unlimited"
    const double finite = std::isfinite(value) ? value : std::copysign(1e9, value);
    limit.append_attribute(name) = text_of(finite).c_str();
  };
  if (is_prismatic || is_limited) {
    put("lower", joint.limits.lower);
    put("upper", joint.limits.upper);
  }
  put("effort", joint.limits.effort);
  put("velocity", joint.limits.velocity);
  if (joint.dynamics.damping != 0.0 || joint.dynamics.friction != 0.0) {
    pugi::xml_node dynamics = node.append_child("dynamics");
    dynamics.append_attribute("damping") = text_of(joint.dynamics.damping).c_str();
    dynamics.append_attribute("friction") = text_of(joint.dynamics.friction).c_str();
  }
  if (joint.mimic) {
    pugi::xml_node mimic = node.append_child("mimic");
    mimic.append_attribute("joint") =
        tree.joints[static_cast<std::size_t>(joint.mimic->joint)].name.c_str();
    mimic.append_attribute("multiplier") = text_of(joint.mimic->multiplier).c_str();
    mimic.append_attribute("offset") = text_of(joint.mimic->offset).c_str();
  }
}

void put_frame(pugi::xml_node robot, const BodyTree& tree, const Frame& frame) {
  robot.append_child("link").append_attribute("name") = frame.name.c_str();
  pugi::xml_node joint = robot.append_child("joint");
  joint.append_attribute("name") = (frame.name + "_place").c_str();
  joint.append_attribute("type") = "fixed";
  put_origin(joint, frame.X_BF);
  joint.append_child("parent").append_attribute("link") =
      tree.bodies[static_cast<std::size_t>(frame.body)].name.c_str();
  joint.append_child("child").append_attribute("link") = frame.name.c_str();
}

}  // namespace

std::string write_urdf(const BodyTree& tree) {
  pugi::xml_document document;
  pugi::xml_node robot = document.append_child("robot");
  robot.append_attribute("name") = tree.name.c_str();
  for (const Body& body : tree.bodies) {
    put_link(robot, body);
  }
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    put_joint(robot, tree, i);
  }
  for (const Frame& frame : tree.frames) {
    if (!tree.find_body(frame.name)) {
      put_frame(robot, tree, frame);
    }
  }
  std::ostringstream out;
  document.save(out, " ");
  return out.str();
}

}  // namespace longarm::model
