// SPDX-License-Identifier: Apache-2.0
// Both searches judge a state only when it is its turn: until then its parent's estimate stands in.
#include "longarm/pddl/search.h"

#include <algorithm>
#include <array>
#include <queue>
#include <tuple>

#include "longarm/core/index.h"
#include "longarm/pddl/heuristic.h"
#include "longarm/pddl/state_space.h"

namespace longarm::pddl {
namespace {

/// How a state was reached.
struct Node {
  StateId parent = -1;
  std::int32_t by = -1;  ///< operator
  Cost cost = 0;         ///< from the start
  Cost left = 0;         ///< estimate
  bool is_judged = false;
  bool is_closed = false;
};

std::vector<std::int32_t> way_to(StateId state, const std::vector<Node>& nodes) {
  std::vector<std::int32_t> way;
  for (; nodes[index_of(state)].parent >= 0; state = nodes[index_of(state)].parent) {
    way.push_back(nodes[index_of(state)].by);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

class OptimalSearch {
 public:
  OptimalSearch(const GroundProblem& problem, std::int64_t most_states)
      : problem_(problem), most_states_(most_states), space_(problem), estimate_(problem) {}

  SearchResult run() {
    space_.add(space_.initial());
    nodes_.push_back({});
    push(0);
    while (!open_.empty()) {
      const Entry entry = open_.top();
      open_.pop();
      const StateId state = std::get<4>(entry);
      Node& node = nodes_[index_of(state)];
      if (node.is_closed || -std::get<0>(entry) != node.cost + node.left) {
        continue;  // another way to it was cheaper, or it was judged meanwhile
      }
      const StateBits bits = space_.bits(state);
      const std::vector<FactId> facts = space_.facts_of(bits);
      if (!node.is_judged) {
        if (result_.evaluated >= most_states_) {
          return result_;
        }
        judge(node, facts);
        if (node.left >= kDeadEnd) {
          node.is_closed = true;
          continue;
        }
        if (node.cost + node.left > -std::get<0>(entry)) {
          push(state);
          continue;
        }
      }
      if (space_.is_goal(bits)) {
        result_.operators = way_to(state, nodes_);
        return result_;
      }
      expand(state, bits, facts);
    }
    result_.is_exhausted = true;
    return result_;
  }

 private:
  /// Cheapest in all, then of the newest parent, then by the cheapest step: what is not yet judged
  /// looks equally good with a dear step, and seldom is.
  using Entry = std::tuple<Cost, std::int64_t, Cost, std::int64_t, StateId>;

  void push(StateId state) {
    const Node& node = nodes_[index_of(state)];
    const Cost step = node.by < 0 ? 0 : problem_.operators[index_of(node.by)].cost;
    open_.emplace(-(node.cost + node.left), result_.expanded, -step, sequence_++, state);
  }

  void judge(Node& node, const std::vector<FactId>& facts) {
    ++result_.evaluated;
    node.is_judged = true;
    node.left = std::max(node.left, estimate_(facts));
  }

  void expand(StateId state, const StateBits& bits, const std::vector<FactId>& facts) {
    ++result_.expanded;
    nodes_[index_of(state)].is_closed = true;
    const Node parent = nodes_[index_of(state)];
    for (const std::int32_t o : space_.applicable(bits, facts)) {
      const Operator& each = problem_.operators[index_of(o)];
      const auto [next, is_new] = space_.add(space_.apply(bits, each));
      if (is_new) {
        nodes_.push_back({});
      }
      Node& node = nodes_[index_of(next)];
      const Cost cost = parent.cost + each.cost;
      if (!is_new && (node.left >= kDeadEnd || cost >= node.cost)) {
        continue;
      }
      node.parent = state;
      node.by = o;
      node.cost = cost;
      node.is_closed = false;  // LM-cut is not consistent: closed states may open again
      node.left = std::max(node.left, std::max<Cost>(0, parent.left - each.cost));
      push(next);
    }
  }

  const GroundProblem& problem_;
  std::int64_t most_states_;
  StateSpace space_;
  LmCut estimate_;
  std::vector<Node> nodes_;
  std::priority_queue<Entry> open_;
  std::int64_t sequence_ = 0;
  SearchResult result_;
};

class GreedySearch {
 public:
  GreedySearch(const GroundProblem& problem, std::int64_t most_states)
      : problem_(problem), most_states_(most_states), space_(problem), estimate_(problem) {}

  SearchResult run() {
    if (visit(space_.initial(), -1, -1)) {
      return result_;
    }
    for (;;) {
      const std::size_t queue = next_queue();
      if (open_[queue].empty()) {
        break;  // the queue of all is empty too
      }
      const Entry entry = open_[queue].top();
      open_[queue].pop();
      const auto [estimate, sequence, parent, by] = entry;
      if (result_.evaluated >= most_states_) {
        return result_;
      }
      const StateBits before = space_.bits(parent);
      if (visit(space_.apply(before, problem_.operators[index_of(by)]), parent, by)) {
        return result_;
      }
    }
    result_.is_exhausted = true;
    return result_;
  }

 private:
  /// Least left of the parent, then the oldest.
  using Entry = std::tuple<Cost, std::int64_t, StateId, std::int32_t>;
  static constexpr std::int64_t kBoost = 1000;

  /// Helpful operators have a queue of their own, which has its way after each success.
  std::size_t next_queue() {
    const bool takes_helpful = !open_[1].empty() && (open_[0].empty() || turns_[1] <= turns_[0]);
    const std::size_t queue = takes_helpful ? 1 : 0;
    ++turns_[queue];
    return queue;
  }

  /// True at a goal.
  bool visit(const StateBits& bits, StateId parent, std::int32_t by) {
    const auto [state, is_new] = space_.add(bits);
    if (!is_new) {
      return false;
    }
    nodes_.push_back({parent, by, 0, 0, true, true});
    if (space_.is_goal(bits)) {
      result_.operators = way_to(state, nodes_);
      return true;
    }
    const std::vector<FactId> facts = space_.facts_of(bits);
    ++result_.evaluated;
    const Cost left = estimate_(facts);
    if (left >= kDeadEnd) {
      return false;  // also without deletes: no plan goes through here
    }
    ++result_.expanded;
    if (left < least_) {
      least_ = left;
      turns_[1] -= kBoost;
    }
    for (const std::int32_t o : space_.applicable(bits, facts)) {
      open_[0].emplace(-left, -sequence_, state, o);
      if (std::binary_search(estimate_.helpful().begin(), estimate_.helpful().end(), o)) {
        open_[1].emplace(-left, -sequence_, state, o);
      }
      ++sequence_;
    }
    return false;
  }

  const GroundProblem& problem_;
  std::int64_t most_states_;
  StateSpace space_;
  FastForward estimate_;
  std::vector<Node> nodes_;
  std::array<std::priority_queue<Entry>, 2> open_;
  std::array<std::int64_t, 2> turns_{0, 0};
  Cost least_ = kDeadEnd;
  std::int64_t sequence_ = 0;
  SearchResult result_;
};

}  // namespace

SearchResult search_optimal(const GroundProblem& problem, std::int64_t most_states) {
  return OptimalSearch(problem, most_states).run();
}

SearchResult search_greedy(const GroundProblem& problem, std::int64_t most_states) {
  return GreedySearch(problem, most_states).run();
}

std::vector<std::int32_t> shorten(const GroundProblem& problem, std::vector<std::int32_t> plan) {
  const StateSpace space(problem);
  for (std::size_t i = 0; i < plan.size();) {
    // without this step, and without those that then cannot be done
    std::vector<std::int32_t> rest(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(i));
    StateBits state = space.initial();
    for (const std::int32_t o : rest) {
      state = space.apply(state, problem.operators[index_of(o)]);
    }
    for (std::size_t j = i + 1; j < plan.size(); ++j) {
      if (space.applies(state, problem.operators[index_of(plan[j])])) {
        state = space.apply(state, problem.operators[index_of(plan[j])]);
        rest.push_back(plan[j]);
      }
    }
    if (space.is_goal(state)) {
      plan = std::move(rest);
    } else {
      ++i;
    }
  }
  return plan;
}

}  // namespace longarm::pddl
