// SPDX-License-Identifier: Apache-2.0
// The kind `ros`: what a program hears of an arm, and what becomes of its goals.
#include <cmath>

#include <gmock/gmock.h>

#include "longarm/actors/test/ros_fixture.h"

namespace longarm::actors {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kArmWithGoals = R"(engine: kinematic
physics: {period: 1ms}
length: 10min
network:
  hosts: [edge, robot]
  links:
    cable: {between: [edge, robot], propagation: 1ms}
actors:
  ur5:
    kind: arm
    model: ur5
    host: robot
    end_effector: tool0
    home_rad: [0, -1.5, 1.5, -1.5, -1.5, 0]
    control: {host: edge, period: 1ms, transport: udp}
    task: {path: goals}
    gains: {p: [10]}
    feed_forward: 1
    tolerances: {path_rad: [0.2], goal_rad: [0.01], goal_time: 1s}
  ros: {kind: ros, host: edge, arms: [ur5], port: 0}
)";

constexpr const char* kJoints =
    R"("joints":["shoulder_pan_joint","shoulder_lift_joint","elbow_joint",)"
    R"("wrist_1_joint","wrist_2_joint","wrist_3_joint"])";

/// Turns the first joint there; `more` are further keys.
std::string follow(const std::string& goal, double pan_rad, Duration in,
                   const std::string& more = "") {
  return fmt::format(R"({{"do":"follow","robot":"ur5","goal":"{}",{},"points":[{{"t_ns":{},)"
                     R"("q":[{},-1.5,1.5,-1.5,-1.5,0]}}]{}}})",
                     goal, kJoints, in.count(), pan_rad, more);
}

class Ros : public RosTest {
 protected:
  void SetUp() override { start(prepare(kArmWithGoals)); }
};

TEST_F(Ros, HelloNamesTheRobotItsFramesAndWhatCanBeSet) {
  const RosLine hello = join().hello;
  EXPECT_EQ(hello["longarm"], 1);
  EXPECT_EQ(hello["t_ns"], 0);
  EXPECT_EQ(hello["step_ns"], 1'000'000);
  EXPECT_EQ(hello["states_period_ns"], 8'000'000);
  EXPECT_EQ(hello["is_served"], false);
  EXPECT_EQ(hello["epoch_ns"], 946'684'800'000'000'000);
  EXPECT_EQ(hello["state"], "running");
  ASSERT_EQ(hello["robots"].size(), 1u);
  const RosLine& robot = hello["robots"][0];
  EXPECT_EQ(robot["name"], "ur5");
  EXPECT_EQ(robot["prefix"], "");
  EXPECT_EQ(robot["joints"].size(), 6u);
  EXPECT_EQ(robot["driven"], robot["joints"]);
  EXPECT_EQ(robot["accepts"], RosLine::parse(R"(["trajectory","velocity","position"])"));
  EXPECT_THAT(robot["description"].get<std::string>(), HasSubstr("<robot name="));
  EXPECT_THAT(robot["description"].get<std::string>(), HasSubstr("wrist_3_joint"));
  // one frame for each joint moves
  EXPECT_EQ(hello["frames"].size(), 6u);
  for (const RosLine& frame : hello["frames"]) {
    EXPECT_EQ(frame.size(), 2u) << frame;
  }
  for (const RosLine& frame : hello["fixed_frames"]) {
    EXPECT_EQ(frame.size(), 9u) << frame;
  }
  const auto find = [&](const std::string& name) {
    for (const RosLine& each : hello["parameters"]) {
      if (each["name"] == name) {
        return each;
      }
    }
    return RosLine();
  };
  EXPECT_EQ(find("network/cable/propagation")["value"], 0.001);
  EXPECT_EQ(find("network/cable/propagation")["unit"], "s");
  EXPECT_EQ(find("network/cable/up")["value"], true);
}

TEST_F(Ros, StreamsJointsAndFramesAtTheirPeriods) {
  RosProgram& program = join();
  go(100ms);
  const std::vector<RosLine> joints = program.with("joints");
  // after the first step, and then at multiples of the period
  ASSERT_EQ(joints.size(), 13u);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    EXPECT_EQ(joints[i]["t_ns"], i == 0 ? 1'000'000 : i * 8'000'000);
    EXPECT_EQ(joints[i]["joints"]["ur5"][0].size(), 6u);
    EXPECT_DOUBLE_EQ(joints[i]["joints"]["ur5"][0][1].get<double>(), -1.5);
  }
  const std::vector<RosLine> frames = program.with("frames");
  ASSERT_EQ(frames.size(), 6u);
  EXPECT_EQ(frames[1]["t_ns"], 20'000'000);
  EXPECT_EQ(frames[0]["frames"].size(), program.hello["frames"].size());
  EXPECT_EQ(program.with("progress").size(), 6u);
  EXPECT_EQ(program.with("progress")[0]["progress"]["ur5"]["goal"], "");
}

TEST_F(Ros, JointsAreAsLateAsTheLinkMakesThem) {
  RosProgram& program = join();
  say(program, R"({"do":"velocity","robot":"ur5","values":[0.1,0,0,0,0,0]})");
  const auto lag_s = [&] {
    program.heard.clear();
    go(8ms);
    return (position(0) - program.with("joints").back()["joints"]["ur5"][0][0].get<double>()) / 0.1;
  };
  go(200ms);
  // sampled at the start of a step and seen by the tick a step of 1 ms later, over 1 ms of cable
  const double before = lag_s();
  EXPECT_GE(before, 0.001);
  EXPECT_LE(before, 0.003);
  say(program, R"({"do":"set","id":1,"parameter":"network/cable/propagation","value":0.05})");
  go(200ms);
  ASSERT_EQ(program.with("answer").size(), 1u);
  EXPECT_FALSE(program.with("answer")[0].contains("error"));
  EXPECT_EQ(program.with("parameter").at(0)["value"], 0.05);
  EXPECT_NEAR(lag_s() - before, 0.049, 1e-9);
  EXPECT_EQ(join().hello["parameters"][0]["value"], 0.05);
}

TEST_F(Ros, GoalIsFollowedToItsEnd) {
  RosProgram& program = join();
  say(program, follow("turn", 0.2, 1s));
  go(500ms);
  EXPECT_EQ(program.states_of("turn"), "accepted");
  const RosLine half = program.with("progress").back()["progress"]["ur5"];
  EXPECT_EQ(half["goal"], "turn");
  // half of the way after half of the time, and behind that by the way there and back
  EXPECT_NEAR(half["desired"][0].get<double>(), 0.1, 0.002);
  EXPECT_NEAR(half["actual"][0].get<double>(), 0.1, 0.005);
  EXPECT_NEAR(half["error"][0].get<double>(),
              half["desired"][0].get<double>() - half["actual"][0].get<double>(), 1e-3);
  ASSERT_TRUE(go_to_end_of(program, "turn"));
  EXPECT_EQ(program.states_of("turn"), "accepted succeeded");
  EXPECT_EQ(program.end_of("turn")["code"], 0);
  EXPECT_GE(run_->now(), Time(1s));
  EXPECT_LE(run_->now(), Time(2s));
  EXPECT_NEAR(position(0), 0.2, 0.01);
  EXPECT_EQ(results()["goals_succeeded"], 1);
}

TEST_F(Ros, GoalMayNameItsJointsInAnyOrder) {
  RosProgram& program = join();
  say(program,
      R"({"do":"follow","robot":"ur5","goal":"g","joints":["wrist_3_joint","wrist_2_joint",)"
      R"("wrist_1_joint","elbow_joint","shoulder_lift_joint","shoulder_pan_joint"],)"
      R"("points":[{"t_ns":500000000,"q":[0.3,-1.5,-1.5,1.5,-1.5,0.1]}]})");
  ASSERT_TRUE(go_to_end_of(program, "g"));
  EXPECT_EQ(program.states_of("g"), "accepted succeeded");
  EXPECT_NEAR(position(0), 0.1, 0.01);
  EXPECT_NEAR(position(5), 0.3, 0.01);
}

TEST_F(Ros, GoalThatLeavesItsPathIsAborted) {
  RosProgram& program = join();
  say(program, follow("turn", 0.2, 1s, R"(,"path_tolerance_rad":{"shoulder_pan_joint":1e-5})"));
  ASSERT_TRUE(go_to_end_of(program, "turn"));
  EXPECT_EQ(program.states_of("turn"), "accepted aborted");
  EXPECT_EQ(program.end_of("turn")["code"], -4);
  EXPECT_THAT(program.end_of("turn")["text"].get<std::string>(),
              HasSubstr("shoulder_pan_joint exceeded its path tolerance of 1e-05 rad"));
  EXPECT_LT(run_->now(), Time(100ms));
}

TEST_F(Ros, GoalThatIsNotReachedInTimeIsAborted) {
  RosProgram& program = join();
  say(program, R"({"do":"set","parameter":"network/cable/propagation","value":0.1})");
  say(program, follow("turn", 0.2, 500ms,
                      R"(,"path_tolerance_rad":{"shoulder_pan_joint":0},"goal_time_ns":10000000,)"
                      R"("goal_tolerance_rad":{"shoulder_pan_joint":1e-6})"));
  ASSERT_TRUE(go_to_end_of(program, "turn"));
  EXPECT_EQ(program.end_of("turn")["state"], "aborted");
  EXPECT_EQ(program.end_of("turn")["code"], -5);
  EXPECT_THAT(program.end_of("turn")["text"].get<std::string>(), HasSubstr("goal time of 10ms"));
  EXPECT_NEAR(to_seconds(run_->now().time_since_epoch()), 0.51, 0.005);
}

TEST_F(Ros, GoalsWithoutSenseAreRejected) {
  RosProgram& program = join();
  const auto code_of = [&](const std::string& goal) {
    EXPECT_EQ(program.states_of(goal), "rejected") << goal;
    return program.end_of(goal).value("code", 0);
  };
  say(program, R"({"do":"follow","id":1,"robot":"ur5","goal":"five","joints":["elbow_joint"],)"
               R"("points":[{"t_ns":1,"q":[0]}]})");
  say(program, follow("later", 0.1, 1s, R"(,"start_ns":-5000000000)"));
  say(program, fmt::format(R"({{"do":"follow","robot":"ur5","goal":"short",{},)"
                           R"("points":[{{"t_ns":1000000000,"q":[0,0]}}]}})",
                           kJoints));
  say(program, fmt::format(R"({{"do":"follow","robot":"ur5","goal":"back",{},)"
                           R"("points":[{{"t_ns":2000000000,"q":[0,0,0,0,0,0]}},)"
                           R"({{"t_ns":1000000000,"q":[0,0,0,0,0,0]}}]}})",
                           kJoints));
  go(1ms);
  EXPECT_EQ(code_of("five"), -2);
  EXPECT_EQ(program.end_of("five")["text"], "joint 'shoulder_pan_joint' is missing");
  EXPECT_EQ(code_of("later"), -3);
  EXPECT_EQ(code_of("short"), -1);
  EXPECT_EQ(code_of("back"), -1);
  // taken, though rejected
  ASSERT_EQ(program.with("answer").size(), 1u);
  EXPECT_FALSE(program.with("answer")[0].contains("error"));
  EXPECT_EQ(results()["goals_rejected"], 4);
  EXPECT_EQ(results()["refused"], 0);
}

TEST_F(Ros, GoalReplacesTheOneBeforeIt) {
  RosProgram& program = join();
  say(program, follow("first", 0.4, 2s));
  go(500ms);
  say(program, follow("second", 0.0, 500ms));
  ASSERT_TRUE(go_to_end_of(program, "second"));
  EXPECT_EQ(program.states_of("first"), "accepted cancelled");
  EXPECT_EQ(program.end_of("first")["text"], "another goal replaced it");
  EXPECT_EQ(program.states_of("second"), "accepted succeeded");
  EXPECT_NEAR(position(0), 0.0, 0.01);
  EXPECT_EQ(results()["goals_cancelled"], 1);
}

TEST_F(Ros, CancelledGoalLeavesTheArmWhereItIs) {
  RosProgram& program = join();
  say(program, follow("turn", 0.4, 2s));
  go(500ms);
  say(program, R"({"do":"cancel","robot":"ur5","goal":"another"})");
  go(1ms);
  EXPECT_EQ(program.states_of("turn"), "accepted");
  say(program, R"({"do":"cancel","robot":"ur5","goal":"turn"})");
  go(1s);
  EXPECT_EQ(program.states_of("turn"), "accepted cancelled");
  // what it was told when it was cancelled
  EXPECT_NEAR(position(0), 0.1, 0.002);
}

TEST_F(Ros, GoalBeginsWhenItIsToldTo) {
  RosProgram& program = join();
  say(program, follow("turn", 0.2, 1s, R"(,"start_ns":1000000000)"));
  go(999ms);
  EXPECT_EQ(program.states_of("turn"), "accepted");
  EXPECT_DOUBLE_EQ(position(0), 0.0);
  go(501ms);
  EXPECT_NEAR(position(0), 0.1, 0.005);
  ASSERT_TRUE(go_to_end_of(program, "turn"));
  EXPECT_EQ(program.states_of("turn"), "accepted succeeded");
  // one that is to come can be cancelled, too
  say(program, follow("never", 0.5, 1s, R"(,"start_ns":5000000000)"));
  say(program, R"({"do":"cancel","robot":"ur5"})");
  go(4s);
  EXPECT_EQ(program.states_of("never"), "accepted cancelled");
  EXPECT_NEAR(position(0), 0.2, 0.01);
}

TEST_F(Ros, ArmIsDrivenAtVelocitiesAndPutToPositions) {
  RosProgram& program = join();
  say(program, follow("turn", 0.4, 2s));
  go(100ms);
  say(program, R"({"do":"velocity","robot":"ur5","values":[0,0,0,0,0,0.5]})");
  go(100ms);
  EXPECT_EQ(program.states_of("turn"), "accepted cancelled");
  const double from = position(5);
  go(1s);
  EXPECT_NEAR(position(5) - from, 0.5, 1e-9);
  say(program, R"({"do":"position","robot":"ur5","values":[0.1,-1.5,1.5,-1.5,-1.5,0.2]})");
  go(3s);
  // the rest decays with the gain, exp(-10 · 3)
  EXPECT_NEAR(position(0), 0.1, 1e-6);
  EXPECT_NEAR(position(5), 0.2, 1e-6);
  say(program, R"({"do":"position","id":9,"robot":"ur5","values":[0.1]})");
  go(1ms);
  EXPECT_EQ(program.with("answer").at(0)["error"],
            "'values' has 1 numbers, but the arm has 6 joints");
}

TEST_F(Ros, BothProgramsHearWhatBecomesOfAGoal) {
  RosProgram& one = join();
  RosProgram& two = join();
  say(one, follow("turn", 0.05, 200ms, R"(,"id":7)"));
  ASSERT_TRUE(go_to_end_of(one, "turn"));
  EXPECT_EQ(two.states_of("turn"), "accepted succeeded");
  EXPECT_EQ(one.with("joints"), two.with("joints"));
  // answers are for the one that asked
  EXPECT_EQ(one.with("answer").size(), 1u);
  EXPECT_EQ(two.with("answer").size(), 0u);
  leave(two);
  go(16ms);
  EXPECT_EQ(programs_.size(), 1u);
}

TEST_F(Ros, ProgramThatDoesNotReadTheStreamKeepsOnlyTheNewestPacket) {
  RosProgram& program = join();
  door_->open(protocols::ConnectionId{99}, run_->now());
  (void)door_->take_output(protocols::ConnectionId{99});
  go(2s);
  EXPECT_EQ(program.with("joints").size(), 251u);
  // three diagnostics are all that waits for it
  EXPECT_LT(door_->take_output(protocols::ConnectionId{99}).size(), 8192u);
  std::istringstream packet(door_->take_cyclic(protocols::ConnectionId{99}));
  std::string line;
  std::getline(packet, line);
  EXPECT_EQ(RosLine::parse(line)["t_ns"], 2'000'000'000);
  EXPECT_LT(packet.str().size(), 4096u);
}

TEST_F(Ros, BrokenLinesAreAnsweredWithWhatIsWrong) {
  RosProgram& program = join();
  for (const char* line :
       {"nonsense", R"({"do":"dance","id":1})", R"({"do":"velocity","robot":"ur6","values":[]})",
        R"({"do":"set","id":2,"parameter":"network/cable/propagatoin","value":1})",
        R"({"do":"set","id":3,"parameter":"network/cable/propagation","value":-1})",
        R"({"do":"set","id":4,"parameter":"network/cable/up","value":1})",
        R"({"do":"follow","id":5,"robot":"ur5","goal":"","joints":[],"points":[]})"}) {
    say(program, line);
  }
  go(1ms);
  std::vector<std::string> errors;
  for (const RosLine& line : program.with("error")) {
    errors.push_back(line["error"]);
  }
  EXPECT_THAT(
      errors,
      ElementsAre("not a JSON object: 'nonsense'", HasSubstr("unknown request 'dance'; use one of"),
                  "no arm called 'ur6' takes goals; those that do: ur5",
                  HasSubstr("no parameter is called 'network/cable/propagatoin'; did you mean "
                            "'network/cable/propagation'?"),
                  "network/cable/propagation = -1: give a number from 0 to 1000000",
                  "network/cable/up = 1: give true or false", "a goal needs a name"));
  EXPECT_EQ(program.with("answer").size(), 5u);
  EXPECT_EQ(results()["requests"], 7);
  EXPECT_EQ(results()["refused"], 7);
}

TEST_F(Ros, OnlyAServedCellCanBePaused) {
  RosProgram& program = join();
  say(program, R"({"do":"pause","id":1})");
  go(1ms);
  EXPECT_THAT(program.with("answer").at(0)["error"].get<std::string>(),
              HasSubstr("only longarm serve can pause, step and reset"));
  cell::Pace& pace = run_->world().pace();
  pace.is_served = true;
  say(program, R"({"do":"step","id":2})");
  say(program, R"({"do":"pause","id":3})");
  EXPECT_TRUE(pace.is_paused);
  say(program, R"({"do":"step","id":4,"steps":5})");
  EXPECT_EQ(pace.steps, 5u);
  EXPECT_EQ(join().hello["state"], "paused");
  say(program, R"({"do":"resume","id":5})");
  EXPECT_FALSE(pace.is_paused);
  EXPECT_EQ(pace.steps, 0u);
  say(program, R"({"do":"reset","id":6})");
  EXPECT_TRUE(pace.is_reset_asked);
  program.listen();
  EXPECT_EQ(program.with("answer").at(1)["error"], "the cell is running; pause it first");
  std::vector<std::string> states;
  for (const RosLine& line : program.with("state")) {
    states.push_back(line["state"]);
  }
  EXPECT_THAT(states, ElementsAre("paused", "running", "reset"));
}

TEST_F(Ros, SameRequestsGiveTheSameBits) {
  const auto play = [&] {
    programs_.clear();
    start(prepare(kArmWithGoals));
    RosProgram& program = join();
    say(program, follow("turn", 0.2, 1s));
    go(400ms);
    say(program, R"({"do":"set","parameter":"network/cable/propagation","value":0.02})");
    go(400ms);
    say(program, R"({"do":"velocity","robot":"ur5","values":[0,0,0.1,0,0,0]})");
    go(400ms);
    return std::pair(run_->results()["state_hash"], program.heard);
  };
  const auto first = play();
  const auto second = play();
  EXPECT_FALSE(first.first.is_null());
  EXPECT_EQ(first.first, second.first);
  EXPECT_EQ(first.second, second.second);
}

}  // namespace
}  // namespace longarm::actors
