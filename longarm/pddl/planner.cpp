// SPDX-License-Identifier: Apache-2.0
// Grounds, then searches: first for the best plan, then for any.
#include "longarm/pddl/planner.h"

#include <optional>

#include "longarm/core/diagnostic.h"
#include "longarm/pddl/ground.h"
#include "longarm/pddl/search.h"

namespace longarm::pddl {
namespace {

void count(const SearchResult& search, Plan& plan) {
  plan.expanded += search.expanded;
  plan.evaluated += search.evaluated;
}

void take(const Domain& domain, const GroundProblem& problem,
          const std::vector<std::int32_t>& operators, Plan& plan) {
  plan.outcome = PlanOutcome::kSolved;
  for (const std::int32_t o : operators) {
    const Operator& each = problem.operators[static_cast<std::size_t>(o)];
    plan.steps.push_back(problem.step_of(domain, each));
    plan.cost += each.cost;
  }
}

}  // namespace

Plan make_plan(const Domain& domain, const Problem& problem, const PlannerOptions& options) {
  const Result<GroundProblem> grounded = ground(domain, problem, options.most_operators);
  if (!grounded) {
    throw InputError(Diagnostic{{problem.name},
                                "the problem is too large: " + grounded.error().message,
                                "remove objects, or use actions with fewer parameters"});
  }
  Plan plan;
  plan.facts = static_cast<std::int64_t>(grounded->facts.size());
  plan.operators = static_cast<std::int64_t>(grounded->operators.size());
  plan.unreachable = grounded->unreachable;
  if (!plan.unreachable.empty()) {
    plan.outcome = PlanOutcome::kUnsolvable;
    plan.method = "relaxed reachability";
    return plan;
  }
  if (options.optimal_states > 0) {
    plan.method = "A* with LM-cut";
    const SearchResult search = search_optimal(*grounded, options.optimal_states);
    count(search, plan);
    if (search.operators) {
      take(domain, *grounded, *search.operators, plan);
      plan.is_optimal = true;
      return plan;
    }
    if (search.is_exhausted) {
      plan.outcome = PlanOutcome::kUnsolvable;
      return plan;
    }
  }
  if (options.greedy_states > 0) {
    plan.method = "lazy greedy with FF";
    const SearchResult search = search_greedy(*grounded, options.greedy_states);
    count(search, plan);
    if (search.operators) {
      take(domain, *grounded, shorten(*grounded, *search.operators), plan);
      plan.is_optimal = plan.steps.empty();
      return plan;
    }
    if (search.is_exhausted) {
      plan.outcome = PlanOutcome::kUnsolvable;
    }
  }
  return plan;
}

}  // namespace longarm::pddl
