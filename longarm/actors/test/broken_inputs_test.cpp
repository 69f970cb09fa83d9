// SPDX-License-Identifier: Apache-2.0
// What users are told about inputs that make no sense: the whole text, place and cure included.
#include <gtest/gtest.h>

#include "longarm/actors/test/arm_fixture.h"
#include "longarm/actors/test/broken_fixture.h"

namespace longarm::actors {
namespace {

/// The text users see on stderr, or empty if the input is good.
std::string complaint(const std::string& text, const LoadOptions& options = {},
                      const std::string& path = "cell.yaml") {
  try {
    load_scenario_text(text, path, options, built_in_plugins());
  } catch (const InputError& problem) {
    return problem.what();
  }
  return {};
}

/// Two lines that make, with a gain, a good scenario of whatever follows; so that it begins in line
/// 3.
const std::string kGood =
    "robot: {model: one-joint, end_effector: tip}\n"
    "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\n";
const std::string kGain = "gain: 10\n";

class BrokenInputs : public testing::TestWithParam<Broken> {};

TEST_P(BrokenInputs, AreExplained) {
  EXPECT_EQ(complaint(GetParam().text), GetParam().complaint);
}

TEST(BrokenInputs, AreNotTheseThreeLines) {
  EXPECT_EQ(complaint(kGood + kGain), "");
}

// --- keys ----------------------------------------------------------------------------------------

INSTANTIATE_TEST_SUITE_P(
    Keys, BrokenInputs,
    testing::Values(
        Broken{"Unknown", kGood + "gian: 10\n",
               "cell.yaml:3:1: error: unknown key 'gian'\n"
               "  hint: did you mean 'gain'?"},
        Broken{"UnknownInAGroup", kGood + "control:\n  priod: 1ms\n",
               "cell.yaml:4:3: error: unknown key 'control.priod'\n"
               "  hint: did you mean 'period'?"},
        Broken{"UnknownAndFarFromAll", kGood + "control: {tempo: 1ms}\n",
               "cell.yaml:3:11: error: unknown key 'control.tempo'\n"
               "  hint: valid names are: period, phase, jitter, clock_offset, clock_drift_ppm, "
               "host, transport, priority"},
        Broken{"UnknownInLinkOnce", kGood + "link: {dealy: 2ms}\n",
               "cell.yaml:3:8: error: unknown key 'link.dealy'\n"
               "  hint: did you mean 'delay'?"},
        Broken{"UnknownInOneDirection", kGood + "link:\n  states:\n    sluts: 2\n",
               "cell.yaml:5:5: error: unknown key 'link.states.sluts'\n"
               "  hint: did you mean 'slots'?"},
        Broken{"Duplicate", kGood + "gain: 1\nseed: 2\ngain: 3\n",
               "cell.yaml:5:1: error: duplicate key 'gain'\n"
               "  hint: it is already set in line 3"},
        Broken{"NotAGroup", kGood + "control: 5ms\n",
               "cell.yaml:3:10: error: 'control' must be a group of keys, not '5ms'\n"
               "  hint: its keys are: period, phase, jitter, clock_offset, clock_drift_ppm, host, "
               "transport, priority"},
        Broken{"LinkNotAGroup", kGood + "link: 5ms\n",
               "cell.yaml:3:7: error: 'link' must be a group of keys\n"
               "  hint: for example: link: {delay: 5ms}"},
        Broken{"IgnoredByTheChosenLinkModel", kGood + "link: {model: none, delay: 2ms}\n",
               "cell.yaml:3:21: error: link model 'none' ignores 'delay'\n"
               "  hint: remove it, or use link model delay"},
        Broken{"OfTwoLinkModels", kGood + "link: {delay: 2ms, slots: 3}\n",
               "cell.yaml:3:20: error: 'slots' cannot be combined with 'delay': they belong to "
               "link models queue and delay\n"
               "  hint: keep one of them"},
        Broken{"IgnoredByBothDirections",
               kGood + "link:\n  slots: 3\n  states: {delay: 2ms}\n  commands: {delay: 1ms}\n",
               "cell.yaml:4:3: error: both directions have link models that ignore 'slots'\n"
               "  hint: remove it, or the keys under link.states or link.commands"},
        Broken{"DirectionNotAGroup", kGood + "link: {states: 5ms, commands: {delay: 1ms}}\n",
               "cell.yaml:3:16: error: 'link.states' must be a group of keys, not '5ms'\n"
               "  hint: its keys are: model, deadline, survival_time"},
        Broken{"NotYaml", kGood + "gains: {p: [1, 2}\ncut: none\n",
               "cell.yaml:3:17: error: this is not valid YAML: illegal flow end\n"
               "  hint: check the brackets, quotes and indentation here and just before"},
        Broken{"Tab", kGood + "control:\n\tperiod: 1ms\n",
               "cell.yaml:4:8: error: this is not valid YAML: illegal map value\n"
               "  hint: line 4 is indented with a tab: use spaces"},
        Broken{"TwoDocuments", kGood + kGain + "---\ncut: none\n",
               "cell.yaml:5:1: error: a second YAML document starts here\n"
               "  hint: keep one document and remove the line '---'"},
        Broken{"AliasInItself", kGood + "gains: &g {p: *g}\n",
               "cell.yaml: error: this scenario has more than 100 levels\n"
               "  hint: check whether an alias (*name) is inside its own anchor (&name)"},
        Broken{"NotAMap", "- one-joint\n- ur5\n",
               "cell.yaml:1:1: error: a scenario must be a map of keys and values\n"
               "  hint: for example: 'engine: mujoco'"}),
    name_of);

// --- values --------------------------------------------------------------------------------------

INSTANTIATE_TEST_SUITE_P(
    Values, BrokenInputs,
    testing::Values(
        Broken{"UnknownUnit", kGood + "link: {delay: 2mm}\n",
               "cell.yaml:3:15: error: '2mm' is not a duration\n"
               "  hint: write a number and a unit, such as 500us, 2ms or 1.5s"},
        Broken{"NoUnit", kGood + "link:\n  commands: {delay: 2}\n",
               "cell.yaml:4:21: error: '2' is not a duration\n"
               "  hint: write a number and a unit, such as 500us, 2ms or 1.5s"},
        Broken{"UnitOnANumber", kGood + "gain: 10ms\n",
               "cell.yaml:3:7: error: expected a number, found '10ms'\n"
               "  hint: write a plain number such as 0.5, without a unit"},
        Broken{"NoNumber", kGood + "feed_forward: full\n",
               "cell.yaml:3:15: error: expected a number, found 'full'\n"
               "  hint: write a plain number such as 0.5, without a unit"},
        Broken{"NoNumberInAList", kGood + "gains: {p: [high]}\n",
               "cell.yaml:3:13: error: expected a number, found 'high'\n"
               "  hint: write a plain number such as 0.5, without a unit"},
        Broken{"Nothing", kGood + "gain:\nseed: 2\n",
               "cell.yaml:3:1: error: expected a number, found nothing\n"
               "  hint: write a plain number such as 0.5, without a unit"},
        Broken{"NoWholeNumber", kGood + "link: {slots: 1.5}\n",
               "cell.yaml:3:15: error: expected a whole number, found '1.5'\n"
               "  hint: for example: 3"},
        Broken{"NeitherTrueNorFalse", kGood + "record: {trace: yes}\n",
               "cell.yaml:3:17: error: 'record.trace' must be true or false, not 'yes'"},
        Broken{"NegativeDelay", kGood + "link: {delay: -2ms}\n",
               "cell.yaml:3:15: error: a delay must not be negative\n"
               "  hint: use 0s or more"},
        Broken{"NegativeSlots", kGood + "link: {slots: -1}\n",
               "cell.yaml:3:15: error: slots must be between 0 and 1000000\n"
               "  hint: 0 passes messages through"},
        Broken{"NegativeGain", kGood + "gain: -1\n",
               "cell.yaml:3:7: error: gain must not be negative\n"
               "  hint: use 0 or more"},
        Broken{"NegativeRotor", kGood + "servo: {rotor_inertia_kg_m2: -0.1}\n" + kGain,
               "cell.yaml:3:30: error: servo.rotor_inertia_kg_m2 must not be negative\n"
               "  hint: use 0 or more"},
        Broken{"NegativeTolerances",
               kGood + kGain +
                   "tolerances:\n"
                   "  path_rad: -0.1\n"
                   "  goal_rad: [-0.1]\n"
                   "  stopped_velocity_rad_s: -1\n",
               "cell.yaml:5:13: error: tolerances.path_rad must not be negative\n"
               "  hint: use 0 or more\n"
               "cell.yaml:6:13: error: tolerances.goal_rad must not be negative\n"
               "  hint: use 0 or more\n"
               "cell.yaml:7:27: error: tolerances.stopped_velocity_rad_s must not be negative\n"
               "  hint: use 0 or more"},
        Broken{"NegativeClamps", kGood + kGain + "gains: {i_clamp: -1}\nservo: {i_clamp: -2}\n",
               "cell.yaml:4:18: error: gains.i_clamp must not be negative\n"
               "  hint: use 0 or more\n"
               "cell.yaml:5:18: error: servo.i_clamp must not be negative\n"
               "  hint: use 0 or more"},
        Broken{"NegativeTime", kGood + "estop: {at: -1s}\n" + kGain,
               "cell.yaml:3:13: error: estop.at must not be negative\n"
               "  hint: use 0s or more"},
        Broken{"UnknownEngine", kGood + "engine: mojuco\n",
               "cell.yaml:3:9: error: unknown engine 'mojuco'\n"
               "  hint: did you mean 'mujoco'?"},
        Broken{"UnknownSolver", kGood + "engine: {name: ode, solver: fast}\n" + kGain,
               "cell.yaml:3:29: error: unknown solver 'fast'\n"
               "  hint: valid names are: direct, quick"},
        Broken{"UnknownLinkModel", kGood + "link: {model: satellite}\n",
               "cell.yaml:3:15: error: unknown link.model 'satellite'\n"
               "  hint: valid names are: delay, netem, none, preset, profile, queue, trace"},
        Broken{"UnknownCut", kGood + "cut: torque\n",
               "cell.yaml:3:6: error: unknown cut 'torque'\n"
               "  hint: valid names are: none, trajectory, position, velocity, effort, "
               "stale-servo"},
        Broken{"UnknownServo", kGood + "servo: pdi\n",
               "cell.yaml:3:8: error: unknown servo 'pdi'\n"
               "  hint: did you mean 'pid'?"}),
    name_of);

// --- values that do not go together --------------------------------------------------------------

INSTANTIATE_TEST_SUITE_P(
    Together, BrokenInputs,
    testing::Values(
        Broken{"ControlBetweenSteps", kGood + "control: {period: 2500us}\n" + kGain,
               "cell.yaml:3:19: error: control.period 2500us is not a whole multiple of "
               "physics.period 1ms\n"
               "  hint: use 2ms or 3ms"},
        Broken{"StatesBetweenSteps",
               kGood +
                   "physics: {period: 4ms}\ncontrol: {period: 4ms}\n"
                   "states:\n  period: 3ms\n" +
                   kGain,
               "cell.yaml:6:11: error: states.period 3ms is not a whole multiple of "
               "physics.period 4ms\n"
               "  hint: use 4ms"},
        Broken{"NoTimeAtAll", kGood + "physics: {period: 0s}\n" + kGain,
               "cell.yaml:3:19: error: physics.period must be positive\n"
               "  hint: for example: 1ms"},
        Broken{"NoTimeBetweenTicks", kGood + "control: {period: 0s}\n" + kGain,
               "cell.yaml:3:19: error: control.period must be positive\n"
               "  hint: for example: 1ms"},
        Broken{"EffortsWithoutDynamics",
               kGood + "engine: kinematic\ncut: effort\nservo: {p: 10}\n" + kGain,
               "cell.yaml:3:9: error: engine 'kinematic' has no dynamics, which cut 'effort' "
               "with servo 'pid' needs\n"
               "  hint: use engine mujoco or ode"},
        Broken{"PidWithoutGains", kGood + "servo: pid\n" + kGain,
               "cell.yaml:3:8: error: servo 'pid' needs its gains\n"
               "  hint: set servo.p (N·m·s/rad), one per joint or one for all"},
        Broken{"PidOfACutWithoutGains", kGood + "cut: effort\n" + kGain,
               "cell.yaml:3:6: error: cut 'effort' uses servo 'pid', which needs its gains\n"
               "  hint: set servo.p (N·m·s/rad), one per joint or one for all"},
        Broken{"NoGain", kGood,
               "cell.yaml: error: the position loop has no gain\n"
               "  hint: set gain, for example gain: 10 (1/s), or gains.p per joint"},
        Broken{"NoGainAmongGains", kGood + "gains: {d: 1}\n",
               "cell.yaml:3:8: error: the position loop has no gain\n"
               "  hint: set gain, for example gain: 10 (1/s), or gains.p per joint"},
        Broken{"SilenceBeforeTheNextCommand",
               kGood + kGain + "control: {period: 100ms}\nlink: {commands: {silence_after: 1ms}}\n",
               "cell.yaml:5:34: error: link.commands.silence_after 1ms is shorter than "
               "control.period 100ms\n"
               "  hint: commands arrive once per control.period; use at least that"},
        Broken{"SilenceOfBothDirections", kGood + kGain + "link: {silence_after: 0s}\n",
               "cell.yaml:4:23: error: link.commands.silence_after 0s is shorter than "
               "control.period 1ms\n"
               "  hint: commands arrive once per control.period; use at least that"},
        Broken{"ReleaseBeforeStop", kGood + "estop: {at: 3s, release: 2s}\n" + kGain,
               "cell.yaml:3:26: error: estop.release must come after estop.at\n"
               "  hint: release later, or stop earlier"},
        Broken{"NoRobot", "task: {path: step, joints_rad: [[0.1]], hold: 10ms}\ngain: 10\n",
               "cell.yaml: error: robot.model is missing\n"
               "  hint: give a built-in model such as ur5, or a URDF or SDF file"},
        Broken{"NoTask", "robot: {model: one-joint, end_effector: tip}\ngain: 10\n",
               "cell.yaml: error: the task has no waypoints\n"
               "  hint: give task.poses_m_deg or task.joints_rad"},
        Broken{"AStepOfNoTime",
               "robot: {model: one-joint, end_effector: tip}\n"
               "task: {path: step, joints_rad: [[0.1]], hold: 0s}\ngain: 10\n",
               "cell.yaml:2:47: error: a step needs a hold\n"
               "  hint: set task.hold, for example 10s"}),
    name_of);

// --- values that do not fit the robot ------------------------------------------------------------

INSTANTIATE_TEST_SUITE_P(
    Robot, BrokenInputs,
    testing::Values(
        Broken{"UnknownModel",
               "robot: {model: ur6}\ntask: {joints_rad: [[0]], path: step}\ngain: 10\n",
               "cell.yaml:1:16: error: there is no model 'ur6'\n"
               "  hint: it is neither a file beside the scenario nor a built-in model; did you "
               "mean 'ur5'?"},
        Broken{"UnknownEndEffector",
               "robot: {model: one-joint, end_effector: top}\n"
               "task: {path: step, joints_rad: [[0.1]]}\ngain: 10\n",
               "cell.yaml:1:41: error: the robot has no link 'top'\n"
               "  hint: did you mean 'tip'?"},
        Broken{"NoEndEffector",
               "robot: {model: one-joint}\ntask: {path: step, joints_rad: [[0.1]]}\ngain: 10\n",
               "cell.yaml:1:8: error: robot.end_effector is missing\n"
               "  hint: name one of its links: base, drum, tip"},
        Broken{"TooManyGains", kGood + "gains: {p: [1, 2]}\n",
               "cell.yaml:3:12: error: gains.p has 2 numbers, but the robot has 1 joint\n"
               "  hint: give one number"},
        Broken{"TooFewGains",
               kUr5 + "task: {path: step, joints_rad: [[0, 0, 0, 0, 0, 0]]}\n"
                      "gains: {p: [10, 10, 10, 5, 5]}\n",
               "cell.yaml:7:12: error: gains.p has 5 numbers, but the robot has 6 joints\n"
               "  hint: give one per joint, or one for all"},
        Broken{"PoseOfFiveNumbers", kUr5 + "task: {poses_m_deg: [[0.5, 0, 0.2, 180, 0]]}\n",
               "cell.yaml:6:21: error: waypoint 1 has 5 numbers instead of 6\n"
               "  hint: a pose is [x, y, z, roll, pitch, yaw] in metres and degrees"},
        Broken{"WaypointOfOneNumber", kUr5 + "task: {path: joint, joints_rad: [[0.5]]}\n",
               "cell.yaml:6:33: error: waypoint 1 has 1 number, but the robot has 6 joints\n"
               "  hint: give one number per joint"},
        Broken{"WaypointBeyondTheLimits",
               kUr5 + "task:\n  path: joint\n  joints_rad: [[0, 0, 0, 0, 0, 0], [0, 0, 4, 0, "
                      "0, 0]]\n",
               "cell.yaml:8:15: error: waypoint 2 puts joint 'elbow_joint' at 4 rad, beyond "
               "its limits\n"
               "  hint: stay between -3.14159 and 3.14159"},
        Broken{"WaypointOutOfReach",
               kUr5 + "task: {path: joint, poses_m_deg: [[2, 0, 0.2, 180, 0, -90]]}\n",
               "cell.yaml:6:7: error: the task cannot be planned: waypoint 1: no joint "
               "positions within the limits put 'tool0' there: off by 1.08 m and 0.09 rad\n"
               "  hint: move the waypoints, or change task.path"},
        Broken{"LineOutOfReach", kUr5 + "task: {poses_m_deg: [[2, 0, 0.2, 180, 0, -90]]}\n",
               "cell.yaml:6:7: error: the task cannot be planned: from home to waypoint 1, "
               "after 22.3 % of the way: the arm is stretched or folded so far that it loses "
               "a direction of motion (smallest singular value 0.0072, at least 0.01 is "
               "needed)\n"
               "  hint: move the waypoints, or change task.path"},
        Broken{"StepOfPoses",
               kUr5 + "task: {path: step, poses_m_deg: [[0.5, 0, 0.2, 180, 0, -90]]}\n",
               "cell.yaml:6:14: error: a step needs a goal as joint positions\n"
               "  hint: use task.joints_rad"}),
    name_of);

// --- several at once -----------------------------------------------------------------------------

TEST(BrokenInputs, AreAllExplainedAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(
      complaint("cut: torque\n" + kGood +
                "link:\n"
                "  delay: 2mm\n"
                "  speed: 1\n"
                "seed: one\n"
                "gian: 3\n"),
      "cell.yaml:1:6: error: unknown cut 'torque'\n"
      "  hint: valid names are: none, trajectory, position, velocity, effort, stale-servo\n"
      "cell.yaml:5:10: error: '2mm' is not a duration\n"
      "  hint: write a number and a unit, such as 500us, 2ms or 1.5s\n"
      "cell.yaml:6:3: error: unknown key 'link.speed'\n"
      "  hint: valid names are: commands, compat, deadline, delay, jitter_correlation, model, "
      "netem, on_silence, overtaking, phases, preset, profile, repeat, silence_after, slots, "
      "states, "
      "survival_time, trace, trace_by, trace_received, trace_repeat, watchdog\n"
      "cell.yaml:7:7: error: expected a whole number, found 'one'\n"
      "  hint: for example: 3\n"
      "cell.yaml:8:1: error: unknown key 'gian'\n"
      "  hint: did you mean 'gain'?");
}

// --- command line --------------------------------------------------------------------------------

std::string complaint_about_set(const std::string& change) {
  return complaint(kGood + kGain, {{change}, {}});
}

TEST(BrokenInputs, OfSetAreExplained) {
  EXPECT_EQ(complaint_about_set("gain"),
            "--set gain: error: expected key=value\n"
            "  hint: for example: --set link.delay=5ms");
  EXPECT_EQ(complaint_about_set("link..delay=3ms"),
            "--set link..delay=3ms: error: a key is empty\n"
            "  hint: for example: --set link.delay=5ms");
  EXPECT_EQ(complaint_about_set("link.delay=3"),
            "--set link.delay=3: error: '3' is not a duration\n"
            "  hint: write a number and a unit, such as 500us, 2ms or 1.5s");
  EXPECT_EQ(complaint_about_set("gian=3"),
            "--set gian=3: error: unknown key 'gian'\n"
            "  hint: did you mean 'gain'?");
  // gain stands in the file, but what is wrong about it does not
  EXPECT_EQ(complaint_about_set("gain.p=5"),
            "--set gain.p=5: error: expected a number, found a group of keys\n"
            "  hint: write a plain number such as 0.5, without a unit");
  EXPECT_EQ(complaint_about_set("gains.p=[1, 2"),
            "--set gains.p=[1, 2: error: this is not valid YAML: end of sequence flow not found\n"
            "  hint: check the brackets, quotes and indentation here and just before");
  EXPECT_EQ(complaint_about_set("control.period=1500us"),
            "--set control.period=1500us: error: control.period 1500us is not a whole multiple of "
            "physics.period 1ms\n"
            "  hint: use 1ms or 2ms");
}

TEST(BrokenInputs, OfAllowAreExplained) {
  EXPECT_EQ(complaint(kGood, {{}, {"servo-steps"}}),
            "--allow servo-steps: error: unknown lint finding 'servo-steps'\n"
            "  hint: did you mean 'servo-step'?");
}

TEST(BrokenInputs, OfScenarioNamesAreExplained) {
  try {
    load_scenario("ur5-waypoint", {}, built_in_plugins());
    FAIL() << "there is such a scenario";
  } catch (const InputError& problem) {
    EXPECT_STREQ(
        problem.what(),
        "error: there is no scenario 'ur5-waypoint'\n"
        "  hint: it is neither a file nor a built-in scenario; did you mean 'ur5-waypoints'?");
  }
}

}  // namespace
}  // namespace longarm::actors
