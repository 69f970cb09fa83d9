// SPDX-License-Identifier: Apache-2.0
// What rosbag itself says of such files is in tests/mcap and tests/cli.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "longarm/record/bag/bag_compression.h"
#include "longarm/record/bag/bag_link_trace.h"
#include "longarm/record/bag/bag_plan.h"
#include "longarm/record/bag/bag_reader.h"
#include "longarm/record/bag/bag_writer.h"
#include "longarm/record/bag/md5.h"
#include "longarm/record/bag/ros1_transcoder.h"
#include "longarm/record/bag/ros1_types.h"
#include "longarm/record/ros_messages.h"

namespace longarm::record {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A file that goes away.
class BagFile {
 public:
  BagFile()
      : path_(fs::temp_directory_path() /
              fmt::format("longarm-{}-{}.bag", getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~BagFile() { fs::remove(path_); }
  std::string path() const { return path_; }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  fs::path path_;
};

BagConnection connection_of(std::string topic, std::string_view type) {
  const Ros1Type& ros1 = ros1_type(type);
  return {0, std::move(topic), ros1.name, ros1.md5, ros1.definition, "/test", false};
}

/// Messages of std_msgs/Header alone: (number, stamp, reception).
struct Stamped {
  std::uint32_t sequence;
  Duration stamp, received;
};
void write_stamps(const std::string& path, const std::vector<Stamped>& messages) {
  auto writer = BagWriter::open(path, {});
  BagConnection connection = connection_of("/ticks", "sensor_msgs/JointState");
  const std::uint32_t id = (*writer)->add_connection(connection);
  for (const Stamped& message : messages) {
    ByteBuffer bytes;
    bytes.put(message.sequence);
    put_bag_time(bytes, Time(message.stamp));
    bytes.put_zeros(5 * sizeof(std::uint32_t));
    (*writer)->write(id, Time(message.received), bytes.bytes());
  }
  ASSERT_TRUE((*writer)->close());
}

TEST(Md5, IsThatOfTheStandardsExamples) {
  // RFC 1321, A.5
  EXPECT_EQ(md5_hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(md5_hex("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(md5_hex("1234567890123456789012345678901234567890123456789012345678901234567890"
                    "1234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Ros1Types, HaveTheSumsThatRosKnows) {
  // as `rosmsg md5` prints them
  for (const auto& [type, md5] : std::vector<std::pair<const char*, const char*>>{
           {"std_msgs/Header", "2176decaecbce78abc3b96ef049fabed"},
           {"std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1"},
           {"sensor_msgs/JointState", "3066dcd76a6cfaef579bd0f34173e9fd"},
           {"tf2_msgs/TFMessage", "94810edda583a504dfda3829e70d7eec"},
           {"rosgraph_msgs/Clock", "a9c97c1d230cfc112e270351a944ee47"},
           {"geometry_msgs/PoseStamped", "d3812c3cbc69362b77dc0b19b345f8f5"},
           {"nav_msgs/Path", "6227e2b7e9cce15051f669a5e197bbf7"},
           {"trajectory_msgs/JointTrajectory", "65b4f94a94d1ed67169da35a02f33d3f"},
           {"diagnostic_msgs/DiagnosticArray", "60810da900de1dd6ddd437c3503511da"},
           {"visualization_msgs/Marker", "4048c9de2a16f4ae8e0538085ebf1b97"},
           {"visualization_msgs/MarkerArray", "d155b9ce5188fbaf89745847fd5882d7"}}) {
    EXPECT_EQ(ros1_type(type).md5, md5) << type;
  }
}

TEST(Ros1Transcoder, CopiesNumbersAndAddsTheSequenceNumber) {
  JointStateEncoder encoder({"a", "elbow"});
  const std::vector<double> positions{0.1, -0.0};
  Ros1Transcoder transcoder("sensor_msgs/JointState");
  ByteBuffer out;
  ASSERT_TRUE(transcoder.transcode(encoder.encode(Time(3'000'000'007ns), positions, {}, {}), out));
  ByteBuffer expected;
  for (const std::uint32_t number : {0U, 3U, 7U, 0U, 2U, 1U}) {  // header; two names; length of one
    expected.put(number);
  }
  expected.put_text("a");
  expected.put_string("elbow");
  expected.put(std::uint32_t{2});
  expected.put(std::span<const double>(positions));
  expected.put_zeros(2 * sizeof(std::uint32_t));
  EXPECT_EQ(out.text(), expected.text());
  EXPECT_FALSE(transcoder.transcode(expected.bytes(), out));
}

TEST(Bag, ReadsBackWhatWasWrittenInEachCompression) {
  for (const BagCompression compression :
       {BagCompression::kNone, BagCompression::kBz2, BagCompression::kLz4}) {
    const BagFile file;
    BagOptions options;
    options.compression = compression;
    options.chunk_size_bytes = 1000;  // some ten chunks
    auto writer = BagWriter::open(file.path(), options);
    ASSERT_TRUE(writer);
    const std::uint32_t a = (*writer)->add_connection(connection_of("/a", "std_msgs/String"));
    (*writer)->add_connection(connection_of("/silent", "std_msgs/String"));
    const std::uint32_t b = (*writer)->add_connection(connection_of("/b", "rosgraph_msgs/Clock"));
    const auto content = [](int i) {
      return std::string(static_cast<std::size_t>(i % 97), static_cast<char>(i));
    };
    for (int i = 0; i < 200; ++i) {
      const std::string text = content(i);
      (*writer)->write(i % 3 == 0 ? a : b, Time(i * 1'000'000'007ns), as_bytes(text));
    }
    ASSERT_TRUE((*writer)->close());

    int next = 0;
    const Result<BagContents> contents = read_bag(file.path(), [&](const BagMessage& message) {
      EXPECT_EQ(message.connection.topic, next % 3 == 0 ? "/a" : "/b");
      EXPECT_EQ(message.time, Time(next * 1'000'000'007ns));
      EXPECT_EQ(ByteReader(message.data).rest(), content(next));
      ++next;
    });
    ASSERT_TRUE(contents) << contents.error().message;
    EXPECT_EQ(next, 200);
    EXPECT_EQ(contents->connections.size(), 2U);
    EXPECT_EQ(contents->connections.at(b).md5, "a9c97c1d230cfc112e270351a944ee47");
  }
}

TEST(Bag, IsRefusedWhereverItIsCut) {
  const BagFile file;
  write_stamps(file.path(), {{1, 1s, 1s}, {2, 2s, 2s}, {3, 3s, 3s}});
  const std::string whole = file.content();
  ASSERT_TRUE(read_bag_bytes(as_bytes(whole), "whole"));
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const Result<BagContents> cut =
        read_bag_bytes(as_bytes(std::string_view(whole).substr(0, size)), "cut");
    // the last records are of the index, which is not needed: a cut between two of them is harmless
    if (cut) {
      EXPECT_EQ(cut->message_count, 3U) << size;
    } else {
      EXPECT_TRUE(cut.error().message.starts_with("cut is ")) << cut.error().message;
    }
  }
}

TEST(Bag, SaysWhatOtherFilesAre) {
  const auto error_of = [](std::string_view content) {
    return read_bag_bytes(as_bytes(content), "it").error().message;
  };
  EXPECT_EQ(error_of("hello"), "it is not a bag: it does not start with '#ROSBAG V2.0'");
  EXPECT_EQ(error_of("#ROSBAG V1.2\n..."),
            "it is a bag of the old format 1; convert it with `rosbag fix` where it was recorded");
  EXPECT_EQ(error_of(std::string_view("SQLite format 3\0", 16)),
            "it is an SQLite database, perhaps of ROS 2; convert it to MCAP with `ros2 bag "
            "convert`");
}

TEST(Bag, DamageToACompressedChunkIsNoticed) {
  const std::vector<std::byte> content(100'000, std::byte{7});
  for (const BagCompression compression : {BagCompression::kBz2, BagCompression::kLz4}) {
    std::vector<std::byte> stored;
    std::vector<std::byte> out;
    compress_chunk(compression, content, stored);
    ASSERT_TRUE(decompress_chunk(compression_name(compression), stored, content.size(), out));
    EXPECT_EQ(out, content);
    EXPECT_FALSE(decompress_chunk(compression_name(compression), stored, content.size() + 1, out));
    EXPECT_FALSE(decompress_chunk(compression_name(compression), stored, content.size() - 1, out));
    stored[stored.size() - 2] ^= std::byte{1};  // of the checksum
    EXPECT_FALSE(decompress_chunk(compression_name(compression), stored, content.size(), out));
    stored.resize(stored.size() / 2);
    EXPECT_FALSE(decompress_chunk(compression_name(compression), stored, content.size(), out));
  }
}

TEST(BagLinkTrace, TakesDelaysFromStampsAndLossesFromNumbers) {
  const BagFile file;
  // 5 and 6 are missing; 4 arrives after 7
  write_stamps(
      file.path(),
      {{3, 100s, 100s + 2ms}, {7, 100s + 40ms, 100s + 43ms}, {4, 100s + 10ms, 100s + 44ms}});
  const Result<BagLinkTrace> trace = link_trace_of(file.path(), {"/ticks", {}, false, {}});
  ASSERT_TRUE(trace) << trace.error().message;
  EXPECT_EQ(trace->lost, 2U);
  EXPECT_EQ(link_trace_csv(*trace),
            "time_s,delay_s\n"
            "0.000000000,0.002000000\n"
            "0.010000000,0.034000000\n"
            "0.020000000,lost\n"
            "0.030000000,lost\n"
            "0.040000000,0.003000000\n");
}

TEST(BagLinkTrace, FindsLossesByPeriodWhereNothingIsNumbered) {
  const BagFile file;
  write_stamps(file.path(), {{0, 1s, 1s + 1ms}, {0, 1s + 8ms, 1s + 9ms}, {0, 1s + 32ms, 2s}});
  const Result<BagLinkTrace> without = link_trace_of(file.path(), {"/ticks", {}, false, {}});
  ASSERT_TRUE(without);
  EXPECT_EQ(without->lost, 0U);
  EXPECT_EQ(without->remarks,
            std::vector<std::string>{
                "messages have no sequence numbers, so none count as lost; give --period"});
  const Result<BagLinkTrace> with = link_trace_of(file.path(), {"/ticks", 8ms, false, {}});
  ASSERT_TRUE(with);
  EXPECT_EQ(with->lost, 2U);
}

TEST(BagLinkTrace, ClocksThatDifferAreRefusedOrShifted) {
  const BagFile file;
  write_stamps(file.path(), {{1, 10s, 9s + 3ms}, {2, 11s, 10s + 1ms}});
  const Result<BagLinkTrace> refused = link_trace_of(file.path(), {"/ticks", {}, false, {}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            file.path() +
                ": /ticks: a message was received 999ms before its stamp, so the clocks of sender "
                "and recorder differ; add --least-delay TIME to shift all delays so that the "
                "shortest is TIME");
  const Result<BagLinkTrace> shifted = link_trace_of(file.path(), {"/ticks", {}, false, 5ms});
  ASSERT_TRUE(shifted);
  EXPECT_EQ(shifted->samples[0].delay, 7ms);
  EXPECT_EQ(shifted->samples[1].delay, 5ms);
}

TEST(BagLinkTrace, TellsALateMessageFromALostOneByIntervals) {
  const BagFile file;
  // sent every 10 ms from 0 on; number 2 takes 22 ms more than the others, 5 and 6 are lost
  std::vector<Stamped> messages;
  for (const int i : {0, 1, 3, 4, 2, 7, 8, 9}) {
    messages.push_back({0, 1s, 100s + i * 10ms + (i == 2 ? 22ms : 0ms)});
  }
  write_stamps(file.path(), messages);
  const Result<BagLinkTrace> read = link_trace_of(file.path(), {"/ticks", 10ms, true, 1ms});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->lost, 2U);
  // in order of reception: 0, 10, 30, 40, 42, 70, 80, 90 ms; without numbers the message that came
  // at 30 ms counts as that of 20 ms, the one at 40 ms as that of 30 ms, the one at 42 ms as that
  // of 40 ms, and those of 50 and 60 ms are lost
  EXPECT_EQ(link_trace_csv(*read),
            "time_s,delay_s\n"
            "0.000000000,0.001000000\n"
            "0.010000000,0.001000000\n"
            "0.020000000,0.011000000\n"
            "0.030000000,0.011000000\n"
            "0.040000000,0.003000000\n"
            "0.050000000,lost\n"
            "0.060000000,lost\n"
            "0.070000000,0.001000000\n"
            "0.080000000,0.001000000\n"
            "0.090000000,0.001000000\n");
}

TEST(BagPlan, TakesTheJointsAskedForAtTheirStamps) {
  const BagFile file;
  auto writer = BagWriter::open(file.path(), {});
  const std::uint32_t id =
      (*writer)->add_connection(connection_of("/joint_states", "sensor_msgs/JointState"));
  const Ros1Transcoder transcoder("sensor_msgs/JointState");
  JointStateEncoder arm({"shoulder", "elbow"});
  JointStateEncoder gripper({"finger"});
  ByteBuffer bytes;
  for (int i = 0; i < 3; ++i) {
    const std::vector<double> positions{0.1 * i, 1.0 + i};
    const std::vector<double> velocities{0.5, -0.5};
    const Time stamp(50s + i * 8ms);
    ASSERT_TRUE(transcoder.transcode(arm.encode(stamp, positions, velocities, {}), bytes));
    (*writer)->write(id, stamp + 3ms, bytes.bytes());
    ASSERT_TRUE(transcoder.transcode(gripper.encode(stamp, std::vector{0.7}, {}, {}), bytes));
    (*writer)->write(id, stamp + 4ms, bytes.bytes());
  }
  ASSERT_TRUE((*writer)->close());

  PlanOptions options;
  options.topic = "/joint_states";
  const Result<BagPlan> plan = plan_of(file.path(), options);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->trajectory.joints, (std::vector<std::string>{"shoulder", "elbow"}));
  ASSERT_EQ(plan->trajectory.points.size(), 3U);
  EXPECT_EQ(plan->trajectory.points[2].time, 16ms);
  EXPECT_EQ(plan->trajectory.points[2].positions, (std::vector<double>{0.1 * 2, 3.0}));
  EXPECT_EQ(plan->trajectory.points[2].velocities, (std::vector<double>{0.5, -0.5}));
  EXPECT_EQ(plan->remarks, std::vector<std::string>{
                               "3 messages that lack positions of these joints are left out"});

  options.joints = {"elbow"};
  options.from = 8ms;
  const Result<BagPlan> part = plan_of(file.path(), options);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->trajectory.points.size(), 2U);
  EXPECT_EQ(part->trajectory.points[0].time, 0ms);
  EXPECT_EQ(part->trajectory.points[0].positions, std::vector<double>{2.0});

  options.joints = {"wrist"};
  EXPECT_EQ(plan_of(file.path(), options).error().message,
            file.path() + ": no message of /joint_states has positions of joints wrist");
  options.topic = "/joint_state";
  EXPECT_EQ(plan_of(file.path(), options).error().message,
            file.path() + ": no messages of topic /joint_state: did you mean '/joint_states'?");
}

}  // namespace
}  // namespace longarm::record
