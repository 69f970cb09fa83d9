// SPDX-License-Identifier: Apache-2.0
// Files that are good, and what is said of those that are not.
#include "longarm/motion/trajectory_file.h"

#include <gtest/gtest.h>

namespace longarm::motion {
namespace {

using namespace std::chrono_literals;

std::string error_of(std::string_view content) {
  const Result<NamedTrajectory> read = read_trajectory_csv(content);
  return read ? "" : read.error().message;
}

TEST(TrajectoryFile, ReadsBackWhatItWrote) {
  const NamedTrajectory written{
      {"elbow", "wrist.3"},
      {{0ns, {0.1, -1e-300}, {0.25, 1.0 / 3.0}, {}}, {1'000'000'001ns, {0.2, 7.0}, {0, -0.0}, {}}}};
  const Result<NamedTrajectory> read = read_trajectory_csv(trajectory_csv(written));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->joints, written.joints);
  ASSERT_EQ(read->points.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->points[i].time, written.points[i].time);
    EXPECT_EQ(read->points[i].positions, written.points[i].positions);
    EXPECT_EQ(read->points[i].velocities, written.points[i].velocities);
    EXPECT_TRUE(read->points[i].accelerations.empty());
  }
}

TEST(TrajectoryFile, IgnoresOtherColumnsAndLineEndsOfDos) {
  const Result<NamedTrajectory> read = read_trajectory_csv(
      "time_s,plan.a,position.a,note\r\n"
      "0.5,9,1,x\r\n"
      "\r\n"
      "1.5,9,2,y\r\n");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->joints, std::vector<std::string>{"a"});
  ASSERT_EQ(read->points.size(), 2U);
  EXPECT_EQ(read->points[0].time, 500ms);
  EXPECT_EQ(read->points[1].positions, std::vector<double>{2.0});
}

TEST(TrajectoryFile, SaysInWhichLineSomethingIsWrong) {
  EXPECT_EQ(error_of(""), "line 1: columns time_s and position.JOINT are expected");
  EXPECT_EQ(error_of("time_s,a\n0,1\n"), "line 1: columns time_s and position.JOINT are expected");
  EXPECT_EQ(error_of("time_s,position.a\n"), "it has a header but no points");
  EXPECT_EQ(error_of("time_s,position.a\n0,1\n0,2\n"),
            "line 3: this time is not after the one above");
  EXPECT_EQ(error_of("time_s,position.a\n0\n"), "line 2: 1 columns instead of 2");
  EXPECT_EQ(error_of("time_s,position.a\n-1,0\n"), "line 2: '-1' is not a time");
  EXPECT_EQ(error_of("time_s,position.a\n0,nan\n"), "line 2: 'nan' is not a number");
  EXPECT_EQ(error_of("time_s,position.a,position.b,velocity.b\n0,1,2,3\n"),
            "line 1: 1 of 2 joints have a column velocity.JOINT; give all or none");
}

}  // namespace
}  // namespace longarm::motion
