// SPDX-License-Identifier: Apache-2.0
// Cheapest achievers by sums of costs, then the plan that they make together.
#include <algorithm>

#include "longarm/core/index.h"
#include "longarm/pddl/heuristic.h"

namespace longarm::pddl {

FastForward::FastForward(const GroundProblem& problem) : relaxed_(problem) {
  for (std::size_t o = 0; o + 1 < relaxed_.operators.size(); ++o) {
    relaxed_.operators[o].cost += kCostUnit;
  }
}

void FastForward::come(FactId fact, Cost cost, std::int32_t by) {
  if (cost < sum_[index_of(fact)]) {
    sum_[index_of(fact)] = cost;
    by_[index_of(fact)] = by;
    queue_.emplace_back(-cost, fact);
    std::push_heap(queue_.begin(), queue_.end());
  }
}

void FastForward::reach_all(std::span<const FactId> state) {
  sum_.assign(relaxed_.fact_count, kDeadEnd);
  by_.assign(relaxed_.fact_count, -1);
  needs_sum_.assign(relaxed_.operators.size(), 0);
  open_.clear();
  for (const RelaxedProblem::RelaxedOperator& each : relaxed_.operators) {
    open_.push_back(each.needs.size());
  }
  queue_.clear();
  come(relaxed_.always, 0, -1);
  for (const FactId f : state) {
    come(f, 0, -1);
  }
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const auto [negative, fact] = queue_.back();
    queue_.pop_back();
    if (-negative != sum_[index_of(fact)]) {
      continue;
    }
    if (fact == relaxed_.goal) {
      return;
    }
    for (const std::int32_t o : relaxed_.needed_by[index_of(fact)]) {
      needs_sum_[index_of(o)] += sum_[index_of(fact)];
      if (--open_[index_of(o)] > 0) {
        continue;
      }
      for (const FactId f : relaxed_.operators[index_of(o)].adds) {
        come(f, needs_sum_[index_of(o)] + relaxed_.operators[index_of(o)].cost, o);
      }
    }
  }
}

/// Back from the goal along the achievers; each operator counts once.
Cost FastForward::extract() {
  Cost total = 0;
  helpful_.clear();
  std::vector<char> is_wanted(relaxed_.fact_count, 0);
  std::vector<char> is_used(relaxed_.operators.size(), 0);
  std::vector<FactId> queue{relaxed_.goal};
  is_wanted[index_of(relaxed_.goal)] = 1;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::int32_t o = by_[index_of(queue[next])];
    if (o < 0 || is_used[index_of(o)] != 0) {
      continue;
    }
    is_used[index_of(o)] = 1;
    total += relaxed_.operators[index_of(o)].cost;
    if (needs_sum_[index_of(o)] == 0 && index_of(o) + 1 < relaxed_.operators.size()) {
      helpful_.push_back(o);
    }
    for (const FactId f : relaxed_.operators[index_of(o)].needs) {
      if (is_wanted[index_of(f)] == 0) {
        is_wanted[index_of(f)] = 1;
        queue.push_back(f);
      }
    }
  }
  std::sort(helpful_.begin(), helpful_.end());
  return total;
}

Cost FastForward::operator()(std::span<const FactId> state) {
  reach_all(state);
  if (sum_[index_of(relaxed_.goal)] >= kDeadEnd) {
    helpful_.clear();
    return kDeadEnd;
  }
  return extract();
}

}  // namespace longarm::pddl
