// SPDX-License-Identifier: Apache-2.0
// Tests of ROS messages against bytes laid out by hand, and of their way back.
#include "longarm/record/ros_messages.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/record/ros_schemas.h"

namespace longarm::record {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(RosMessages, LayOutAVelocityCommandAsRosDoes) {
  JointStateEncoder encoder({"j1"});
  const std::vector<double> velocities = {1.0};
  const std::string expected =
      "\0\1\0\0"s          // header
      "\2\0\0\0\0\0\0\0"s  // 2 s and 0 ns, at 0
      "\1\0\0\0\0"s
      "\0\0\0"s    // frame "" at 8, padded from 13 to 16
      "\1\0\0\0"s  // one name, at 16
      "\3\0\0\0j1\0"s
      "\0"s        // "j1" at 20, padded from 27 to 28
      "\0\0\0\0"s  // no positions, at 28
      "\1\0\0\0"s
      "\0\0\0\0"s              // one velocity, at 32; padded from 36 to 40
      "\0\0\0\0\0\0\xf0\x3f"s  // 1.0, at 40
      "\0\0\0\0"s;             // no efforts, at 48
  EXPECT_EQ(text_of(encoder.encode(Time(2s), {}, velocities, {})), expected);
}

TEST(RosMessages, KeepEveryBitOfJointStates) {
  JointStateEncoder encoder({"shoulder", "elbow"});
  const std::vector<double> a = {0.1, -0.0};
  const std::vector<double> b = {1.0 / 3.0, 1e-308};
  // what is in a message may change from one to the next
  for (const bool has_efforts : {true, false, true}) {
    const std::vector<double> efforts = has_efforts ? b : std::vector<double>();
    const auto message = decode_joint_state(encoder.encode(Time(1234567891ns), a, b, efforts));
    ASSERT_TRUE(message);
    EXPECT_EQ(message->stamp, Time(1234567891ns));
    EXPECT_EQ(message->names, (std::vector<std::string>{"shoulder", "elbow"}));
    EXPECT_EQ(message->positions, a);
    EXPECT_TRUE(std::signbit(message->positions[1]));
    EXPECT_EQ(message->velocities, b);
    EXPECT_EQ(message->efforts, efforts);
  }
}

TEST(RosMessages, KeepPosesFramesClockAndLinkEvents) {
  const FramePose pose({0.1, 0.2, 0.3}, Eigen::Quaterniond(0.5, -0.5, 0.5, 0.5));
  ByteBuffer out;
  encode_pose(out, Time(3ms), "base", pose);
  const auto stamped = decode_pose(out.bytes());
  ASSERT_TRUE(stamped);
  EXPECT_EQ(stamped->stamp, Time(3ms));
  EXPECT_EQ(stamped->frame_id, "base");
  EXPECT_EQ(stamped->pose.translation_m, pose.translation_m);
  EXPECT_EQ(stamped->pose.rotation.coeffs(), pose.rotation.coeffs());

  const std::vector<FramePlace> places = {{"world", "base", {}}, {"base", "tool", pose}};
  encode_transforms(out, Time(4ms), places, {});
  const auto transforms = decode_transforms(out.bytes());
  ASSERT_TRUE(transforms);
  ASSERT_EQ(transforms->size(), 2U);
  EXPECT_EQ(transforms->at(1).stamp, Time(4ms));
  EXPECT_EQ(transforms->at(1).place.parent, "base");
  EXPECT_EQ(transforms->at(1).place.child, "tool");
  EXPECT_EQ(transforms->at(1).place.X_PC.translation_m, pose.translation_m);

  encode_link_event(out, "states", "arrived", Time(12ms), 7, 172, Time(10ms));
  const auto event = decode_link_event(out.bytes());
  ASSERT_TRUE(event);
  EXPECT_EQ(event->direction, "states");
  EXPECT_EQ(event->event, "arrived");
  EXPECT_EQ(event->index, 7U);
  EXPECT_EQ(event->size_bytes, 172U);
  EXPECT_EQ(event->sent_at, Time(10ms));
  EXPECT_EQ(event->delay_s, 0.002);

  encode_clock(out, Time(5s));
  EXPECT_EQ(*decode_clock(out.bytes()), Time(5s));
}

TEST(RosMessages, StartAPathAtItsOldestPoint) {
  const auto point = [](int i) {
    return PathPoint{Time(i * Duration(1ms)), FramePose({i * 1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0})};
  };
  // the third place is the oldest: 3 was written over 0 and 4 over 1
  const std::vector<PathPoint> ring = {point(3), point(4), point(2)};
  ByteBuffer out;
  encode_path(out, Time(4ms), "base", ring, 2);
  const auto points = decode_path(out.bytes());
  ASSERT_TRUE(points);
  ASSERT_EQ(points->size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(points->at(static_cast<std::size_t>(i)).stamp, Time((i + 2) * Duration(1ms)));
    EXPECT_EQ(points->at(static_cast<std::size_t>(i)).pose.translation_m.x(), i + 2.0);
  }
}

TEST(RosMessages, AreRefusedWhenAnyByteIsMissing) {
  JointStateEncoder encoder({"j1", "j2"});
  const std::vector<double> numbers = {1.0, 2.0};
  const auto states = encoder.encode(Time(1s), numbers, numbers, numbers);
  for (std::size_t size = 0; size < states.size(); ++size) {
    EXPECT_FALSE(decode_joint_state(states.first(size))) << size;
  }
  ByteBuffer out;
  const std::vector<FramePlace> places = {{"world", "base", {}}, {"base", "tool", {}}};
  encode_transforms(out, Time(4ms), places, {});
  for (std::size_t size = 0; size < out.size(); ++size) {
    EXPECT_FALSE(decode_transforms(out.bytes().first(size))) << size;
  }
  EXPECT_EQ(decode_joint_state({}).error().message,
            "these bytes are not a sensor_msgs/msg/JointState");
}

TEST(RosSchemas, ListEachTypeInUseOnce) {
  const std::string line(80, '=');
  EXPECT_EQ(ros_schema("sensor_msgs/msg/JointState"),
            "std_msgs/Header header\n"
            "string[] name\n"
            "float64[] position\n"
            "float64[] velocity\n"
            "float64[] effort\n" +
                line +
                "\nMSG: std_msgs/Header\n"
                "builtin_interfaces/Time stamp\n"
                "string frame_id\n" +
                line +
                "\nMSG: builtin_interfaces/Time\n"
                "int32 sec\n"
                "uint32 nanosec\n");
  // a path uses headers itself and through its poses
  const std::string path = ros_schema("nav_msgs/msg/Path");
  EXPECT_EQ(path.find("MSG: std_msgs/Header"), path.rfind("MSG: std_msgs/Header"));
}

}  // namespace
}  // namespace longarm::record
