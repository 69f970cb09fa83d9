// SPDX-License-Identifier: Apache-2.0
// A failure is noticed by a setback of its own kind, or not at all.
#include "labs/kitting/kitting_notice.h"

#include <chrono>

#include <gtest/gtest.h>

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;
using cell::Failure;
using Json = nlohmann::ordered_json;
using kitting::Setback;

Failure failure_of(Failure::Of of, Duration at, const std::string& name, const std::string& verb,
                   const std::string& text) {
  Failure failure;
  failure.at = Time(at);
  failure.of = of;
  failure.name = name;
  failure.verb = verb;
  failure.text = text;
  return failure;
}

/// Everybody has a host of the own name.
NoticePlaces places_of(std::vector<network::LinkEntry> links = {}) {
  return {std::move(links), "executor", "plc", [](const std::string& actor) { return actor; }};
}

TEST(KittingNotice, IsOfTheSameRobotPartCameraOrBelt) {
  const std::vector<Failure> failures{
      failure_of(Failure::Of::kActor, 5s, "fanuc", "breaks", "5s fanuc breaks"),
      failure_of(Failure::Of::kPart, 5s, "medium_gear_2", "missing",
                 "5s part medium_gear_2 missing"),
      failure_of(Failure::Of::kActor, 5s, "camera_1", "blind", "5s camera_1 blind"),
      failure_of(Failure::Of::kActor, 5s, "belt", "stops", "5s belt stops"),
      failure_of(Failure::Of::kActor, 5s, "motoman", "drops", "5s motoman drops")};
  const std::vector<Setback> setbacks{
      {Time(4s), "fanuc", "robot", "before it happened"},
      {Time(6s), "motoman", "robot", "another one's"},
      {Time(7s), "fanuc", "robot", "broken"},
      {Time(8s), "fanuc", "part", "gone", "medium_gear_2"},
      {Time(9s), "camera_1", "camera", "blind"},
      {Time(10s), "belt", "belt", "stands"},
  };
  EXPECT_EQ(times_to_notice(failures, places_of(), setbacks),
            (Json{{"5s fanuc breaks", 2.0},
                  {"5s part medium_gear_2 missing", 3.0},
                  {"5s camera_1 blind", 4.0},
                  {"5s belt stops", 5.0},
                  {"5s motoman drops", nullptr}}));
}

TEST(KittingNotice, TwoFailuresDoNotShareASetback) {
  const std::vector<Failure> failures{
      failure_of(Failure::Of::kActor, 6s, "fanuc", "drops", "6s fanuc drops"),
      failure_of(Failure::Of::kActor, 5s, "fanuc", "drops", "5s fanuc drops")};
  const std::vector<Setback> one{{Time(7s), "fanuc", "drop", "lost"}};
  EXPECT_EQ(times_to_notice(failures, places_of(), one),
            (Json{{"6s fanuc drops", nullptr}, {"5s fanuc drops", 2.0}}));
}

TEST(KittingNotice, ACableIsNoticedByWhoSitsAtItsEnd) {
  std::vector<network::LinkEntry> links(2);
  links[0].name = "left";
  links[0].between = {"fanuc", "switch"};
  links[1].name = "mine";
  links[1].between = {"executor", "switch"};
  const std::vector<Failure> failures{
      failure_of(Failure::Of::kLink, 1s, "left", "down", "1s link left down"),
      failure_of(Failure::Of::kLink, 1s, "mine", "slow", "1s link mine slow 2s")};
  const std::vector<Setback> setbacks{{Time(2s), "camera_1", "camera", "silent"},
                                      {Time(11s), "fanuc", "robot", "silent"}};
  EXPECT_EQ(times_to_notice(failures, places_of(links), setbacks),
            (Json{{"1s link left down", 10.0}, {"1s link mine slow 2s", 1.0}}));
}

TEST(KittingNotice, SomebodyInTheCurtainIsNoSetback) {
  const std::vector<Failure> failures{
      failure_of(Failure::Of::kActor, 1s, "curtain", "broken", "1s curtain broken for 4s")};
  const std::vector<Setback> setbacks{{Time(2s), "fanuc", "robot", "stands"},
                                      {Time(3s), "camera_1", "camera", "silent"},
                                      {Time(4s), "belt", "belt", "stands"}};
  EXPECT_EQ(times_to_notice(failures, places_of(), setbacks),
            (Json{{"1s curtain broken for 4s", nullptr}}));
}

}  // namespace
}  // namespace longarm::kitting
