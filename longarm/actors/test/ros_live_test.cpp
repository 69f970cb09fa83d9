// SPDX-License-Identifier: Apache-2.0
// Values of arms and links that change while a cell runs: what they do, and what is refused.
#include <cmath>

#include <gmock/gmock.h>

#include "longarm/actors/test/ros_fixture.h"

namespace longarm::actors {
namespace {

using testing::HasSubstr;

constexpr const char* kOneArm = R"(engine: kinematic
physics: {period: 1ms}
length: 10min
actors:
  ur5:
    kind: arm
    model: ur5
    end_effector: tool0
    home_rad: [0, -1.5, 1.5, -1.5, -1.5, 0]
    control: {period: 1ms}
    task: {path: goals}
    gains: {p: [10]}
  ros: {kind: ros, port: 0, states_period: 1ms}
)";

constexpr const char* kNetwork =
    R"(network={hosts: [edge, robot], links: {cable: {between: [edge, robot], rate: 1Gbit}}})";

class RosLive : public RosTest {
 protected:
  void begin(const std::vector<std::string>& changes = {}) { start(prepare(kOneArm, changes)); }
  void begin_networked() {
    begin({kNetwork, "actors.ur5.host=robot", "actors.ur5.control.host=edge",
           "actors.ur5.control.transport=udp", "actors.ros.host=edge"});
  }

  /// What is wrong with it; empty: nothing.
  std::string set(RosProgram& program, const std::string& key, const std::string& value) {
    program.heard.clear();
    say(program, fmt::format(R"({{"do":"set","id":1,"parameter":"{}","value":{}}})", key, value));
    program.listen();
    return program.with("answer").at(0).value("error", "");
  }
  static RosLine parameter(const RosProgram& program, const std::string& name) {
    for (const RosLine& each : program.hello["parameters"]) {
      if (each["name"] == name) {
        return each;
      }
    }
    ADD_FAILURE() << "no parameter " << name;
    return {};
  }
  /// Of the first joint, as its controller has received it last.
  static double heard_rad(const RosProgram& program) {
    return program.with("joints").back()["joints"]["ur5"][0][0];
  }
};

TEST_F(RosLive, GainSaysHowFastAnErrorDecays) {
  begin();
  RosProgram& program = join();
  EXPECT_EQ(parameter(program, "ur5/gains/p")["value"],
            RosLine(std::vector<double>{10, 10, 10, 10, 10, 10}));
  const auto rest_after = [&](Duration span) {
    const double goal = position(0) + 0.1;
    say(program,
        fmt::format(R"({{"do":"position","robot":"ur5","values":[{},-1.5,1.5,-1.5,-1.5,0]}})",
                    goal));
    go(span);
    const double rest = (goal - position(0)) / 0.1;
    go(2s);
    return rest;
  };
  // one tick of 1 ms until the command acts, and steps of 1 ms: (1 - p/1000)^n
  EXPECT_NEAR(rest_after(100ms), std::pow(1.0 - 0.010, 100.0), 0.02);
  EXPECT_EQ(set(program, "ur5/gains/p", "[20,10,10,10,10,10]"), "");
  EXPECT_NEAR(rest_after(100ms), std::pow(1.0 - 0.020, 100.0), 0.02);
  EXPECT_EQ(set(program, "ur5/gains/p", "20"), "ur5/gains/p = 20: give a list of 6 numbers");
  EXPECT_EQ(set(program, "ur5/gains/p", "[20,10,10,10,10,-1]"),
            "ur5/gains/p = [20,10,10,10,10,-1]: number 6: give a number from 0 on");
  EXPECT_EQ(join().hello["parameters"][0]["value"][0], 20.0);
}

TEST_F(RosLive, TolerancesHoldForGoalsThatNameNone) {
  begin();
  RosProgram& program = join();
  const std::string goal =
      R"("joints":["shoulder_pan_joint","shoulder_lift_joint","elbow_joint","wrist_1_joint",)"
      R"("wrist_2_joint","wrist_3_joint"],"points":[{"t_ns":500000000,)"
      R"("q":[0.3,-1.5,1.5,-1.5,-1.5,0]}]})";
  EXPECT_EQ(set(program, "ur5/tolerances/path", "[0.001,0,0,0,0,0]"), "");
  // without feed-forward it is behind by v/p = 0.06 rad
  say(program, R"({"do":"follow","robot":"ur5","goal":"strict",)" + goal);
  ASSERT_TRUE(go_to_end_of(program, "strict"));
  EXPECT_EQ(program.end_of("strict")["code"], -4);
  EXPECT_EQ(set(program, "ur5/tolerances/path", "[0,0,0,0,0,0]"), "");
  EXPECT_EQ(set(program, "ur5/feed_forward", "1"), "");
  say(program, R"({"do":"follow","robot":"ur5","goal":"loose",)" + goal);
  ASSERT_TRUE(go_to_end_of(program, "loose"));
  EXPECT_EQ(program.end_of("loose")["state"], "succeeded");
  EXPECT_EQ(set(program, "ur5/tolerances/goal_time", "-1"),
            "ur5/tolerances/goal_time = -1: give a number from 0 to 1000000");
}

TEST_F(RosLive, OwnLinkOfAnArmBecomesSlower) {
  begin();
  RosProgram& program = join();
  say(program, R"({"do":"velocity","robot":"ur5","values":[0.1,0,0,0,0,0]})");
  go(100ms);
  const double before_s = (position(0) - heard_rad(program)) / 0.1;
  EXPECT_EQ(set(program, "ur5/link/delay", "0.03"), "");
  go(100ms);
  EXPECT_NEAR((position(0) - heard_rad(program)) / 0.1 - before_s, 0.03, 1e-9);
  EXPECT_EQ(set(program, "ur5/link/netem", R"("delay 5ms")"), "");
  go(100ms);
  EXPECT_NEAR((position(0) - heard_rad(program)) / 0.1 - before_s, 0.005, 1e-9);
  EXPECT_EQ(parameter(join(), "ur5/link/delay")["value"], 0.005);
  EXPECT_THAT(set(program, "ur5/link/netem", R"("delay banana")"),
              HasSubstr("ur5/link/netem = \"delay banana\": "));
  EXPECT_THAT(set(program, "ur5/link/netem", "5"), HasSubstr("give a text such as"));
  EXPECT_EQ(set(program, "ur5/link/loss", "1.5"), "ur5/link/loss = 1.5: give a number from 0 to 1");
}

TEST_F(RosLive, CableLosesWhatItIsTold) {
  begin_networked();
  RosProgram& program = join();
  EXPECT_EQ(parameter(program, "network/cable/rate")["value"], 1e9);
  EXPECT_EQ(parameter(program, "network/cable/netem")["value"], "");
  go(1s);
  const auto lost = [&] {
    const auto link = run_->results()["ur5"]["link"]["states"];
    return link["lost"].get<double>();
  };
  EXPECT_EQ(lost(), 0.0);
  EXPECT_EQ(set(program, "network/cable/loss", "0.25"), "");
  EXPECT_EQ(parameter(join(), "network/cable/netem")["value"], "loss 25%");
  go(2s);
  // of 2000 packets; five standard deviations are 97
  EXPECT_NEAR(lost(), 500.0, 97.0);
  // which the next diagnostics tell
  RosLine worst;
  const RosLine last = program.with("diagnostics").back();
  for (const RosLine& line : last["diagnostics"]) {
    if (line["name"] == "ur5") {
      worst = line;
    }
  }
  EXPECT_EQ(worst["level"], 1) << worst;
  EXPECT_EQ(worst["message"], "states or commands were lost or late");
  const double before = lost();
  EXPECT_EQ(set(program, "network/cable/loss", "0"), "");
  go(1s);
  EXPECT_LE(lost() - before, 1.0);
}

TEST_F(RosLive, CableMayBePulledAndJitter) {
  begin_networked();
  RosProgram& program = join();
  EXPECT_EQ(set(program, "network/cable/up", "false"), "");
  go(50ms);
  say(program, R"({"do":"velocity","robot":"ur5","values":[0.1,0,0,0,0,0]})");
  go(200ms);
  EXPECT_DOUBLE_EQ(position(0), 0.0) << "no command gets through";
  EXPECT_EQ(set(program, "network/cable/up", "true"), "");
  go(200ms);
  EXPECT_GT(position(0), 0.01);
  EXPECT_EQ(set(program, "network/cable/delay", "0.01"), "");
  EXPECT_EQ(set(program, "network/cable/jitter", "0.002"), "");
  go(1s);
  const auto link = run_->results()["ur5"]["link"]["states"];
  EXPECT_GT(link["delay_max_s"].get<double>(), 0.0115);
  EXPECT_LT(link["delay_max_s"].get<double>(), 0.0121);
}

TEST_F(RosLive, LinksThatAreNotThereHaveNoKeys) {
  begin({"actors.ur5.cut=none"});
  for (const RosLine& each : join().hello["parameters"]) {
    EXPECT_THAT(each["name"].get<std::string>(), testing::Not(HasSubstr("/link/"))) << each;
  }
}

}  // namespace
}  // namespace longarm::actors
