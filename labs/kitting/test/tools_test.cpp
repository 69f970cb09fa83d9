// SPDX-License-Identifier: Apache-2.0
// Arms that change tools: what the ontology refuses, what the planner makes of it, and a run in
// which both arms do.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/kitting/problem.h"
#include "labs/kitting/schedule.h"
#include "labs/kitting/test/aprs_fixture.h"
#include "labs/labs.h"
#include "labs/test/scenario_fixture.h"
#include "longarm/config/config_reader.h"
#include "longarm/core/diagnostic.h"
#include "longarm/pddl/validate.h"

namespace longarm::kitting {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// vessels with gears, and kits, as the world file has them
const std::vector<Standing> kToolTrays{{"large_vessel_1", -0.11, -0.45, 0.91, 0.0},
                                       {"s2l2_kit_1", 0.147, -0.45, 0.91, 0.0},
                                       {"small_vessel_1", 0.42, -0.45, 0.91, 0.0},
                                       {"m2l1_kit_1", 0.399147, -1.04506, 0.916, -1.6077},
                                       {"m2l1_kit_2", 0.183254, -1.053015, 0.916, -1.6077},
                                       {"medium_vessel_1", 0.190185, -1.23805, 0.916, 0.0339},
                                       {"large_vessel_3", 0.392182, -1.262896, 0.916, 1.6115}};

class ToolPlan : public testing::Test {
 protected:
  ToolPlan() {
    devices::CameraFrame frame = aprs_frame(ontology_, at_ms(0), kToolTrays);
    world_.update("camera_1", frame, frame.stamp);
  }
  KittingPlan plan(const Request& request) {
    Circumstances circumstances;
    circumstances.carried_tools = {{"fanuc", "fanuc_gripper"}, {"motoman", "motoman_gripper"}};
    KittingPlan out = plan_kits(ontology_, domain_, request, world_, circumstances);
    EXPECT_EQ(out.plan.outcome, pddl::PlanOutcome::kSolved);
    const Result<pddl::Cost> cost = pddl::validate(domain_, out.question.problem, out.plan.steps);
    EXPECT_TRUE(cost) << cost.error().message;
    return out;
  }
  /// How often, with these arguments among its own.
  static int count(const KittingPlan& plan, const std::string& action,
                   const std::vector<std::string>& with = {}) {
    return static_cast<int>(std::ranges::count_if(plan.plan.steps, [&](const pddl::Step& step) {
      return step.action == action && std::ranges::all_of(with, [&](const std::string& each) {
               return std::ranges::find(step.arguments, each) != step.arguments.end();
             });
    }));
  }

  Ontology ontology_ = load_ontology("aprs-tools");
  pddl::Domain domain_ = make_domain(ontology_);
  WorldModel world_{ontology_, WorldModelConfig{}};
};

TEST_F(ToolPlan, PassesTheCupFromOneArmToTheOther) {
  // each arm reaches gears of its own only. Both need the gripper for large ones, which they have,
  // and the cup for the rest: the first hangs it back before the second takes it, nobody needs a
  // gripper again. 10 · 2 + 2 · (hang + take) + 1 hang
  const KittingPlan made = plan({{{"m2l1", 2, {}}, {"s2l2", 1, {}}}});
  EXPECT_THAT(made.question.left_out, IsEmpty());
  EXPECT_EQ(made.plan.steps.size(), 25U);
  EXPECT_EQ(count(made, "take-tool", {"fanuc", "cup"}), 1);
  EXPECT_EQ(count(made, "take-tool", {"motoman", "cup"}), 1);
  EXPECT_EQ(count(made, "hang-tool", {"cup"}), 1);
  EXPECT_EQ(count(made, "pick", {"cup"}), 6);
  EXPECT_EQ(count(made, "pick", {"fanuc_gripper"}), 2);
  EXPECT_EQ(count(made, "pick", {"motoman_gripper"}), 2);
}

TEST_F(ToolPlan, ChangesNothingThatIsNotNeeded) {
  const KittingPlan made = plan({{{"m2l1", 1, {"1 large_gear"}}}});
  EXPECT_EQ(made.plan.steps.size(), 2U);
}

TEST_F(ToolPlan, IsAtTheStandOneArmAtATime) {
  // the stand is over the belt, whose zone one arm at a time may be in
  const KittingPlan made = plan({{{"m2l1", 2, {}}, {"s2l2", 1, {}}}});
  const Schedule schedule = make_schedule(domain_, made.question.problem, made.plan, ontology_);
  const std::vector<TimedStep>& steps = schedule.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (steps[i].zones == steps[j].zones && !steps[i].zones.empty()) {
        EXPECT_LE(steps[j].end, steps[i].start);
      }
    }
    const bool is_change = steps[i].step.action.ends_with("-tool");
    EXPECT_TRUE(!is_change || steps[i].zones == std::vector<std::string>{"belt"});
  }
}

/// What is said against the ready ontology with something replaced.
std::string tools_refusal(const std::string& what, const std::string& by) {
  std::string text = *read_file(std::string(LONGARM_SOURCE_DIR) + "/kitting/aprs-tools.yaml");
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  text.replace(at, what.size(), by);
  Diagnostics diagnostics;
  const config::ConfigNode root = config::parse_config(text, "tools.yaml", diagnostics);
  Ontology ontology;
  config::ConfigReader reader(root, diagnostics);
  list_fields(reader, ontology);
  reader.finish();
  try {
    diagnostics.throw_if_errors();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ToolOntology, SaysWhatIsWrong) {
  EXPECT_THAT(tools_refusal("tool: fanuc_gripper", "tool: fanuc_griper"),
              HasSubstr("'fanuc' starts with an unknown tool 'fanuc_griper'\n  hint: did you mean "
                        "'fanuc_gripper'?"));
  EXPECT_THAT(tools_refusal("robots: [fanuc, motoman]", "robots: [motoman]"),
              HasSubstr("no cup fits 'fanuc', and sku_part_small_gear needs one\n  hint: add "
                        "'fanuc' to the robots of a tool of kind cup"));
  EXPECT_THAT(tools_refusal("robots: [fanuc, motoman]", "robots: [fanuc, motman]"),
              HasSubstr("there is no robot 'motman'\n  hint: did you mean 'motoman'?"));
  EXPECT_THAT(tools_refusal("stand_m: [-0.25, -0.66, 1.30]", "stand_m: [-0.25, 5, 1.30]"),
              HasSubstr("the stand of tool 'cup' is not in a zone\n"
                        "  hint: set stand_m to a point inside one of `zones`"));
}

TEST(ToolRun, EachArmChangesItsToolAndTheCupIsShared) {
  cell::LoadOptions options;
  options.overrides = {
      "actors.kitting.kits={m2l1: {count: 1, contents: [1 large_gear, 1 medium_gear]}, "
      "s2l2: {count: 1, contents: [1 large_gear, 1 small_gear]}}",
      "length=90s"};
  const nlohmann::ordered_json results =
      labs::run_to_end(cell::load_scenario("aprs-tools", options, labs::built_in_plugins()));
  EXPECT_EQ(results["judge"]["kits_completed"], 2);
  EXPECT_EQ(results["kitting"]["tool_changes_by_robot"]["fanuc"], 1);
  EXPECT_EQ(results["kitting"]["tool_changes_by_robot"]["motoman"], 1);
  EXPECT_EQ(results["kitting"]["replans"], 0);
  EXPECT_EQ(results["kitting"]["drops"], 0);
  EXPECT_EQ(results["world"]["arm_contacts"], 0);
}

}  // namespace
}  // namespace longarm::kitting
