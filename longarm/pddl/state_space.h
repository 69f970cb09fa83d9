// SPDX-License-Identifier: Apache-2.0
// States as numbered sets of bits, each kept once, and which operators apply in them.
#pragma once

#include <cstdint>
#include <vector>

#include "longarm/pddl/ground.h"

namespace longarm::pddl {

using StateId = std::int32_t;
using StateBits = std::vector<std::uint64_t>;

class StateSpace {
 public:
  explicit StateSpace(const GroundProblem& problem);

  StateBits initial() const;
  /// The number of a state, and whether it is new.
  std::pair<StateId, bool> add(const StateBits& state);
  StateBits bits(StateId state) const;
  std::int32_t size() const { return size_; }

  StateBits apply(const StateBits& state, const Operator& each) const;
  bool applies(const StateBits& state, const Operator& each) const;
  bool is_goal(const StateBits& state) const;
  std::vector<FactId> facts_of(const StateBits& state) const;
  /// In order of their numbers.
  std::vector<std::int32_t> applicable(const StateBits& state,
                                       const std::vector<FactId>& facts) const;

 private:
  bool is_equal(StateId state, const StateBits& bits) const;
  void grow();

  const GroundProblem& problem_;
  std::size_t words_;
  std::int32_t size_ = 0;
  std::vector<std::uint64_t> pool_;  // all states, one behind the other
  std::vector<StateId> table_;       // open addressing; -1 is free
  /// Operators by the one of their needs that fewest share; those without needs stand last.
  std::vector<std::vector<std::int32_t>> watchers_;
};

}  // namespace longarm::pddl
