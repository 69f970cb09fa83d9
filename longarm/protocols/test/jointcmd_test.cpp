// SPDX-License-Identifier: Apache-2.0
// Joint messages beside the classes that protobuf made of the same definitions, and the door that
// takes them.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <ignition/msgs/joint_cmd.pb.h>
#include <ignition/msgs/model.pb.h>
#include <ignition/msgs/stringmsg.pb.h>

#include "longarm/protocols/jointcmd/door.h"

namespace longarm::protocols::jointcmd {
namespace {

using namespace std::chrono_literals;

// --- messages, with ignition's own classes as the oracle
// -------------------------------------------

TEST(JointCmdMessages, AreReadAsIgnitionWritesThem) {
  ignition::msgs::JointCmd message;
  message.set_name("finger");
  message.mutable_header()->mutable_stamp()->set_sec(3);
  message.mutable_velocity()->mutable_target_optional()->set_data(-0.25);
  message.mutable_velocity()->mutable_p_gain_optional()->set_data(100.0);
  message.mutable_force_optional()->set_data(40.0);
  JointCommand expected{"finger", {}, -0.25, 40.0, false};
  EXPECT_EQ(decode_joint_command(message.SerializeAsString()).value(), expected);
  ignition::msgs::PID& position = *message.mutable_position();
  position.mutable_target_optional()->set_data(0.5);
  position.mutable_p_gain_optional()->set_data(100.0);
  position.mutable_i_gain_optional()->set_data(3.0);
  position.mutable_d_gain_optional()->set_data(0.0);
  position.mutable_i_min_optional()->set_data(-4.0);
  position.mutable_i_max_optional()->set_data(5.0);
  position.mutable_limit_optional()->set_data(6.0);
  expected.position = 0.5;
  expected.gains = {100.0, 3.0, 0.0, -4.0, 5.0, 6.0};
  EXPECT_EQ(decode_joint_command(message.SerializeAsString()).value(), expected);
}

// A target of zero has no bytes at all inside its message, yet it is there.
TEST(JointCmdMessages, TellATargetOfZeroFromNone) {
  ignition::msgs::JointCmd message;
  message.set_name("finger");
  EXPECT_EQ(decode_joint_command(message.SerializeAsString())->position, std::nullopt);
  message.mutable_position()->mutable_target_optional()->set_data(0.0);
  EXPECT_EQ(decode_joint_command(message.SerializeAsString())->position, 0.0);
}

TEST(JointCmdMessages, AreWrittenAsIgnitionReadsThem) {
  const JointCommand command{"arm::j1", 1.5, -2.0, 0.0, true, {.p = 7.0, .i_min = -1.0}};
  ignition::msgs::JointCmd message;
  ASSERT_TRUE(message.ParseFromString(encode_joint_command(command)));
  EXPECT_EQ(message.name(), "arm::j1");
  EXPECT_EQ(message.position().target_optional().data(), 1.5);
  EXPECT_EQ(message.position().p_gain_optional().data(), 7.0);
  EXPECT_EQ(message.position().i_min_optional().data(), -1.0);
  EXPECT_FALSE(message.position().has_d_gain_optional());
  EXPECT_EQ(message.velocity().target_optional().data(), -2.0);
  EXPECT_TRUE(message.has_force_optional());
  EXPECT_TRUE(message.reset());
  EXPECT_EQ(decode_joint_command(encode_joint_command(command)).value(), command);
}

TEST(JointCmdMessages, OfStatesAreAModelToIgnition) {
  const std::vector<JointReading> readings{{"j1", false, 0.5, -1.0, 2.0}, {"f", true, 0.01, 0, 0}};
  const std::string bytes = encode_joint_states("lrmate", readings, Time(2'000'000'005ns));
  ignition::msgs::Model model;
  ASSERT_TRUE(model.ParseFromString(bytes));
  EXPECT_EQ(model.name(), "lrmate");
  EXPECT_EQ(model.header().stamp().sec(), 2);
  EXPECT_EQ(model.header().stamp().nsec(), 5);
  ASSERT_EQ(model.joint_size(), 2);
  EXPECT_EQ(model.joint(0).name(), "j1");
  EXPECT_EQ(model.joint(0).axis1().position(), 0.5);
  EXPECT_EQ(model.joint(0).axis1().velocity(), -1.0);
  EXPECT_EQ(model.joint(0).axis1().force(), 2.0);
  EXPECT_EQ(model.joint(1).type(), ignition::msgs::Joint::PRISMATIC);
  EXPECT_EQ(decode_joint_states(model.SerializeAsString()).value(), readings);
}

TEST(JointCmdMessages, AreRefusedWithAReason) {
  const auto failure = [](const ignition::msgs::JointCmd& message) {
    const Result<JointCommand> read = decode_joint_command(message.SerializeAsString());
    return read.has_value() ? "" : read.error().message;
  };
  ignition::msgs::JointCmd message;
  message.mutable_position();
  EXPECT_EQ(failure(message), "position without a target");
  message.mutable_position()->mutable_target_optional()->set_data(std::nan(""));
  EXPECT_EQ(failure(message), "position is not a finite number");
  message.mutable_position()->mutable_target_optional()->set_data(0.0);
  message.mutable_position()->mutable_d_gain_optional()->set_data(-1.0);
  EXPECT_EQ(failure(message), "d_gain of the position is not a number of at least 0");
  message.mutable_position()->mutable_d_gain_optional()->set_data(1.0);
  message.mutable_position()->mutable_i_min_optional()->set_data(3.0);
  message.mutable_position()->mutable_i_max_optional()->set_data(2.0);
  EXPECT_EQ(failure(message), "i_min of the position is above its i_max");
  message.Clear();
  message.mutable_force_optional()->set_data(-1.0);
  EXPECT_EQ(failure(message), "force is not a number of at least 0");
  message.Clear();
  message.set_axis(1);
  EXPECT_EQ(failure(message), "only axis 0 can be driven");
  for (const std::string bytes :
       {"\x12\x7F", "\x0A", "\x2A\x01\x0A", "\xFF\xFF\xFF\xFF\xFF\xFF", "\x0B", "\x09\x01"}) {
    EXPECT_EQ(decode_joint_command(bytes).error().message, "not an ignition.msgs.JointCmd");
  }
}

TEST(JointCmdMessages, ComeOutOfAStreamHoweverItIsCut) {
  std::string stream;
  append_delimited(stream, "");
  append_delimited(stream, std::string(300, 'a'));  // its length takes two bytes
  append_delimited(stream, "b");
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    DelimitedMessages messages;
    std::vector<std::string> found;
    for (const std::string& piece : {stream.substr(0, cut), stream.substr(cut)}) {
      messages.feed(piece);
      while (true) {
        const auto next = messages.next();
        ASSERT_TRUE(next.has_value());
        if (!next->has_value()) {
          break;
        }
        found.push_back(**next);
      }
    }
    EXPECT_EQ(found, (std::vector<std::string>{"", std::string(300, 'a'), "b"})) << cut;
  }
}

TEST(JointCmdMessages, ThatAreTooLongEndTheStream) {
  DelimitedMessages messages;
  messages.feed("\x81\x80\x04");  // 65537
  EXPECT_EQ(messages.next().error().message, "a message is longer than 65536 bytes");
  DelimitedMessages endless;
  endless.feed(std::string(10, '\xFF'));
  EXPECT_FALSE(endless.next().has_value());
}

// --- the door
// -------------------------------------------------------------------------------------

/// Notes what it is told; its joints stand at 0.1 and move with 0.2.
class NotedJoints final : public JointPort {
 public:
  const std::vector<JointInfo>& joints() const override { return joints_; }
  void set_velocity(std::size_t joint, double velocity, double max_effort) override {
    told.push_back({joint, 'v', velocity, max_effort});
  }
  void release(std::size_t joint) override { told.push_back({joint, 'r', 0.0, 0.0}); }
  JointReading read(std::size_t joint) const override {
    return {joints_[joint].name, joints_[joint].is_prismatic, 0.1, 0.2, 0.3};
  }
  std::string fault() const override { return stopped; }

  struct Told {
    std::size_t joint;
    char what;
    double value;
    double max_effort;
    bool operator==(const Told&) const = default;
  };
  std::vector<Told> told;
  std::string stopped;

 private:
  std::vector<JointInfo> joints_{{"arm::j1", false, 50.0, 2.0, -1.5, 1.5},
                                 {"gripper::left_finger", true, 20.0},
                                 {"gripper::right_finger", true, 20.0}};
};

class JointCmdDoor : public ::testing::Test {
 protected:
  JointCmdDoor() { door.open(kClient, Time(0ns)); }

  void send(const JointCommand& command) {
    std::string bytes;
    append_delimited(bytes, encode_joint_command(command));
    door.receive(kClient, bytes, Time(0ns));
  }

  std::vector<std::string> heard(Said what) {
    DelimitedMessages messages;
    messages.feed(door.take_output(kClient));
    std::vector<std::string> found;
    while (true) {
      const auto next = messages.next();
      if (!next.has_value() || !next->has_value()) {
        return found;
      }
      if ((*next)->front() == static_cast<char>(what)) {
        found.push_back((*next)->substr(1));
      }
    }
  }

  static constexpr ConnectionId kClient{1};
  NotedJoints joints;
  JointCommandDoor door{{"~/fanuc/joints", "lrmate", {"left_finger", "thumb"}, 20ms}, joints};
};

TEST_F(JointCmdDoor, IsNamedAfterItsTopicAndNotForTcp) {
  EXPECT_EQ(door.name(), "jointcmd.~/fanuc/joints");
  EXPECT_EQ(door.port(), std::nullopt);
}

// From 0.1 to 0.7: braking is 2 / 0.25 s = 8 1/s², so even braking allows
// sqrt(2 · 8 · (0.6 - 8 / 400 / 2)) = 3.07 1/s, and the joint allows 2.
TEST_F(JointCmdDoor, DrivesToAPositionWithTheJointsOwnLimits) {
  send({"arm::j1", 0.7, {}, {}, false});
  door.step(Time(0ns));
  EXPECT_EQ(joints.told, (std::vector<NotedJoints::Told>{{0, 'v', 2.0, 50.0}}));
}

// 100 · 0.6 - 10 · 0.2 = 58 is more than the limit of 40; both terms cancel at 60 / 10 = 6, the
// joint allows 2. A millisecond later the integral exerts 30 · 0.6 · 0.001 = 0.018.
TEST_F(JointCmdDoor, DrivesToAPositionWithTheGainsOfTheMessage) {
  send({"arm::j1", 0.7, {}, {}, false, {.p = 100.0, .d = 10.0, .limit = 40.0}});
  door.step(Time(0ns));
  EXPECT_EQ(joints.told, (std::vector<NotedJoints::Told>{{0, 'v', 2.0, 40.0}}));
  joints.told.clear();
  send({"arm::j1", 0.7, {}, {}, false, {.p = 10.0, .i = 30.0, .d = 10.0}});
  door.step(Time(1ms));
  ASSERT_EQ(joints.told.size(), 1U);
  EXPECT_NEAR(joints.told[0].value, 0.6 + 0.0018, 1e-12);
  EXPECT_NEAR(joints.told[0].max_effort, 6.018 - 2.0, 1e-12);
}

TEST_F(JointCmdDoor, RefusesAPositionBeyondTheLimits) {
  send({"j1", 1.6, {}, {}, false});
  door.step(Time(0ns));
  EXPECT_TRUE(joints.told.empty());
  EXPECT_EQ(door.last_refusal(),
            "jointcmd.~/fanuc/joints: message rejected: position 1.6 is beyond the limits of joint "
            "'arm::j1', -1.5 to 1.5");
}

TEST_F(JointCmdDoor, LimitsVelocitiesAndForcesToThoseOfTheJoint) {
  send({"arm::j1", {}, -20.0, 500.0, false});
  door.step(Time(0ns));
  EXPECT_EQ(joints.told, (std::vector<NotedJoints::Told>{{0, 'v', -2.0, 50.0}}));
}

TEST_F(JointCmdDoor, DrivesWithAVelocityAndTheForceOfTheMessage) {
  send({"gripper::left_finger", {}, -0.02, 5.0, false});
  send({"gripper::right_finger", {}, 0.02, {}, false});  // no force: the joint's own limit
  door.step(Time(0ns));
  EXPECT_EQ(joints.told,
            (std::vector<NotedJoints::Told>{{1, 'v', -0.02, 5.0}, {2, 'v', 0.02, 20.0}}));
}

TEST_F(JointCmdDoor, TakesThePositionIfBothAreThere) {
  send({"arm::j1", 0.7, -3.0, 1.0, false});
  door.step(Time(0ns));
  EXPECT_EQ(joints.told, (std::vector<NotedJoints::Told>{{0, 'v', 2.0, 50.0}}));
}

TEST_F(JointCmdDoor, RepeatsWhatAJointWasToldLastUntilAReset) {
  send({"arm::j1", 0.7, {}, {}, false});
  send({"arm::j1", {}, 1.0, 2.0, false});
  door.step(Time(0ns));
  door.step(Time(1ms));
  EXPECT_EQ(joints.told, (std::vector<NotedJoints::Told>{{0, 'v', 1.0, 2.0}, {0, 'v', 1.0, 2.0}}));
  joints.told.clear();
  send({"arm::j1", {}, {}, {}, true});
  door.step(Time(2ms));
  EXPECT_EQ(joints.told, (std::vector<NotedJoints::Told>{{0, 'r', 0.0, 0.0}}));
}

TEST_F(JointCmdDoor, RefusesAnUnknownJointAndSaysSo) {
  send({"j7", 1.0, {}, {}, false});
  door.step(Time(0ns));
  EXPECT_TRUE(joints.told.empty());
  EXPECT_EQ(door.refused(), 1U);
  EXPECT_EQ(door.accepted(), 0U);
  const std::string reason =
      "jointcmd.~/fanuc/joints: message rejected: model 'lrmate' has no joint 'j7'";
  EXPECT_EQ(door.last_refusal(), reason);
  ignition::msgs::StringMsg message;
  const std::vector<std::string> refusals = heard(Said::kRefusal);
  ASSERT_EQ(refusals.size(), 1U);
  ASSERT_TRUE(message.ParseFromString(refusals.front()));
  EXPECT_EQ(message.data(), reason);
}

TEST_F(JointCmdDoor, RefusesAMessageWithoutATarget) {
  send({"arm::j1", {}, {}, 5.0, false});
  EXPECT_EQ(door.last_refusal(),
            "jointcmd.~/fanuc/joints: message rejected: the command for joint 'arm::j1' has "
            "neither a position nor a velocity");
}

TEST_F(JointCmdDoor, FindsAJointByTheEndOfItsName) {
  send({"left_finger", 0.0, {}, {}, false});
  send({"finger", 0.0, {}, {}, false});  // no whole name
  EXPECT_EQ(door.accepted(), 1U);
  EXPECT_EQ(door.unknown_finger_joints(), std::vector<std::string>{"thumb"});
}

TEST_F(JointCmdDoor, WithoutForcedUpdatesACommandActsOnce) {
  DoorConfig once = door.config();
  once.forces_update = false;
  JointCommandDoor other(once, joints);
  other.open(kClient, Time(0ns));
  std::string bytes;
  append_delimited(bytes, encode_joint_command({"arm::j1", {}, 1.0, 2.0, false}));
  other.receive(kClient, bytes, Time(0ns));
  other.step(Time(0ns));
  const std::size_t told = joints.told.size();
  EXPECT_EQ(told, 1U);
  other.step(Time(1ms));
  EXPECT_EQ(joints.told.size(), told);
}

TEST_F(JointCmdDoor, CommandsNothingWhileTheRobotIsStopped) {
  send({"arm::j1", {}, 1.0, 2.0, false});
  joints.stopped = "stopped by the light curtain";
  door.step(Time(0ns));
  EXPECT_TRUE(joints.told.empty());
  send({"arm::j1", {}, 3.0, 2.0, false});
  EXPECT_EQ(door.refused(), 1U);
  joints.stopped.clear();
  door.step(Time(1ms));
  EXPECT_EQ(joints.told, (std::vector<NotedJoints::Told>{{0, 'v', 1.0, 2.0}}));
}

// 20 ms apart from the first step on: at 0, 20 and 40 of 50 ms.
TEST_F(JointCmdDoor, PublishesStatesAtItsRate) {
  for (int i = 0; i < 50; ++i) {
    door.step(Time(std::chrono::milliseconds(i)));
  }
  const std::vector<std::string> states = heard(Said::kStates);
  ASSERT_EQ(states.size(), 3U);
  const std::vector<JointReading> readings = decode_joint_states(states.back()).value();
  ASSERT_EQ(readings.size(), 3U);
  EXPECT_EQ(readings[2], (JointReading{"gripper::right_finger", true, 0.1, 0.2, 0.3}));
}

TEST_F(JointCmdDoor, EndsWithAClientThatSendsNoMessages) {
  door.receive(kClient, std::string(10, '\xFF'), Time(0ns));
  EXPECT_TRUE(door.is_over(kClient));
}

TEST_F(JointCmdDoor, KeepsAtMostAMegabyteForAClientThatDoesNotRead) {
  for (int i = 0; i < 100000; ++i) {
    door.step(Time(20ms * i));
  }
  EXPECT_LT(door.take_output(kClient).size(), 1024U * 1024U + 1000U);
}

}  // namespace
}  // namespace longarm::protocols::jointcmd
