// SPDX-License-Identifier: Apache-2.0
// Contact simplification: parts that rest on each other are joined until something pulls at them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::mechanisms {

struct SimplifierConfig {
  std::string mode = "none";       ///< none, weld, merge or kludge
  double speed_m_s = 0.005;        ///< at rest below this, relative to each other
  double acceleration_m_s2 = 0.2;  ///< and below this
  Duration hold{50'000'000};       ///< for so long
  double release_N = 0.5;          ///< joined until the force between them changes by more
};

/// Thresholds that make no sense are rejected.
void list_fields(Fields& fields, SimplifierConfig& config);

struct SimplifierCounts {
  std::uint64_t made = 0;
  std::uint64_t removed = 0;
  std::uint64_t joined = 0;          ///< at present
  std::uint64_t welded_instead = 0;  ///< of those made, should have been merged and could not be
};

class SimplifierMode;

/// Algorithms 1 and 2 of Piliptchak et al. 2019, on any engine that has attachments.
///
/// Parts, which are free bodies without joints, are joined to what they rest on: to other parts, to
/// whatever cannot move, and to the surface of a belt, which is the one sliding body of a model
/// that is fixed to the world and has no other joint. Links of arms and fingers of grippers carry
/// nothing that is joined to them: what they hold is held by contact. Each part has one support at
/// most, so joints form chains, e.g. gear, tray, belt.
///
/// docs/explanation/contacts.md says what is compared with what, and why.
class Simplifier {
 public:
  /// Borrows the engine. `cell` is the one that the engine was made of. Throws InputError for a
  /// mode that the engine cannot do and for thresholds that make no sense.
  Simplifier(physics::Engine& engine, const model::Cell& cell, const SimplifierConfig& config,
             Duration period);
  ~Simplifier();
  Simplifier(const Simplifier&) = delete;
  Simplifier& operator=(const Simplifier&) = delete;

  /// Right before and right after each step of the engine.
  void before_step();
  void after_step();

  /// Around a move of `support` that its load must not follow, such as a belt's reset, by `moved_S`
  /// along its own axes. What was recorded of the contacts stays valid, and nothing is counted.
  void let_go(physics::BodyId support);
  void hold_again(physics::BodyId support, const model::Vector3& moved_S);

  /// Before somebody takes a part away: whatever joins it to others is undone, at once.
  void release(physics::BodyId part);

  const SimplifierCounts& counts() const;
  /// Whether two bodies are joined, directly.
  bool is_joined(physics::BodyId a, physics::BodyId b) const;
  /// Whether a part is joined to what carries it.
  bool is_joined(physics::BodyId part) const;
  /// By how much the load of a joined part differs from the one recorded, acceleration taken off;
  /// zero for others.
  double load_change_N(physics::BodyId part) const;

 private:
  std::unique_ptr<SimplifierMode> mode_;  ///< null: none
  SimplifierCounts none_;
};

}  // namespace longarm::mechanisms
