// SPDX-License-Identifier: Apache-2.0
// The journal adds up overlaps and recoveries; yaws keep open fingers clear of other pegs.
#include "labs/kitting/journal.h"

#include <chrono>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "labs/kitting/handling.h"

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;

JournalEntry entry(const std::string& who, Duration start, Duration end, bool is_done = true) {
  return {who, "(pick " + who + ")", Time(start), Time(end), is_done};
}

TEST(Journal, CountsTheTimeInWhichTwoArmsWorkAndLeavesTheBeltOut) {
  Journal journal;
  journal.add(entry("fanuc", 0s, 10s));
  journal.add(entry("motoman", 4s, 7s));    // 3 s with the first
  journal.add(entry("motoman", 10s, 12s));  // begins as the other ends: nothing
  journal.add(entry("belt", 0s, 12s));
  EXPECT_EQ(journal.overlap(), 3s);
}

TEST(Journal, TakesTheFirstActionThatBeganAfterASetbackAndSucceededAsRecovery) {
  Journal journal;
  journal.add(Setback{Time(5s), "fanuc", "drop", "gone"});
  journal.add(entry("motoman", 4s, 6s));       // was under way
  journal.add(entry("fanuc", 6s, 8s, false));  // failed
  journal.add(entry("fanuc", 8s, 9s));
  journal.add(entry("fanuc", 9s, 10s));
  ASSERT_TRUE(journal.setbacks().front().recovered.has_value());
  EXPECT_EQ(*journal.setbacks().front().recovered, Time(9s));
  EXPECT_EQ(journal.json()["time_to_recover_s"], 4.0);
}

TEST(Journal, KnowsWhenTheLastActionEnded) {
  Journal journal;
  EXPECT_FALSE(journal.last_action().has_value());
  journal.add(entry("fanuc", 6s, 9s, false));
  journal.add(entry("belt", 4s, 8s));
  journal.add(Setback{Time(20s), "executor", "kit", "hopeless"});
  EXPECT_EQ(*journal.last_action(), Time(9s));
}

TEST(Journal, QuotesWordsInItsTable) {
  Journal journal;
  journal.add({"fanuc", "(pick fanuc)", Time(1s), Time(2500ms), false, "it said \"no\", twice"});
  EXPECT_EQ(journal.csv(),
            "start_s,end_s,who,what,done,words\n"
            "1.000,2.500,fanuc,\"(pick fanuc)\",0,\"it said \"\"no\"\", twice\"\n");
}

/// Distance of a peg from the line that open fingers reach along, by hand.
double room_m(const Vector3& p, const Vector3& other, double closing_deg, double reach_m) {
  const double angle = closing_deg * std::numbers::pi / 180.0;
  double least = 1.0;
  for (int i = -1000; i <= 1000; ++i) {
    const double along = reach_m * i / 1000.0;
    least = std::min(least, std::hypot(p.x() + along * std::cos(angle) - other.x(),
                                       p.y() + along * std::sin(angle) - other.y()));
  }
  return least;
}

TEST(ChooseYaw, TakesTheDiagonalWithoutANeighbourInAVesselOfFour) {
  // pegs 56 mm apart along the axes. From the upper left one, the diagonal to the lower right one
  // leads onto its peg (79 mm, fingers reach 71), the other diagonal passes all by 39.6 mm or more.
  const ArmConfig arm{
      .name = "motoman", .closes_deg = 0.0, .finger_reach_m = 0.071, .clearance_m = 0.038};
  const Vector3 p(-0.028, 0.028, 0.0);
  const std::vector<Vector3> others{
      {0.028, 0.028, 0.0}, {-0.028, -0.028, 0.0}, {0.028, -0.028, 0.0}};
  EXPECT_NEAR(choose_yaw_deg(arm, p, others), 45.0, 1e-9);
  for (const Vector3& other : others) {
    EXPECT_GT(room_m(p, other, 45.0, 0.071), 0.039);
  }
}

TEST(ChooseYaw, KeepsTheUsualOneWhereNothingIsNear) {
  const ArmConfig arm{.name = "fanuc", .yaw_deg = 30.0, .closes_deg = 90.0};
  EXPECT_EQ(choose_yaw_deg(arm, Vector3::Zero(), {}), 30.0);
}

TEST(ChooseYaw, KnowsThatAToolPointingDownTurnsItsAnglesOver) {
  // the fingers close along the tool's y axis, and a neighbour stands along the world's x axis.
  // With the tool's x axis along the world's x, fingers are along -y: clear of it.
  const ArmConfig arm{.name = "fanuc", .yaw_deg = 0.0, .closes_deg = 90.0};
  EXPECT_EQ(choose_yaw_deg(arm, Vector3::Zero(), {Vector3(0.05, 0.0, 0.0)}), 0.0);
  // a neighbour along y is in the way of that; turned by 45° to 135° it is not
  const double yaw_deg = choose_yaw_deg(arm, Vector3::Zero(), {Vector3(0.0, 0.05, 0.0)});
  EXPECT_GT(room_m(Vector3::Zero(), Vector3(0.0, 0.05, 0.0), yaw_deg - 90.0, arm.finger_reach_m),
            0.034);
  const Pose X_BT = tool_pose({.name = "r"}, Vector3::Zero(), yaw_deg);
  // the y axis of the tool really lies along the direction that was judged
  const double angle = (yaw_deg - 90.0) * std::numbers::pi / 180.0;
  EXPECT_NEAR(X_BT.linear().col(1).x(), std::cos(angle), 1e-12);
  EXPECT_NEAR(X_BT.linear().col(1).y(), std::sin(angle), 1e-12);
}

}  // namespace
}  // namespace longarm::kitting
