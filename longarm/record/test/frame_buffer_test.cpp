// SPDX-License-Identifier: Apache-2.0
// Tests that frames are found at past times as tf finds them.
#include "longarm/record/frame_buffer.h"

#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/record/ros_trace.h"
#include "longarm/record/test/mcap_fixture.h"

namespace longarm::record {
namespace {

using namespace std::chrono_literals;

FramePose at(double x, double y, double z, double yaw_rad = 0.0) {
  return {{x, y, z}, Eigen::Quaterniond(Eigen::AngleAxisd(yaw_rad, Eigen::Vector3d::UnitZ()))};
}

void expect_near(const FramePose& a, const FramePose& b) {
  EXPECT_LT((a.translation_m - b.translation_m).norm(), 1e-15);
  EXPECT_LT(a.rotation.angularDistance(b.rotation), 1e-7);  // as exact as an arc cosine is at one
}

/// world -> base (fixed), base -> arm -> tool (moving), world -> table (fixed), beside it an
/// island.
class FrameBufferTest : public McapTest {
 protected:
  static FrameBuffer cell() {
    FrameBuffer frames;
    EXPECT_TRUE(frames.add_fixed({"world", "base", at(1.0, 0.0, 0.0)}));
    EXPECT_TRUE(frames.add_fixed({"world", "table", at(0.0, 2.0, 0.0)}));
    EXPECT_TRUE(frames.add_fixed({"island", "palm", at(0.0, 0.0, 0.0)}));
    for (int i = 0; i <= 2; ++i) {
      // turns by a quarter per second
      EXPECT_TRUE(frames.add(Time(i * Duration(1s)),
                             {"base", "arm", at(0.0, 0.0, 0.5, i * std::numbers::pi / 2)}));
    }
    EXPECT_TRUE(frames.add(Time(500ms), {"arm", "tool", at(1.0, 0.0, 0.0)}));
    EXPECT_TRUE(frames.add(Time(1500ms), {"arm", "tool", at(3.0, 0.0, 0.0)}));
    return frames;
  }
  static std::string why(const Result<FramePose>& result) {
    return result ? "it was found" : result.error().message;
  }
};

TEST_F(FrameBufferTest, IsExactAtAStamp) {
  FrameBuffer frames;
  const FramePose pose({0.1, 1.0 / 3.0, 1e-300}, Eigen::Quaterniond(0.5, 0.5, -0.5, 0.5));
  ASSERT_TRUE(frames.add(Time(1s), {"a", "b", at(5.0, 5.0, 5.0)}));
  ASSERT_TRUE(frames.add(Time(2s), {"a", "b", pose}));
  const auto found = frames.lookup("a", "b", Time(2s));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->translation_m, pose.translation_m);
  EXPECT_EQ(found->rotation.coeffs(), pose.rotation.coeffs());
}

TEST_F(FrameBufferTest, InterpolatesOnALineAndAtConstantTurningSpeed) {
  // at 0.75 s: three eighths of a half turn, and a quarter of the way from 1 m to 3 m
  const FrameBuffer frames = cell();
  const auto arm = frames.lookup("base", "arm", Time(750ms));
  ASSERT_TRUE(arm);
  expect_near(*arm, at(0.0, 0.0, 0.5, 0.75 * std::numbers::pi / 2));
  const auto tool = frames.lookup("arm", "tool", Time(750ms));
  ASSERT_TRUE(tool);
  expect_near(*tool, at(1.5, 0.0, 0.0));
}

TEST_F(FrameBufferTest, GoesThroughTheTreeInBothDirections) {
  // at 1 s the arm points along y and the tool is 2 m out: (1, 2, 0.5) in the world; the table is
  // at (0, 2, 0), so that the tool is at (1, 0, 0.5) from there
  const FrameBuffer frames = cell();
  const auto tool = frames.lookup("table", "tool", Time(1s));
  ASSERT_TRUE(tool) << why(tool);
  expect_near(*tool, at(1.0, 0.0, 0.5, std::numbers::pi / 2));
  const auto table = frames.lookup("tool", "table", Time(1s));
  ASSERT_TRUE(table);
  expect_near(*table * *tool, at(0.0, 0.0, 0.0));
  // what is fixed is known at all times
  EXPECT_TRUE(frames.lookup("table", "base", Time(100s)));
  expect_near(*frames.lookup("tool", "tool", Time(100s)), FramePose());
}

TEST_F(FrameBufferTest, AsksOnlyForFramesOnTheWay) {
  // the arm is known at 2 s, the tool on it is not
  const FrameBuffer frames = cell();
  EXPECT_TRUE(frames.lookup("world", "arm", Time(2s)));
  EXPECT_FALSE(frames.lookup("world", "tool", Time(2s)));
  // above the arm nothing matters to what hangs on it: it is unknown after 2 s, this is not
  FrameBuffer more = cell();
  ASSERT_TRUE(more.add_fixed({"arm", "camera", at(0.1, 0.0, 0.0)}));
  ASSERT_TRUE(more.add_fixed({"arm", "lamp", at(0.2, 0.0, 0.0)}));
  const auto lamp = more.lookup("camera", "lamp", Time(9s));
  ASSERT_TRUE(lamp) << why(lamp);
  expect_near(*lamp, at(0.1, 0.0, 0.0));
}

TEST_F(FrameBufferTest, SaysWhyItCannotTell) {
  const FrameBuffer frames = cell();
  EXPECT_EQ(why(frames.lookup("world", "tol", Time(1s))),
            "there is no frame 'tol'; did you mean 'tool'?");
  EXPECT_EQ(why(frames.lookup("world", "palm", Time(1s))),
            "frames 'world' and 'palm' are not connected: the one is in the tree of 'world', the "
            "other in that of 'island'");
  EXPECT_EQ(why(frames.lookup("world", "tool", Time(400ms))),
            "frame 'tool' is known from 0.500000000 s on, which is after 0.400000000 s");
  EXPECT_EQ(why(frames.lookup("world", "tool", Time(1500000001ns))),
            "frame 'tool' is known up to 1.500000000 s, which is before 1.500000001 s");
}

TEST_F(FrameBufferTest, ForgetsWhatIsOlderThanItsHistory) {
  FrameBuffer frames(Duration(10s));
  for (int i = 0; i <= 12; ++i) {
    ASSERT_TRUE(frames.add(Time(i * Duration(1s)), {"a", "b", at(i, 0.0, 0.0)}));
  }
  EXPECT_TRUE(frames.lookup("a", "b", Time(2s)));
  EXPECT_EQ(why(frames.lookup("a", "b", Time(1s))),
            "frame 'b' is known from 2.000000000 s on, which is after 1.000000000 s (only 10 s are "
            "kept)");
}

TEST_F(FrameBufferTest, TakesTransformsInAnyOrder) {
  FrameBuffer frames;
  ASSERT_TRUE(frames.add(Time(2s), {"a", "b", at(2.0, 0.0, 0.0)}));
  ASSERT_TRUE(frames.add(Time(0s), {"a", "b", at(9.0, 0.0, 0.0)}));
  ASSERT_TRUE(frames.add(Time(0s), {"a", "b", at(0.0, 0.0, 0.0)}));  // replaces it
  EXPECT_EQ(frames.lookup("a", "b", Time(1s))->translation_m.x(), 1.0);
}

TEST_F(FrameBufferTest, LetsAPartChangeHands) {
  FrameBuffer frames;
  ASSERT_TRUE(frames.add_fixed({"world", "table", at(1.0, 0.0, 0.0)}));
  ASSERT_TRUE(frames.add_fixed({"world", "hand", at(0.0, 0.0, 5.0)}));
  ASSERT_TRUE(frames.add(Time(0s), {"table", "part", at(0.0, 1.0, 0.0)}));
  ASSERT_TRUE(frames.add(Time(1s), {"hand", "part", at(0.0, 0.0, 0.0)}));
  expect_near(*frames.lookup("world", "part", Time(500ms)), at(1.0, 1.0, 0.0));
  expect_near(*frames.lookup("world", "part", Time(1s)), at(0.0, 0.0, 5.0));
}

TEST_F(FrameBufferTest, RefusesWhatIsNoTree) {
  FrameBuffer frames;
  EXPECT_EQ(frames.add(Time(0s), {"a", "a", {}}).error().message, "frame 'a' is its own parent");
  EXPECT_EQ(frames.add(Time(0s), {"", "a", {}}).error().message, "a frame needs a name");
  ASSERT_TRUE(frames.add_fixed({"a", "b", {}}));
  EXPECT_EQ(frames.add(Time(1s), {"a", "b", {}}).error().message,
            "frame 'b' is fixed but moves at 1.000000000 s");
  ASSERT_TRUE(frames.add(Time(1s), {"b", "a", {}}));
  EXPECT_TRUE(frames.add_fixed({"world", "c", {}}));
  EXPECT_THAT(why(frames.lookup("world", "b", Time(1s))),
              ::testing::HasSubstr("is its own ancestor"));
  EXPECT_EQ(frames.add_fixed({"b", "a", {}}).error().message,
            "frame 'a' moves and cannot be declared fixed");
}

TEST_F(FrameBufferTest, KnowsTheNewestTimeItCanAnswerFor) {
  const FrameBuffer frames = cell();
  EXPECT_EQ(*frames.newest("world", "arm"), Time(2s));
  EXPECT_EQ(*frames.newest("world", "tool"), Time(1500ms));
  EXPECT_EQ(*frames.newest("world", "table"), Time::max());
  EXPECT_FALSE(frames.newest("world", "palm"));
  EXPECT_FALSE(frames.newest("world", "nobody"));
}

TEST_F(FrameBufferTest, KnowsTheOldestTimeItCanAnswerFor) {
  // the arm is known from 0 s to 2 s, the tool on it from 0.5 s to 1.5 s
  const FrameBuffer frames = cell();
  EXPECT_EQ(*frames.oldest("world", "arm"), Time(0s));
  EXPECT_EQ(*frames.oldest("world", "tool"), Time(500ms));
  EXPECT_EQ(*frames.oldest("world", "table"), Time{});
  EXPECT_FALSE(frames.oldest("world", "palm"));
  EXPECT_FALSE(frames.oldest("world", "nobody"));
}

TEST_F(FrameBufferTest, AnswersFromTimeZeroOnIfTheTraceBeganThere) {
  // as a run does it: once before its first step, then after each step of 1 ms
  RosTraceConfig config;
  config.moving_frames = {{"base", "arm", {}}};
  auto trace = RosTrace::open(path, config);
  ASSERT_TRUE(trace);
  for (int i = 0; i <= 25; ++i) {
    const std::vector<FramePose> poses = {at(0.001 * i, 0.0, 0.0)};
    trace.value()->frames(Time(i * Duration(1ms)), poses);
  }
  ASSERT_TRUE(trace.value()->close());
  std::vector<Time> stamps;
  ASSERT_TRUE(read_mcap(path, [&](const McapMessage& m) { stamps.push_back(m.log_time); }));
  EXPECT_EQ(stamps, (std::vector<Time>{Time(0ms), Time(10ms), Time(20ms)}));
  const auto frames = read_frames(path);
  ASSERT_TRUE(frames);
  EXPECT_EQ(*frames->oldest("base", "arm"), Time(0ms));
  EXPECT_EQ(frames->lookup("base", "arm", Time(0ms))->translation_m.x(), 0.0);
}

TEST_F(FrameBufferTest, ComesOutOfATraceAlsoOneThatWasCut) {
  RosTraceConfig config;
  config.fixed_frames = {{"world", "base", at(1.0, 0.0, 0.0)}};
  config.moving_frames = {{"base", "arm", {}}};
  config.file.chunk_span = Duration(100ms);
  auto trace = RosTrace::open(path, config);
  ASSERT_TRUE(trace);
  for (int i = 0; i <= 1000; ++i) {
    const Time now(i * Duration(1ms));
    const std::vector<FramePose> poses = {at(0.001 * i, 0.0, 0.0)};
    trace.value()->frames(now, poses);
  }
  ASSERT_TRUE(trace.value()->close());

  const auto frames = read_frames(path);
  ASSERT_TRUE(frames);
  // between the stamps of /tf, every 10 ms, a straight line is exact up to rounding
  EXPECT_NEAR(frames->lookup("world", "arm", Time(555ms))->translation_m.x(), 1.555, 1e-15);
  EXPECT_EQ(*frames->newest("world", "arm"), Time(1s));

  const std::string file = read_bytes(path);
  write_bytes(path, file.substr(0, file.size() / 3));
  const auto some = read_frames(path);
  ASSERT_TRUE(some);
  const auto contents = read_mcap(path);
  ASSERT_TRUE(contents);
  ASSERT_TRUE(contents->last);
  EXPECT_GT(*contents->last, Time(90ms));
  EXPECT_LT(*contents->last, Time(1s));
  EXPECT_EQ(*some->newest("world", "arm"), *contents->last);
  EXPECT_FALSE(read_frames(folder / "none"));
}

}  // namespace
}  // namespace longarm::record
