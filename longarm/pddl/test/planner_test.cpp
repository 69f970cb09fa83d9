// SPDX-License-Identifier: Apache-2.0
// Plans are right, optimal ones optimal: against closed forms and against exhaustion.
#include "longarm/pddl/planner.h"

#include <map>
#include <queue>
#include <set>

#include <gmock/gmock.h>

#include "longarm/core/random.h"
#include "longarm/pddl/ground.h"
#include "longarm/pddl/plan_file.h"
#include "longarm/pddl/test/domains.h"
#include "longarm/pddl/validate.h"

namespace longarm::pddl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr PlannerOptions kGreedyOnly{.optimal_states = 0};

Problem blocks_problem(const std::string& init, const std::string& goal, const Domain& domain) {
  return problem_of("(define (problem p) (:domain blocks) (:objects a b c d - block) (:init " +
                        init + ") (:goal (and " + goal + ")))",
                    domain);
}

/// The plan's own cost is the validator's.
void expect_valid(const Domain& domain, const Problem& problem, const Plan& plan) {
  ASSERT_EQ(plan.outcome, PlanOutcome::kSolved);
  const Result<Cost> cost = validate(domain, problem, plan.steps);
  ASSERT_TRUE(cost) << cost.error().message;
  EXPECT_EQ(*cost, plan.cost);
}

TEST(Planner, ReversesATowerInTwoActionsForEachBlock) {
  // a on b on c on d becomes d on c on b on a: each of the blocks that moves is taken up once and
  // put down once. a must go to the table (nothing may be under it), b onto a, c onto b, d onto c:
  // four blocks, eight actions.
  const Domain domain = blocks_domain();
  const Problem problem =
      blocks_problem("(hand-free) (clear a) (on a b) (on b c) (on c d) (on-table d)",
                     "(on d c) (on c b) (on b a) (on-table a)", domain);
  const Plan plan = make_plan(domain, problem);
  expect_valid(domain, problem, plan);
  EXPECT_TRUE(plan.is_optimal);
  EXPECT_EQ(plan.cost, 8 * kCostUnit);
}

TEST(Planner, SolvesSussmansAnomaly) {
  // c on a; wanted a on b on c: c down, b onto c, a onto b: six actions
  const Domain domain = blocks_domain();
  const Problem problem = blocks_problem(
      "(hand-free) (on c a) (clear c) (on-table a) (on-table b) (clear b) (on-table d) (clear d)",
      "(on a b) (on b c)", domain);
  const Plan plan = make_plan(domain, problem);
  expect_valid(domain, problem, plan);
  EXPECT_EQ(plan.cost, 6 * kCostUnit);
}

TEST(Planner, CarriesBallsTwoAtATime) {
  // n balls: n takes, n drops, and of ways one there for each pair and one back between them:
  // 2n + 2⌈n/2⌉ - 1
  const Domain domain = rooms_domain();
  for (const int balls : {1, 2, 3, 4, 5}) {
    const Problem problem = rooms_problem(balls, domain);
    const Plan plan = make_plan(domain, problem);
    expect_valid(domain, problem, plan);
    EXPECT_TRUE(plan.is_optimal);
    EXPECT_EQ(plan.cost, (2 * balls + 2 * ((balls + 1) / 2) - 1) * kCostUnit) << balls;
  }
}

TEST(Planner, FindsTheCheapestWayNotTheShortest) {
  // a to c directly costs 10, through b 2.5 + 3.25; a load and an unload cost one each
  const Domain domain = roads_domain();
  const Problem problem = problem_of(R"((define (problem p) (:domain roads)
    (:objects a b c - place t - truck x - package)
    (:init (at t a) (at x a) (road a b) (road b c) (road a c)
           (= (total-cost) 0) (= (length a b) 2.5) (= (length b c) 3.25) (= (length a c) 10))
    (:goal (at x c)) (:metric minimize (total-cost))))",
                                     domain);
  const Plan plan = make_plan(domain, problem);
  expect_valid(domain, problem, plan);
  EXPECT_EQ(cost_text(plan.cost), "7.75");
  EXPECT_EQ(write_plan(plan),
            "(load x t a)\n(drive t a b)\n(drive t b c)\n(unload x t c)\n"
            "; cost = 7.75 (general cost)\n; optimal, found by A* with LM-cut\n");
}

/// Costs of all states by exhaustion, on states as sets of names: nothing of the planner's but the
/// ground problem.
Cost exhaust(const GroundProblem& problem) {
  using State = std::set<FactId>;
  std::map<State, Cost> best;
  std::priority_queue<std::pair<Cost, State>, std::vector<std::pair<Cost, State>>, std::greater<>>
      open;
  const State start(problem.initial.begin(), problem.initial.end());
  open.emplace(0, start);
  best[start] = 0;
  const auto has_all = [](const State& state, const std::vector<FactId>& facts) {
    return std::all_of(facts.begin(), facts.end(), [&](FactId f) { return state.contains(f); });
  };
  while (!open.empty()) {
    const auto [cost, state] = open.top();
    open.pop();
    if (cost > best.at(state)) {
      continue;
    }
    if (has_all(state, problem.goal)) {
      return cost;
    }
    for (const Operator& each : problem.operators) {
      if (!has_all(state, each.needs)) {
        continue;
      }
      State next = state;
      for (const FactId f : each.deletes) {
        next.erase(f);
      }
      next.insert(each.adds.begin(), each.adds.end());
      const auto found = best.find(next);
      if (found == best.end() || cost + each.cost < found->second) {
        best[next] = cost + each.cost;
        open.emplace(cost + each.cost, next);
      }
    }
  }
  return -1;
}

/// Four to five places, roads at random, one or two trucks, two packages.
Problem random_roads(std::uint64_t seed, const Domain& domain) {
  RandomStream random(seed, "roads");
  const auto below = [&](int n) { return static_cast<int>(random.uniform() * n); };
  const int places = 4 + below(2);
  const int trucks = 1 + below(2);
  std::string objects = "x y - package";
  std::string init = fmt::format("(at x p{}) (at y p{})", below(places), below(places));
  for (int p = 0; p < places; ++p) {
    objects += fmt::format(" p{} - place", p);
    for (int q = 0; q < places; ++q) {
      if (p != q && random.uniform() < 0.45) {
        init += fmt::format(" (road p{0} p{1}) (= (length p{0} p{1}) {2})", p, q, below(10));
      }
    }
  }
  for (int t = 0; t < trucks; ++t) {
    objects += fmt::format(" t{} - truck", t);
    init += fmt::format(" (at t{} p{})", t, below(places));
  }
  return problem_of(
      fmt::format("(define (problem p) (:domain roads) (:objects {}) (:init {}) (:goal (and (at x "
                  "p{}) (at y p{}))) (:metric minimize (total-cost)))",
                  objects, init, below(places), below(places)),
      domain);
}

TEST(Planner, IsAsGoodAsExhaustionOnRandomProblems) {
  const Domain domain = roads_domain();
  int solved = 0;
  int unsolvable = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Problem problem = random_roads(seed, domain);
    const Plan plan = make_plan(domain, problem);
    const Plan quick = make_plan(domain, problem, kGreedyOnly);
    const Result<GroundProblem> grounded = ground(domain, problem, 100'000);
    const Cost best = grounded->unreachable.empty() ? exhaust(*grounded) : -1;
    if (best < 0) {
      ++unsolvable;
      EXPECT_EQ(plan.outcome, PlanOutcome::kUnsolvable) << seed;
      EXPECT_EQ(quick.outcome, PlanOutcome::kUnsolvable) << seed;
      continue;
    }
    ++solved;
    expect_valid(domain, problem, plan);
    expect_valid(domain, problem, quick);
    EXPECT_EQ(plan.cost, best) << seed;
    EXPECT_TRUE(plan.is_optimal);
    EXPECT_GE(quick.cost, best) << seed;
  }
  EXPECT_GT(solved, 20);
  EXPECT_GT(unsolvable, 5);
}

TEST(Planner, SaysWhichGoalNothingAchieves) {
  const Domain domain = roads_domain();
  const Problem problem = problem_of(R"((define (problem p) (:domain roads)
    (:objects a b - place t - truck x y - package)
    (:init (at t a) (at x a) (at y b)) (:goal (and (at x b) (at y b)))))",
                                     domain);
  const Plan plan = make_plan(domain, problem);
  EXPECT_EQ(plan.outcome, PlanOutcome::kUnsolvable);
  EXPECT_THAT(plan.unreachable, ElementsAre("(at x b)"));
}

TEST(Planner, ProvesThatTwoGoalsExcludeEachOther) {
  // each is reachable by itself: only exhaustion shows that a cannot be on b and on c
  const Domain domain = blocks_domain();
  const Problem problem = blocks_problem(
      "(hand-free) (on-table a) (clear a) (on-table b) (clear b) (on-table c) "
      "(clear c) (on-table d) (clear d)",
      "(on a b) (on a c)", domain);
  for (const PlannerOptions& options : {PlannerOptions{}, kGreedyOnly}) {
    const Plan plan = make_plan(domain, problem, options);
    EXPECT_EQ(plan.outcome, PlanOutcome::kUnsolvable);
    EXPECT_TRUE(plan.unreachable.empty());
  }
}

TEST(Planner, GivesUpWhenItsBudgetIsSpent) {
  const Domain domain = rooms_domain();
  const Problem problem = rooms_problem(12, domain);
  const Plan plan = make_plan(domain, problem, {.optimal_states = 20, .greedy_states = 3});
  EXPECT_EQ(plan.outcome, PlanOutcome::kOutOfBudget);
  EXPECT_LE(plan.evaluated, 23);
}

TEST(Planner, FallsBackToAQuickSearchAndSaysSo) {
  // 40 balls have 2n + 2⌈n/2⌉ - 1 = 119 actions at best; the quick plan is no more than twice that
  const Domain domain = rooms_domain();
  const Problem problem = rooms_problem(40, domain);
  const Plan plan = make_plan(domain, problem, {.optimal_states = 20});
  expect_valid(domain, problem, plan);
  EXPECT_FALSE(plan.is_optimal);
  EXPECT_EQ(plan.method, "lazy greedy with FF");
  EXPECT_GE(plan.cost, 119 * kCostUnit);
  EXPECT_LE(plan.cost, 238 * kCostUnit);
}

TEST(Planner, PlansNothingForWhatIsAlreadySo) {
  const Domain domain = rooms_domain();
  Problem problem = rooms_problem(2, domain);
  problem.goal = {{{"robot-in", {"a"}}, false}};
  const Plan plan = make_plan(domain, problem);
  EXPECT_EQ(plan.outcome, PlanOutcome::kSolved);
  EXPECT_TRUE(plan.steps.empty());
  EXPECT_TRUE(plan.is_optimal);
}

TEST(Planner, RefusesProblemsThatAreTooLarge) {
  const Domain domain = rooms_domain();
  try {
    make_plan(domain, rooms_problem(40, domain), {.most_operators = 100});
    FAIL() << "it was accepted";
  } catch (const InputError& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("more than 100 instances of actions"));
  }
}

TEST(Validator, FindsWhatIsWrongWithAPlan) {
  const Domain domain = rooms_domain();
  const Problem problem = rooms_problem(1, domain);
  const auto error_of = [&](const std::vector<Step>& steps) {
    const Result<Cost> cost = validate(domain, problem, steps);
    return cost ? "none" : cost.error().message;
  };
  const Step take{"take", {"ball_1", "a", "left"}};
  const Step go{"go", {"a", "b"}};
  const Step drop{"drop", {"ball_1", "b", "left"}};
  EXPECT_EQ(error_of({take, go, drop}), "none");
  EXPECT_EQ(error_of({take, go}), "after the last step the goal (ball-in ball_1 b) does not hold");
  EXPECT_EQ(error_of({take, drop}), "step 2, (drop ball_1 b left): (robot-in b) does not hold");
  EXPECT_EQ(error_of({take, take}),
            "step 2, (take ball_1 a left): (ball-in ball_1 a) does not hold");
  EXPECT_EQ(error_of({{"take", {"ball_1", "left", "a"}}}),
            "step 1, (take ball_1 left a): 'left' is of the wrong type for ?r");
  EXPECT_EQ(error_of({{"fly", {}}}), "step 1, (fly): unknown action");
  EXPECT_EQ(error_of({{"go", {"a"}}}), "step 1, (go a): it takes 2 arguments");
  EXPECT_EQ(error_of({{"go", {"a", "z"}}}), "step 1, (go a z): there is no object 'z'");
}

TEST(PlanFile, ReadsWhatItWrites) {
  Plan plan;
  plan.steps = {{"go", {"a", "b"}}, {"wait", {}}};
  Diagnostics diagnostics;
  EXPECT_EQ(read_plan(write_plan(plan), "plan.txt", diagnostics), plan.steps);
  EXPECT_FALSE(diagnostics.has_errors());
  read_plan("(go a b)\nstop", "plan.txt", diagnostics);
  ASSERT_EQ(diagnostics.all().size(), 1U);
  EXPECT_EQ(diagnostics.all()[0].format(),
            "plan.txt:2:1: error: stop is not an action\n  hint: write: (action argument …)");
}

}  // namespace
}  // namespace longarm::pddl
