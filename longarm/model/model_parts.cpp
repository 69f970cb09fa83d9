// SPDX-License-Identifier: Apache-2.0
// Puts models into models and hangs loose links on one root.
#include "longarm/model/model_parts.h"

#include <set>
#include <utility>

namespace longarm::model {

Joint fixed_joint(const std::string& parent, const std::string& child, const Pose& X_PC,
                  const SourceLocation& where) {
  Joint joint;
  joint.name = parent + "-" + child;
  joint.parent = parent;
  joint.child = child;
  joint.X_PJ = X_PC;
  joint.where = where;
  return joint;
}

ModelParts parts_of(Model model) {
  std::map<std::string, const Joint*> above;
  for (const Joint& joint : model.joints) {
    above[joint.child] = &joint;
  }
  std::map<std::string, Pose> X_ML;
  for (const Link& link : model.links) {
    Pose X = Pose::Identity();
    // as many steps as there are links reach the root of any tree
    std::string at = link.name;
    for (std::size_t i = 0; i < model.links.size() && above.contains(at); ++i) {
      const Joint& joint = *above[at];
      X = joint.X_PJ * joint.X_JL * X;
      at = joint.parent;
    }
    X_ML[link.name] = X;
  }
  return {std::move(model), std::move(X_ML), Pose::Identity(), {}, {}};
}

void absorb(const std::string& name, ModelParts inner, const Pose& X_OI, ModelParts& outer) {
  const auto rename = [&](std::string& what) { what = what == kWorld ? what : name + "::" + what; };
  for (Link& link : inner.model.links) {
    const Pose X_OL = X_OI * inner.X_ML[link.name];
    if (link.name == kWorld) {
      add_massless_root(kWorld, outer);
      continue;
    }
    rename(link.name);
    outer.X_ML[link.name] = X_OL;
    outer.model.links.push_back(std::move(link));
  }
  for (Joint& joint : inner.model.joints) {
    if (joint.parent == kWorld) {
      joint.X_PJ = X_OI * joint.X_PJ;
    }
    rename(joint.name);
    rename(joint.parent);
    rename(joint.child);
    if (joint.mimic) {
      rename(joint.mimic->joint);
    }
    outer.model.joints.push_back(std::move(joint));
  }
  for (IgnoredContact& pair : inner.model.ignored_contacts) {
    rename(pair.a);
    rename(pair.b);
    outer.model.ignored_contacts.push_back(std::move(pair));
  }
  for (ContactSensorWish& sensor : inner.contact_sensors) {
    outer.contact_sensors.push_back(std::move(sensor));
  }
  for (Plugin& plugin : inner.plugins) {
    outer.plugins.push_back(std::move(plugin));
  }
}

void add_massless_root(const std::string& name, ModelParts& parts) {
  std::vector<Link>& links = parts.model.links;
  if (!parts.X_ML.contains(name)) {
    parts.X_ML[name] = Pose::Identity();
    links.insert(links.begin(), Link{name, std::nullopt, {}, {}, parts.model.where});
  }
}

Model join_roots(ModelParts parts) {
  std::set<std::string> children;
  for (const Joint& joint : parts.model.joints) {
    children.insert(joint.child);
  }
  std::vector<Link> roots;
  for (const Link& link : parts.model.links) {
    if (!children.contains(link.name)) {
      roots.push_back(link);
    }
  }
  const bool is_one = roots.size() == 1;
  const bool is_joined =
      roots.empty() || (is_one && (roots.front().name == kWorld ||
                                   parts.X_ML[roots.front().name].isApprox(Pose::Identity(), 0.0)));
  if (is_joined || (!is_one && !parts.model.is_static)) {
    return std::move(parts.model);
  }
  add_massless_root(kModelFrame, parts);
  for (const Link& root : roots) {
    parts.model.joints.push_back(
        fixed_joint(kModelFrame, root.name, parts.X_ML[root.name], root.where));
  }
  return std::move(parts.model);
}

Model stand_alone(ModelParts parts, Diagnostics& diagnostics) {
  if (!parts.X_own.isApprox(Pose::Identity(), 0.0)) {
    diagnostics.warning(parts.where_own, "the model's own <pose> is not used",
                        "the scenario sets the pose of the model");
  }
  return join_roots(std::move(parts));
}

}  // namespace longarm::model
