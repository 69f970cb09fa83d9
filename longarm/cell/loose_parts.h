// SPDX-License-Identifier: Apache-2.0
// Parts that lie about, and what happens to them without anybody's knowledge.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longarm/cell/failures.h"
#include "longarm/mechanisms/simplifier.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::cell {

class LooseParts {
 public:
  /// Borrows all; `cell` is the one that the engine was made of.
  LooseParts(physics::Engine& engine, const model::Cell& cell, mechanisms::Simplifier& simplifier)
      : engine_(engine), cell_(cell), simplifier_(simplifier) {}

  static std::vector<std::string> names(const model::Cell& cell);

  /// One of part_failures().
  void fail(const Failure& failure);
  /// A placement's number. What was taken away stays away until it is put somewhere.
  void take_away(int placement);
  /// Down on whatever is below that place, at rest.
  void put(int placement, const model::Pose& X_WP);
  void before_step();

  /// Where each is, the taken ones too.
  std::vector<std::pair<std::string, model::Pose>> poses() const;

 private:
  struct Taken {
    physics::BodyId part{};
    std::size_t slot = 0;  ///< each has a place of its own
  };

  std::vector<int> load_of(physics::BodyId body) const;
  void misplace(int placement, const model::Vector3& by_m);
  physics::BodyId root(int placement) const;

  physics::Engine& engine_;
  const model::Cell& cell_;
  mechanisms::Simplifier& simplifier_;
  std::vector<Taken> taken_;
};

}  // namespace longarm::cell
