// SPDX-License-Identifier: Apache-2.0
// Lines of ROS programs: what they say, and what is wrong with them.
#include "longarm/protocols/ros/ros_requests.h"

#include <string>

#include <gtest/gtest.h>

#include "longarm/protocols/ros/ros_door.h"

namespace longarm::protocols::ros {
namespace {

std::string error_of(const std::string& line) {
  const Result<Request> request = parse_request(line);
  return request ? "" : request.error().message;
}

TEST(RosRequests, GoalHasItsJointsPointsAndTolerances) {
  const Result<Request> request = parse_request(
      R"({"do":"follow","id":3,"robot":"ur5","goal":"g1","joints":["b","a"],)"
      R"("points":[{"t_ns":500000000,"q":[1,2.5]},{"t_ns":1000000000,"q":[0,0],"v":[0.1,0],"a":[1,2]}],)"
      R"("path_tolerance_rad":{"a":0.1},"goal_time_ns":7,"start_ns":-4,"unknown":1})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, 3);
  const auto& goal = std::get<Follow>(request->what);
  EXPECT_EQ(goal.robot, "ur5");
  EXPECT_EQ(goal.goal, "g1");
  EXPECT_EQ(goal.joints, (std::vector<std::string>{"b", "a"}));
  ASSERT_EQ(goal.points.size(), 2u);
  EXPECT_EQ(goal.points[0].time, Duration(500'000'000));
  EXPECT_EQ(goal.points[0].positions, (std::vector<double>{1.0, 2.5}));
  EXPECT_TRUE(goal.points[0].velocities.empty());
  EXPECT_EQ(goal.points[1].accelerations, (std::vector<double>{1.0, 2.0}));
  EXPECT_EQ(goal.path_tolerance_rad.at("a"), 0.1);
  EXPECT_TRUE(goal.goal_tolerance_rad.empty());
  EXPECT_EQ(goal.goal_time, Duration(7));
  EXPECT_EQ(goal.start, Time(Duration(-4)));
}

TEST(RosRequests, GrippersAndCrclHaveTheirOwn) {
  const Result<Request> grip = parse_request(
      R"({"do":"grip","gripper":"fanuc","goal":"g","position":0.03,"max_effort":12})");
  ASSERT_TRUE(grip);
  const auto& what = std::get<Grip>(grip->what);
  EXPECT_EQ(what.gripper, "fanuc");
  EXPECT_EQ(what.position, 0.03);
  EXPECT_EQ(what.max_effort_N, 12.0);
  EXPECT_EQ(error_of(R"({"do":"grip","gripper":"a","goal":"g"})"), "'position' must be a number");
  const Result<Request> cancel = parse_request(R"({"do":"cancel_grip","gripper":"fanuc"})");
  ASSERT_TRUE(cancel);
  EXPECT_EQ(std::get<CancelGrip>(cancel->what).goal, "");
  const Result<Request> crcl = parse_request(R"({"do":"crcl","robot":"fanuc","text":"<a/>"})");
  ASSERT_TRUE(crcl);
  EXPECT_EQ(std::get<CrclText>(crcl->what).document, "<a/>");
}

TEST(RosRequests, SayWhatIsWrongWithThem) {
  EXPECT_EQ(error_of("nonsense"), "not a JSON object: 'nonsense'");
  EXPECT_EQ(error_of("[1]"), "not a JSON object: '[1]'");
  EXPECT_EQ(error_of("{}"), "'do' must be a text");
  EXPECT_EQ(error_of(R"({"do":"pause","id":1.5})"), "'id' must be an integer");
  EXPECT_EQ(error_of(R"({"do":"fly"})"),
            "unknown request 'fly'; use one of: follow, cancel, velocity, position, grip, "
            "cancel_grip, crcl, set, pause, resume, step, reset");
  EXPECT_EQ(error_of(R"({"do":"velocity","robot":"a","values":[1,"2"]})"),
            "'values' must be a list of numbers");
  EXPECT_EQ(error_of(R"({"do":"velocity","robot":"a","values":[1e999]})"),
            "not a JSON object: '{\"do\":\"velocity\",\"robot\":\"a\",\"values\":[1e999]}'");
  EXPECT_EQ(error_of(R"({"do":"set","parameter":"x"})"), "'value' is missing");
  EXPECT_EQ(error_of(R"({"do":"step","steps":0})"), "'steps' must be from 1 to 1000000000");
  EXPECT_EQ(error_of(R"({"do":"step","steps":18446744073709551615})"),
            "'steps' must be an integer");
  EXPECT_EQ(error_of(R"({"do":"follow","robot":"a","goal":"g","joints":[],"points":[{"t_ns":1}]})"),
            "point 1: 'q' must be a list of numbers");
  EXPECT_EQ(error_of(R"({"do":"follow","robot":"a","goal":"g","joints":[],"points":3})"),
            "'points' must be a list of at most 100000 objects");
  const auto nested = [](std::size_t levels) {
    return error_of(R"({"do":"set","parameter":"x","value":)" + std::string(levels, '[') +
                    "\"[[\"" + std::string(levels, ']') + "}");
  };
  EXPECT_EQ(nested(31), "");
  EXPECT_EQ(nested(32), "more than 32 levels of lists and objects");
  EXPECT_EQ(nested(1'000'000), "more than 32 levels of lists and objects");
}

struct Bench {
  RosDoor door{"ros", 0, [](Time) { return std::string("hello"); },
               [this](const Request& request, Time) -> std::optional<Error> {
                 ++asked;
                 if (std::holds_alternative<Reset>(request.what)) {
                   return Error{"no"};
                 }
                 return std::nullopt;
               }};
  int asked = 0;
};

TEST(RosDoor, GreetsAnswersAndTellsEveryone) {
  Bench bench;
  bench.door.open(ConnectionId{1}, Time(Duration(5)));
  bench.door.open(ConnectionId{2}, Time(Duration(5)));
  EXPECT_EQ(bench.door.take_output(ConnectionId{1}), "hello\n");
  // in pieces
  bench.door.receive(ConnectionId{1}, "{\"do\":\"pause\",", Time(Duration(7)));
  EXPECT_EQ(bench.asked, 0);
  bench.door.receive(ConnectionId{1}, "\"id\":4}\n\n{\"do\":\"pause\"}\n", Time(Duration(8)));
  EXPECT_EQ(bench.asked, 2);
  EXPECT_EQ(bench.door.take_output(ConnectionId{1}), "{\"t_ns\":8,\"answer\":4}\n");
  bench.door.receive(ConnectionId{1}, "{\"do\":\"reset\",\"id\":5}\nwhat\n", Time(Duration(9)));
  EXPECT_EQ(bench.door.take_output(ConnectionId{1}),
            "{\"t_ns\":9,\"answer\":5,\"error\":\"no\"}\n"
            "{\"t_ns\":9,\"error\":\"not a JSON object: 'what'\"}\n");
  bench.door.say("news");
  EXPECT_EQ(bench.door.take_output(ConnectionId{1}), "news\n");
  EXPECT_EQ(bench.door.take_output(ConnectionId{2}), "hello\nnews\n");
  EXPECT_EQ(bench.door.requests(), 4u);
  EXPECT_EQ(bench.door.refused(), 2u);
}

TEST(RosDoor, IsInHasteOnceAfterWhatCannotWaitForAStep) {
  Bench bench;
  bench.door.open(ConnectionId{1}, Time{});
  bench.door.say("news");
  EXPECT_FALSE(bench.door.take_haste());
  bench.door.say_at_once("paused");
  EXPECT_TRUE(bench.door.take_haste());
  EXPECT_FALSE(bench.door.take_haste());
  EXPECT_EQ(bench.door.take_output(ConnectionId{1}), "hello\nnews\npaused\n");
}

TEST(RosDoor, OffersTheNewestPacketOnce) {
  Bench bench;
  bench.door.stream("old\n");
  bench.door.open(ConnectionId{1}, Time{});
  EXPECT_EQ(bench.door.take_cyclic(ConnectionId{1}), "");
  bench.door.stream("one\n");
  bench.door.stream("two\n");
  EXPECT_EQ(bench.door.take_cyclic(ConnectionId{1}), "two\n");
  EXPECT_EQ(bench.door.take_cyclic(ConnectionId{1}), "");
  bench.door.close(ConnectionId{1}, Time{});
  bench.door.stream("three\n");
  EXPECT_EQ(bench.door.take_cyclic(ConnectionId{1}), "");
}

TEST(RosDoor, EndsTheConversationOverALineWithoutEnd) {
  Bench bench;
  bench.door.open(ConnectionId{1}, Time{});
  const std::string piece(1024 * 1024, 'x');
  for (int i = 0; i < 17; ++i) {
    bench.door.receive(ConnectionId{1}, piece, Time{});
  }
  bench.door.receive(ConnectionId{1}, "\n", Time{});
  EXPECT_TRUE(bench.door.is_over(ConnectionId{1}));
  EXPECT_EQ(bench.asked, 0);
}

}  // namespace
}  // namespace longarm::protocols::ros
