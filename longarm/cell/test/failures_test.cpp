// SPDX-License-Identifier: Apache-2.0
// Failures as users write them, right and wrong.
#include "longarm/cell/failures.h"

#include <gtest/gtest.h>

namespace longarm::cell {
namespace {

using namespace std::chrono_literals;
using End = FailureVerb::End;
using Of = Failure::Of;
using Remarks = std::vector<network::KeyRemark>;

/// Verbs as the kinds of actors have them.
std::vector<FailureSubject> subjects() {
  return {{Of::kActor,
           "fanuc",
           {{"breaks", "", End::kNever}, {"dies", "", End::kNever}, {"drops", "", End::kNever}}},
          {Of::kActor, "camera_1", {{"blind", "", End::kMaybe}, {"silent", "", End::kMaybe}}},
          {Of::kActor, "belt", {{"stops", "", End::kMaybe}}},
          {Of::kActor, "curtain", {{"broken", "", End::kAlways}}},
          {Of::kActor, "plc", {}},
          {Of::kLink, "wire", link_failures()},
          {Of::kPart, "gear", part_failures()},
          {Of::kPart, "medium_gear_2", part_failures()}};
}

network::KeyRemark remark_on(const std::string& text) {
  Remarks remarks;
  EXPECT_TRUE(read_failures({text}, subjects(), remarks).empty()) << text;
  EXPECT_EQ(remarks.size(), 1u) << text;
  return remarks.empty() ? network::KeyRemark{} : remarks.front();
}

/// Without the text itself, which stands before it.
std::string complaint(const std::string& text) {
  const network::KeyRemark remark = remark_on(text);
  const std::string before = "\"" + text + "\": ";
  EXPECT_EQ(remark.key, "failures");
  EXPECT_TRUE(remark.message.starts_with(before)) << remark.message;
  return remark.message.substr(before.size());
}

Failure good(const std::string& text) {
  Remarks remarks;
  const std::vector<Failure> failures = read_failures({text}, subjects(), remarks);
  EXPECT_TRUE(remarks.empty()) << remarks.front().message;
  EXPECT_EQ(failures.size(), 1u) << text;
  return failures.empty() ? Failure{} : failures.front();
}

TEST(Failures, AreReadWordByWord) {
  EXPECT_EQ(good("20s fanuc breaks").of, Of::kActor);
  EXPECT_EQ(good("20s fanuc breaks").verb, "breaks");
  EXPECT_EQ(good("20s fanuc breaks").at, Time(20s));
  EXPECT_EQ(good("20s fanuc breaks").text, "20s fanuc breaks");
  EXPECT_EQ(good("20s fanuc dies").name, "fanuc");
  const Failure misplaced = good("1500ms part medium_gear_2 misplaced 0.03 -0.01");
  EXPECT_EQ(misplaced.at, Time(1500ms));
  EXPECT_EQ(misplaced.of, Of::kPart);
  EXPECT_EQ(misplaced.name, "medium_gear_2");
  EXPECT_EQ(misplaced.values, (std::vector<double>{0.03, -0.01}));
  EXPECT_EQ(good("15s part gear missing").verb, "missing");
  EXPECT_EQ(good("25s fanuc drops").verb, "drops");
  EXPECT_EQ(good("10s camera_1 blind for 5s").length, 5s);
  EXPECT_EQ(good("10s camera_1 silent").length, Duration::zero());
  EXPECT_EQ(good("5s belt stops").verb, "stops");
  EXPECT_EQ(good("  5s   belt stops for 10s ").length, 10s);
  EXPECT_EQ(good("30s link wire down for 5s").of, Of::kLink);
  EXPECT_EQ(good("30s link wire down for 5s").verb, "down");
  EXPECT_EQ(good("30s link wire slow 500ms for 10s").values, std::vector<double>{0.5});
  EXPECT_EQ(good("20s curtain broken for 4s").length, 4s);
}

TEST(Failures, SayWhichWordIsWrong) {
  EXPECT_EQ(complaint(""), "'' is not a time of failure");
  EXPECT_EQ(complaint("soon fanuc breaks"), "'soon' is not a time of failure");
  EXPECT_EQ(complaint("-1s belt stops"), "'-1s' is not a time of failure");
  EXPECT_EQ(complaint("1s fanuk breaks"), "there is no actor 'fanuk'");
  EXPECT_EQ(complaint("1s fanuc brakes"), "failure 'brakes' does not apply to 'fanuc'");
  EXPECT_EQ(remark_on("1s fanuc brakes").hint, "did you mean 'breaks'?");
  EXPECT_EQ(complaint("1s fanuc"), "failure '' does not apply to 'fanuc'");
  EXPECT_EQ(complaint("1s part gear misplaced 0.03"), "'' is not a distance in metres");
  EXPECT_EQ(complaint("1s part gear misplaced nan 0"), "'nan' is not a distance in metres");
  EXPECT_EQ(complaint("1s link wire slow"), "'' is not a duration");
  EXPECT_EQ(complaint("1s belt stops for 0s"), "a failure must last longer than 0s");
  EXPECT_EQ(complaint("1s belt stops for 1s more"), "unexpected 'more' at the end");
  EXPECT_EQ(complaint("1s belt stops soon"), "unexpected 'soon' at the end");
  EXPECT_EQ(complaint("1s fanuc breaks for 3s"), "unexpected 'for' at the end");
  EXPECT_EQ(complaint("1s curtain broken"), "'broken' needs a duration such as 'for 4s'");
}

TEST(Failures, AreOfWhatIsThere) {
  Remarks remarks;
  const std::vector<Failure> failures =
      read_failures({"1s fanuk breaks", "1s belt stops", "1s link wier down",
                     "1s part gaer missing", "1s plc stops", "nonsense"},
                    subjects(), remarks);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0].name, "belt");
  ASSERT_EQ(remarks.size(), 5u);
  EXPECT_EQ(remarks[0].message, "\"1s fanuk breaks\": there is no actor 'fanuk'");
  EXPECT_EQ(remarks[0].hint, "did you mean 'fanuc'?");
  EXPECT_EQ(remarks[1].message, "\"1s link wier down\": there is no link 'wier'");
  EXPECT_EQ(remarks[1].hint, "did you mean 'wire'?");
  EXPECT_EQ(remarks[2].message, "\"1s part gaer missing\": there is no loose part 'gaer'");
  EXPECT_EQ(remarks[2].hint, "did you mean 'gear'?");
  EXPECT_EQ(remarks[3].message, "\"1s plc stops\": failure 'stops' does not apply to 'plc'");
  EXPECT_EQ(remarks[3].hint, "no failure does");
  EXPECT_EQ(remarks[4].message, "\"nonsense\": 'nonsense' is not a time of failure");
  EXPECT_EQ(remarks[4].hint,
            "for example \"20s fanuc breaks\", \"15s part medium_gear_2 misplaced 0.03 0.01\", "
            "\"10s camera_1 blind for 5s\", \"30s link edge slow 500ms for 10s\"; run longarm keys "
            "failures to see all of them");
}

TEST(Failures, SayWhenThereIsNothingOfTheKind) {
  Remarks remarks;
  read_failures({"1s belt stops", "1s link wire down", "1s part gear missing"}, {}, remarks);
  ASSERT_EQ(remarks.size(), 3u);
  EXPECT_EQ(remarks[0].message, "\"1s belt stops\": there is no actor 'belt'");
  EXPECT_EQ(remarks[0].hint, "this cell has no actor that could fail");
  EXPECT_EQ(remarks[1].message, "\"1s link wire down\": there is no link 'wire'");
  EXPECT_EQ(remarks[1].hint, "this cell has no link that could fail");
  EXPECT_EQ(remarks[2].message, "\"1s part gear missing\": there is no loose part 'gear'");
  EXPECT_EQ(remarks[2].hint, "this cell has no loose part that could fail");
}

TEST(Failures, WereWrittenWithAWordMoreBefore) {
  EXPECT_EQ(complaint("20s robot fanuc breaks"), "there is no actor 'robot'");
  EXPECT_EQ(remark_on("20s robot fanuc breaks").hint, "remove the word: \"… fanuc …\"");
  EXPECT_EQ(remark_on("20s camera camera_1 blind").hint, "remove the word: \"… camera_1 …\"");
}

network::Topology one_cable() {
  network::Topology topology;
  network::Cable& cable = topology.cables.emplace_back();
  cable.name = "wire";
  cable.propagation = 2ms;
  return topology;
}

TEST(Failures, OfLinksAreChangesOfTheirCables) {
  network::Topology topology = one_cable();
  // slow from 7 s on for 2 s, down from 1 s on for good
  fail_cables(topology, {good("7s link wire slow 500ms for 2s"), good("1s link wire down"),
                         good("3s belt stops")});
  const std::vector<network::CableChange>& changes = topology.cables[0].changes;
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].at, Time(1s));
  EXPECT_EQ(changes[0].is_up, false);
  EXPECT_FALSE(changes[0].propagation.has_value());
  EXPECT_EQ(changes[1].at, Time(7s));
  EXPECT_EQ(changes[1].propagation, 502ms);
  EXPECT_FALSE(changes[1].is_up.has_value());
  EXPECT_EQ(changes[2].at, Time(9s));
  EXPECT_EQ(changes[2].propagation, 2ms);
}

TEST(Failures, OfLinksEndInWhatTheScheduleSays) {
  network::Topology topology = one_cable();
  // by its own schedule it is down from 4 s on
  network::CableChange down;
  down.at = Time(4s);
  down.is_up = false;
  topology.cables[0].changes = {down};
  fail_cables(topology, {good("1s link wire down for 2s"), good("3500ms link wire down for 2s")});
  const std::vector<network::CableChange>& changes = topology.cables[0].changes;
  ASSERT_EQ(changes.size(), 5u);
  EXPECT_EQ(changes[0].is_up, false);
  EXPECT_EQ(changes[1].at, Time(3s));
  EXPECT_EQ(changes[1].is_up, true);
  EXPECT_EQ(changes[4].at, Time(5500ms));
  EXPECT_EQ(changes[4].is_up, false) << "it would be down anyway";
}

}  // namespace
}  // namespace longarm::cell
