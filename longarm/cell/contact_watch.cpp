// SPDX-License-Identifier: Apache-2.0
// Tells links, fingers, parts and furniture apart, and counts touches by their beginnings.
#include "longarm/cell/contact_watch.h"

#include <algorithm>

#include <fmt/format.h>

namespace longarm::cell {
namespace {

constexpr int kNobody = -1;

/// Touches of this step that were none in the last one.
template <typename Pairs, typename Begun>
std::uint64_t count_begun(const Pairs& now, const Pairs& before, const Begun& begun) {
  std::uint64_t count = 0;
  for (const auto& pair : now) {
    if (!std::binary_search(before.begin(), before.end(), pair)) {
      begun(pair);
      ++count;
    }
  }
  return count;
}

}  // namespace

ContactWatch::ContactWatch(const model::Cell& cell, const std::vector<RobotBodies>& robots)
    : names_(cell.body_names(-1)) {
  for (const model::Placement& placement : cell.placements) {
    for (std::size_t i = 0; i < placement.tree.bodies.size(); ++i) {
      roles_.push_back(is_loose(placement) ? Role::kPart : Role::kFurniture);
    }
  }
  robot_.assign(roles_.size(), kNobody);
  held_by_.assign(roles_.size(), kNobody);
  std::vector<bool> slides(roles_.size());
  for (std::size_t p = 0; p < cell.placements.size(); ++p) {
    const int first = cell.first_body(static_cast<int>(p));
    const std::vector<model::TreeJoint>& joints = cell.placements[p].tree.joints;
    for (std::size_t j = 0; j < joints.size(); ++j) {
      slides[static_cast<std::size_t>(first) + j + 1] =
          joints[j].type == model::JointType::kPrismatic;
    }
  }
  for (std::size_t r = 0; r < robots.size(); ++r) {
    for (const physics::BodyId body : robots[r].bodies) {
      const auto i = static_cast<std::size_t>(body);
      robot_[i] = static_cast<int>(r);
      roles_[i] = slides[i] ? Role::kFinger : Role::kLink;
    }
  }
}

int ContactWatch::holder_of(int body) const {
  const auto i = static_cast<std::size_t>(body);
  return robot_[i] != kNobody ? robot_[i] : held_by_[i];
}

void ContactWatch::note(std::vector<Pair>& touching, Pair pair) const {
  touching.push_back({std::min(pair.first, pair.second), std::max(pair.first, pair.second)});
}

std::string ContactWatch::words(Pair pair) const {
  return fmt::format("{} and {}", names_[static_cast<std::size_t>(pair.first)],
                     names_[static_cast<std::size_t>(pair.second)]);
}

void ContactWatch::update(std::span<const physics::Contact> contacts) {
  const auto role = [&](int body) { return roles_[static_cast<std::size_t>(body)]; };
  std::fill(held_by_.begin(), held_by_.end(), kNobody);
  for (const physics::Contact& contact : contacts) {
    const int a = static_cast<int>(contact.a);
    const int b = static_cast<int>(contact.b);
    if (role(a) == Role::kFinger && role(b) == Role::kPart) {
      held_by_[static_cast<std::size_t>(b)] = robot_[static_cast<std::size_t>(a)];
    } else if (role(b) == Role::kFinger && role(a) == Role::kPart) {
      held_by_[static_cast<std::size_t>(a)] = robot_[static_cast<std::size_t>(b)];
    }
  }
  std::vector<Pair> arms;
  std::vector<Pair> hits;
  for (const physics::Contact& contact : contacts) {
    const int a = static_cast<int>(contact.a);
    const int b = static_cast<int>(contact.b);
    const int robot_a = holder_of(a);
    const int robot_b = holder_of(b);
    // what both have between their fingers lies in a tray, say: one of the two must be a robot
    const bool has_robot = robot_[static_cast<std::size_t>(a)] != kNobody ||
                           robot_[static_cast<std::size_t>(b)] != kNobody;
    if (robot_a != kNobody && robot_b != kNobody && robot_a != robot_b && has_robot) {
      note(arms, {a, b});
    }
    if ((role(a) == Role::kLink && role(b) == Role::kFurniture) ||
        (role(b) == Role::kLink && role(a) == Role::kFurniture)) {
      note(hits, {a, b});
    }
  }
  for (std::vector<Pair>* pairs : {&arms, &hits}) {
    std::sort(pairs->begin(), pairs->end());
    pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
  }
  counts_.arm_contacts += count_begun(arms, arms_, [&](Pair pair) {
    if (counts_.first_arm_contact.empty()) {
      counts_.first_arm_contact = words(pair);
    }
  });
  counts_.environment_hits += count_begun(hits, hits_, [&](Pair pair) {
    if (counts_.first_environment_hit.empty()) {
      counts_.first_environment_hit = words(pair);
    }
  });
  counts_.arm_contact_steps += arms.empty() ? 0 : 1;
  arms_ = std::move(arms);
  hits_ = std::move(hits);
}

}  // namespace longarm::cell
