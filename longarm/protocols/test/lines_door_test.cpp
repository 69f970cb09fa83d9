// SPDX-License-Identifier: Apache-2.0
// Lines for everyone: who hears which, and who is turned away.
#include "longarm/protocols/lines_door.h"

#include <gtest/gtest.h>

namespace longarm::protocols {
namespace {

constexpr ConnectionId kListener{1};
constexpr ConnectionId kNewcomer{2};

TEST(LinesDoor, SaysEveryLineOnceToEachClient) {
  LinesDoor door("camera.frames", 64451);
  door.open(kListener, Time{});
  door.open(kNewcomer, Time{});
  EXPECT_EQ(door.take_cyclic(kListener), "");
  door.say("{\"number\":0}");
  door.say("{\"number\":1}");
  EXPECT_EQ(door.take_cyclic(kListener), "{\"number\":0}\n{\"number\":1}\n");
  EXPECT_EQ(door.take_cyclic(kListener), "");
  door.say("{\"number\":2}");
  EXPECT_EQ(door.take_cyclic(kListener), "{\"number\":2}\n");
  EXPECT_EQ(door.take_cyclic(kNewcomer), "{\"number\":0}\n{\"number\":1}\n{\"number\":2}\n");
  EXPECT_EQ(door.take_output(kListener), "") << "lines are left out for who does not read";
  EXPECT_FALSE(door.is_over(kListener));
  EXPECT_EQ(door.lines(), 3u);
}

TEST(LinesDoor, TellsANewcomerHowThingsStand) {
  LinesDoor door("curtain.reports", 0);
  door.say("clear");
  door.say("broken");
  door.open(kNewcomer, Time{});
  EXPECT_EQ(door.take_cyclic(kNewcomer), "broken\n");
  EXPECT_EQ(door.take_cyclic(kNewcomer), "");
}

TEST(LinesDoor, KeepsSoManyLinesAndNoMore) {
  LinesDoor door("touches", 0);
  door.open(kListener, Time{});
  for (std::size_t i = 0; i < LinesDoor::kMaxLines + 5; ++i) {
    door.say(std::to_string(i));
  }
  const std::string heard = door.take_cyclic(kListener);
  EXPECT_TRUE(heard.starts_with("5\n6\n")) << heard;
  EXPECT_TRUE(heard.ends_with("\n68\n")) << heard;
}

TEST(LinesDoor, IgnoresWhatClientsSayAndForgetsWhoIsGone) {
  LinesDoor door("camera.frames", 0);
  door.open(kListener, Time{});
  door.receive(kListener, std::string(1 << 20, 'x'), Time{});
  door.say("a");
  EXPECT_EQ(door.take_cyclic(kListener), "a\n");
  EXPECT_EQ(door.clients(), 1u);
  door.close(kListener, Time{});
  EXPECT_EQ(door.clients(), 0u);
  door.say("b");
  EXPECT_EQ(door.take_cyclic(kListener), "");
  EXPECT_TRUE(door.is_over(kListener));
}

TEST(LinesDoor, TurnsAwayOneTooMany) {
  LinesDoor door("camera.frames", 0);
  for (std::uint32_t i = 1; i <= LinesDoor::kMaxClients + 1; ++i) {
    door.open(ConnectionId{i}, Time{});
  }
  EXPECT_EQ(door.clients(), LinesDoor::kMaxClients);
  EXPECT_FALSE(door.is_over(ConnectionId{LinesDoor::kMaxClients}));
  EXPECT_TRUE(door.is_over(ConnectionId{LinesDoor::kMaxClients + 1}));
  door.say("a");
  EXPECT_EQ(door.take_cyclic(ConnectionId{LinesDoor::kMaxClients + 1}), "");
}

}  // namespace
}  // namespace longarm::protocols
