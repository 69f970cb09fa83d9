// SPDX-License-Identifier: Apache-2.0
// Counts what robots touch that they should not: each other, and the furniture.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::cell {

/// Whether it is a part: nothing holds it in its place.
inline bool is_loose(const model::Placement& placement) {
  return !placement.is_fixed && !placement.tree.is_static;
}

/// Bodies of one robot.
struct RobotBodies {
  std::string name;
  std::vector<physics::BodyId> bodies;
};

/// A touch counts once, from its first step until a step without it.
struct ContactCounts {
  std::uint64_t arm_contacts = 0;  ///< between two robots or what their fingers hold
  std::uint64_t arm_contact_steps = 0;
  std::uint64_t environment_hits = 0;  ///< links other than fingers, on anything but parts
  std::string first_arm_contact;       ///< who, with whom
  std::string first_environment_hit;
};

class ContactWatch {
 public:
  /// `cell` is the one that the engine was made of. Fingers are what slides on a robot.
  ContactWatch(const model::Cell& cell, const std::vector<RobotBodies>& robots);

  /// After each step.
  void update(std::span<const physics::Contact> contacts);

  const ContactCounts& counts() const { return counts_; }

 private:
  enum class Role : std::uint8_t { kFurniture, kPart, kLink, kFinger };
  using Pair = std::pair<int, int>;

  int holder_of(int body) const;
  void note(std::vector<Pair>& touching, Pair pair) const;
  std::string words(Pair pair) const;

  std::vector<std::string> names_;  ///< by body
  std::vector<Role> roles_;         ///< by body
  std::vector<int> robot_;          ///< by body; -1: none
  std::vector<int> held_by_;        ///< by body, of the last step: robot whose fingers touch it
  std::vector<Pair> arms_;          ///< touching in the last step, sorted
  std::vector<Pair> hits_;
  ContactCounts counts_;
};

}  // namespace longarm::cell
