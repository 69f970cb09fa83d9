// SPDX-License-Identifier: Apache-2.0
// Finds cycles, second parents, unknown links and loose ends among links and joints.
#include "longarm/model/wiring.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::model {
namespace {

/// `kind` is "link" or "joint".
template <typename T>
std::map<std::string, int> index_names(const std::vector<T>& items, const char* kind,
                                       Diagnostics& diagnostics) {
  std::map<std::string, int> index;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!index.emplace(items[i].name, static_cast<int>(i)).second) {
      diagnostics.error(items[i].where,
                        fmt::format("{} '{}' is defined twice", kind, items[i].name),
                        "names must be unique");
    }
  }
  return index;
}

}  // namespace

std::map<std::string, int> index_joints(const Model& model, Diagnostics& diagnostics) {
  return index_names(model.joints, "joint", diagnostics);
}

std::vector<std::string> keys_of(const std::map<std::string, int>& index) {
  std::vector<std::string> keys;
  for (const auto& [name, number] : index) {
    keys.push_back(name);
  }
  return keys;
}

Wiring::Wiring(const Model& model, Diagnostics& diagnostics)
    : model_(model), links_(index_names(model.links, "link", diagnostics)) {
  joint_above_.assign(model.links.size(), kNone);
  joints_below_.resize(model.links.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    add(static_cast<int>(j), diagnostics);
  }
}

int Wiring::root(Diagnostics& diagnostics) const {
  std::vector<std::string> roots;
  int last = kNone;
  // by index, so that the second of two links of one name is no root of its own
  for (const auto& link : model_.links) {
    const int number = this->link(link.name);
    if (&model_.links[static_cast<std::size_t>(number)] == &link &&
        joint_above_[static_cast<std::size_t>(number)] == kNone) {
      roots.push_back("'" + link.name + "'");
      last = number;
    }
  }
  if (roots.empty()) {
    diagnostics.error(model_.where, fmt::format("model '{}' has no links", model_.name),
                      "a model needs at least one");
    return kNone;
  }
  if (roots.size() > 1) {
    diagnostics.error(
        model_.links[static_cast<std::size_t>(last)].where,
        fmt::format("the links are not one tree: {} have no parent joint", join(roots)),
        "connect all but one of them with a joint, a fixed one if they do not move");
    return kNone;
  }
  return last;
}

int Wiring::link(const std::string& name) const {
  const auto found = links_.find(name);
  return found == links_.end() ? kNone : found->second;
}

int Wiring::child_of(int joint) const {
  return link(model_.joints[static_cast<std::size_t>(joint)].child);
}

const std::vector<int>& Wiring::joints_below(int link) const {
  return joints_below_[static_cast<std::size_t>(link)];
}

void Wiring::add(int number, Diagnostics& diagnostics) {
  const Joint& joint = model_.joints[static_cast<std::size_t>(number)];
  const int parent = link(joint.parent);
  const int child = link(joint.child);
  for (const auto& [role, name] : {std::pair{"parent", &joint.parent}, {"child", &joint.child}}) {
    if (link(*name) == kNone) {
      diagnostics.error(
          joint.where,
          fmt::format("joint '{}' names an unknown {} link '{}'", joint.name, role, *name),
          suggest(*name, link_names()));
    }
  }
  if (parent == kNone || child == kNone || closes_cycle(joint, parent, child, diagnostics)) {
    return;
  }
  int& above = joint_above_[static_cast<std::size_t>(child)];
  if (above != kNone) {
    diagnostics.error(
        joint.where,
        fmt::format("link '{}' is the child of two joints, '{}' and '{}'", joint.child,
                    model_.joints[static_cast<std::size_t>(above)].name, joint.name),
        "a model is a tree: each link has one parent joint; closed loops are not supported");
    return;
  }
  above = number;
  joints_below_[static_cast<std::size_t>(parent)].push_back(number);
}

/// Walks from the parent to its root; meeting the child on the way means a cycle.
bool Wiring::closes_cycle(const Joint& joint, int parent, int child,
                          Diagnostics& diagnostics) const {
  std::vector<std::string> path{joint.child};
  for (int at = parent; at != kNone;) {
    path.push_back(model_.links[static_cast<std::size_t>(at)].name);
    if (at == child) {
      std::reverse(path.begin(), path.end());
      diagnostics.error(
          joint.where, "joints form a cycle: " + join(path, " -> "),
          fmt::format("joint '{}' closes it; remove it or change its child", joint.name));
      return true;
    }
    const int above = joint_above_[static_cast<std::size_t>(at)];
    at = above == kNone ? kNone : link(model_.joints[static_cast<std::size_t>(above)].parent);
  }
  return false;
}

}  // namespace longarm::model
