// SPDX-License-Identifier: Apache-2.0
// Plans gone through beforehand: their times by hand, and the programs that come of them.
#include "labs/kitting/rehearsal.h"

#include <gmock/gmock.h>

#include "labs/kitting/test/aprs_fixture.h"
#include "longarm/protocols/crcl/codec.h"

namespace longarm::kitting {
namespace {

namespace crcl = protocols::crcl;
using ::testing::HasSubstr;

class Rehearsals : public ::testing::Test {
 protected:
  Rehearsals() {
    config.arms = {ArmConfig{.name = "fanuc", .clear_m = {0.211, -1.240, 1.184}},
                   ArmConfig{.name = "motoman", .clear_m = {0.45, -0.20, 1.21}}};
  }

  void look(double upstream_m = 0.0) {
    world.update("camera_1", aprs_frame(ontology, at_ms(0), upstream_m), at_ms(0));
  }
  Rehearsal play(const std::vector<TimedStep>& steps) {
    Schedule schedule;
    schedule.steps = steps;
    return rehearse(schedule, ontology, world, config, {});
  }
  static TimedStep step(const std::string& action, const std::vector<std::string>& arguments,
                        const std::vector<std::string>& zones = {},
                        const std::vector<std::size_t>& after = {}) {
    return {.step = {action, arguments},
            .robot = action == "bring" ? "" : arguments.front(),
            .zones = zones,
            .after = after};
  }
  static std::vector<TimedStep> gear(const std::string& robot, const std::string& part,
                                     const std::string& from, const std::string& to,
                                     const std::string& zone) {
    const std::vector<std::string> zones =
        zone == "belt" ? std::vector<std::string>{zone} : std::vector<std::string>{};
    return {step("pick", {robot, part, from, zone}, zones),
            step("place", {robot, part, to, zone}, zones, {0})};
  }
  /// Where its moves lead to.
  static std::vector<Vector3> goals_of(const RobotProgram& program) {
    std::vector<Vector3> goals;
    for (const crcl::Command& command : program.program.commands) {
      if (const auto* move = std::get_if<crcl::MoveTo>(&command.body)) {
        goals.push_back(point_of(move->end.pose));
      }
    }
    return goals;
  }
  static double seconds(Duration span) { return to_seconds(span); }

  Ontology ontology = load_ontology("aprs");
  WorldModel world{ontology, {}};
  ExecutorConfig config;
};

// The peg of medium_gear_1 is at (0.1483, -1.1990, 0.9470) m, and the tool starts at (0.211,
// -1.240, 1.184) m; over the gear it is at z = 0.916 + 0.0044 + 0.0266 - 0.0056 + 0.1 = 1.0414 m,
// so the way is 0.161 m: below 0.6² / 2 = 0.18 m, so 2 · sqrt(0.161 / 2) = 0.567 s. Down and up 0.1
// m at 0.08 m/s and 0.5 m/s² take 1.41 s each. Every command is seen done with the next question,
// which are 50 ms apart: 0.65 + 1.5 + 1.5 s with 60 ms to arrive each; twice 0.2 s for the fingers,
// and 0.1 s of rest, which ends as it is asked.
TEST_F(Rehearsals, TakeTheTimeOfTheWaysInTheCommands) {
  look();
  const Rehearsal rehearsal =
      play({step("pick", {"fanuc", "medium_gear_1", "medium_vessel_1_slot_1", "table"})});
  EXPECT_NEAR(seconds(rehearsal.schedule.makespan), 0.65 + 1.5 + 1.5 + 0.2 + 0.2 + 0.1, 0.11);
  // at half the speed down and up take 2.58 s
  config.handling.fine_speed_m_s = 0.04;
  const Rehearsal slow =
      play({step("pick", {"fanuc", "medium_gear_1", "medium_vessel_1_slot_1", "table"})});
  EXPECT_NEAR(seconds(slow.schedule.makespan - rehearsal.schedule.makespan),
              2 * (0.1 / 0.04 + 0.08 - 1.41), 0.11);
}

TEST_F(Rehearsals, LetArmsWorkAtOnceUnlessTheyNeedTheSameZone) {
  look();
  std::vector<TimedStep> steps =
      gear("fanuc", "medium_gear_1", "medium_vessel_1_slot_1", "m2l1_kit_1_slot_1", "table");
  const std::vector<TimedStep> other =
      gear("motoman", "large_gear_1", "large_vessel_1_slot_1", "s2l2_kit_1_slot_1", "belt");
  steps.insert(steps.end(), other.begin(), other.end());
  steps[3].after = {2};
  const Schedule apart = play(steps).schedule;
  EXPECT_EQ(apart.steps[0].start, Duration{});
  EXPECT_EQ(apart.steps[2].start, Duration{});
  EXPECT_GT(seconds(apart.overlap), 6.0);
  // both on the belt: the second comes when the first has left
  steps[0] = step("pick", {"fanuc", "large_gear_2", "large_vessel_1_slot_2", "belt"}, {"belt"});
  steps[1] = step("place", {"fanuc", "large_gear_2", "s2l2_kit_1_slot_2", "belt"}, {"belt"}, {0});
  const Schedule shared = play(steps).schedule;
  EXPECT_GT(shared.steps[2].start, shared.steps[1].end + std::chrono::milliseconds(300));
  EXPECT_EQ(shared.overlap, Duration{});
}

// 0.3 m at half of 0.2 m/s, and 0.75 s to start, stop and see that it stands.
TEST_F(Rehearsals, FindTraysWhereTheBeltBringsThem) {
  look(0.3);
  std::vector<TimedStep> steps{step("bring", {"belt"}, {"belt"})};
  const std::vector<TimedStep> more =
      gear("motoman", "large_gear_1", "large_vessel_1_slot_1", "s2l2_kit_1_slot_1", "belt");
  steps.insert(steps.end(), more.begin(), more.end());
  const Rehearsal rehearsal = play(steps);
  EXPECT_NEAR(seconds(rehearsal.schedule.steps[0].end), 3.75, 1e-6);
  EXPECT_EQ(rehearsal.schedule.steps[1].start, rehearsal.schedule.steps[0].end);
  // the same as if they stood there
  WorldModel there(ontology, {});
  there.update("camera_1", aprs_frame(ontology, at_ms(0)), at_ms(0));
  Schedule schedule;
  schedule.steps = more;
  const std::vector<Vector3> expected =
      goals_of(rehearse(schedule, ontology, there, config, {}).programs.at(0));
  const std::vector<Vector3> found = goals_of(rehearsal.programs.at(0));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_LT((found[i] - expected[i]).norm(), 1e-9) << i;
  }
}

TEST_F(Rehearsals, AreTheProgramsOfTheRobots) {
  look();
  const Rehearsal rehearsal =
      play(gear("fanuc", "medium_gear_1", "medium_vessel_1_slot_1", "m2l1_kit_1_slot_1", "table"));
  ASSERT_EQ(rehearsal.programs.size(), 1U);
  EXPECT_EQ(rehearsal.programs[0].robot, "fanuc");
  const std::vector<crcl::Command>& commands = rehearsal.programs[0].program.commands;
  std::string types;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    EXPECT_EQ(commands[i].id, static_cast<std::int64_t>(i + 1));
    types += std::string(crcl::type_name(commands[i].body)) + " ";
  }
  EXPECT_EQ(types,
            "InitCanonType MessageType SetLengthUnitsType SetAngleUnitsType "
            "ConfigureStatusReportType SetEndEffectorType MoveToType MoveToType SetEndEffectorType "
            "DwellType MoveToType MessageType MoveToType MoveToType SetEndEffectorType DwellType "
            "MoveToType EndCanonType ");
  // the seat of slot_1 of m2l1_kit_1, in the robot's base: 0.3 mm over it, grasped 21 mm above
  const auto& down = std::get<crcl::MoveTo>(commands[13].body);
  const Vector3 seat =
      world.slot("m2l1_kit_1_slot_1")->X_WS.translation() - Vector3(-0.169, -1.14, 0.934191);
  EXPECT_NEAR(down.end.pose.point.x, seat.x(), 1e-9);
  EXPECT_NEAR(down.end.pose.point.y, seat.y(), 1e-9);
  EXPECT_NEAR(down.end.pose.point.z, seat.z() + 0.0266 - 0.0056 + 0.0003, 1e-9);
  const std::vector<PlanFile> files = program_files(rehearsal.programs, "program");
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "program_fanuc.xml");
  EXPECT_EQ(crcl::decode_program(files[0].content).value(), rehearsal.programs[0].program);
  EXPECT_THAT(files[0].content, HasSubstr("<Message>(pick fanuc medium_gear_1 "));
}

// The flange stands 0.1 m over the stand after it has hung a tool, and the tool's end so far over
// its place after it has been taken; between are 1 mm to begin with (0.15 s with its question),
// 0.1 m down and 0.099 m up (1.5 s each, as above), whatever the length of the tool.
TEST_F(Rehearsals, LeadTheFlangeOrTheToolThatIsTaken) {
  ontology = load_ontology("aprs-tools");
  world.update("camera_1", aprs_frame(ontology, at_ms(0)), at_ms(0));
  ASSERT_GT(ontology.find_tool("fanuc_gripper")->length_m, 0.1);
  Schedule schedule;
  schedule.steps = {
      step("hang-tool", {"fanuc", "fanuc_gripper", "belt"}, {"belt"}),
      step("take-tool", {"fanuc", "fanuc_gripper", "belt"}, {"belt"}, {0}),
      step("hang-tool", {"fanuc", "fanuc_gripper", "belt"}, {"belt"}, {1}),
      step("take-tool", {"fanuc", "fanuc_gripper", "belt"}, {"belt"}, {2}),
      step("pick", {"fanuc", "medium_gear_1", "medium_vessel_1_slot_1", "table", "fanuc_gripper"},
           {}, {3})};
  const Schedule played =
      rehearse(schedule, ontology, world, config, {{"fanuc", "fanuc_gripper"}}).schedule;
  for (const std::size_t i : {1U, 2U, 3U}) {
    EXPECT_NEAR(seconds(played.steps[i].end - played.steps[i].start), 0.15 + 1.5 + 1.5, 0.11) << i;
  }
  // it leaves a zone that it does not need again, although nobody waits for it
  EXPECT_GT(played.steps[4].start, played.steps[3].end + std::chrono::milliseconds(500));
}

}  // namespace
}  // namespace longarm::kitting
