// SPDX-License-Identifier: Apache-2.0
// Values from urdfdom; places, file order and our extensions from the XML itself.
#include "longarm/model/urdf.h"

#include <limits>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/model_resources.h"
#include "longarm/model/quiet_console.h"
#include "longarm/model/surface_reading.h"
#include "longarm/model/urdf_check.h"
#include "longarm/model/urdf_grammar.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

/// Names, parents and places: enough to judge the tree without any value.
Model read_skeleton(const XmlSource& source) {
  const pugi::xml_node robot = source.root();
  Model model;
  model.name = robot.attribute("name").value();
  model.where = source.where(robot);
  for (const pugi::xml_node link : robot.children("link")) {
    model.links.push_back({link.attribute("name").value(), {}, {}, {}, source.where(link)});
  }
  for (const pugi::xml_node element : robot.children("joint")) {
    Joint joint;
    joint.name = element.attribute("name").value();
    const std::string type = element.attribute("type").value();
    const bool is_fixed = type == "fixed" || type == "floating" || type == "planar";
    joint.type = is_fixed              ? JointType::kFixed
                 : type == "prismatic" ? JointType::kPrismatic
                                       : JointType::kRevolute;
    joint.parent = element.child("parent").attribute("link").value();
    joint.child = element.child("child").attribute("link").value();
    if (const pugi::xml_node mimic = element.child("mimic")) {
      joint.mimic = Mimic{mimic.attribute("joint").value(), 1.0, 0.0};
    }
    joint.where = source.where(element);
    model.joints.push_back(joint);
  }
  for (const pugi::xml_node pair : robot.children("longarm:ignore_contact")) {
    model.ignored_contacts.push_back(
        {pair.attribute("a").value(), pair.attribute("b").value(), source.where(pair)});
  }
  return model;
}

/// The text as urdfdom understands it: capsules pass as cylinders, and what it could stumble over
/// is left out.
std::string text_for_urdfdom(const XmlSource& source) {
  pugi::xml_document copy;
  copy.reset(source.document());
  pugi::xml_node robot = copy.document_element();
  robot.remove_attribute("version");
  for (const char* tag : {"material", "gazebo", "transmission", "longarm:ignore_contact"}) {
    while (robot.remove_child(tag)) {
    }
  }
  for (pugi::xml_node link : robot.children("link")) {
    for (pugi::xml_node part : link.children()) {
      part.remove_child("material");
      const pugi::xml_node geometry = part.child("geometry");
      for (pugi::xml_node shape = geometry.first_child(); shape;) {
        const pugi::xml_node next = shape.next_sibling();
        if (!is_shape_tag(shape.name())) {
          part.child("geometry").remove_child(shape);
        }
        shape = next;
      }
      if (pugi::xml_attribute scale = geometry.child("mesh").attribute("scale")) {
        std::vector<std::string> numbers = words_of(scale.value());
        numbers.resize(std::min<std::size_t>(numbers.size(), 3));
        scale.set_value(join(numbers, " ").c_str());
      }
      if (pugi::xml_node capsule = part.child("geometry").child("capsule")) {
        capsule.set_name("cylinder");
      }
    }
  }
  for (pugi::xml_node joint : robot.children("joint")) {
    joint.remove_child("calibration");
    joint.remove_child("safety_controller");
    // it wants one of its own two attributes here
    if (pugi::xml_node dynamics = joint.child("dynamics");
        dynamics && !dynamics.attribute("damping")) {
      dynamics.append_attribute("damping") = "0";
    }
  }
  std::ostringstream text;
  copy.save(text);
  return text.str();
}

Vector3 to_vector(const urdf::Vector3& v) {
  return {v.x, v.y, v.z};
}

Pose pose_of(const urdf::Pose& pose) {
  Pose X = Pose::Identity();
  X.translation() = to_vector(pose.position);
  const urdf::Rotation& r = pose.rotation;
  X.linear() = Eigen::Quaterniond(r.w, r.x, r.y, r.z).normalized().toRotationMatrix();
  return X;
}

Inertial to_inertial(const urdf::Inertial& in) {
  Inertial out;
  out.mass_kg = in.mass;
  out.X_LC = pose_of(in.origin);
  out.inertia_kg_m2 << in.ixx, in.ixy, in.ixz, in.ixy, in.iyy, in.iyz, in.ixz, in.iyz, in.izz;
  return out;
}

/// Reads the shapes of one link, in step with the elements they come from.
class ShapeReader {
 public:
  ShapeReader(const XmlSource& source, const Surface& surface, ModelResources& resources,
              Diagnostics& diagnostics)
      : source_(source), surface_(surface), resources_(resources), diagnostics_(diagnostics) {}

  template <typename Part>  // urdf::Visual or urdf::Collision
  std::vector<Geometry> read(pugi::xml_node link, const char* tag,
                             const std::vector<std::shared_ptr<Part>>& parts) {
    std::vector<Geometry> shapes;
    pugi::xml_node element = link.child(tag);
    for (const std::shared_ptr<Part>& part : parts) {
      if (const std::optional<Shape> shape = read_shape(element, *part->geometry)) {
        shapes.push_back({part->name, pose_of(part->origin), *shape, surface_, colour_of(element)});
      }
      element = element.next_sibling(tag);
    }
    return shapes;
  }

 private:
  /// Its own, or that of a material of the same name, which stands at the top or in the visual that
  /// has it first.
  std::optional<Colour> colour_of(pugi::xml_node element) const {
    const pugi::xml_node material = element.child("material");
    if (!material || material.child("color")) {
      return colour_in(material);
    }
    const auto is_meant = [&](pugi::xml_node other) {
      return other.name() == std::string_view("material") && other.child("color") &&
             other.attribute("name").value() ==
                 std::string_view(material.attribute("name").value());
    };
    return colour_in(source_.root().find_node(is_meant));
  }

  static std::optional<Colour> colour_in(pugi::xml_node material) {
    std::istringstream text(material.child("color").attribute("rgba").value());
    Colour colour{};
    for (float& part : colour) {
      if (!(text >> part)) {
        return std::nullopt;
      }
    }
    return colour;
  }

  /// Nothing for shapes without a size, and for meshes that cannot be had.
  std::optional<Shape> read_shape(pugi::xml_node element, const urdf::Geometry& geometry) {
    switch (geometry.type) {
      case urdf::Geometry::BOX: {
        const Vector3 size_m = to_vector(static_cast<const urdf::Box&>(geometry).dim);
        return size_m.minCoeff() > 0.0 ? std::optional<Shape>(Box{size_m}) : std::nullopt;
      }
      case urdf::Geometry::SPHERE: {
        const double radius_m = static_cast<const urdf::Sphere&>(geometry).radius;
        return radius_m > 0.0 ? std::optional<Shape>(Sphere{radius_m}) : std::nullopt;
      }
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(geometry);
        if (cylinder.radius == 0.0 || cylinder.length == 0.0) {
          return std::nullopt;
        }
        if (element.child("geometry").child("capsule")) {
          return Capsule{cylinder.radius, cylinder.length};
        }
        return Cylinder{cylinder.radius, cylinder.length};
      }
      case urdf::Geometry::MESH: {
        const auto& mesh = static_cast<const urdf::Mesh&>(geometry);
        const MeshReference reference{mesh.filename, to_vector(mesh.scale), owner_of(element),
                                      source_.where(element.child("geometry").child("mesh"))};
        if (element.name() == std::string("visual")) {
          return resources_.visual_mesh(reference, diagnostics_);
        }
        return resources_.collision_mesh(reference, diagnostics_);
      }
    }
    return std::nullopt;
  }

  const XmlSource& source_;
  Surface surface_;
  ModelResources& resources_;
  Diagnostics& diagnostics_;
};

/// ROS-Industrial writes 0 for what nobody knows; a drive that can do nothing would be none.
double known_or_unlimited(double limit) {
  return limit == 0.0 ? std::numeric_limits<double>::infinity() : limit;
}

void fill_joint(const urdf::Joint& in, pugi::xml_node element, Joint& out) {
  out.X_PJ = pose_of(in.parent_to_joint_origin_transform);
  if (out.type == JointType::kFixed) {
    return;
  }
  out.axis = to_vector(in.axis).normalized();
  if (in.limits) {
    out.limits.velocity = known_or_unlimited(in.limits->velocity);
    out.limits.effort = known_or_unlimited(in.limits->effort);
    // a continuous joint turns for ever, whatever its limits say
    if (in.type != urdf::Joint::CONTINUOUS) {
      out.limits.lower = in.limits->lower;
      out.limits.upper = in.limits->upper;
    }
  }
  if (in.dynamics) {
    out.dynamics.damping = in.dynamics->damping;
    out.dynamics.friction = in.dynamics->friction;
  }
  const pugi::xml_attribute rotor = element.child("dynamics").attribute("rotor_inertia");
  out.dynamics.rotor_inertia_kg_m2 = parse_number(rotor.value()).value_or(0.0);
  if (in.mimic) {
    out.mimic = Mimic{in.mimic->joint_name, in.mimic->multiplier, in.mimic->offset};
  }
}

}  // namespace

Model read_urdf(const std::string& text, const std::string& path, Diagnostics& diagnostics) {
  const ModelSearch nowhere_else;
  InputFiles files;
  ModelResources resources(nowhere_else, files);
  return read_urdf(text, path, resources, diagnostics);
}

Model read_urdf(const std::string& text, const std::string& path, ModelResources& resources,
                Diagnostics& diagnostics) {
  Diagnostics found;
  const XmlSource source(text, path, found);
  Model model;
  if (!found.has_errors()) {
    check_urdf(source, found);
  }
  // urdfdom gives up on trees that do not hang together, so we say first why
  if (!found.has_errors()) {
    model = read_skeleton(source);
    make_body_tree(model, found);
  }
  for (const Diagnostic& problem : found.all()) {
    diagnostics.add(problem);
  }
  if (found.has_errors()) {
    return {};
  }

  const QuietConsole quiet;
  const urdf::ModelInterfaceSharedPtr parsed = urdf::parseURDF(text_for_urdfdom(source));
  if (!parsed) {
    diagnostics.error(model.where,
                      "urdfdom cannot read the model: " + join(quiet.complaints(), "; "));
    return {};
  }
  for (Link& link : model.links) {
    const pugi::xml_node element = child_named(source.root(), "link", link.name);
    const urdf::Link& in = *parsed->getLink(link.name);
    if (in.inertial) {
      link.inertial = to_inertial(*in.inertial);
    }
    ShapeReader shapes(source, read_gazebo_surface(source, link.name, diagnostics), resources,
                       diagnostics);
    link.visuals = shapes.read(element, "visual", in.visual_array);
    link.collisions = shapes.read(element, "collision", in.collision_array);
  }
  for (Joint& joint : model.joints) {
    const pugi::xml_node element = child_named(source.root(), "joint", joint.name);
    fill_joint(*parsed->getJoint(joint.name), element, joint);
  }
  return model;
}

}  // namespace longarm::model
