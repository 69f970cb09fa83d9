// SPDX-License-Identifier: Apache-2.0
// From links and joints to a tree of rigid bodies: the wiring is checked, fixed joints are lumped
// away.
#include "longarm/model/body_tree.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/model/wiring.h"

namespace longarm::model {
namespace {

template <typename T>
std::optional<int> find_named(const std::vector<T>& items, const std::string& name) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

/// Total mass, common centre of mass and the tensor about it, by the parallel-axis theorem. Input
/// poses are in body coordinates already.
Inertial combine(const std::vector<Inertial>& parts) {
  Inertial total;
  Vector3 moment = Vector3::Zero();
  for (const Inertial& part : parts) {
    total.mass_kg += part.mass_kg;
    moment += part.mass_kg * part.X_LC.translation();
  }
  // one part keeps its centre to the last bit
  Vector3 centre = Vector3::Zero();
  if (parts.size() == 1) {
    centre = parts.front().X_LC.translation();
  } else if (total.mass_kg != 0.0) {
    centre = moment / total.mass_kg;
  }
  total.X_LC.translation() = centre;
  for (const Inertial& part : parts) {
    const Matrix3 R = part.X_LC.linear();
    const Vector3 d = part.X_LC.translation() - centre;
    total.inertia_kg_m2 +=
        R * part.inertia_kg_m2 * R.transpose() +
        part.mass_kg * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
  }
  return total;
}

/// Walks the wiring from the root and gathers bodies, joints and frames.
class Lumper {
 public:
  Lumper(const Model& model, const Wiring& wiring, int root) : model_(model), wiring_(wiring) {
    tree_.name = model.name;
    tree_.is_static = model.is_static;
    tree_.self_collides = model.self_collides;
    places_.resize(model.links.size());

    // a stack instead of recursion, so that long chains are no danger; the last pushed comes first
    std::vector<Visit> stack{{root, start_body(root), Pose::Identity()}};
    while (!stack.empty()) {
      const Visit visit = stack.back();
      stack.pop_back();
      enter(visit, stack);
    }
    for (std::size_t i = 0; i < tree_.bodies.size(); ++i) {
      tree_.bodies[i].inertial = combine(parts_[i]);
    }
    for (std::size_t i = 0; i < places_.size(); ++i) {
      tree_.frames.push_back({model.links[i].name, places_[i].body, places_[i].X_BL});
    }
  }

  BodyTree& tree() { return tree_; }
  int body_of(int link) const { return places_[static_cast<std::size_t>(link)].body; }

 private:
  /// A link still to be added: to an existing body at a pose, or by a movable joint that is yet to
  /// be made.
  struct Visit {
    int link = 0;
    int body = 0;  ///< the parent's body if `joint` is set
    Pose X_BL = Pose::Identity();
    int joint = kNone;
  };
  struct Place {
    int body = 0;
    Pose X_BL = Pose::Identity();
  };

  int start_body(int link) {
    const Link& carried = model_.links[static_cast<std::size_t>(link)];
    tree_.bodies.push_back({carried.name, {}, {}, {}, carried.where});
    parts_.emplace_back();
    return static_cast<int>(tree_.bodies.size()) - 1;
  }

  void enter(Visit visit, std::vector<Visit>& stack) {
    if (visit.joint != kNone) {
      const Joint& joint = model_.joints[static_cast<std::size_t>(visit.joint)];
      tree_.joints.push_back({joint.name, joint.type, visit.body, visit.X_BL, joint.axis,
                              joint.limits, joint.dynamics, std::nullopt, joint.where});
      visit.body = start_body(visit.link);
      visit.X_BL = joint.X_JL;
    }
    add_link(visit.link, visit.body, visit.X_BL);

    const std::vector<int>& below = wiring_.joints_below(visit.link);
    for (auto it = below.rbegin(); it != below.rend(); ++it) {
      const Joint& joint = model_.joints[static_cast<std::size_t>(*it)];
      const Pose X_BJ = visit.X_BL * joint.X_PJ;
      const bool is_fixed = joint.type == JointType::kFixed || model_.is_static;
      stack.push_back(is_fixed ? Visit{wiring_.child_of(*it), visit.body, X_BJ * joint.X_JL, kNone}
                               : Visit{wiring_.child_of(*it), visit.body, X_BJ, *it});
    }
  }

  void add_link(int number, int body_number, const Pose& X_BL) {
    const Link& link = model_.links[static_cast<std::size_t>(number)];
    Body& body = tree_.bodies[static_cast<std::size_t>(body_number)];
    places_[static_cast<std::size_t>(number)] = {body_number, X_BL};
    const auto move = [&X_BL](Geometry geometry) {
      geometry.X_LG = X_BL * geometry.X_LG;
      return geometry;
    };
    std::transform(link.collisions.begin(), link.collisions.end(),
                   std::back_inserter(body.collisions), move);
    std::transform(link.visuals.begin(), link.visuals.end(), std::back_inserter(body.visuals),
                   move);
    if (link.inertial) {
      Inertial moved = *link.inertial;
      moved.X_LC = X_BL * moved.X_LC;
      parts_[static_cast<std::size_t>(body_number)].push_back(moved);
    }
  }

  const Model& model_;
  const Wiring& wiring_;
  BodyTree tree_;
  std::vector<Place> places_;                 ///< per link
  std::vector<std::vector<Inertial>> parts_;  ///< per body
};

/// Follows the chain of mimics from one joint to the joint that leads it; nothing if the chain is
/// broken.
std::optional<Mimic> resolve_mimic(const Model& model, const std::map<std::string, int>& joints,
                                   const Joint& joint, Diagnostics& diagnostics) {
  Mimic total{joint.name, 1.0, 0.0};
  std::vector<std::string> path{joint.name};
  const Joint* at = &joint;
  while (at->mimic) {
    total.offset += total.multiplier * at->mimic->offset;
    total.multiplier *= at->mimic->multiplier;
    total.joint = at->mimic->joint;
    const bool is_loop = std::find(path.begin(), path.end(), total.joint) != path.end();
    path.push_back(total.joint);
    const auto next = joints.find(total.joint);
    const char* problem = next == joints.end() ? "unknown joint" : nullptr;
    if (problem == nullptr &&
        model.joints[static_cast<std::size_t>(next->second)].type == JointType::kFixed) {
      problem = "fixed joint";
    }
    if (is_loop) {
      diagnostics.error(joint.where, "mimicking joints form a cycle: " + join(path, " -> "),
                        "at least one of them must not mimic another");
      return std::nullopt;
    }
    if (problem != nullptr) {
      // a longer chain is reported where its broken member stands
      if (path.size() == 2) {
        diagnostics.error(
            joint.where, fmt::format("joint '{}' mimics {} '{}'", joint.name, problem, total.joint),
            next == joints.end() ? suggest(total.joint, keys_of(joints))
                                 : "mimic a joint that moves");
      }
      return std::nullopt;
    }
    at = &model.joints[static_cast<std::size_t>(next->second)];
  }
  return total;
}

void add_mimics(const Model& model, const std::map<std::string, int>& joints, BodyTree& tree,
                Diagnostics& diagnostics) {
  for (const Joint& joint : model.joints) {
    if (!joint.mimic || joint.type == JointType::kFixed) {
      continue;
    }
    const std::optional<Mimic> mimic = resolve_mimic(model, joints, joint, diagnostics);
    const std::optional<int> follower = tree.find_joint(joint.name);
    const std::optional<int> leader = mimic ? tree.find_joint(mimic->joint) : std::nullopt;
    if (follower && leader) {
      tree.joints[static_cast<std::size_t>(*follower)].mimic =
          MimicIndex{*leader, mimic->multiplier, mimic->offset};
    }
  }
}

void add_ignored_contacts(const Model& model, const Wiring& wiring, Lumper& lumper,
                          Diagnostics& diagnostics) {
  std::vector<std::pair<int, int>>& pairs = lumper.tree().ignored_contacts;
  for (const IgnoredContact& ignored : model.ignored_contacts) {
    for (const std::string& name : {ignored.a, ignored.b}) {
      if (wiring.link(name) == kNone) {
        diagnostics.error(ignored.where,
                          fmt::format("ignored contact names an unknown link '{}'", name),
                          suggest(name, wiring.link_names()));
      }
    }
    if (wiring.link(ignored.a) == kNone || wiring.link(ignored.b) == kNone) {
      continue;
    }
    const int a = lumper.body_of(wiring.link(ignored.a));
    const int b = lumper.body_of(wiring.link(ignored.b));
    if (a != b) {
      pairs.emplace_back(std::min(a, b), std::max(a, b));
    }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace

std::optional<int> BodyTree::find_joint(const std::string& wanted) const {
  return find_named(joints, wanted);
}

std::optional<int> BodyTree::find_body(const std::string& wanted) const {
  return find_named(bodies, wanted);
}

std::optional<int> BodyTree::find_frame(const std::string& wanted) const {
  return find_named(frames, wanted);
}

BodyTree make_body_tree(const Model& model, Diagnostics& diagnostics) {
  // nothing was read, and the user knows why
  if (model.links.empty() && diagnostics.has_errors()) {
    return {};
  }
  const Wiring wiring(model, diagnostics);
  const std::map<std::string, int> joints = index_joints(model, diagnostics);
  const int root = wiring.root(diagnostics);
  if (root == kNone) {
    return {};
  }
  Lumper lumper(model, wiring, root);
  add_mimics(model, joints, lumper.tree(), diagnostics);
  add_ignored_contacts(model, wiring, lumper, diagnostics);
  return std::move(lumper.tree());
}

}  // namespace longarm::model
