// SPDX-License-Identifier: Apache-2.0
// Robots as they are found: with grippers, wheels, unknown limits, missing masses and links that
// overlap.
#include <algorithm>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/actors/test/arm_fixture.h"

namespace longarm::actors {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kTwoKilograms =
    "<inertial><mass value='2'/>"
    "<inertia ixx='0.02' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.02'/></inertial>";

std::string link_text(const std::string& name, const std::string& inertial, double size_m = 0.1) {
  return "<link name='" + name + "'>" + inertial + "<collision><geometry><box size='" +
         format_number(size_m) + " 0.05 0.05'/></geometry></collision></link>\n";
}

std::string joint_text(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child, const std::string& place, const std::string& limit,
                       const std::string& more = {}) {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent +
         "'/><child link='" + child + "'/><origin xyz='" + place + "'/><axis xyz='0 1 0'/><limit " +
         limit + "/>" + more + "</joint>\n";
}

const std::string kTurns = "lower='-3' upper='3' effort='100' velocity='3'";
const std::string kSlides = "lower='0.01' upper='0.05' effort='100' velocity='1'";

/// Two joints, a gripper whose right finger copies the left one, and a wheel.
std::string picker() {
  return "<robot name='picker'>\n" + link_text("base", "") + link_text("upper", kTwoKilograms) +
         link_text("lower", kTwoKilograms) + link_text("left", kTwoKilograms) +
         link_text("right", kTwoKilograms) + link_text("wheel", kTwoKilograms) +
         joint_text("shoulder", "revolute", "base", "upper", "0 0 0.3", kTurns) +
         joint_text("elbow", "revolute", "upper", "lower", "0.3 0 0", kTurns) +
         joint_text("finger", "prismatic", "lower", "left", "0.3 0.1 0", kSlides) +
         joint_text("finger_copy", "prismatic", "lower", "right", "0.3 -0.1 0", kSlides,
                    "<mimic joint='finger' multiplier='-1'/>") +
         joint_text("wheel", "continuous", "base", "wheel", "0 0.5 0.1",
                    "effort='100' velocity='9'") +
         "</robot>\n";
}

class RobotKeys : public testing::Test {
 protected:
  PreparedScenario prepare_robot(const std::string& urdf, const std::string& robot,
                                 const std::string& task, const LoadOptions& options = {}) const {
    folder_.write("arm.urdf", urdf);
    return load_scenario_text("robot: {model: arm.urdf, end_effector: lower" + robot +
                                  "}\ntask: {path: joint, acceleration_limit_rad_s2: 5, hold: "
                                  "300ms, joints_rad: " +
                                  task + "}\ngain: 20\nfeed_forward: 1\n",
                              folder_.file("cell.yaml"), options, built_in_plugins());
  }

  std::string complaint(const std::string& urdf, const std::string& robot, const std::string& task,
                        const LoadOptions& options = {}) const {
    try {
      prepare_robot(urdf, robot, task, options);
    } catch (const InputError& problem) {
      return problem.what();
    }
    return {};
  }

  TempFolder folder_;
};

std::string all_warnings(const PreparedScenario& prepared) {
  std::string text;
  for (const Diagnostic& each : prepared.warnings) {
    text += each.format() + "\n";
  }
  return text;
}

/// Position of a joint of the tree when the run is over.
double last_position(const PreparedScenario& prepared, const std::string& name) {
  Simulation simulation(prepared);
  EXPECT_TRUE(simulation.run_until(simulation.end()).has_value());
  const int number = arm_of(prepared).tree().find_joint(name).value_or(-1);
  EXPECT_GE(number, 0) << name;
  return simulation.loop().positions()[static_cast<std::size_t>(std::max(number, 0))];
}

TEST_F(RobotKeys, FollowersFollowOnEveryEngine) {
  const std::string urdf = "<robot name='r'>" + link_text("base", "") +
                           link_text("upper", kTwoKilograms) + link_text("lower", kTwoKilograms) +
                           joint_text("lead", "revolute", "base", "upper", "0 0 1", kTurns) +
                           joint_text("copy", "revolute", "upper", "lower", "0.3 0 0", kTurns,
                                      "<mimic joint='lead' multiplier='-2' offset='0.1'/>") +
                           "</robot>";
  for (const std::string engine : {"mujoco", "ode", "kinematic"}) {
    const PreparedScenario prepared =
        prepare_robot(urdf, "", "[[0.5]]", {{"engine=" + engine}, {}});
    EXPECT_THAT(arm_of(prepared).driven(), ElementsAre(0)) << engine;
    EXPECT_THAT(arm_of(prepared).plan().goal, ElementsAre(0.5, testing::DoubleEq(-0.9)));
    EXPECT_NEAR(last_position(prepared, "copy"), -0.9, 2e-3) << engine;
    const Json results = run_to_end(prepared);
    EXPECT_EQ(results["stable"], true) << engine;
    EXPECT_LT(results["path_deviation_max_m"], 5e-3) << engine;
  }
}

TEST_F(RobotKeys, OnlyChosenJointsAreDrivenAndTheRestIsHeld) {
  const PreparedScenario prepared = prepare_robot(
      picker(), ", joints: [shoulder, elb*], home_rad: {shoulder: 30deg, finger: 20mm}",
      "[{elbow: -45deg}, [0.1, 0.2]]");
  const ArmModel& arm = arm_of(prepared);
  ASSERT_EQ(arm.tree().joints.size(), 2u);
  const double pi = std::numbers::pi;
  EXPECT_THAT(arm.whole_config().home_rad.values, ElementsAre(testing::DoubleEq(pi / 6.0), 0.0));
  EXPECT_THAT(arm.whole_config().task.joints_rad[0].values,
              ElementsAre(testing::DoubleEq(pi / 6.0), testing::DoubleEq(-pi / 4.0)));
  const Json results = run_to_end(prepared);
  EXPECT_EQ(results["stable"], true);
  EXPECT_LT(results["path_deviation_max_m"], 2e-3);
  // what is written down reads back the same
  folder_.write("again.yaml", cell::to_yaml(prepared.scenario, prepared.plugins));
  const PreparedScenario again = load_scenario(folder_.file("again.yaml"), {}, built_in_plugins());
  EXPECT_EQ(run_to_end(again)["state_hash"], results["state_hash"]);
}

TEST_F(RobotKeys, FreeJointsSwing) {
  // a pendulum of 0.3 m below the wheel's axle swings to the other side; held, it would stay at
  // 1.5 rad
  std::string urdf = picker();
  const std::string hanging = "<link name='wheel'><inertial><origin xyz='0 0 -0.3'/>";
  urdf.replace(urdf.find("<link name='wheel'><inertial>"), 29, hanging);
  const PreparedScenario prepared = prepare_robot(
      urdf, ", joints: [shoulder, elbow], free_joints: [wheel], home_rad: {wheel: 1.5}",
      "[[0.2, 0.2]]", {{"task.hold=1s"}, {}});
  EXPECT_THAT(arm_of(prepared).driven(), ElementsAre(0, 1));
  Simulation simulation(prepared);
  double lowest = 1.5;
  simulation.set_observer(
      [&](Time) { lowest = std::min(lowest, simulation.loop().positions()[2]); });
  ASSERT_TRUE(simulation.run_until(simulation.end()).has_value());
  EXPECT_LT(lowest, -1.0);
  const Json results = run_to_end(prepared);
  EXPECT_EQ(results["stable"], true);
  EXPECT_LT(results["path_deviation_max_m"], 2e-3);
}

TEST_F(RobotKeys, NamesOfJointsAreChecked) {
  EXPECT_THAT(complaint(picker(), ", joints: [shouder]", "[[0.1]]"),
              HasSubstr("cell.yaml:1:55: error: the robot has no joint 'shouder' that moves\n"
                        "  hint: did you mean 'shoulder'?"));
  EXPECT_THAT(complaint(picker(), ", joints: [shoulder], home_rad: {elbow: 30dg}", "[[0.1]]"),
              HasSubstr("expected a joint position, found '30dg'\n"
                        "  hint: write a number in rad or m, or one with its unit, such as 30deg "
                        "or 20mm"));
  EXPECT_THAT(complaint(picker(), ", joints: [shoulder, elbow]", "[{finger: 0.02}]"),
              HasSubstr("waypoint 1: the robot drives no joint 'finger'"));
  EXPECT_THAT(complaint(picker(), ", joints: [shoulder, elbow]", "[[0.1, 0.2, 0.3]]"),
              HasSubstr("waypoint 1 has 3 numbers, but the robot has 2 joints"));
  EXPECT_THAT(complaint(picker(), ", joints: [shoulder], home_rad: {shoulder: 200deg}", "[[0]]"),
              HasSubstr("robot.home_rad puts joint 'shoulder' at 3.490658503988659 rad, beyond its "
                        "limits"));
}

TEST_F(RobotKeys, LimitsOf0AreUnknownAndNotAnArmWithoutForce) {
  std::string urdf = "<robot name='r'>" + link_text("base", "") +
                     link_text("upper", kTwoKilograms) + link_text("lower", kTwoKilograms) +
                     joint_text("a", "revolute", "base", "upper", "0 0 1",
                                "lower='-3' upper='3' effort='0' velocity='0'") +
                     joint_text("b", "revolute", "upper", "lower", "0.3 0 0",
                                "lower='-3' upper='3' effort='0' velocity='0'") +
                     "</robot>";
  for (const std::string engine : {"mujoco", "ode", "kinematic"}) {
    const PreparedScenario prepared =
        prepare_robot(urdf, "", "[[0.6, 0.4]]", {{"engine=" + engine}, {}});
    EXPECT_THAT(all_warnings(prepared), HasSubstr("joint 'a' has no effort limit"));
    EXPECT_NEAR(last_position(prepared, "a"), 0.6, 1e-3) << engine;
    EXPECT_LT(run_to_end(prepared)["path_deviation_max_m"], 5e-3) << engine;
  }
}

TEST_F(RobotKeys, InertiaIsEstimatedIfAskedFor) {
  const std::string urdf = "<robot name='r'>" + link_text("base", "") + link_text("upper", "") +
                           link_text("lower", kTwoKilograms) +
                           joint_text("a", "revolute", "base", "upper", "0 0 1", kTurns) +
                           joint_text("b", "revolute", "upper", "lower", "0.3 0 0", kTurns) +
                           "</robot>";
  EXPECT_THAT(
      complaint(urdf, "", "[[0.6, 0.4]]"),
      HasSubstr("body 'upper' moves but has no mass\n"
                "  hint: give it an <inertial>, or make joint 'a' fixed; robot.inertia: estimate "
                "computes one from its shapes; --allow mass ignores it where the engine can"));
  // 1000 kg/m³ · 0.1 m · 0.05 m · 0.05 m
  const PreparedScenario prepared = prepare_robot(urdf, ", inertia: estimate", "[[0.6, 0.4]]");
  EXPECT_THAT(
      all_warnings(prepared),
      HasSubstr("masses or inertias of 1 body are ESTIMATED from shapes: 'upper' (0.25 kg)"));
  EXPECT_DOUBLE_EQ(arm_of(prepared).tree().bodies[1].inertial.mass_kg, 0.25);
  EXPECT_LT(run_to_end(prepared)["path_deviation_max_m"], 5e-3);
}

TEST_F(RobotKeys, AllowedFindingsRun) {
  const auto with_tensor = [](const std::string& inertial) {
    return "<robot name='r'>" + link_text("base", "") + link_text("lower", inertial) +
           joint_text("a", "revolute", "base", "lower", "0 0 1", kTurns) + "</robot>";
  };
  const auto tensor = [](const std::string& ixx, const std::string& izz) {
    return "<inertial><mass value='2'/><inertia ixx='" + ixx +
           "' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='" + izz + "'/></inertial>";
  };
  for (const auto& [name, inertial] : {std::pair<std::string, std::string>{"mass", ""},
                                       {"inertia-definite", tensor("-0.01", "0.02")},
                                       {"inertia-triangle", tensor("0.001", "0.03")},
                                       {"inertia-size", tensor("5", "5")}}) {
    const std::string urdf = with_tensor(inertial);
    EXPECT_NE(complaint(urdf, "", "[[0.6]]"), "") << name;
    const PreparedScenario prepared = prepare_robot(urdf, "", "[[0.6]]", {{}, {name}});
    EXPECT_LT(run_to_end(prepared)["path_deviation_max_m"], 5e-3) << name;
  }
}

/// Links so long that the lower one is inside the base.
std::string overlapping() {
  return "<robot name='r'>" + link_text("base", "", 0.5) + link_text("upper", kTwoKilograms) +
         link_text("lower", kTwoKilograms, 0.5) +
         joint_text("a", "revolute", "base", "upper", "0 0 0.06", kTurns) +
         joint_text("b", "revolute", "upper", "lower", "0.1 0 -0.04", kTurns) + "</robot>";
}

TEST_F(RobotKeys, ContactsAreIgnoredByPairBySrdfOrAtTheStart) {
  const std::string task = "[[0.05, 0]]";
  const auto contacts = [&](const std::string& robot) {
    return run_to_end(prepare_robot(overlapping(), robot, task))["contact_steps"].get<int>();
  };
  EXPECT_GT(contacts(""), 10);
  EXPECT_EQ(contacts(", ignore_contacts: [[lower, base]]"), 0);
  EXPECT_EQ(contacts(", ignore_start_overlaps: true"), 0);
  EXPECT_THAT(all_warnings(prepare_robot(overlapping(), ", ignore_start_overlaps: true", task)),
              HasSubstr("1 pair of bodies overlap at the start; their collisions are ignored: "
                        "'base' and 'lower'"));
  folder_.write("arm.srdf",
                "<robot name='r'><disable_collisions link1='base' link2='lower'/></robot>");
  EXPECT_EQ(contacts(""), 0);
  EXPECT_GT(contacts(", srdf: none"), 10);
  folder_.write("other.srdf", "<robot name='r'/>");
  EXPECT_GT(contacts(", srdf: other.srdf"), 10);
  EXPECT_THAT(complaint(overlapping(), ", ignore_contacts: [[lowr, base]]", task),
              HasSubstr("the robot has no link 'lowr'\n  hint: did you mean 'lower'?"));
  EXPECT_THAT(complaint(overlapping(), ", ignore_contacts: [[lower]]", task),
              HasSubstr("a contact is a pair of links"));
}

}  // namespace
}  // namespace longarm::actors
