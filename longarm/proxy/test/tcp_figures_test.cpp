// SPDX-License-Identifier: Apache-2.0
// What a relay says it did to a TCP stream is what happened at its sockets.
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/proxy/test/tcp_fixture.h"

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;

void set_patience(const TestSocket& socket, int option, suseconds_t microseconds) {
  const timeval patience{0, microseconds};
  setsockopt(socket.number(), SOL_SOCKET, option, &patience, sizeof patience);
}

TEST(TcpFigures, AFullQueueIsNoLoss) {
  TestServer server;
  RelayThread relay(link_with("delay 5ms limit 5"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  const std::string text = counted_text(30'000);  // the first window of ten segments is too many
  EXPECT_TRUE(client.say(text));
  EXPECT_TRUE(served.hear(text.size()) == text);
  relay.stop();
  const TcpLinkFigures model = relay.link().model_figures();
  EXPECT_GT(model.wire_up.dropped_queue, 0U);
  EXPECT_EQ(model.wire_up.dropped_loss, 0U);
}

TEST(TcpFigures, WhatAReceiverDidNotTakeIsHeldAndDidNotLeave) {
  TestServer server;
  RelayThread relay(link_with(""), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  set_patience(client, SO_SNDTIMEO, 100'000);
  EXPECT_FALSE(client.say(std::string(40'000'000, 'x')));  // the server does not read
  relay.stop();
  set_patience(served, SO_RCVTIMEO, 100'000);
  const std::size_t taken = served.hear(40'000'000).size();  // what the kernel had for it
  const DirectionFigures up = relay.link().figures_with_held().up;
  EXPECT_LE(up.bytes_out(), taken);
  EXPECT_GT(up.bytes_out() + 1448, taken);  // but for the segment that was half written
  // 4 MiB are held, of which one segment may be in part
  EXPECT_GE(up.held() * 1448, std::size_t{4} << 20U);
  EXPECT_EQ(up.packets_in(), up.packets_out() + up.held());
  EXPECT_EQ(up.discarded(), 0U);
  // and the receiver's slowness is not the relay's
  EXPECT_EQ(up.lateness().count() + up.awaited(), up.packets_out());
}

TEST(TcpFigures, WaitingForAReceiverIsNotTheRelaysLateness) {
  TestServer server;
  RelayThread relay(link_with(""), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  set_patience(client, SO_SNDTIMEO, 500'000);
  EXPECT_FALSE(client.say(std::string(40'000'000, 'x')));  // nobody reads for half a second
  client.finish();
  const std::size_t heard = served.hear(40'000'000).size();
  relay.stop();
  const DirectionFigures& up = relay.link().figures().up;
  EXPECT_EQ(up.bytes_out(), heard);
  EXPECT_GT(up.awaited(), 0U);
  EXPECT_GT(up.delay_given().max(), 400ms);
  EXPECT_LT(up.lateness().max(), 400ms);
}

TEST(TcpFigures, ARefusingServerGetsNothingAndIsNamedOnce) {
  TestServer server;
  server.close();
  std::vector<std::string> told;
  TcpRelayOptions options;
  options.tell = [&](const std::string& sentence) { told.push_back(sentence); };
  RelayThread relay(link_with("delay 1ms"), server.address(), options);
  for (int i = 0; i < 2; ++i) {
    TestSocket client = TestSocket::to(relay.address());
    client.say("hi");
    EXPECT_EQ(client.how_it_ends(), ECONNRESET);
  }
  relay.stop();
  const RelayFigures figures = relay.link().figures_with_held();
  EXPECT_EQ(figures.conversations_refused, 2U);
  EXPECT_EQ(figures.up.packets_in(), 2U);
  EXPECT_EQ(figures.up.bytes_out(), 0U);
  EXPECT_EQ(figures.up.discarded(), 2U);
  EXPECT_EQ(figures.up.held(), 0U);
  const std::string where = to_text(server.address());
  EXPECT_THAT(told, testing::ElementsAre("cannot reach " + where + ": Connection refused"));
  EXPECT_THAT(relay.relay().warnings(), testing::ElementsAre("tcp: none of 2 connections reached " +
                                                             where + ": Connection refused"));
}

TEST(TcpFigures, WhatAResetThrowsAwayIsCounted) {
  TestServer server;
  RelayThread relay(link_with("delay 20ms rate 10mbit"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  client.say(std::string(200'000, 'x'));
  EXPECT_EQ(served.hear(1000).size(), 1000U);
  served.reset();
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
  const DirectionFigures up = relay.link().figures_with_held().up;
  EXPECT_GT(up.discarded(), 0U);
  EXPECT_EQ(up.held(), 0U);
  EXPECT_EQ(up.packets_in(), up.packets_out() + up.discarded());
}

TEST(TcpFigures, WhoIsTurnedAwayForWantOfPlacesIsTold) {
  TestServer server;
  TcpRelayOptions options;
  options.most_connections = 1;
  RelayThread relay(link_with(""), server.address(), options);
  TestSocket first = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  TestSocket second = TestSocket::to(relay.address());
  EXPECT_EQ(second.how_it_ends(), ECONNRESET);
  relay.stop();
  EXPECT_THAT(relay.relay().warnings(),
              testing::ElementsAre("tcp: 1 clients were rejected at " + to_text(relay.address()) +
                                   ": the limit is 1 (--clients)"));
}

}  // namespace
}  // namespace longarm::proxy
