// SPDX-License-Identifier: Apache-2.0
// Cuts the justification graph before the goal, takes the cut's cheapest cost off it, and again,
// until the goal is free.
#include <algorithm>

#include "longarm/core/index.h"
#include "longarm/pddl/heuristic.h"

namespace longarm::pddl {

RelaxedProblem::RelaxedProblem(const GroundProblem& problem) {
  fact_count = problem.facts.size() + 2;
  always = static_cast<FactId>(problem.facts.size());
  goal = always + 1;
  for (const Operator& each : problem.operators) {
    operators.push_back({each.needs, each.adds, each.cost});
  }
  operators.push_back({problem.goal, {goal}, 0});
  needed_by.resize(fact_count);
  added_by.resize(fact_count);
  for (std::size_t o = 0; o < operators.size(); ++o) {
    if (operators[o].needs.empty()) {
      operators[o].needs.push_back(always);
    }
    for (const FactId f : operators[o].needs) {
      needed_by[index_of(f)].push_back(static_cast<std::int32_t>(o));
    }
    for (const FactId f : operators[o].adds) {
      added_by[index_of(f)].push_back(static_cast<std::int32_t>(o));
    }
  }
}

LmCut::LmCut(const GroundProblem& problem) : relaxed_(problem) {
  supporter_.resize(relaxed_.operators.size());
  support_.resize(relaxed_.operators.size());
}

Cost LmCut::operator()(std::span<const FactId> state) {
  cost_.clear();
  for (const RelaxedProblem::RelaxedOperator& each : relaxed_.operators) {
    cost_.push_back(each.cost);
  }
  reach_all(state);
  if (max_[index_of(relaxed_.goal)] >= kDeadEnd) {
    return kDeadEnd;
  }
  Cost total = 0;
  while (max_[index_of(relaxed_.goal)] > 0) {
    mark_goal_zone();
    const std::vector<std::int32_t> cut = find_cut(state);
    Cost least = kDeadEnd;
    for (const std::int32_t o : cut) {
      least = std::min(least, cost_[index_of(o)]);
    }
    total += least;
    for (const std::int32_t o : cut) {
      cost_[index_of(o)] -= least;
    }
    lower(cut);
  }
  return total;
}

void LmCut::come(FactId fact, Cost cost) {
  if (cost < max_[index_of(fact)]) {
    max_[index_of(fact)] = cost;
    queue_.emplace_back(-cost, fact);
    std::push_heap(queue_.begin(), queue_.end());
  }
}

void LmCut::choose_supporter(std::size_t o) {
  const std::vector<FactId>& needs = relaxed_.operators[o].needs;
  supporter_[o] = *std::max_element(needs.begin(), needs.end(), [&](FactId a, FactId b) {
    return max_[index_of(a)] < max_[index_of(b)];
  });
  support_[o] = max_[index_of(supporter_[o])];
}

/// The dearest needed fact of each operator, and of each fact the cheapest operator.
void LmCut::reach_all(std::span<const FactId> state) {
  max_.assign(relaxed_.fact_count, kDeadEnd);
  open_.clear();
  for (const RelaxedProblem::RelaxedOperator& each : relaxed_.operators) {
    open_.push_back(each.needs.size());
  }
  queue_.clear();
  come(relaxed_.always, 0);
  for (const FactId f : state) {
    come(f, 0);
  }
  settle(true);
}

/// After the costs of `cut` fell: what became cheaper because of it.
void LmCut::lower(const std::vector<std::int32_t>& cut) {
  queue_.clear();
  for (const std::int32_t o : cut) {
    for (const FactId f : relaxed_.operators[index_of(o)].adds) {
      come(f, support_[index_of(o)] + cost_[index_of(o)]);
    }
  }
  settle(false);
}

void LmCut::settle(bool is_first) {
  while (!queue_.empty()) {
    std::pop_heap(queue_.begin(), queue_.end());
    const auto [negative, fact] = queue_.back();
    queue_.pop_back();
    if (-negative != max_[index_of(fact)]) {
      continue;  // became cheaper meanwhile
    }
    for (const std::int32_t number : relaxed_.needed_by[index_of(fact)]) {
      const std::size_t o = index_of(number);
      if (is_first) {
        if (--open_[o] > 0) {
          continue;
        }
        supporter_[o] = fact;  // facts come in order of their costs: the last is the dearest
        support_[o] = max_[index_of(fact)];
      } else {
        if (open_[o] > 0 || supporter_[o] != fact || support_[o] <= max_[index_of(fact)]) {
          continue;
        }
        choose_supporter(o);
      }
      for (const FactId f : relaxed_.operators[o].adds) {
        come(f, support_[o] + cost_[o]);
      }
    }
  }
}

/// Facts from which free operators lead to the goal.
void LmCut::mark_goal_zone() {
  is_near_goal_.assign(relaxed_.fact_count, 0);
  std::vector<FactId> queue{relaxed_.goal};
  is_near_goal_[index_of(relaxed_.goal)] = 1;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const std::int32_t o : relaxed_.added_by[index_of(queue[next])]) {
      if (open_[index_of(o)] > 0 || cost_[index_of(o)] > 0) {
        continue;
      }
      const FactId from = supporter_[index_of(o)];
      if (is_near_goal_[index_of(from)] == 0) {
        is_near_goal_[index_of(from)] = 1;
        queue.push_back(from);
      }
    }
  }
}

/// Operators that lead into the goal's zone from what is reached without entering it.
std::vector<std::int32_t> LmCut::find_cut(std::span<const FactId> state) {
  std::vector<std::int32_t> cut;
  std::vector<char> is_seen(relaxed_.fact_count, 0);
  std::vector<FactId> queue{relaxed_.always};
  is_seen[index_of(relaxed_.always)] = 1;
  for (const FactId f : state) {
    is_seen[index_of(f)] = 1;
    queue.push_back(f);
  }
  for (std::size_t next = 0; next < queue.size(); ++next) {
    for (const std::int32_t o : relaxed_.needed_by[index_of(queue[next])]) {
      if (open_[index_of(o)] > 0 || supporter_[index_of(o)] != queue[next]) {
        continue;
      }
      const std::vector<FactId>& adds = relaxed_.operators[index_of(o)].adds;
      const bool enters = std::any_of(adds.begin(), adds.end(),
                                      [&](FactId f) { return is_near_goal_[index_of(f)] != 0; });
      if (enters) {
        cut.push_back(o);
        continue;
      }
      for (const FactId f : adds) {
        if (is_seen[index_of(f)] == 0) {
          is_seen[index_of(f)] = 1;
          queue.push_back(f);
        }
      }
    }
  }
  return cut;
}

}  // namespace longarm::pddl
