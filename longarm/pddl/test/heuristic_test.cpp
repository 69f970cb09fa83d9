// SPDX-License-Identifier: Apache-2.0
// LM-cut against sums known by hand; the relaxed plan's helpful steps.
#include "longarm/pddl/heuristic.h"

#include <gmock/gmock.h>

#include "longarm/pddl/test/domains.h"

namespace longarm::pddl {
namespace {

/// n needs its two parents at costs; the cheapest relaxed plan is known by hand.
GroundProblem diamond() {
  // start → a (3), start → b (5), a and b → goal (1)
  GroundProblem problem;
  problem.facts = {"start", "a", "b", "goal"};
  problem.operators = {
      {{0}, {1}, {}, 3000, 0, {}}, {{0}, {2}, {}, 5000, 0, {}}, {{1, 2}, {3}, {}, 1000, 0, {}}};
  problem.initial = {0};
  problem.goal = {3};
  return problem;
}

TEST(LmCut, AddsWhatTheDearestNeedAloneWouldMiss) {
  // h_max sees the dearer parent only: 5 + 1; the cuts are {join}: 1, {b}: 5, {a}: 3, in all 9
  const GroundProblem problem = diamond();
  LmCut estimate(problem);
  EXPECT_EQ(estimate(problem.initial), 9000);
  const std::vector<FactId> with_b{0, 2};
  EXPECT_EQ(estimate(with_b), 4000);
  const std::vector<FactId> at_goal{3};
  EXPECT_EQ(estimate(at_goal), 0);
}

TEST(LmCut, TakesTheCheaperOfTwoWays) {
  GroundProblem problem = diamond();
  problem.operators.push_back({{0}, {3}, {}, 7000, 0, {}});  // start → goal directly
  LmCut estimate(problem);
  const Cost left = estimate(problem.initial);
  EXPECT_LE(left, 7000);  // never more than the true cost
  EXPECT_GE(left, 6000);  // h_max
}

TEST(LmCut, KnowsADeadEnd) {
  const GroundProblem problem = diamond();
  LmCut estimate(problem);
  const std::vector<FactId> nowhere{};
  EXPECT_EQ(estimate(nowhere), kDeadEnd);
  FastForward quick(problem);
  EXPECT_EQ(quick(nowhere), kDeadEnd);
}

TEST(LmCut, CountsAllLoadsAndUnloads) {
  // six balls: a take and a drop each, and one way; ways back are invisible where nothing is undone
  const Domain domain = rooms_domain();
  const Result<GroundProblem> problem = ground(domain, rooms_problem(6, domain), 10'000);
  LmCut estimate(*problem);
  EXPECT_EQ(estimate(problem->initial), 13 * kCostUnit);
}

TEST(FastForward, HelpsWithTheFirstStepsOfItsPlan) {
  // costs count one more each: (3 + 1) + (5 + 1) + (1 + 1)
  const GroundProblem problem = diamond();
  FastForward estimate(problem);
  EXPECT_EQ(estimate(problem.initial), 12000);
  EXPECT_THAT(estimate.helpful(), testing::ElementsAre(0, 1));
  const std::vector<FactId> with_b{0, 2};
  EXPECT_EQ(estimate(with_b), 6000);
  EXPECT_THAT(estimate.helpful(), testing::ElementsAre(0));
}

}  // namespace
}  // namespace longarm::pddl
