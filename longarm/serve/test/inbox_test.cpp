// SPDX-License-Identifier: Apache-2.0
// Whoever waits for the inbox is woken, and only by what is new.
#include "longarm/serve/inbox.h"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace longarm::serve {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

DoorEvent word(std::string bytes) {
  return {DoorEventKind::kData, 0, ConnectionId{1}, std::move(bytes)};
}

TEST(Inbox, WakesWhoeverWaitsForIt) {
  Inbox inbox;
  // twice: the second wait must not be woken by what woke the first
  for (int i = 0; i < 2; ++i) {
    std::thread client([&] { inbox.push(word("a")); });
    const auto start = Clock::now();
    while (inbox.is_empty() && Clock::now() - start < 20s) {
      EXPECT_FALSE(inbox.wait(20s));
    }
    EXPECT_LT(Clock::now() - start, 10s);
    client.join();
    EXPECT_TRUE(inbox.pop());
    EXPECT_FALSE(inbox.pop());
  }
  const auto start = Clock::now();
  EXPECT_FALSE(inbox.wait(2ms));
  EXPECT_GE(Clock::now() - start, 2ms);
}

TEST(Inbox, KeepsWhatIsNotReadyInItsOrder) {
  Inbox inbox;
  inbox.push(word("a"));
  inbox.push({DoorEventKind::kClose, 0, ConnectionId{1}, {}});
  inbox.push({DoorEventKind::kData, 0, ConnectionId{2}, "b"});
  const auto is_second = [](const DoorEvent& event) {
    return event.kind != DoorEventKind::kData || event.client == ConnectionId{2};
  };
  EXPECT_EQ(inbox.pop(is_second)->bytes, "b") << "the first client's end stays behind its word";
  EXPECT_FALSE(inbox.pop(is_second));
  EXPECT_FALSE(inbox.is_empty());
  EXPECT_EQ(inbox.pop()->bytes, "a");
  EXPECT_EQ(inbox.pop()->kind, DoorEventKind::kClose);
}

TEST(Inbox, DoesNotLetAnyoneWaitForWhatIsThereAlready) {
  Inbox inbox;
  inbox.push(word("a"));
  const auto start = Clock::now();
  EXPECT_FALSE(inbox.wait(20s));
  EXPECT_LT(Clock::now() - start, 10s);
}

TEST(Inbox, SaysThatTheOtherDescriptorHasSomething) {
  Inbox inbox;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(inbox.wait(Duration::zero(), ends[0]));
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_TRUE(inbox.wait(20s, ends[0]));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace longarm::serve
