// SPDX-License-Identifier: Apache-2.0
// A pool of bit sets with a hash table of their numbers.
#include "longarm/pddl/state_space.h"

#include <algorithm>
#include <bit>

#include "longarm/core/hash.h"

namespace longarm::pddl {
namespace {

constexpr std::size_t kBits = 64;

bool has(const StateBits& state, FactId fact) {
  const auto f = static_cast<std::size_t>(fact);
  return ((state[f / kBits] >> (f % kBits)) & 1U) != 0;
}

void put(StateBits& state, FactId fact, bool value) {
  const auto f = static_cast<std::size_t>(fact);
  const std::uint64_t bit = std::uint64_t{1} << (f % kBits);
  state[f / kBits] = value ? state[f / kBits] | bit : state[f / kBits] & ~bit;
}

std::size_t hash_of(const std::uint64_t* words, std::size_t count) {
  Hash hash;
  for (std::size_t i = 0; i < count; ++i) {
    hash.add(words[i]);
  }
  return static_cast<std::size_t>(hash.value());
}

}  // namespace

StateSpace::StateSpace(const GroundProblem& problem)
    : problem_(problem),
      words_(std::max<std::size_t>(1, (problem.facts.size() + kBits - 1) / kBits)),
      table_(1024, -1),
      watchers_(problem.facts.size() + 1) {
  std::vector<std::size_t> shared(problem.facts.size(), 0);
  for (const Operator& each : problem.operators) {
    for (const FactId f : each.needs) {
      ++shared[static_cast<std::size_t>(f)];
    }
  }
  for (std::size_t o = 0; o < problem.operators.size(); ++o) {
    std::size_t rarest = problem.facts.size();
    for (const FactId fact : problem.operators[o].needs) {
      const auto f = static_cast<std::size_t>(fact);
      if (rarest == problem.facts.size() || shared[f] < shared[rarest]) {
        rarest = f;
      }
    }
    watchers_[rarest].push_back(static_cast<std::int32_t>(o));
  }
}

StateBits StateSpace::initial() const {
  StateBits state(words_, 0);
  for (const FactId f : problem_.initial) {
    put(state, f, true);
  }
  return state;
}

bool StateSpace::is_equal(StateId state, const StateBits& other) const {
  return std::equal(other.begin(), other.end(),
                    pool_.begin() + static_cast<std::ptrdiff_t>(words_) * state);
}

std::pair<StateId, bool> StateSpace::add(const StateBits& state) {
  if (static_cast<std::size_t>(size_) * 2 >= table_.size()) {
    grow();
  }
  std::size_t at = hash_of(state.data(), words_) % table_.size();
  while (table_[at] >= 0) {
    if (is_equal(table_[at], state)) {
      return {table_[at], false};
    }
    at = (at + 1) % table_.size();
  }
  table_[at] = size_;
  pool_.insert(pool_.end(), state.begin(), state.end());
  return {size_++, true};
}

void StateSpace::grow() {
  table_.assign(table_.size() * 2, -1);
  for (StateId state = 0; state < size_; ++state) {
    std::size_t at =
        hash_of(&pool_[words_ * static_cast<std::size_t>(state)], words_) % table_.size();
    while (table_[at] >= 0) {
      at = (at + 1) % table_.size();
    }
    table_[at] = state;
  }
}

StateBits StateSpace::bits(StateId state) const {
  const auto first = pool_.begin() + static_cast<std::ptrdiff_t>(words_) * state;
  return {first, first + static_cast<std::ptrdiff_t>(words_)};
}

StateBits StateSpace::apply(const StateBits& state, const Operator& each) const {
  StateBits next = state;
  for (const FactId f : each.deletes) {
    put(next, f, false);
  }
  for (const FactId f : each.adds) {
    put(next, f, true);
  }
  return next;
}

bool StateSpace::applies(const StateBits& state, const Operator& each) const {
  return std::all_of(each.needs.begin(), each.needs.end(), [&](FactId f) { return has(state, f); });
}

bool StateSpace::is_goal(const StateBits& state) const {
  return std::all_of(problem_.goal.begin(), problem_.goal.end(),
                     [&](FactId f) { return has(state, f); });
}

std::vector<FactId> StateSpace::facts_of(const StateBits& state) const {
  std::vector<FactId> facts;
  for (std::size_t w = 0; w < words_; ++w) {
    for (std::uint64_t rest = state[w]; rest != 0; rest &= rest - 1) {
      facts.push_back(
          static_cast<FactId>(w * kBits + static_cast<std::size_t>(std::countr_zero(rest))));
    }
  }
  return facts;
}

std::vector<std::int32_t> StateSpace::applicable(const StateBits& state,
                                                 const std::vector<FactId>& facts) const {
  std::vector<std::int32_t> found = watchers_.back();
  for (const FactId f : facts) {
    for (const std::int32_t o : watchers_[static_cast<std::size_t>(f)]) {
      if (applies(state, problem_.operators[static_cast<std::size_t>(o)])) {
        found.push_back(o);
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace longarm::pddl
