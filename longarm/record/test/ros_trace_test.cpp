// SPDX-License-Identifier: Apache-2.0
// Tests what is in a trace and how often.
#include "longarm/record/ros_trace.h"

#include <map>

#include <gtest/gtest.h>

#include "longarm/record/test/mcap_fixture.h"

namespace longarm::record {
namespace {

using namespace std::chrono_literals;

class RosTraceTest : public McapTest {
 protected:
  RosTraceConfig config() const {
    RosTraceConfig config;
    config.fixed_frames = {{"world", "base_link", {}}};
    config.moving_frames = {{"base_link", "upper_arm", {}}, {"upper_arm", "forearm", {}}};
    config.scenario = "seed: 1\n";
    return config;
  }

  /// 1.5 s of all topics at 1 kHz; numbers that tell the step they belong to.
  void write_trace() const {
    auto trace = RosTrace::open(path, config());
    ASSERT_TRUE(trace);
    RosTrace& to = *trace.value();
    const std::unique_ptr<ArmTrace> arm = to.add_arm("", {{"shoulder", "elbow"}});
    for (int i = 0; i < 1500; ++i) {
      const Time now(i * Duration(1ms));
      const std::vector<double> positions = {i + 0.1, i + 0.2};
      const std::vector<double> velocities = {-i - 0.3, 1.0 / (i + 1)};
      to.clock(now);
      arm->joint_states(JointTopic::kStates, now, now, positions, velocities, velocities);
      arm->link_event(LinkTopic::kStates, now, "sent", static_cast<std::uint64_t>(i), 172, now);
      arm->joint_states(JointTopic::kControllerStates, now, now - 5ms, positions, velocities, {});
      arm->joint_states(JointTopic::kControllerCommands, now, now, {}, velocities, {});
      arm->joint_states(JointTopic::kCommands, now, now, {}, velocities, {});
      arm->link_event(LinkTopic::kCommands, now, "lost", static_cast<std::uint64_t>(i), 72, now);
      arm->end_effector(now, {{i * 1e-3, 0.0, 0.0}, Eigen::Quaterniond::Identity()});
      EXPECT_EQ(to.wants_frames(now), i % 10 == 0);
      to.frames(now, std::vector<FramePose>(2));
    }
    ASSERT_TRUE(to.close());
  }
};

TEST_F(RosTraceTest, HasEveryTopicAtItsRate) {
  write_trace();
  std::map<std::string, int> counts;
  std::map<std::string, std::string> types;
  const auto contents = read_mcap(path, [&](const McapMessage& message) {
    ++counts[message.channel.topic];
    types[message.channel.topic] = message.schema.name;
    EXPECT_EQ(message.schema.encoding, "ros2msg");
    EXPECT_EQ(message.channel.message_encoding, "cdr");
  });
  ASSERT_TRUE(contents);
  EXPECT_TRUE(contents->is_complete) << contents->problem;
  const std::map<std::string, int> expected_counts = {{"/joint_states", 1500},
                                                      {"/controller/joint_states", 1500},
                                                      {"/joint_commands", 1500},
                                                      {"/controller/joint_commands", 1500},
                                                      {"/link/states", 1500},
                                                      {"/link/commands", 1500},
                                                      {"/tf", 150},
                                                      {"/tf_static", 1},
                                                      {"/clock", 150},
                                                      {"/end_effector_pose", 1500},
                                                      {"/end_effector_path", 15}};
  EXPECT_EQ(counts, expected_counts);
  EXPECT_EQ(types["/joint_commands"], "sensor_msgs/msg/JointState");
  EXPECT_EQ(types["/tf_static"], "tf2_msgs/msg/TFMessage");
  EXPECT_EQ(types["/end_effector_path"], "nav_msgs/msg/Path");
  EXPECT_EQ(types["/link/commands"], "longarm_msgs/msg/LinkEvent");
  ASSERT_EQ(contents->attachments.size(), 1U);
  EXPECT_EQ(contents->attachments[0].content, "seed: 1\n");
}

TEST_F(RosTraceTest, KeepsTheNumbersOfEachStep) {
  write_trace();
  int states = 0;
  int commands = 0;
  ASSERT_TRUE(read_mcap(path, [&](const McapMessage& message) {
    if (message.channel.topic == "/controller/joint_states") {
      const auto decoded = decode_joint_state(message.data);
      ASSERT_TRUE(decoded);
      EXPECT_EQ(message.log_time, Time(states * Duration(1ms)));
      EXPECT_EQ(decoded->stamp, message.log_time - 5ms);
      EXPECT_EQ(decoded->positions, (std::vector<double>{states + 0.1, states + 0.2}));
      EXPECT_EQ(decoded->efforts.size(), 0U);
      ++states;
    } else if (message.channel.topic == "/joint_commands") {
      const auto decoded = decode_joint_state(message.data);
      ASSERT_TRUE(decoded);
      EXPECT_EQ(decoded->velocities, (std::vector<double>{-commands - 0.3, 1.0 / (commands + 1)}));
      EXPECT_EQ(decoded->names, (std::vector<std::string>{"shoulder", "elbow"}));
      ++commands;
    }
  }));
  EXPECT_EQ(states, 1500);
  EXPECT_EQ(commands, 1500);
}

TEST_F(RosTraceTest, ShowsTheLastSecondOfThePath) {
  write_trace();
  int index = 0;
  ASSERT_TRUE(read_mcap(path, [&](const McapMessage& message) {
    if (message.channel.topic != "/end_effector_path") {
      return;
    }
    const auto points = decode_path(message.data);
    ASSERT_TRUE(points);
    // every 0.1 s ten points more, up to one hundred: the message of t shows (t - 1 s, t]
    const std::size_t expected = std::min(100, 1 + 10 * index);
    ASSERT_EQ(points->size(), expected);
    EXPECT_EQ(points->back().stamp, message.log_time);
    EXPECT_EQ(points->front().stamp,
              message.log_time - static_cast<int>(expected - 1) * Duration(10ms));
    EXPECT_EQ(points->back().frame_id, "base_link");
    ++index;
  }));
  EXPECT_EQ(index, 15);
}

TEST_F(RosTraceTest, IsTheSameFileForTheSameRun) {
  write_trace();
  const std::string first = read_bytes(path);
  write_trace();
  EXPECT_TRUE(read_bytes(path) == first);
}

TEST(Ticker, StaysOnItsGrid) {
  Ticker ticker(Duration(10ms));
  EXPECT_TRUE(ticker.tick(Time(0ms)));
  EXPECT_FALSE(ticker.tick(Time(9ms)));
  EXPECT_TRUE(ticker.tick(Time(13ms)));  // late, yet the next one is at 20 ms
  EXPECT_FALSE(ticker.tick(Time(19ms)));
  EXPECT_TRUE(ticker.tick(Time(20ms)));
  EXPECT_FALSE(Ticker(Duration(0)).tick(Time(0ms)));  // never
}

}  // namespace
}  // namespace longarm::record
