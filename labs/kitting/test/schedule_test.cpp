// SPDX-License-Identifier: Apache-2.0
// Plans in time: hand-computed cases, and what must hold for every schedule.
#include "labs/kitting/schedule.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "labs/kitting/problem.h"
#include "labs/kitting/schedule_order.h"
#include "labs/kitting/test/aprs_fixture.h"
#include "longarm/pddl/validate.h"

namespace longarm::kitting {
namespace {

using std::chrono::seconds;

/// Robots a and b, a belt that both share and a table each; picks take 3 s, places 2 s, the
/// belt 10.
struct Bench {
  Bench() {
    ontology.parts = {{"gear", "g", 0.0}};
    ontology.robots = {{.name = "a"}, {.name = "b"}};
    ontology.zones = {{"belt", {0, 0}, {1, 1}, 0.0, true, true},
                      {"table_a", {1, 0}, {2, 1}, 0.0, false, false},
                      {"table_b", {2, 0}, {3, 1}, 0.0, false, false}};
    domain = make_domain(ontology);
    problem.domain = domain.name;
    problem.minimizes_cost = true;
    for (const char* robot : {"a", "b"}) {
      problem.objects.push_back({robot, {"robot"}});
      fact("works", {robot});
      fact("free", {robot});
    }
    for (const Zone& zone : ontology.zones) {
      problem.objects.push_back({zone.name, {"zone"}});
    }
    fact("ready", {"table_a"});
    fact("ready", {"table_b"});
  }

  void fact(const std::string& predicate, std::vector<std::string> terms) {
    problem.initial.push_back({predicate, std::move(terms)});
  }
  /// A slot that the robots of `reached_by` reach; `gear` sits in it unless it is empty.
  void slot(const std::string& name, const std::string& zone,
            const std::vector<std::string>& reached_by, const std::string& gear = {}) {
    problem.objects.push_back({name, {"slot"}});
    fact("in", {name, zone});
    for (const std::string& robot : reached_by) {
      fact("reaches", {robot, name});
      problem.values.push_back({{"pick-time", {robot, name}}, 3000});
      problem.values.push_back({{"place-time", {robot, name}}, 2000});
    }
    if (gear.empty()) {
      fact("empty", {name});
      return;
    }
    problem.objects.push_back({gear, {"gear"}});
    fact("at", {gear, name});
    fact("filled", {name});
  }
  void carry(const std::string& robot, const std::string& gear, const std::string& from,
             const std::string& from_zone, const std::string& to, const std::string& to_zone) {
    fact("meant", {gear, to});
    plan.steps.push_back({"pick", {robot, gear, from, from_zone}});
    plan.steps.push_back({"place", {robot, gear, to, to_zone}});
  }
  Schedule schedule(bool balances) {
    const Result<pddl::Cost> cost = pddl::validate(domain, problem, plan.steps);
    EXPECT_TRUE(cost) << cost.error().message;
    return make_schedule(domain, problem, plan, ontology, {.balances = balances});
  }

  Ontology ontology;
  pddl::Domain domain;
  pddl::Problem problem;
  pddl::Plan plan;
};

/// What must hold for every schedule of a plan.
void expect_sound(const Schedule& schedule, const pddl::Domain& domain,
                  const pddl::Problem& problem) {
  std::vector<pddl::Step> order;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const TimedStep& step = schedule.steps[i];
    order.push_back(step.step);
    for (const std::size_t before : step.after) {
      ASSERT_LT(before, i);
      EXPECT_LE(schedule.steps[before].end, step.start);
    }
    for (std::size_t j = 0; j < i; ++j) {
      const TimedStep& other = schedule.steps[j];
      EXPECT_LE(other.start, step.start);
      if (step.start >= other.end) {
        continue;
      }
      // at the same time: other robots, other zones, nothing that one does to the other
      EXPECT_NE(step.robot, other.robot);
      for (const std::string& zone : step.zones) {
        EXPECT_THAT(other.zones, testing::Not(testing::Contains(zone)));
      }
      EXPECT_FALSE(
          interfere(bind_step(domain, problem, step.step), bind_step(domain, problem, other.step)));
    }
  }
  EXPECT_GE(schedule.makespan, schedule.critical_path);
  const Result<pddl::Cost> cost = pddl::validate(domain, problem, order);
  EXPECT_TRUE(cost) << cost.error().message;
}

TEST(Schedule, ArmsOnTheirOwnTablesWorkAtTheSameTime) {
  // each picks for 3 s and places for 2 s: 5 s in all, all of it together
  Bench bench;
  bench.slot("s1", "table_a", {"a"}, "g_1");
  bench.slot("s2", "table_a", {"a"});
  bench.slot("s3", "table_b", {"b"}, "g_2");
  bench.slot("s4", "table_b", {"b"});
  bench.carry("a", "g_1", "s1", "table_a", "s2", "table_a");
  bench.carry("b", "g_2", "s3", "table_b", "s4", "table_b");
  const Schedule schedule = bench.schedule(false);
  expect_sound(schedule, bench.domain, bench.problem);
  EXPECT_EQ(schedule.makespan, seconds(5));
  EXPECT_EQ(schedule.overlap, seconds(5));
  EXPECT_EQ(schedule.critical_path, seconds(5));
}

TEST(Schedule, OneArmAtATimeIsInTheBeltsZone) {
  // both from the belt to their tables: a is in the zone for 3 s, then b for 3 s, while a places
  // (2 s); b places until 8 s. Together from 3 to 5 s.
  Bench bench;
  bench.fact("ready", {"belt"});
  bench.slot("s1", "belt", {"a", "b"}, "g_1");
  bench.slot("s2", "belt", {"a", "b"}, "g_2");
  bench.slot("t1", "table_a", {"a"});
  bench.slot("t2", "table_b", {"b"});
  bench.carry("a", "g_1", "s1", "belt", "t1", "table_a");
  bench.carry("b", "g_2", "s2", "belt", "t2", "table_b");
  const Schedule schedule = bench.schedule(false);
  expect_sound(schedule, bench.domain, bench.problem);
  EXPECT_EQ(schedule.makespan, seconds(8));
  EXPECT_EQ(schedule.overlap, seconds(2));
}

TEST(Schedule, AnArmStaysInTheZoneWithWhatItPickedForIt) {
  // a carries within the belt's zone for 5 s; b comes after that
  Bench bench;
  bench.fact("ready", {"belt"});
  bench.slot("s1", "belt", {"a"}, "g_1");
  bench.slot("s2", "belt", {"a"});
  bench.slot("s3", "belt", {"b"}, "g_2");
  bench.slot("t2", "table_b", {"b"});
  bench.carry("a", "g_1", "s1", "belt", "s2", "belt");
  bench.carry("b", "g_2", "s3", "belt", "t2", "table_b");
  const Schedule schedule = bench.schedule(false);
  expect_sound(schedule, bench.domain, bench.problem);
  EXPECT_EQ(schedule.makespan, seconds(10));
  EXPECT_EQ(schedule.overlap, seconds(0));
}

TEST(Schedule, TheBeltMovesWhileArmsAreElsewhere) {
  // the belt until 10 s, a on its table meanwhile until 5 s; b from the belt 10 to 15 s
  Bench bench;
  bench.fact("movable", {"belt"});
  bench.problem.values.push_back({{"bring-time", {"belt"}}, 10000});
  bench.slot("s1", "table_a", {"a"}, "g_1");
  bench.slot("s2", "table_a", {"a"});
  bench.slot("s3", "belt", {"b"}, "g_2");
  bench.slot("s4", "table_b", {"b"});
  bench.carry("a", "g_1", "s1", "table_a", "s2", "table_a");
  bench.plan.steps.push_back({"bring", {"belt"}});
  bench.carry("b", "g_2", "s3", "belt", "s4", "table_b");
  const Schedule schedule = bench.schedule(false);
  expect_sound(schedule, bench.domain, bench.problem);
  EXPECT_EQ(schedule.makespan, seconds(15));
  EXPECT_EQ(schedule.critical_path, seconds(15));
}

TEST(Schedule, WaitsForTheSlotThatTheOtherArmClears) {
  // a takes g_1 out of the slot (3 s) into which b puts g_2, which it picked meanwhile: b places
  // from 3 to 5 s
  Bench bench;
  bench.slot("s1", "table_b", {"a", "b"}, "g_1");
  bench.slot("t1", "table_a", {"a"});
  bench.slot("s2", "table_b", {"b"}, "g_2");
  bench.carry("a", "g_1", "s1", "table_b", "t1", "table_a");
  bench.carry("b", "g_2", "s2", "table_b", "s1", "table_b");
  const Schedule schedule = bench.schedule(false);
  expect_sound(schedule, bench.domain, bench.problem);
  EXPECT_EQ(schedule.makespan, seconds(5));
  EXPECT_EQ(schedule.overlap, seconds(5));
}

TEST(Schedule, GivesHalfOfTheWorkToTheOtherArm) {
  // four parts of 5 s each, all given to a: 20 s; two each: 10 s
  Bench bench;
  for (int i = 1; i <= 4; ++i) {
    const std::string n = std::to_string(i);
    bench.slot("s" + n, "table_a", {"a", "b"}, "g_" + n);
    bench.slot("t" + n, "table_a", {"a", "b"});
    bench.carry("a", "g_" + n, "s" + n, "table_a", "t" + n, "table_a");
  }
  EXPECT_EQ(bench.schedule(false).makespan, seconds(20));
  const Schedule schedule = bench.schedule(true);
  expect_sound(schedule, bench.domain, bench.problem);
  EXPECT_EQ(schedule.makespan, seconds(10));
  EXPECT_EQ(schedule.overlap, seconds(10));
}

TEST(Schedule, AFullHandIsEmptiedFirstAndThenHelps) {
  // b holds g_5, which the plan puts down last: 2 s, then b is free for two of the four parts of
  // 5 s each that the plan gives to a. Without that a works for 20 s.
  Bench bench;
  for (int i = 1; i <= 4; ++i) {
    const std::string n = std::to_string(i);
    bench.slot("s" + n, "table_a", {"a", "b"}, "g_" + n);
    bench.slot("t" + n, "table_a", {"a", "b"});
    bench.carry("a", "g_" + n, "s" + n, "table_a", "t" + n, "table_a");
  }
  std::erase(bench.problem.initial, pddl::Atom{"free", {"b"}});
  bench.problem.objects.push_back({"g_5", {"gear"}});
  bench.fact("holds", {"b", "g_5"});
  bench.slot("t5", "table_b", {"b"});
  bench.fact("meant", {"g_5", "t5"});
  bench.plan.steps.push_back({"place", {"b", "g_5", "t5", "table_b"}});
  EXPECT_EQ(bench.schedule(false).makespan, seconds(20));
  const Schedule schedule = bench.schedule(true);
  expect_sound(schedule, bench.domain, bench.problem);
  EXPECT_EQ(schedule.makespan, seconds(12));
}

TEST(Schedule, OfTheCellIsSoundAndSharesTheWork) {
  const Ontology ontology = load_ontology("aprs");
  const pddl::Domain domain = make_domain(ontology);
  WorldModel world(ontology, WorldModelConfig{});
  world.update("camera_1", aprs_frame(ontology, at_ms(0), 0.45), at_ms(0));
  const KittingPlan made =
      plan_kits(ontology, domain, {{{"m2l1", 2, {}}, {"s2l2", 1, {}}}}, world, {});
  const Schedule schedule = make_schedule(domain, made.question.problem, made.plan, ontology);
  expect_sound(schedule, domain, made.question.problem);
  EXPECT_EQ(schedule.steps.size(), made.plan.steps.size());
  // one arm alone would take the sum of all picks and places; two at work take less
  EXPECT_LT(schedule.makespan, Duration(made.plan.cost * 1'000'000));
  EXPECT_GT(schedule.overlap, seconds(10));
  const std::string text = schedule_text(schedule);
  EXPECT_THAT(text, testing::HasSubstr("belt      (bring belt)"));
}

}  // namespace
}  // namespace longarm::kitting
