// SPDX-License-Identifier: Apache-2.0
// Tests the door that calls out for programs: names, orders, ends and bounds.
#include <gtest/gtest.h>

#include "longarm/robots/ur/sockets.h"

namespace longarm::robots {
namespace {

using protocols::ConnectionId;
using State = UrSockets::State;

class UrSocketsTest : public testing::Test {
 protected:
  UrSockets sockets_{"ur5.sockets"};
};

TEST_F(UrSocketsTest, CallsOneAfterTheOther) {
  EXPECT_EQ(sockets_.port(), std::nullopt);
  EXPECT_FALSE(sockets_.take_call());
  ASSERT_TRUE(sockets_.call("a", "10.0.0.1", 50001));
  ASSERT_TRUE(sockets_.call("b", "10.0.0.2", 50002));
  const auto first = sockets_.take_call();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->host, "10.0.0.1");
  EXPECT_EQ(first->port, 50001);
  EXPECT_FALSE(sockets_.take_call());
  sockets_.open(ConnectionId{7}, {});
  EXPECT_EQ(sockets_.state("a"), State::kOpen);
  EXPECT_EQ(sockets_.state("b"), State::kCalling);
  ASSERT_TRUE(sockets_.take_call());
  sockets_.call_failed({});
  EXPECT_EQ(sockets_.state("b"), State::kClosed);
  EXPECT_EQ(sockets_.state("a"), State::kOpen);
}

TEST_F(UrSocketsTest, BytesGoBothWaysAndStayWhenThePeerIsGone) {
  ASSERT_TRUE(sockets_.call("a", "peer", 1));
  ASSERT_TRUE(sockets_.take_call());
  sockets_.open(ConnectionId{1}, {});
  sockets_.receive(ConnectionId{1}, "hel", {});
  sockets_.receive(ConnectionId{1}, "lo", {});
  EXPECT_EQ(sockets_.received("a"), "hello");
  sockets_.consume("a", 4);
  EXPECT_TRUE(sockets_.send("a", "ok"));
  EXPECT_EQ(sockets_.take_output(ConnectionId{1}), "ok");
  EXPECT_EQ(sockets_.take_output(ConnectionId{1}), "");
  sockets_.close(ConnectionId{1}, {});
  EXPECT_EQ(sockets_.state("a"), State::kClosed);
  EXPECT_EQ(sockets_.received("a"), "o");
  EXPECT_FALSE(sockets_.send("a", "more"));
}

TEST_F(UrSocketsTest, ClosedByTheProgramItSaysWhatItHadToSayFirst) {
  ASSERT_TRUE(sockets_.call("a", "peer", 1));
  ASSERT_TRUE(sockets_.take_call());
  sockets_.open(ConnectionId{1}, {});
  sockets_.send("a", "bye");
  sockets_.hang_up_all();
  EXPECT_TRUE(sockets_.is_over(ConnectionId{1}));
  EXPECT_EQ(sockets_.take_output(ConnectionId{1}), "bye");
  sockets_.close(ConnectionId{1}, {});
  EXPECT_FALSE(sockets_.is_over(ConnectionId{1}));
}

TEST_F(UrSocketsTest, ACallThatIsAnsweredTooLateIsEnded) {
  ASSERT_TRUE(sockets_.call("a", "peer", 1));
  ASSERT_TRUE(sockets_.take_call());
  sockets_.hang_up_all();
  sockets_.open(ConnectionId{1}, {});
  EXPECT_TRUE(sockets_.is_over(ConnectionId{1}));
  // the next call is its own
  ASSERT_TRUE(sockets_.call("a", "peer", 2));
  EXPECT_EQ(sockets_.take_call()->port, 2);
}

TEST_F(UrSocketsTest, RefusesNonsenseAndKeepsItsMemoryBounded) {
  EXPECT_FALSE(sockets_.call("a", "peer", 0));
  EXPECT_FALSE(sockets_.call("a", "peer", 70000));
  EXPECT_FALSE(sockets_.call("a", "", 1));
  for (std::size_t i = 0; i < UrSockets::kMaxSockets; ++i) {
    ASSERT_TRUE(sockets_.call("s" + std::to_string(i), "peer", 1));
  }
  EXPECT_FALSE(sockets_.call("one more", "peer", 1));
  ASSERT_TRUE(sockets_.take_call());
  sockets_.open(ConnectionId{1}, {});
  const std::string much(UrSockets::kMaxBytes, 'x');
  sockets_.receive(ConnectionId{1}, much, {});
  EXPECT_EQ(sockets_.state("s0"), State::kOpen);
  sockets_.receive(ConnectionId{1}, "x", {});
  EXPECT_EQ(sockets_.state("s0"), State::kClosed);
  EXPECT_TRUE(sockets_.is_over(ConnectionId{1}));
  sockets_.receive(ConnectionId{9}, "who?", {});
  EXPECT_EQ(sockets_.take_output(ConnectionId{9}), "");
}

}  // namespace
}  // namespace longarm::robots
