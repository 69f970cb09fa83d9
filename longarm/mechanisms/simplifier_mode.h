// SPDX-License-Identifier: Apache-2.0
// What the ways of simplifying have in common. Internal to the folder.
#pragma once

#include <memory>

#include "longarm/mechanisms/simplifier.h"

namespace longarm::mechanisms {

class SimplifierMode {
 public:
  virtual ~SimplifierMode() = default;
  virtual void before_step() {}
  virtual void after_step() = 0;
  virtual void let_go(physics::BodyId support) = 0;
  virtual void hold_again(physics::BodyId support, const model::Vector3& moved_S) = 0;
  virtual void release(physics::BodyId) {}
  virtual bool is_joined(physics::BodyId a, physics::BodyId b) const = 0;
  virtual bool is_joined(physics::BodyId part) const = 0;
  virtual double load_change_N(physics::BodyId) const { return 0.0; }

  SimplifierCounts counts;
};

/// Algorithms 1 and 2, welding or merging.
std::unique_ptr<SimplifierMode> make_resting_mode(physics::Engine& engine, const model::Cell& cell,
                                                  const SimplifierConfig& config, Duration period);

/// What the public code does: welds to the first finger that touches and takes gravity away.
std::unique_ptr<SimplifierMode> make_kludge_mode(physics::Engine& engine, const model::Cell& cell);

}  // namespace longarm::mechanisms
