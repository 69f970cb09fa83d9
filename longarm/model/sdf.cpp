// SPDX-License-Identifier: Apache-2.0
// Values and resolved poses from libsdformat; places and our extensions from the XML itself.
#include "longarm/model/sdf.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <sdf/sdf.hh>

#include "longarm/core/text.h"
#include "longarm/model/quiet_console.h"
#include "longarm/model/sdf_check.h"
#include "longarm/model/sdf_shapes.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

constexpr const char* kModelFrame = "__model__";  // SDF's own name for it
constexpr const char* kWorld = "world";

void report(const sdf::Errors& errors, const XmlSource& source, Diagnostics& diagnostics) {
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
    where.column = error.LineNumber() ? 0 : where.column;
    where.line = error.LineNumber().value_or(where.line);
    diagnostics.error(where, error.Message());
  }
}

/// Builds one Model out of one sdf::Model.
class SdfModelReader {
 public:
  SdfModelReader(const sdf::Model& in, const XmlSource& source, pugi::xml_node element,
                 Diagnostics& diagnostics)
      : in_(in), source_(source), element_(element), diagnostics_(diagnostics) {}

  Model read() {
    model_.name = in_.Name();
    model_.where = source_.where(element_);
    model_.is_static = in_.Static();
    // silence means yes, as in URDF; SDF's own default is no
    model_.self_collides = !element_.child("self_collide") || in_.SelfCollide();
    reject_what_we_do_not_read();
    for (std::uint64_t i = 0; i < in_.LinkCount(); ++i) {
      read_link(*in_.LinkByIndex(i));
    }
    for (std::uint64_t i = 0; i < in_.JointCount(); ++i) {
      read_joint(*in_.JointByIndex(i));
    }
    join_roots();
    for (std::uint64_t i = 0; i < in_.FrameCount(); ++i) {
      read_frame(*in_.FrameByIndex(i));
    }
    for (const pugi::xml_node pair : element_.children("longarm:ignore_contact")) {
      model_.ignored_contacts.push_back(
          {pair.attribute("a").value(), pair.attribute("b").value(), source_.where(pair)});
    }
    return std::move(model_);
  }

 private:
  void reject_what_we_do_not_read() {
    if (in_.ModelCount() > 0) {
      diagnostics_.error(source_.where(element_.child("model")),
                         fmt::format("model '{}' contains other models", in_.Name()),
                         "write its links and joints into one model");
    }
    if (element_.child("pose") && in_.RawPose() != ignition::math::Pose3d::Zero) {
      diagnostics_.warning(source_.where(element_.child("pose")),
                           "the model's own <pose> is not used",
                           "a scenario says where the model stands");
    }
  }

  /// In the model frame.
  template <typename Placed>
  Pose pose_of(const Placed& item, const std::string& relative_to = kModelFrame) {
    ignition::math::Pose3d pose;
    report(item.SemanticPose().Resolve(pose, relative_to), source_, diagnostics_);
    return to_pose(pose);
  }

  Pose pose_of_link(const std::string& name) {
    const sdf::Link* link = in_.LinkByName(name);
    return link == nullptr ? Pose::Identity() : pose_of(*link);
  }

  void read_link(const sdf::Link& in) {
    const pugi::xml_node element = child_named(element_, "link", in.Name());
    Link link{in.Name(), std::nullopt, {}, {}, source_.where(element)};
    link.inertial = read_inertial(in.Element());
    if (!element.child("inertial") && !in_.Static()) {
      diagnostics_.warning(
          link.where,
          fmt::format("link '{}' has no <inertial>; SDF's default of 1 kg and 1 kg·m² is used",
                      in.Name()),
          "give it one, or make it a <frame> if it has no mass");
    }
    SdfShapeReader shapes(source_, element, diagnostics_);
    for (std::uint64_t i = 0; i < in.CollisionCount(); ++i) {
      shapes.add(*in.CollisionByIndex(i), pose_of(*in.CollisionByIndex(i), in.Name()),
                 link.collisions);
    }
    for (std::uint64_t i = 0; i < in.VisualCount(); ++i) {
      shapes.add(*in.VisualByIndex(i), pose_of(*in.VisualByIndex(i), in.Name()), link.visuals);
    }
    model_.links.push_back(std::move(link));
  }

  void read_joint(const sdf::Joint& in) {
    const pugi::xml_node element = child_named(element_, "joint", in.Name());
    Joint joint;
    joint.name = in.Name();
    joint.where = source_.where(element);
    if (!read_type(in, element, joint)) {
      return;
    }
    // parent and child may be frames; their links are what counts
    report(in.ResolveParentLink(joint.parent), source_, diagnostics_);
    report(in.ResolveChildLink(joint.child), source_, diagnostics_);
    const Pose X_MC = pose_of_link(joint.child);
    const bool is_at_child = !element.child("pose") && in.ChildLinkName() == joint.child;
    const Pose X_MJ = is_at_child ? X_MC : pose_of(in);
    joint.X_PJ = pose_of_link(joint.parent).inverse() * X_MJ;
    joint.X_JL = is_at_child ? Pose::Identity() : Pose(X_MJ.inverse() * X_MC);
    if (joint.parent == kWorld) {
      add_massless_root(kWorld);
    }
    if (joint.type != JointType::kFixed && in.Axis() != nullptr) {
      read_axis(*in.Axis(), in.Type(), element.child("axis"), joint);
    }
    model_.joints.push_back(std::move(joint));
  }

  bool read_type(const sdf::Joint& in, pugi::xml_node element, Joint& joint) {
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

  void read_axis(const sdf::JointAxis& in, sdf::JointType type, pugi::xml_node element,
                 Joint& joint) {
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

  double number(pugi::xml_node element, const std::string& text, double fallback) {
    const std::optional<double> value = parse_number(text);
    if (!value || !std::isfinite(*value)) {
      diagnostics_.error(source_.where(element),
                         fmt::format("<{}> is not a finite number: '{}'", element.name(), text));
    }
    return value.value_or(fallback);
  }

  /// An SDF frame is a place on a link: a link without mass on a fixed joint.
  void read_frame(const sdf::Frame& in) {
    std::string body;
    report(in.ResolveAttachedToBody(body), source_, diagnostics_);
    if (in_.LinkByName(body) == nullptr) {
      return;
    }
    const SourceLocation where = source_.where(child_named(element_, "frame", in.Name()));
    model_.links.push_back({in.Name(), std::nullopt, {}, {}, where});
    model_.joints.push_back(fixed_joint(body, in.Name(), pose_of(in, body), where));
  }

  static Joint fixed_joint(const std::string& parent, const std::string& child, const Pose& X_PC,
                           const SourceLocation& where) {
    Joint joint;
    joint.name = parent + "-" + child;
    joint.parent = parent;
    joint.child = child;
    joint.X_PJ = X_PC;
    joint.where = where;
    return joint;
  }

  /// The model frame as a link, for models whose root is the world or does not stand at the model's
  /// origin.
  void add_massless_root(const std::string& name) {
    if (model_.links.empty() || model_.links.front().name != name) {
      model_.links.insert(model_.links.begin(), Link{name, std::nullopt, {}, {}, model_.where});
    }
  }

  /// One link alone at the origin stays the root; otherwise roots hang on the model frame. Several
  /// roots are fine in a static model only; elsewhere make_body_tree() complains about them.
  void join_roots() {
    std::set<std::string> children;
    for (const Joint& joint : model_.joints) {
      children.insert(joint.child);
    }
    std::vector<Link> roots;
    for (const Link& link : model_.links) {
      if (!children.contains(link.name)) {
        roots.push_back(link);
      }
    }
    const bool is_one = roots.size() == 1;
    if (roots.empty() ||
        (is_one && (roots.front().name == kWorld ||
                    pose_of_link(roots.front().name).isApprox(Pose::Identity(), 0.0)))) {
      return;
    }
    if (!is_one && !in_.Static()) {
      return;
    }
    add_massless_root(kModelFrame);
    for (const Link& root : roots) {
      model_.joints.push_back(
          fixed_joint(kModelFrame, root.name, pose_of_link(root.name), root.where));
    }
  }

  const sdf::Model& in_;
  const XmlSource& source_;
  pugi::xml_node element_;
  Diagnostics& diagnostics_;
  Model model_;
};

/// The only model of the file, wherever it stands; null after an error.
const sdf::Model* only_model(const sdf::Root& root, const XmlSource& source,
                             Diagnostics& diagnostics) {
  if (root.Model() != nullptr) {
    return root.Model();
  }
  const sdf::World* world = root.WorldCount() > 0 ? root.WorldByIndex(0) : nullptr;
  const std::uint64_t count = world == nullptr ? 0 : world->ModelCount();
  if (count == 1) {
    return world->ModelByIndex(0);
  }
  diagnostics.error(
      source.where(source.root()),
      count == 0 ? "the file has no model" : fmt::format("the world has {} models", count),
      "a model file describes one model; a scenario puts several into a cell");
  return nullptr;
}

}  // namespace

Model read_sdf(const std::string& text, const std::string& path, Diagnostics& diagnostics) {
  Diagnostics found;
  const XmlSource source(text, path, found);
  if (!found.has_errors()) {
    check_sdf(source, found);
  }
  sdf::Root root;
  if (!found.has_errors()) {
    const QuietConsole quiet;
    // what it would print it also returns
    sdf::Console::Instance()->SetQuiet(true);
    report(root.LoadSdfString(text), source, found);
  }
  for (const Diagnostic& problem : found.all()) {
    diagnostics.add(problem);
  }
  if (found.has_errors()) {
    return {};
  }
  const sdf::Model* model = only_model(root, source, diagnostics);
  if (model == nullptr) {
    return {};
  }
  const pugi::xml_node parent =
      root.Model() != nullptr ? source.root() : source.root().child("world");
  return SdfModelReader(*model, source, parent.child("model"), diagnostics).read();
}

}  // namespace longarm::model
