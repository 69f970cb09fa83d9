// SPDX-License-Identifier: Apache-2.0
// A failure is noticed by a setback of its own kind, or not at all.
#include "longarm/experiments/kitting_notice.h"

#include <chrono>

#include <gtest/gtest.h>

namespace longarm::experiments {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;
using kitting::Setback;

TEST(KittingNotice, IsOfTheSameRobotPartCameraOrBelt) {
  workcell::WorkCellConfig cell;
  cell.failures = {"5s robot fanuc breaks", "5s part medium_gear_2 missing",
                   "5s camera camera_1 blind", "5s belt stops", "5s gripper motoman drops"};
  const std::vector<Setback> setbacks{
      {Time(4s), "fanuc", "robot", "before it happened"},
      {Time(6s), "motoman", "robot", "another one's"},
      {Time(7s), "fanuc", "robot", "broken"},
      {Time(8s), "fanuc", "part", "gone", "medium_gear_2"},
      {Time(9s), "camera_1", "camera", "blind"},
      {Time(10s), "belt", "belt", "stands"},
  };
  EXPECT_EQ(times_to_notice(cell, setbacks), (Json{{"5s robot fanuc breaks", 2.0},
                                                   {"5s part medium_gear_2 missing", 3.0},
                                                   {"5s camera camera_1 blind", 4.0},
                                                   {"5s belt stops", 5.0},
                                                   {"5s gripper motoman drops", nullptr}}));
}

TEST(KittingNotice, TwoFailuresDoNotShareASetback) {
  workcell::WorkCellConfig cell;
  cell.failures = {"6s gripper fanuc drops", "5s gripper fanuc drops"};
  const std::vector<Setback> one{{Time(7s), "fanuc", "drop", "lost"}};
  EXPECT_EQ(times_to_notice(cell, one),
            (Json{{"6s gripper fanuc drops", nullptr}, {"5s gripper fanuc drops", 2.0}}));
}

TEST(KittingNotice, ACableIsNoticedByWhoSitsAtItsEnd) {
  workcell::WorkCellConfig cell;
  cell.network.links.resize(2);
  cell.network.links[0].name = "left";
  cell.network.links[0].between = {"fanuc", "switch"};
  cell.network.links[1].name = "mine";
  cell.network.links[1].between = {"executor", "switch"};
  cell.failures = {"1s link left down", "1s link mine slow 2s"};
  const std::vector<Setback> setbacks{{Time(2s), "camera_1", "camera", "silent"},
                                      {Time(11s), "fanuc", "robot", "silent"}};
  EXPECT_EQ(times_to_notice(cell, setbacks),
            (Json{{"1s link left down", 10.0}, {"1s link mine slow 2s", 1.0}}));
}

}  // namespace
}  // namespace longarm::experiments
