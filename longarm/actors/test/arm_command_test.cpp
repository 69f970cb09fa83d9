// SPDX-License-Identifier: Apache-2.0
// Joints that take positions, velocities or efforts, also side by side in one arm.
#include <gtest/gtest.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/cell/scenario.h"
#include "longarm/config/text_file.h"
#include "longarm/core/diagnostic.h"
#include "longarm/model/test/mesh_robot.h"

namespace longarm::actors {
namespace {

using Words = std::vector<std::string>;

/// Three links that turn about upright axes, so that gravity has no say.
std::string three_joints(const Words& interfaces) {
  std::string text = "<robot name='three'><link name='base'/>";
  const std::string link =
      "<inertial><origin xyz='0.15 0 0'/><mass value='1'/>"
      "<inertia ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial>";
  const Words names{"base", "a", "b", "c"};
  for (std::size_t i = 1; i < names.size(); ++i) {
    text += "<link name='" + names[i] + "'>" + link + "</link><joint name='joint_" + names[i] +
            "' type='revolute'><parent link='" + names[i - 1] + "'/><child link='" + names[i] +
            "'/><origin xyz='" + (i == 1 ? "0 0 0.1" : "0.3 0 0") +
            "'/><axis xyz='0 0 1'/><limit lower='-3' upper='3' velocity='2' effort='80'/></joint>";
    if (i <= interfaces.size()) {
      text += "<transmission name='t" + names[i] + "'><joint name='joint_" + names[i] +
              "'><hardwareInterface>hardware_interface/" + interfaces[i - 1] +
              "JointInterface</hardwareInterface></joint></transmission>";
    }
  }
  return text + "</robot>";
}

class ArmCommand : public testing::Test {
 protected:
  PreparedScenario prepare(const Changes& changes, const Words& interfaces = {}) const {
    config::write_text_file(folder_.path() / "three.urdf", three_joints(interfaces));
    return load_scenario_text(
        "robot: {model: three.urdf, end_effector: c}\n"
        "task: {path: joint, joints_rad: [[0.8, 0.8, 0.8]], acceleration_limit_rad_s2: 2, "
        "hold: 2s}\n"
        "gain: 10\n",
        (folder_.path() / "cell.yaml").string(), {changes, {}}, built_in_plugins());
  }
  Words commands(const Changes& changes, const Words& interfaces) const {
    return arm_of(prepare(changes, interfaces)).config().command;
  }
  Json results(const Changes& changes, const Words& interfaces = {}) const {
    return run_to_end(prepare(changes, interfaces));
  }
  /// All of it, as users see it, without the place.
  std::string refusal(const Changes& changes) const {
    try {
      prepare(changes);
    } catch (const InputError& error) {
      const Diagnostic& first = error.diagnostics().front();
      return first.message + " | " + first.hint;
    }
    return "";
  }

  model::ScratchFolder folder_;
};

TEST_F(ArmCommand, OfEveryKindFollowsThePlanInOneArm) {
  for (const char* engine : {"mujoco", "ode"}) {
    for (const char* cut : {"none", "trajectory", "position"}) {
      SCOPED_TRACE(std::string(engine) + ", " + cut);
      const Json done = results({"command=[position, velocity, effort]",
                                 std::string("engine=") + engine, std::string("cut=") + cut});
      EXPECT_EQ(done.at("stable"), true);
      EXPECT_EQ(done.at("command"), Json({"position", "velocity", "effort"}));
      const auto rms = [&](const char* joint) {
        return done.at("joints").at(joint).at("joint_difference_rms_rad").get<double>();
      };
      // told where to be it is a step late, at most 1 ms · 1.3 rad/s; a position loop of gain 10
      // 1/s lags by a tenth of a second
      EXPECT_LT(rms("joint_a"), 1.3e-3);
      EXPECT_GT(rms("joint_b"), 1e-2);
      EXPECT_GT(rms("joint_c"), 1e-2);
      EXPECT_LT(done.at("path_deviation_max_m"), 0.1);
    }
  }
}

TEST_F(ArmCommand, IsGivenToTheEngineAsItIs) {
  Simulation simulation(prepare({"command=[position, velocity, effort]", "cut=position"}), {});
  ASSERT_TRUE(simulation.run_until(Time(Duration(400'000'000))).has_value());
  const control::Actuators& actuators = simulation.loop().actuators();
  EXPECT_NEAR(actuators.applied()[0], simulation.loop().positions()[0], 1e-9);
  EXPECT_EQ(actuators.applied()[1], actuators.velocity_commands()[1]);
  EXPECT_NEAR(simulation.loop().velocities()[1], actuators.velocity_commands()[1], 1e-6);
  // that of a computed torque
  EXPECT_NE(actuators.applied()[2], actuators.velocity_commands()[2]);
  EXPECT_NEAR(simulation.loop().velocities()[2], actuators.velocity_commands()[2], 1e-3);
}

TEST_F(ArmCommand, OfPositionsKeepsTheLimitOfVelocity) {
  // a step of 0.8 rad at once: at 2 rad/s it takes 0.4 s, without any mass
  Simulation simulation(
      prepare({"command=position", "cut=none", "task.path=step", "engine=kinematic"}), {});
  ASSERT_TRUE(simulation.run_until(Time(Duration(200'000'000))).has_value());
  EXPECT_NEAR(simulation.loop().positions()[0], 0.4, 2e-3);
  EXPECT_TRUE(simulation.loop().actuators().was_limited(0));
  ASSERT_TRUE(simulation.run_until(Time(Duration(500'000'000))).has_value());
  EXPECT_NEAR(simulation.loop().positions()[0], 0.8, 1e-6);
}

TEST_F(ArmCommand, OfVelocitiesOrEffortsIsWhatThereWasBefore) {
  const auto hash = [&](const Changes& changes) { return results(changes).at("state_hash"); };
  EXPECT_EQ(hash({"command=velocity"}), hash({}));
  const Changes pid{"servo.model=pid", "servo.p=[40, 20, 5]"};
  EXPECT_EQ(hash(pid + Changes{"command=effort"}), hash(pid));
  EXPECT_NE(hash(pid), hash({}));
}

TEST_F(ArmCommand, IsWhatTransmissionsSayWhereTheCutAllowsIt) {
  const Words mixed{"Position", "Velocity", "Effort"};
  EXPECT_EQ(commands({"cut=position"}, mixed), (Words{"position", "velocity", "effort"}));
  EXPECT_EQ(commands({"cut=velocity"}, mixed), (Words{"velocity", "velocity", "effort"}));
  EXPECT_EQ(commands({"cut=none", "engine=kinematic"}, mixed),
            (Words{"position", "velocity", "velocity"}));
  EXPECT_EQ(commands({"cut=effort", "servo.p=10"}, mixed), Words{});
  // what users say comes first
  EXPECT_EQ(commands({"cut=none", "command=velocity"}, mixed),
            (Words{"velocity", "velocity", "velocity"}));
  EXPECT_EQ(commands({"cut=none", "servo.model=ideal"}, mixed), Words{});
  EXPECT_EQ(commands({"cut=none"}, {}), Words{});
}

TEST_F(ArmCommand, OfTransmissionsIsInTheCopyOfTheScenario) {
  const PreparedScenario prepared = prepare({"cut=none"}, {"Position", "Velocity", "Effort"});
  const std::string copy = to_yaml(prepared.scenario, prepared.plugins);
  EXPECT_NE(copy.find("command: [position, velocity, effort]\n"), std::string::npos);
  const PreparedScenario again = load_scenario_text(copy, (folder_.path() / "copy.yaml").string(),
                                                    {{}, {}}, built_in_plugins());
  EXPECT_EQ(run_to_end(again).at("state_hash"), run_to_end(prepared).at("state_hash"));
}

TEST_F(ArmCommand, IsRefusedWhereTheLoopCannotHaveIt) {
  EXPECT_EQ(refusal({"command=torque"}),
            "unknown command 'torque' | valid names are: position, velocity, effort");
  EXPECT_EQ(
      refusal({"command=[position, velocity]"}),
      "command has 2 entries, but the robot has 3 joints | give one per joint, or one for all");
  EXPECT_EQ(refusal({"command=position"}),
            "cut 'velocity' sends velocities, but command 'position' needs positions | use cut "
            "position, trajectory or none");
  EXPECT_EQ(
      refusal({"command=velocity", "cut=effort", "servo.p=10"}),
      "cut 'effort' produces efforts, not command 'velocity' | remove it, or use another cut");
  EXPECT_EQ(refusal({"command=effort", "engine=kinematic"}),
            "engine 'kinematic' has no dynamics, which command 'effort' needs | use engine mujoco "
            "or ode");
  EXPECT_EQ(refusal({"command=position", "cut=none", "gains.d=1"}),
            "command 'position' does not use gains.i and gains.d | the arm's controller passes "
            "positions on; gains.p is for its other joints");
  EXPECT_EQ(refusal({"command=velocity", "servo.model=pid", "servo.p=10"}),
            "no joint accepts the efforts of servo 'pid' | remove the servo, or use command effort "
            "for a joint");
}

}  // namespace
}  // namespace longarm::actors
