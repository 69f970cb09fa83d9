// SPDX-License-Identifier: Apache-2.0
// Estimates of what is left to do from a state, in the problem in which nothing is ever undone.
#pragma once

#include <span>
#include <vector>

#include "longarm/pddl/ground.h"

namespace longarm::pddl {

/// Of a state from which the goal cannot be reached.
inline constexpr Cost kDeadEnd = INT64_MAX / 4;

/// The problem without deletes, with one more fact that is always true (for operators that need
/// nothing) and one operator that makes the goal one fact.
struct RelaxedProblem {
  explicit RelaxedProblem(const GroundProblem& problem);

  struct RelaxedOperator {
    std::vector<FactId> needs;
    std::vector<FactId> adds;
    Cost cost = 0;
  };
  std::size_t fact_count = 0;
  FactId always = 0;
  FactId goal = 0;
  std::vector<RelaxedOperator> operators;  ///< those of the problem, then the goal's
  std::vector<std::vector<std::int32_t>> needed_by;
  std::vector<std::vector<std::int32_t>> added_by;
};

/// Never more than the true cost: landmarks of cuts through the cheapest justifications, after
/// Helmert and Domshlak (ICAPS 2009).
class LmCut {
 public:
  explicit LmCut(const GroundProblem& problem);
  Cost operator()(std::span<const FactId> state);

 private:
  void reach_all(std::span<const FactId> state);
  void lower(const std::vector<std::int32_t>& cut);
  void come(FactId fact, Cost cost);
  void settle(bool is_first);
  void choose_supporter(std::size_t o);
  void mark_goal_zone();
  std::vector<std::int32_t> find_cut(std::span<const FactId> state);

  RelaxedProblem relaxed_;
  std::vector<Cost> cost_;     // of operators, as far as not yet used up
  std::vector<Cost> max_;      // of facts: the dearest of what the cheapest way needs
  std::vector<Cost> support_;  // of operators: max_ of their supporter
  std::vector<FactId> supporter_;
  std::vector<std::size_t> open_;
  std::vector<char> is_near_goal_;
  std::vector<std::pair<Cost, FactId>> queue_;  // a heap
};

/// A relaxed plan, after Hoffmann and Nebel (2001), along the cheapest sums of costs. Each operator
/// counts one more than its cost, so that free ones are not free.
class FastForward {
 public:
  explicit FastForward(const GroundProblem& problem);
  Cost operator()(std::span<const FactId> state);
  /// Operators of that plan which can be applied at once, in order.
  const std::vector<std::int32_t>& helpful() const { return helpful_; }

 private:
  void reach_all(std::span<const FactId> state);
  void come(FactId fact, Cost cost, std::int32_t by);
  Cost extract();

  RelaxedProblem relaxed_;
  std::vector<Cost> sum_;         // of facts
  std::vector<std::int32_t> by_;  // operator that adds it cheapest; -1: it is there
  std::vector<Cost> needs_sum_;   // of operators
  std::vector<std::size_t> open_;
  std::vector<std::int32_t> helpful_;
  std::vector<std::pair<Cost, FactId>> queue_;
};

}  // namespace longarm::pddl
