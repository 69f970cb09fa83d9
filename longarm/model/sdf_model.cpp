// SPDX-License-Identifier: Apache-2.0
// Values and resolved poses from libsdformat; places and our extensions from the XML itself.
#include "longarm/model/sdf_model.h"

#include <cmath>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/model/sdf_shapes.h"

namespace longarm::model {

void report(const sdf::Errors& errors, const XmlSource& source, Diagnostics& diagnostics,
            bool has_lines) {
  for (const sdf::Error& error : errors) {
    // we read inertias ourselves, and lint() tells more about a bad one; the parser repeats one
    // problem for every element around it, the whole text last
    const bool is_echo =
        &error != &errors.front() && (error.Code() == sdf::ErrorCode::ELEMENT_INVALID ||
                                      error.Code() == sdf::ErrorCode::STRING_READ);
    if (is_echo || error.Code() == sdf::ErrorCode::LINK_INERTIA_INVALID) {
      continue;
    }
    SourceLocation where = source.where(source.root());
    if (has_lines && error.LineNumber()) {
      where = {where.path, *error.LineNumber(), 0};
    }
    diagnostics.error(where, error.Message());
  }
}

std::vector<Plugin> read_plugins(pugi::xml_node parent, const XmlSource& source) {
  std::vector<Plugin> plugins;
  for (const pugi::xml_node element : parent.children("plugin")) {
    Plugin plugin{element.attribute("name").value(),
                  element.attribute("filename").value(),
                  {},
                  source.where(element)};
    for (const pugi::xml_node child : element.children()) {
      if (child.type() == pugi::node_element) {
        plugin.elements.emplace_back(child.name(), trimmed(child.text().get()));
      }
    }
    plugins.push_back(std::move(plugin));
  }
  return plugins;
}

template <typename Placed>
Pose SdfModelReader::pose_of(const Placed& item, const std::string& relative_to) {
  ignition::math::Pose3d pose;
  report(item.SemanticPose().Resolve(pose, relative_to), source_, diagnostics_);
  return to_pose(pose);
}

ModelParts SdfModelReader::read(const sdf::Model& in, pugi::xml_node element,
                                const std::string& scope) {
  ModelParts parts;
  parts.model.name = in.Name();
  parts.model.where = source_.where(element);
  parts.model.is_static = in.Static();
  parts.plugins = read_plugins(element, source_);
  parts.X_own = to_pose(in.RawPose());
  parts.where_own = source_.where(element.child("pose"));
  // silence means yes, as in URDF; SDF's own default is no
  parts.model.self_collides = !element.child("self_collide") || in.SelfCollide();
  for (std::uint64_t i = 0; i < in.LinkCount(); ++i) {
    read_link(in, *in.LinkByIndex(i), element, parts);
  }
  read_nested(in, element, scope, parts);
  for (std::uint64_t i = 0; i < in.JointCount(); ++i) {
    read_joint(*in.JointByIndex(i), element, parts);
  }
  for (std::uint64_t i = 0; i < in.FrameCount(); ++i) {
    read_frame(*in.FrameByIndex(i), element, parts);
  }
  for (const pugi::xml_node pair : element.children("longarm:ignore_contact")) {
    parts.model.ignored_contacts.push_back(
        {pair.attribute("a").value(), pair.attribute("b").value(), source_.where(pair)});
  }
  return parts;
}

void SdfModelReader::read_link(const sdf::Model& model, const sdf::Link& in, pugi::xml_node element,
                               ModelParts& parts) {
  const pugi::xml_node link_element = child_named(element, "link", in.Name());
  Link link{in.Name(), std::nullopt, {}, {}, source_.where(link_element)};
  link.inertial = read_inertial(in.Element());
  if (!link_element.child("inertial") && !model.Static()) {
    diagnostics_.warning(
        link.where,
        fmt::format("link '{}' has no <inertial>; SDF's default of 1 kg and 1 kg·m² is used",
                    in.Name()),
        "give it one, or make it a <frame> if it has no mass");
  }
  SdfShapeReader shapes(source_, link_element, resources_, diagnostics_);
  for (std::uint64_t i = 0; i < in.CollisionCount(); ++i) {
    shapes.add(*in.CollisionByIndex(i), pose_of(*in.CollisionByIndex(i), in.Name()),
               link.collisions);
  }
  for (std::uint64_t i = 0; i < in.VisualCount(); ++i) {
    shapes.add(*in.VisualByIndex(i), pose_of(*in.VisualByIndex(i), in.Name()), link.visuals);
  }
  for (const pugi::xml_node sensor : link_element.children("sensor")) {
    if (sensor.attribute("type").value() != std::string("contact")) {
      continue;
    }
    ContactSensorWish wish{sensor.attribute("name").value(), {}, source_.where(sensor)};
    for (const pugi::xml_node collision : sensor.child("contact").children("collision")) {
      wish.collisions.push_back(trimmed(collision.text().get()));
    }
    parts.contact_sensors.push_back(std::move(wish));
  }
  parts.X_ML[link.name] = pose_of(in);
  parts.model.links.push_back(std::move(link));
}

void SdfModelReader::read_nested(const sdf::Model& model, pugi::xml_node element,
                                 const std::string& scope, ModelParts& parts) {
  for (std::uint64_t i = 0; i < model.ModelCount(); ++i) {
    const sdf::Model& in = *model.ModelByIndex(i);
    const std::string inner_scope = scope + "::" + in.Name();
    const auto included = included_.find(inner_scope);
    ModelParts inner = included != included_.end()
                           ? included->second
                           : read(in, child_named(element, "model", in.Name()), inner_scope);
    if (inner.model.is_static && !model.Static()) {
      diagnostics_.warning(inner.model.where,
                           fmt::format("model '{}' is <static> inside a model that is not; it "
                                       "moves with that model",
                                       in.Name()),
                           "make the outer model static, or put both into a world");
    }
    absorb(in.Name(), std::move(inner), pose_of(in), parts);
  }
}

void SdfModelReader::read_joint(const sdf::Joint& in, pugi::xml_node element, ModelParts& parts) {
  const pugi::xml_node joint_element = child_named(element, "joint", in.Name());
  Joint joint;
  joint.name = in.Name();
  joint.where = source_.where(joint_element);
  if (!read_type(in, joint_element, joint)) {
    return;
  }
  // parent and child may be frames; their links are what counts
  report(in.ResolveParentLink(joint.parent), source_, diagnostics_);
  report(in.ResolveChildLink(joint.child), source_, diagnostics_);
  if (joint.parent == kWorld) {
    add_massless_root(kWorld, parts);
  }
  const Pose X_MC = parts.X_ML[joint.child];
  const bool is_at_child = !joint_element.child("pose") && in.ChildLinkName() == joint.child;
  const Pose X_MJ = is_at_child ? X_MC : pose_of(in);
  joint.X_PJ = parts.X_ML[joint.parent].inverse() * X_MJ;
  joint.X_JL = is_at_child ? Pose::Identity() : Pose(X_MJ.inverse() * X_MC);
  if (joint.type != JointType::kFixed && in.Axis() != nullptr) {
    read_axis(*in.Axis(), in.Type(), joint_element.child("axis"), joint);
  }
  parts.model.joints.push_back(std::move(joint));
}

bool SdfModelReader::read_type(const sdf::Joint& in, pugi::xml_node element, Joint& joint) {
  switch (in.Type()) {
    case sdf::JointType::FIXED:
      joint.type = JointType::kFixed;
      return true;
    case sdf::JointType::REVOLUTE:
    case sdf::JointType::CONTINUOUS:
      joint.type = JointType::kRevolute;
      return true;
    case sdf::JointType::PRISMATIC:
      joint.type = JointType::kPrismatic;
      return true;
    default:
      diagnostics_.error(joint.where,
                         fmt::format("joint '{}': joint type '{}' is not supported", in.Name(),
                                     element.attribute("type").value()),
                         "use fixed, revolute, continuous or prismatic");
      return false;
  }
}

void SdfModelReader::read_axis(const sdf::JointAxis& in, sdf::JointType type,
                               pugi::xml_node element, Joint& joint) {
  ignition::math::Vector3d xyz;
  report(in.ResolveXyz(xyz), source_, diagnostics_);
  joint.axis = to_vector(xyz).normalized();
  // SDF spells "no limit" as ±1e16, or as a negative effort or velocity
  const double infinity = std::numeric_limits<double>::infinity();
  const auto unlimited = [&](double value) {
    return std::abs(value) >= 1e16 ? std::copysign(infinity, value) : value;
  };
  if (type != sdf::JointType::CONTINUOUS) {
    joint.limits.lower = unlimited(in.Lower());
    joint.limits.upper = unlimited(in.Upper());
  }
  joint.limits.effort = in.Effort() < 0.0 ? infinity : unlimited(in.Effort());
  joint.limits.velocity = in.MaxVelocity() < 0.0 ? infinity : unlimited(in.MaxVelocity());
  joint.dynamics.damping = in.Damping();
  joint.dynamics.friction = in.Friction();
  const pugi::xml_node rotor = element.child("dynamics").child("longarm:rotor_inertia");
  joint.dynamics.rotor_inertia_kg_m2 = rotor ? number(rotor, rotor.text().get(), 0.0) : 0.0;
  if (const pugi::xml_node mimic = element.child("longarm:mimic")) {
    joint.mimic = Mimic{mimic.attribute("joint").value(),
                        number(mimic, mimic.attribute("multiplier").as_string("1"), 1.0),
                        number(mimic, mimic.attribute("offset").as_string("0"), 0.0)};
  }
}

double SdfModelReader::number(pugi::xml_node element, const std::string& text, double fallback) {
  const std::optional<double> value = parse_number(text);
  if (!value || !std::isfinite(*value)) {
    diagnostics_.error(source_.where(element),
                       fmt::format("<{}> is not a finite number: '{}'", element.name(), text));
  }
  return value.value_or(fallback);
}

/// An SDF frame is a place on a link: a link without mass on a fixed joint.
void SdfModelReader::read_frame(const sdf::Frame& in, pugi::xml_node element, ModelParts& parts) {
  std::string body;
  report(in.ResolveAttachedToBody(body), source_, diagnostics_);
  if (!parts.X_ML.contains(body)) {
    return;
  }
  const SourceLocation where = source_.where(child_named(element, "frame", in.Name()));
  const Pose X_BF = pose_of(in, body);
  parts.X_ML[in.Name()] = parts.X_ML[body] * X_BF;
  parts.model.links.push_back({in.Name(), std::nullopt, {}, {}, where});
  parts.model.joints.push_back(fixed_joint(body, in.Name(), X_BF, where));
}

}  // namespace longarm::model
