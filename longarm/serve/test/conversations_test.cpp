// SPDX-License-Identifier: Apache-2.0
// Who is asked when, and the queue between carriers and the world.
#include "longarm/serve/conversations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/serve/inbox.h"
#include "longarm/serve/test/served_world.h"

namespace longarm::serve {
namespace {

using testing::ElementsAre;

class Talks : public testing::Test {
 protected:
  void open(ConnectionId client) { talks_.apply({DoorEventKind::kOpen, 0, client, {}}, Time{}); }
  void say(ConnectionId client, const std::string& text) {
    talks_.apply({DoorEventKind::kData, 0, client, text}, Time(5ns));
  }
  void leave(ConnectionId client) { talks_.apply({DoorEventKind::kClose, 0, client, {}}, Time{}); }

  EchoDoor echo_;
  std::vector<std::string> heard_;
  Conversations talks_{{&echo_}, [this](const Said& said) {
                         heard_.push_back(std::to_string(static_cast<int>(said.client)) + ":" +
                                          said.bytes + (said.is_last ? "." : ""));
                       }};
};

TEST_F(Talks, AnswerWhoHasSpoken) {
  open(kOne);
  open(kTwo);
  say(kTwo, "a\nb");
  talks_.after_step();
  say(kTwo, "c\n");
  EXPECT_THAT(heard_, ElementsAre("2:5 a\n", "2:5 bc\n"));
  EXPECT_EQ(talks_.figures(0).bytes_in, 5U);
  EXPECT_EQ(talks_.figures(0).bytes_out, 9U);
  EXPECT_EQ(talks_.figures(0).most_open, 2U);
}

TEST_F(Talks, EndOnce) {
  open(kOne);
  say(kOne, "bye\n");
  talks_.after_step();
  say(kOne, "more\n");  // was under way
  leave(kOne);
  EXPECT_THAT(heard_, ElementsAre("1:5 bye\n.", "1:5 more\n", "1:."));
  EXPECT_EQ(echo_.clients(), 0U);
  EXPECT_EQ(talks_.figures(0).open, 0U);
}

TEST_F(Talks, IgnoreWhoHasNotComeOrComesTwice) {
  say(kOne, "x\n");
  leave(kOne);
  open(kOne);
  open(kOne);
  leave(kOne);
  say(kOne, "x\n");
  talks_.apply({DoorEventKind::kOpen, 7, kTwo, {}}, Time{});  // no such door
  EXPECT_THAT(heard_, ElementsAre("1:."));
  EXPECT_EQ(talks_.figures(0).opened, 1U);
}

TEST_F(Talks, HashDependsOnWhoHeardWhat) {
  open(kOne);
  open(kTwo);
  const std::string before = talks_.hash();
  say(kOne, "a\n");
  const std::string first = talks_.hash();
  EXPECT_NE(before, first);
  Conversations others({&echo_});
  others.apply({DoorEventKind::kOpen, 0, kOne, {}}, Time{});
  others.apply({DoorEventKind::kOpen, 0, kTwo, {}}, Time{});
  others.apply({DoorEventKind::kData, 0, kTwo, "a\n"}, Time(5ns));
  EXPECT_NE(others.hash(), first);
}

TEST(Inbox, KeepsTheOrderAndItsBounds) {
  Inbox inbox;
  EXPECT_TRUE(inbox.is_empty());
  EXPECT_FALSE(inbox.pop());
  const ConnectionId one = inbox.new_client();
  const ConnectionId two = inbox.new_client();
  EXPECT_NE(one, two);
  inbox.push({DoorEventKind::kOpen, 0, one, {}});
  inbox.push({DoorEventKind::kData, 0, one, std::string(Inbox::kMaxClientBytes, 'x')});
  EXPECT_FALSE(inbox.has_room(one));
  EXPECT_TRUE(inbox.has_room(two));  // the other one has said nothing
  EXPECT_EQ(inbox.pop()->kind, DoorEventKind::kOpen);
  EXPECT_FALSE(inbox.has_room(one));
  EXPECT_EQ(inbox.pop()->bytes.size(), Inbox::kMaxClientBytes);
  EXPECT_TRUE(inbox.has_room(one));
  EXPECT_TRUE(inbox.is_empty());
}

}  // namespace
}  // namespace longarm::serve
