// SPDX-License-Identifier: Apache-2.0
// Failures as users write them, right and wrong.
#include "longarm/workcell/failures.h"

#include <gtest/gtest.h>

namespace longarm::workcell {
namespace {

using namespace std::chrono_literals;

std::string complaint(const std::string& text) {
  const Result<Failure> failure = parse_failure(text);
  return failure ? "" : failure.error().message;
}

Failure good(const std::string& text) {
  const Result<Failure> failure = parse_failure(text);
  EXPECT_TRUE(failure.has_value()) << text << ": " << complaint(text);
  return failure ? *failure : Failure{};
}

TEST(Failures, AreReadWordByWord) {
  EXPECT_EQ(good("20s robot fanuc breaks").kind, FailureKind::kRobotBreaks);
  EXPECT_EQ(good("20s robot fanuc breaks").at, Time(20s));
  EXPECT_EQ(good("20s robot fanuc dies").target, "fanuc");
  const Failure misplaced = good("1500ms part medium_gear_2 misplaced 0.03 -0.01");
  EXPECT_EQ(misplaced.at, Time(1500ms));
  EXPECT_EQ(misplaced.target, "medium_gear_2");
  EXPECT_EQ(misplaced.x_m, 0.03);
  EXPECT_EQ(misplaced.y_m, -0.01);
  EXPECT_EQ(good("15s part gear missing").kind, FailureKind::kPartMissing);
  EXPECT_EQ(good("25s gripper fanuc drops").kind, FailureKind::kGripperDrops);
  EXPECT_EQ(good("10s camera camera_1 blind for 5s").length, 5s);
  EXPECT_EQ(good("10s camera camera_1 silent").length, Duration::zero());
  EXPECT_EQ(good("5s belt stops").kind, FailureKind::kBeltStops);
  EXPECT_EQ(good("  5s   belt stops for 10s ").length, 10s);
  EXPECT_EQ(good("30s link wire down for 5s").kind, FailureKind::kLinkDown);
  EXPECT_EQ(good("30s link wire slow 500ms for 10s").slow, 500ms);
  EXPECT_EQ(good("20s curtain broken for 4s").length, 4s);
}

TEST(Failures, SayWhichWordIsWrong) {
  EXPECT_EQ(complaint(""), "'' is no time at which something fails");
  EXPECT_EQ(complaint("soon robot fanuc breaks"), "'soon' is no time at which something fails");
  EXPECT_EQ(complaint("-1s belt stops"), "'-1s' is no time at which something fails");
  EXPECT_EQ(complaint("1s robto fanuc breaks"),
            "nothing called 'robto' fails; did you mean 'robot'?");
  EXPECT_EQ(complaint("1s robot fanuc brakes"),
            "a robot cannot do 'brakes'; did you mean 'breaks'?");
  EXPECT_EQ(complaint("1s part gear misplaced 0.03"), "'' is no distance in metres");
  EXPECT_EQ(complaint("1s part gear misplaced nan 0"), "'nan' is no distance in metres");
  EXPECT_EQ(complaint("1s link wire slow"), "'' is no time by which a link is slower");
  EXPECT_EQ(complaint("1s belt stops for 0s"), "a failure for 0s does not happen");
  EXPECT_EQ(complaint("1s belt stops soon"), "'soon' stands behind what was complete");
  EXPECT_EQ(complaint("1s robot fanuc breaks for 3s"), "'for' stands behind what was complete");
  EXPECT_EQ(complaint("1s curtain broken"),
            "nobody stays in the curtain for good: it needs a length such as 'for 4s'");
}

TEST(Failures, AreOfWhatIsThere) {
  std::vector<network::KeyRemark> remarks;
  const auto failures =
      parse_failures({"1s robot fanuk breaks", "1s belt stops", "1s camera camera_1 blind",
                      "1s curtain broken for 4s", "nonsense"},
                     remarks);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].key, "failures");
  EXPECT_EQ(remarks[0].message, "\"nonsense\": 'nonsense' is no time at which something fails");
  FailureTargets targets;
  targets.robots = {"fanuc", "motoman"};
  const auto wrong = judge(failures, targets);
  ASSERT_EQ(wrong.size(), 4u);
  EXPECT_EQ(wrong[0].message, "\"1s robot fanuk breaks\": there is no robot 'fanuk'");
  EXPECT_EQ(wrong[0].hint, "did you mean 'fanuc'?");
  EXPECT_EQ(wrong[1].message, "\"1s belt stops\": there is no belt");
  EXPECT_EQ(wrong[2].hint, "this cell has no cameras that could fail");
  EXPECT_EQ(wrong[3].message, "\"1s curtain broken for 4s\": there is no light curtain");
  targets.robots.emplace_back("fanuk");
  targets.cameras = {"camera_1"};
  targets.has_belt = true;
  targets.has_curtain = true;
  EXPECT_TRUE(judge(failures, targets).empty());
}

}  // namespace
}  // namespace longarm::workcell
