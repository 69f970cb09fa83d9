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

void list_fields(Fields& fields, SimplifierConfig& config);

struct SimplifierCounts {
  std::uint64_t made = 0;
  std::uint64_t removed = 0;
  std::uint64_t joined = 0;  ///< at present
};

/// Algorithms 1 and 2 of S004, on any engine that has attachments.
class Simplifier {
 public:
  /// Borrows the engine. `cell` is the one that the engine was made of. Throws InputError for a
  /// mode that the engine cannot do.
  Simplifier(physics::Engine& engine, const model::Cell& cell, const SimplifierConfig& config,
             Duration period);
  ~Simplifier();
  Simplifier(const Simplifier&) = delete;
  Simplifier& operator=(const Simplifier&) = delete;

  /// Right before and right after each step of the engine.
  void before_step();
  void after_step();

  /// Around a move of `support` that its load must not follow, such as a belt's reset.
  void let_go(physics::BodyId support);
  void hold_again(physics::BodyId support);

  const SimplifierCounts& counts() const;
  /// Whether two bodies are joined, directly.
  bool is_joined(physics::BodyId a, physics::BodyId b) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace longarm::mechanisms
