// SPDX-License-Identifier: Apache-2.0
// A cell's clock, told from the stamps of its frames.
#include "labs/kitting/frame_clock.h"

#include <gtest/gtest.h>

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;

TEST(FrameClock, BeginsWithTheFirstStampAndGoesOnByRealTime) {
  FrameClock clock(1.0);
  EXPECT_FALSE(clock.has_begun());
  clock.hear(Time(100s), Time(5s));
  EXPECT_TRUE(clock.has_begun());
  EXPECT_EQ(clock.now(Time(5s)), Time(100s));
  EXPECT_EQ(clock.now(Time(5s + 30ms)), Time(100s + 30ms));
}

TEST(FrameClock, GoesAtTheSpeedOfTheCell) {
  FrameClock clock(4.0);
  clock.hear(Time(10s), Time(0s));
  EXPECT_EQ(clock.now(Time(25ms)), Time(10s + 100ms));
  clock.hear(Time(10s + 100ms), Time(25ms));
  EXPECT_EQ(clock.now(Time(50ms)), Time(10s + 200ms));
}

// frames every 100 ms, so that the clock is 200 ms ahead of the last stamp at most
TEST(FrameClock, WaitsForACellThatFallsBehind) {
  FrameClock clock(1.0);
  clock.hear(Time(0s), Time(0s));
  clock.hear(Time(100ms), Time(100ms));
  EXPECT_EQ(clock.now(Time(500ms)), Time(300ms));
  clock.hear(Time(200ms), Time(600ms));
  EXPECT_EQ(clock.now(Time(600ms)), Time(300ms)) << "it does not run backwards";
  EXPECT_EQ(clock.now(Time(650ms)), Time(350ms));
  EXPECT_EQ(clock.now(Time(900ms)), Time(400ms));
}

TEST(FrameClock, FollowsACellThatIsFaster) {
  FrameClock clock(1.0);
  clock.hear(Time(0s), Time(0s));
  clock.hear(Time(1s), Time(10ms));
  EXPECT_EQ(clock.now(Time(10ms)), Time(1s));
}

TEST(FrameClock, TakesNoNoticeOfOldFrames) {
  FrameClock clock(1.0);
  clock.hear(Time(2s), Time(0s));
  clock.hear(Time(1s), Time(50ms));
  EXPECT_EQ(clock.now(Time(50ms)), Time(2s + 50ms));
}

// 200 ms ahead, then nothing until a second of real time has passed
TEST(FrameClock, GoesOnWhenCamerasFallSilent) {
  FrameClock clock(1.0);
  clock.hear(Time(0s), Time(0s));
  EXPECT_EQ(clock.now(Time(1s)), Time(200ms));
  EXPECT_EQ(clock.now(Time(4s)), Time(3s + 200ms));
}

}  // namespace
}  // namespace longarm::kitting
