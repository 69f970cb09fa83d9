// SPDX-License-Identifier: Apache-2.0
// TCP flows across the built-in network: handshake, messages, many flows, ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;

FlowOptions tcp_options() {
  FlowOptions options;
  options.transport = Transport::kTcp;
  options.tcp.has_timestamps = false;
  return options;
}

std::vector<std::uint64_t> messages_at(const Traffic& traffic, Side side) {
  std::vector<std::uint64_t> messages;
  for (const Delivery& delivery : traffic.deliveries()) {
    if (delivery.fate == Fate::kDelivered && delivery.side == side) {
      messages.push_back(static_cast<std::uint64_t>(delivery.message));
    }
  }
  return messages;
}

TEST(BuiltinTcp, TheHandshakeTakesARoundTripAndTheAcknowledgementHalfOneMore) {
  // no rate: only the propagation counts
  Cable endless = cable(1.0, 5ms);
  endless.rate_bit_s.reset();
  Traffic traffic(chain(endless));
  traffic.open(0, 1, tcp_options(), at(1ms));
  traffic.run(at(1s));
  ASSERT_EQ(traffic.deliveries().size(), 2U);
  EXPECT_EQ(traffic.deliveries()[0].side, Side::kOpener);
  EXPECT_EQ(traffic.deliveries()[0].time, at(11ms));
  EXPECT_EQ(traffic.deliveries()[1].side, Side::kPeer);
  EXPECT_EQ(traffic.deliveries()[1].time, at(16ms));
}

TEST(BuiltinTcp, WhatIsSentEarlyWaitsForTheConnection) {
  Cable endless = cable(1.0, 5ms);
  endless.rate_bit_s.reset();
  Traffic traffic(chain(endless));
  const FlowId flow = traffic.open(0, 1, tcp_options());
  traffic.send(flow, 100, at(0ns), Side::kOpener);
  traffic.send(flow, 100, at(1ms), Side::kPeer);
  traffic.run(at(1s));
  // the opener's after a round trip and half of one; the peer's when it, too, is connected
  EXPECT_THAT(traffic.arrivals(), ElementsAre(15ms, 20ms));
}

TEST(BuiltinTcp, MessagesArriveWholeInOrderAndWithoutBounds) {
  Traffic traffic(chain(cable(1e8, 100us, Framing::kEthernet), 2));
  const FlowId flow = traffic.open(0, 2, tcp_options());
  // 1: empty; 2: in one segment; 3: in many; 4 and 5: share one
  for (const std::uint32_t size : {0U, 200U, 100'000U, 10U, 10U}) {
    traffic.send(flow, size, at(10ms));
  }
  traffic.run(at(10s));
  EXPECT_THAT(messages_at(traffic, Side::kPeer), ElementsAre(1, 2, 3, 4, 5));
  const NetworkFigures figures = traffic.backend().figures();
  EXPECT_EQ(figures.flows[0].name, "h0 > h1 tcp 0");
  EXPECT_EQ(figures.flows[0].messages_delivered, 5U);
  EXPECT_EQ(figures.flows[0].bytes_delivered, 100'220U);
  EXPECT_EQ(figures.flows[0].retransmissions, 0U);
}

TEST(BuiltinTcp, AMessageIsThereWhenTheLastOfItsBytesIs) {
  // 10 x 1448 bytes fit the initial window: sent back to back, each 1448 + 40 + 2 bytes; the last
  // one arrives after 10 sending times and the propagation, counted from the connection
  Traffic traffic(chain(cable(1e8, 1ms)));
  const FlowId flow = traffic.open(0, 1, tcp_options());
  traffic.send(flow, 14'480, at(100ms));
  traffic.run(at(10s));
  EXPECT_THAT(traffic.arrivals(), ElementsAre(100ms + 10 * Duration(1490 * 80) + 1ms));
}

TEST(BuiltinTcp, ManyFlowsBetweenTheSameHostsShareTheCable) {
  constexpr int kFlows = 10;
  Traffic traffic(chain(cable(1e7, 1ms)));
  std::vector<FlowId> flows;
  for (int i = 0; i < kFlows; ++i) {
    flows.push_back(traffic.open(0, 1, tcp_options()));
  }
  for (const FlowId flow : flows) {
    traffic.send(flow, 20'000, at(1s));
    traffic.send(flow, 20'000, at(1s), Side::kPeer);
  }
  traffic.run(at(60s));
  EXPECT_EQ(traffic.times_of(Fate::kConnected).size(), 2U * kFlows);
  EXPECT_EQ(traffic.arrivals().size(), 2U * kFlows);
  // 200 kB at 10 Mbit/s are 160 ms; with headers (42 in 1490 bytes) and acknowledgements in the
  // same direction (at most one of 42 bytes for each segment) less than 6 % more, and a round trip
  EXPECT_GT(traffic.arrivals().back(), 1160ms);
  EXPECT_LT(traffic.arrivals().back(), 1000ms + 170ms + 3ms);
}

TEST(BuiltinTcp, LossesAreRepaired) {
  Cable lossy = cable(1e7, 5ms);
  lossy.queue.limit_packets = 5;  // far less than the window
  Traffic traffic(chain(lossy));
  const FlowId flow = traffic.open(0, 1, tcp_options());
  for (int i = 0; i < 20; ++i) {
    traffic.send(flow, 50'000, at(100ms));
  }
  traffic.run(at(100s));
  EXPECT_EQ(messages_at(traffic, Side::kPeer).size(), 20U);
  const NetworkFigures figures = traffic.backend().figures();
  EXPECT_GT(figures.flows[0].packets_lost, 0U);
  EXPECT_GE(figures.flows[0].retransmissions, figures.flows[0].packets_lost);
  EXPECT_EQ(figures.cables[0].dropped_queue, figures.flows[0].packets_lost);
}

TEST(BuiltinTcp, ClosingSendsWhatIsLeftAndEndsTheOtherSide) {
  Traffic traffic(chain(cable(1e7, 1ms)));
  const FlowId flow = traffic.open(0, 1, tcp_options());
  traffic.send(flow, 30'000, at(100ms));
  traffic.backend().close(flow, Side::kOpener, at(100ms));
  traffic.run(at(100s));
  ASSERT_EQ(traffic.deliveries().size(), 4U);
  EXPECT_EQ(traffic.deliveries()[2].fate, Fate::kDelivered);
  EXPECT_EQ(traffic.deliveries()[3].fate, Fate::kReset);
  EXPECT_EQ(traffic.deliveries()[3].side, Side::kPeer);
  EXPECT_GE(traffic.deliveries()[3].time, traffic.deliveries()[2].time);
}

TEST(BuiltinTcp, AResetReachesTheOtherSideAndNothingElseDoes) {
  // the RST is 20 + 20 + 2 bytes: 33.6 us at 10 Mbit/s
  Traffic traffic(chain(cable(1e7, 1ms)));
  const FlowId flow = traffic.open(0, 1, tcp_options());
  traffic.run(at(100ms));
  traffic.backend().reset(flow, Side::kPeer, at(100ms));
  traffic.send(flow, 100, at(200ms));
  traffic.run(at(100s));
  ASSERT_EQ(traffic.deliveries().size(), 3U);
  EXPECT_EQ(traffic.deliveries()[2].fate, Fate::kReset);
  EXPECT_EQ(traffic.deliveries()[2].side, Side::kOpener);
  EXPECT_EQ(traffic.deliveries()[2].time, at(100ms + 33'600ns + 1ms));
}

TEST(BuiltinTcp, AFlowWithinOneHostIsRefused) {
  Traffic traffic(chain(cable(1e7, 1ms)));
  EXPECT_FALSE(traffic.backend().open({NodeId{0}, NodeId{0}, {}}, at(0ns)).has_value());
}

TEST(BuiltinTcp, AConnectionWithoutAnswersIsReset) {
  Cable down = cable(1e7, 1ms);
  CableChange change;
  change.is_up = false;
  down.changes = {change};
  Traffic traffic(chain(down));
  traffic.open(0, 1, tcp_options());
  traffic.run(at(10'000s));
  ASSERT_EQ(traffic.deliveries().size(), 1U);
  EXPECT_EQ(traffic.deliveries()[0].fate, Fate::kReset);
  EXPECT_EQ(traffic.deliveries()[0].side, Side::kOpener);
  EXPECT_EQ(traffic.backend().next_event(), Time::max());  // nothing keeps on trying
}

}  // namespace
}  // namespace longarm::network
