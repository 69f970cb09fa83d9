// SPDX-License-Identifier: Apache-2.0
// When datagrams arrive: closed forms of sending, propagation, framing and cutting.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/builtin/wire.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;

constexpr double kGigabit = 1e9;

TEST(BuiltinTiming, ADatagramTakesItsSendingTimeAndThePropagation) {
  // 200 + 8 + 20 + 2 = 230 bytes at 1 Gbit/s: 1840 ns, and 1 us
  Traffic traffic(chain(cable(kGigabit, 1us)));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  traffic.send(flow, 200, at(5us));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(7840ns));
}

TEST(BuiltinTiming, BackToBackFramesKeepEthernetsGap) {
  // first: 8 + 14 + 228 + 4 = 254 bytes, 2032 ns, and 1 us; then one every 254 + 12 bytes, 2128 ns
  Traffic traffic(chain(cable(kGigabit, 1us, Framing::kEthernet)));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  for (int i = 0; i < 4; ++i) {
    traffic.send(flow, 200, at(0ns));
  }
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(3032ns, 5160ns, 7288ns, 9416ns));
}

TEST(BuiltinTiming, SmallFramesArePadded) {
  // 1 + 28 + 18 = 47 is below 64: 72 bytes with the preamble, 576 ns
  Traffic traffic(chain(cable(kGigabit, 0ns, Framing::kEthernet)));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  traffic.send(flow, 1, at(0ns));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(576ns));
}

TEST(BuiltinTiming, ACallThroughASwitchTakesFourHops) {
  // 4 x (1840 + 1000) ns
  Traffic traffic(star(8, cable(kGigabit, 1us)));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  traffic.send(flow, 200, at(0ns));
  traffic.run(Time::max(), [&](const Delivery& delivery) {
    if (delivery.side == Side::kPeer) {
      traffic.send(flow, 200, delivery.time, Side::kPeer);
    }
  });
  EXPECT_THAT(traffic.arrivals(), ElementsAre(5680ns, 11360ns));
}

TEST(BuiltinTiming, EachHopStoresBeforeItForwards) {
  // k hops: k (1840 + 1000) ns for the first; the second of a burst 1840 ns behind it
  for (int hops = 1; hops <= 5; ++hops) {
    Traffic traffic(chain(cable(kGigabit, 1us), hops));
    const FlowId flow = traffic.open(0, hops, Transport::kUdp);
    traffic.send(flow, 200, at(0ns));
    traffic.send(flow, 200, at(0ns));
    traffic.run();
    EXPECT_THAT(traffic.arrivals(), ElementsAre(hops * 2840ns, hops * 2840ns + 1840ns));
  }
}

TEST(BuiltinTiming, ASwitchTakesItsTimeToForward) {
  Topology topology = chain(cable(kGigabit, 1us), 2);
  topology.nodes[1].forwarding = 700ns;
  Traffic traffic(topology);
  const FlowId flow = traffic.open(0, 2, Transport::kUdp);
  traffic.send(flow, 200, at(0ns));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(2 * 2840ns + 700ns));
}

TEST(BuiltinTiming, BothDirectionsOfACableAreIndependent) {
  Traffic traffic(chain(cable(kGigabit, 1us)));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  traffic.send(flow, 200, at(0ns), Side::kOpener);
  traffic.send(flow, 200, at(0ns), Side::kPeer);
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(2840ns, 2840ns));
}

TEST(BuiltinTiming, LargeDatagramsAreCutAndArriveWhole) {
  // 3000 + 8 = 1480 + 1480 + 48 behind IP headers: frames of 1502, 1502 and 70 bytes
  Traffic traffic(chain(cable(kGigabit, 1us)));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  traffic.send(flow, 3000, at(0ns));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre((1502 + 1502 + 70) * 8ns + 1us));
  EXPECT_EQ(traffic.backend().figures().cables[0].packets, 3U);
}

TEST(BuiltinTiming, ADatagramBeyondWhatUdpCanSayIsLostAtOnce) {
  Traffic traffic(chain(cable(kGigabit, 1us)));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  traffic.send(flow, 65'507, at(0ns));
  traffic.send(flow, 65'508, at(1s));
  traffic.run();
  EXPECT_EQ(traffic.arrivals().size(), 1U);
  EXPECT_THAT(traffic.times_of(Fate::kLost), ElementsAre(1s));
}

TEST(BuiltinTiming, WithoutFramingTheMessageAloneCrosses) {
  // 125 bytes at 1 Mbit/s: 1 ms, as raw message and as datagram
  Traffic traffic(chain(cable(1e6, 0ns, Framing::kNone)));
  const FlowId raw = traffic.open(0, 1, Transport::kRaw);
  const FlowId udp = traffic.open(0, 1, Transport::kUdp);
  traffic.send(raw, 125, at(0ns));
  traffic.send(udp, 125, at(10ms));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(1ms, 11ms));
}

TEST(BuiltinTiming, ACableWithoutARateTakesOnlyItsPropagation) {
  Cable endless = cable(1.0, 3ms);
  endless.rate_bit_s.reset();
  Traffic traffic(chain(endless, 2));
  const FlowId flow = traffic.open(0, 2, Transport::kUdp);
  traffic.send(flow, 60'000, at(0ns));
  traffic.send(flow, 1, at(0ns));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(6ms, 6ms));
}

TEST(BuiltinTiming, SendingTimesAreRoundedToTheNearestNanosecond) {
  EXPECT_EQ(sending_time(7'000'000, 1), Duration(1143));       // 1142.857
  EXPECT_EQ(sending_time(3'000'000'000, 1), Duration(3));      // 2.667
  EXPECT_EQ(sending_time(54'000'000, 230), Duration(34'074));  // 34074.07
  EXPECT_EQ(sending_time(16'000'000'000, 1), Duration(0));     // 0.5: ns-3's DataRate gives 0
  EXPECT_EQ(sending_time(8'000'000'000, 4'000'000'000), Duration(4'000'000'000));
  EXPECT_EQ(sending_time(std::nullopt, 1500), Duration(0));
}

TEST(BuiltinTiming, DeliveriesOfAnInstantAreInOrderOfFlowSideAndSending) {
  Cable endless = cable(1.0, 0ns, Framing::kNone);
  endless.rate_bit_s.reset();
  Traffic traffic(star(3, endless));
  const FlowId first = traffic.open(0, 1, Transport::kRaw);
  const FlowId second = traffic.open(2, 1, Transport::kRaw);
  traffic.send(second, 10, at(1ms));              // 1
  traffic.send(first, 10, at(1ms));               // 2
  traffic.send(first, 10, at(1ms), Side::kPeer);  // 3
  traffic.send(first, 10, at(1ms));               // 4
  std::vector<Delivery> out;
  const Result<bool> has = traffic.backend().advance(at(1s), out);
  ASSERT_TRUE(has && *has);
  std::vector<std::uint64_t> messages;
  for (const Delivery& delivery : out) {
    EXPECT_EQ(delivery.time, at(1ms));
    messages.push_back(static_cast<std::uint64_t>(delivery.message));
  }
  EXPECT_THAT(messages, ElementsAre(3, 2, 4, 1));
}

TEST(BuiltinTiming, AdvanceStopsAtTheFirstInstantWithDeliveriesAndBeforeItsEnd) {
  Traffic traffic(chain(cable(kGigabit, 1us)));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  traffic.send(flow, 200, at(0ns));   // arrives at 2840 ns
  traffic.send(flow, 200, at(10us));  // at 12840 ns
  std::vector<Delivery> out;
  EXPECT_EQ(traffic.backend().next_event(), at(0ns));
  EXPECT_FALSE(*traffic.backend().advance(at(2840ns), out));  // half open
  EXPECT_EQ(traffic.backend().next_event(), at(2840ns));
  EXPECT_TRUE(*traffic.backend().advance(at(1s), out));
  EXPECT_EQ(out.size(), 1U);
  EXPECT_TRUE(*traffic.backend().advance(at(1s), out));
  EXPECT_EQ(out.size(), 2U);
  EXPECT_EQ(traffic.backend().next_event(), Time::max());
}

}  // namespace
}  // namespace longarm::network
