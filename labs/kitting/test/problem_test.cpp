// SPDX-License-Identifier: Apache-2.0
// Requests become plans; what cannot be done is left out, with the reason.
#include "labs/kitting/problem.h"

#include <algorithm>
#include <set>

#include <gmock/gmock.h>

#include "labs/kitting/problem_pairs.h"
#include "labs/kitting/test/aprs_fixture.h"
#include "longarm/core/random.h"
#include "longarm/pddl/validate.h"
#include "longarm/pddl/write.h"

namespace longarm::kitting {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Request kThreeKits{{{"m2l1", 2, {}}, {"s2l2", 1, {}}}};

class ProblemTest : public testing::Test {
 protected:
  void show(const devices::CameraFrame& frame) { world_.update("camera_1", frame, frame.stamp); }
  KittingPlan plan(const Request& request, const Circumstances& circumstances = {}) {
    KittingPlan out = plan_kits(ontology_, domain_, request, world_, circumstances);
    if (out.plan.outcome == pddl::PlanOutcome::kSolved) {
      const Result<pddl::Cost> cost = pddl::validate(domain_, out.question.problem, out.plan.steps);
      EXPECT_TRUE(cost) << cost.error().message;
    }
    return out;
  }
  static int count(const KittingPlan& plan, const std::string& action,
                   const std::string& robot = {}) {
    int n = 0;
    for (const pddl::Step& step : plan.plan.steps) {
      n += step.action == action && (robot.empty() || step.arguments[0] == robot) ? 1 : 0;
    }
    return n;
  }

  Ontology ontology_ = load_ontology("aprs");
  pddl::Domain domain_ = make_domain(ontology_);
  WorldModel world_{ontology_, WorldModelConfig{}};
};

TEST_F(ProblemTest, MakesTwoKitsOfOneKindAndOneOfTheOther) {
  // 2 · (2 + 1) + 4 = 10 gears, each picked and placed once, and the belt brought once
  show(aprs_frame(ontology_, at_ms(0), 0.45));
  const KittingPlan made = plan(kThreeKits);
  ASSERT_EQ(made.plan.outcome, pddl::PlanOutcome::kSolved);
  EXPECT_THAT(made.question.left_out, IsEmpty());
  EXPECT_EQ(count(made, "pick"), 10);
  EXPECT_EQ(count(made, "place"), 10);
  EXPECT_EQ(count(made, "bring"), 1);
  EXPECT_EQ(made.plan.steps.size(), 21U);
  EXPECT_TRUE(made.plan.is_optimal);
}

TEST_F(ProblemTest, BringsNothingThatIsAlreadyThere) {
  show(aprs_frame(ontology_, at_ms(0), 0.01));  // within the tolerance of 0.02
  EXPECT_EQ(count(plan(kThreeKits), "bring"), 0);
}

TEST_F(ProblemTest, WorksWhereTheTraysAreWhenTheBeltDoesNot) {
  // 0.1 m upstream both kits of s2l2 are still in reach
  show(aprs_frame(ontology_, at_ms(0), 0.1));
  const KittingPlan made = plan(kThreeKits, {.belt_works = false});
  EXPECT_THAT(made.question.left_out, IsEmpty());
  EXPECT_EQ(count(made, "bring"), 0);
  EXPECT_EQ(count(made, "place"), 10);
}

TEST_F(ProblemTest, SaysWhatABeltThatStandsStillKeepsAway) {
  show(aprs_frame(ontology_, at_ms(0), 0.9));
  const KittingPlan made = plan(kThreeKits, {.belt_works = false});
  ASSERT_EQ(made.question.left_out.size(), 1U);
  EXPECT_EQ(made.question.left_out[0].kit, "s2l2 on s2l2_kit_1");
  EXPECT_THAT(made.question.left_out[0].reason,
              HasSubstr("no working robot reaches slot_1 of s2l2_kit_1"));
  EXPECT_EQ(count(made, "place"), 6);  // both m2l1
}

TEST_F(ProblemTest, LeavesTheTableToTheArmThatReachesIt) {
  show(aprs_frame(ontology_, at_ms(0)));
  world_.set_robot({"fanuc", false, "", "broken"}, at_ms(0));
  const KittingPlan made = plan(kThreeKits);
  EXPECT_EQ(made.question.kits.size(), 1U);
  EXPECT_EQ(made.question.kits[0].kit, "s2l2");
  EXPECT_EQ(count(made, "place", "motoman"), 4);
  ASSERT_EQ(made.question.left_out.size(), 2U);
  EXPECT_EQ(made.question.left_out[0].reason, "no working robot reaches slot_1 of m2l1_kit_1");
}

TEST_F(ProblemTest, OneArmDoesAllWhenTheOtherIsBroken) {
  show(aprs_frame(ontology_, at_ms(0)));
  world_.set_robot({"motoman", false, "", "broken"}, at_ms(0));
  const KittingPlan made = plan(kThreeKits);
  EXPECT_THAT(made.question.left_out, IsEmpty());
  EXPECT_EQ(count(made, "place", "fanuc"), 10);
}

TEST_F(ProblemTest, CountsPartsBeforeItAsksThePlanner) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0));
  Pose& fallen = find_detection(frame, "medium_gear_2")->X_WP;
  fallen = pose_of(0.31, -1.5, 0.93, 0.0);
  fallen.linear() = Eigen::AngleAxisd(1.57, Vector3::UnitX()).toRotationMatrix();
  show(frame);
  const KittingPlan made = plan(kThreeKits);
  ASSERT_EQ(made.question.left_out.size(), 1U);
  EXPECT_EQ(made.question.left_out[0].kit, "m2l1 on m2l1_kit_2");
  EXPECT_EQ(made.question.left_out[0].reason,
            "no medium_gear is left for slot_2 of m2l1_kit_2: medium_gear_2 is fallen over at "
            "(0.310, -1.500)");
  EXPECT_EQ(made.plan.outcome, pddl::PlanOutcome::kSolved);
  EXPECT_EQ(count(made, "place"), 7);
}

TEST_F(ProblemTest, PicksUpWhatLiesAround) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0));
  find_detection(frame, "medium_gear_2")->X_WP.translation() = Vector3(0.2, -0.93, 0.916);
  show(frame);
  const KittingPlan made = plan(kThreeKits);
  EXPECT_THAT(made.question.left_out, IsEmpty());
  EXPECT_EQ(count(made, "pick-loose"), 1);
  EXPECT_EQ(count(made, "pick"), 9);
}

TEST_F(ProblemTest, PutsACrookedGearIntoItsSeatAgain) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0));
  const Pose X_WT = pose_of(0.399147, -1.04506, 0.916, -1.6077);  // m2l1_kit_1
  const auto seat = [&](int slot, double off_m) {
    Pose X = X_WT * Eigen::Translation3d(ontology_.find_kit("m2l1")->slots[slot].seat());
    X.translation().x() += off_m;
    return X;
  };
  find_detection(frame, "medium_gear_1")->X_WP = seat(0, 0.0);
  find_detection(frame, "medium_gear_2")->X_WP = seat(1, 0.006);
  find_detection(frame, "large_gear_5")->X_WP = seat(2, 0.0);
  show(frame);
  const KittingPlan made = plan({{{"m2l1", 1, {}}}});
  EXPECT_THAT(
      made.plan.steps,
      ElementsAre(pddl::Step{"pick", {"fanuc", "medium_gear_2", "m2l1_kit_1_slot_2", "table"}},
                  pddl::Step{"place", {"fanuc", "medium_gear_2", "m2l1_kit_1_slot_2", "table"}}));
  EXPECT_TRUE(made.plan.is_optimal);
}

TEST_F(ProblemTest, PrefersTheTrayWithLeastLeftToDo) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0));
  const Pose X_WT = pose_of(-0.098, -0.711, 0.91, 0.0);  // s2l2_kit_2
  find_detection(frame, "large_gear_1")->X_WP =
      X_WT * Eigen::Translation3d(ontology_.find_kit("s2l2")->slots[0].seat());
  show(frame);
  const KittingPlan made = plan({{{"s2l2", 1, {}}}});
  ASSERT_EQ(made.question.kits.size(), 1U);
  EXPECT_EQ(made.question.kits[0].tray, "s2l2_kit_2");
  EXPECT_EQ(count(made, "place"), 3);
}

TEST_F(ProblemTest, NothingIsLeftToDoWhenTheKitIsThere) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0));
  const Pose X_WT = pose_of(0.147, -0.702, 0.91, 0.0);
  const std::vector<SlotKind>& slots = ontology_.find_kit("s2l2")->slots;
  int i = 0;
  for (const char* name : {"large_gear_1", "large_gear_2", "small_gear_1", "small_gear_2"}) {
    find_detection(frame, name)->X_WP = X_WT * Eigen::Translation3d(slots[i++].seat());
  }
  show(frame);
  EXPECT_TRUE(plan({{{"s2l2", 1, {}}}}).is_finished());
}

TEST_F(ProblemTest, GoesOnWithWhatARobotHolds) {
  devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0));
  find_detection(frame, "large_gear_1")->X_WP.translation().z() += 0.3;
  show(frame);
  world_.set_robot({"motoman", true, "large_gear_1", ""}, at_ms(0));
  const KittingPlan made = plan({{{"s2l2", 1, {}}}});
  EXPECT_EQ(made.plan.outcome, pddl::PlanOutcome::kSolved);
  EXPECT_EQ(count(made, "place"), 4);
  EXPECT_EQ(count(made, "pick"), 3);
  EXPECT_THAT(pddl::write_problem(made.question.problem),
              HasSubstr("(holds motoman large_gear_1)"));
}

TEST_F(ProblemTest, PutsBackWhatNobodyAskedFor) {
  show(aprs_frame(ontology_, at_ms(0)));
  world_.set_robot({"fanuc", true, "medium_gear_4", ""}, at_ms(0));
  const KittingPlan made = plan(Request{});
  ASSERT_EQ(made.plan.steps.size(), 1U);
  EXPECT_EQ(made.plan.steps[0].action, "place");
  EXPECT_EQ(made.plan.steps[0].arguments[2], "medium_vessel_1_slot_4");  // its own is the free one
}

TEST_F(ProblemTest, ABlockedZoneIsLeftAlone) {
  show(aprs_frame(ontology_, at_ms(0)));
  const KittingPlan made = plan(kThreeKits, {.blocked_zones = {"belt"}});
  EXPECT_EQ(count(made, "place"), 6);
  ASSERT_EQ(made.question.left_out.size(), 1U);
  EXPECT_THAT(made.question.left_out[0].reason, HasSubstr("zone 'belt' is blocked"));
}

TEST_F(ProblemTest, TakesPartsThatWereGivenUpForGone) {
  show(aprs_frame(ontology_, at_ms(0)));
  const KittingPlan made = plan({{{"m2l1", 2, {}}}}, {.refused_parts = {"medium_gear_1"}});
  ASSERT_EQ(made.question.left_out.size(), 1U);
  EXPECT_THAT(made.question.left_out[0].reason, HasSubstr("medium_gear_1 was given up at"));
}

TEST_F(ProblemTest, SaysThatThereIsNoTray) {
  show(aprs_frame(ontology_, at_ms(0)));
  const KittingPlan made = plan({{{"m2l1", 3, {"large_gear"}}}});
  ASSERT_EQ(made.question.left_out.size(), 1U);
  EXPECT_EQ(made.question.left_out[0].kit, "m2l1 (3 of 3)");
  EXPECT_EQ(made.question.left_out[0].reason, "no tray is left for a kit m2l1");
  EXPECT_EQ(count(made, "place"), 2);  // one large gear on each of the two that are there
}

TEST_F(ProblemTest, SaysThatNoTrayWasEverSeen) {
  const KittingPlan made = plan({{{"m2l1", 2, {}}}});
  ASSERT_EQ(made.question.left_out.size(), 2U);
  EXPECT_EQ(made.question.left_out[1].kit, "m2l1 (2 of 2)");
  EXPECT_EQ(made.question.left_out[1].reason, "no tray for a kit m2l1 was ever seen");
}

TEST_F(ProblemTest, NamesEachTrayThatIsNotSeenAnyMore) {
  show(aprs_frame(ontology_, at_ms(4900)));
  world_.age(at_ms(9000));
  const KittingPlan made = plan(kThreeKits);
  std::vector<std::string> words;
  for (const LeftOut& each : made.question.left_out) {
    words.push_back(each.kit + ": " + each.reason);
  }
  EXPECT_THAT(words, ElementsAre("m2l1 on m2l1_kit_1: m2l1_kit_1 has not been seen since 4.9 s",
                                 "m2l1 on m2l1_kit_2: m2l1_kit_2 has not been seen since 4.9 s",
                                 "s2l2 on s2l2_kit_1: s2l2_kit_1 has not been seen since 4.9 s"));
}

TEST_F(ProblemTest, NamesEachKitThatIsNotMade) {
  show(aprs_frame(ontology_, at_ms(0)));
  world_.set_robot({"fanuc", false, "", "broken"}, at_ms(0));
  const KittingPlan made = plan({{{"m2l1", 2, {}}}});
  ASSERT_EQ(made.question.left_out.size(), 2U);
  EXPECT_EQ(made.question.left_out[0].kit, "m2l1 on m2l1_kit_1");
  EXPECT_EQ(made.question.left_out[1].kit, "m2l1 on m2l1_kit_2");
}

TEST(KittingActions, OnlyThoseThatSomebodyCanCarryOutAreValid) {
  pddl::Domain domain = make_domain(load_ontology("aprs"));
  EXPECT_THAT(check_actions(domain), IsEmpty());
  domain.actions[0].name = "grab";
  const std::vector<RequestRemark> remarks = check_actions(domain);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].key, "domain");
  EXPECT_EQ(remarks[0].message, "unknown action 'grab' with 4 arguments");
  EXPECT_THAT(remarks[0].hint, HasSubstr("(pick ROBOT PART SLOT ZONE)"));
}

TEST_F(ProblemTest, RefusesADomainThatLacksWhatItSpeaksOf) {
  show(aprs_frame(ontology_, at_ms(0)));
  pddl::Domain own = domain_;
  std::erase_if(own.predicates, [](const pddl::Symbol& each) { return each.name == "of"; });
  try {
    plan_kits(ontology_, own, kThreeKits, world_, {});
    FAIL() << "it was accepted";
  } catch (const InputError& problem) {
    EXPECT_THAT(problem.what(), HasSubstr("unknown predicate 'of'"));
  }
}

/// 25 vessels of four gears and 50 kits for two each in a hall in which both arms reach everything.
TEST(LargeProblem, PlansAHundredGears) {
  Ontology ontology = load_ontology("aprs");
  for (RobotAbility& robot : ontology.robots) {
    robot.reach_m = 50.0;
    robot.least_reach_m = 0.0;
  }
  ontology.zones = {{"hall", {-50.0, -50.0}, {50.0, 50.0}, 0.916, false, false}};
  WorldModel world(ontology, WorldModelConfig{});
  devices::CameraFrame frame;
  const TrayKind& vessel = *ontology.tray_of("medium_vessel_1");
  int gears = 0;
  for (int v = 0; v < 25; ++v) {
    const Pose X_WT = pose_of(1.0 + 0.3 * v, 0.0, 0.916, 0.0);
    frame.detections.push_back({"medium_vessel_" + std::to_string(v + 1), X_WT, 0.95});
    for (const SlotKind& slot : vessel.slots) {
      frame.detections.push_back({"medium_gear_" + std::to_string(++gears),
                                  X_WT * Eigen::Translation3d(slot.seat()), 0.95});
    }
  }
  for (int k = 0; k < 50; ++k) {
    frame.detections.push_back(
        {"m2l1_kit_" + std::to_string(k + 1), pose_of(1.0 + 0.3 * k, 1.0, 0.916, 0.0), 0.95});
  }
  world.update("camera_1", frame, at_ms(0));
  const pddl::Domain domain = make_domain(ontology);
  const KittingPlan made = plan_kits(ontology, domain, {{{"m2l1", 50, {"2 medium_gear"}}}}, world,
                                     {}, {.optimal_states = 5, .greedy_states = 5000});
  ASSERT_EQ(made.plan.outcome, pddl::PlanOutcome::kSolved);
  EXPECT_EQ(made.question.kits.size(), 50U);
  EXPECT_EQ(made.plan.steps.size(), 200U);  // no gear is handled twice
  EXPECT_LE(made.plan.evaluated, 5000);
  EXPECT_TRUE(pddl::validate(domain, made.question.problem, made.plan.steps));
}

TEST(CheapestPairs, AreAsCheapAsTryingAllShows) {
  const RandomStream random(3, "pairs");
  for (std::uint64_t trial = 0; trial < 50; ++trial) {
    std::vector<std::vector<pddl::Cost>> costs(4, std::vector<pddl::Cost>(6));
    for (std::size_t i = 0; i < 24; ++i) {
      costs[i / 6][i % 6] = static_cast<pddl::Cost>(10 * random.uniform_at(100 * trial + i));
    }
    std::vector<std::size_t> columns{0, 1, 2, 3, 4, 5};
    pddl::Cost least = 1000;
    do {
      pddl::Cost sum = 0;
      for (std::size_t row = 0; row < 4; ++row) {
        sum += costs[row][columns[row]];
      }
      least = std::min(least, sum);
    } while (std::next_permutation(columns.begin(), columns.end()));
    const std::vector<std::size_t> pairs = cheapest_pairs(costs);
    ASSERT_EQ(pairs.size(), 4U);
    EXPECT_EQ(std::set<std::size_t>(pairs.begin(), pairs.end()).size(), 4U);
    pddl::Cost sum = 0;
    for (std::size_t row = 0; row < 4; ++row) {
      sum += costs[row][pairs[row]];
    }
    EXPECT_EQ(sum, least) << trial;
  }
}

TEST(KittingActions, AreReadByWhatTheyMean) {
  const auto place = read_action({"place", {"fanuc", "p", "s", "belt"}});
  ASSERT_TRUE(place);
  EXPECT_EQ(place->kind, KittingAction::Kind::kPlace);
  EXPECT_EQ(place->slot, "s");
  EXPECT_EQ(place->zone, "belt");
  EXPECT_FALSE(read_action({"place", {"fanuc"}}));
  EXPECT_FALSE(read_action({"polish", {"fanuc"}}));
}

}  // namespace
}  // namespace longarm::kitting
