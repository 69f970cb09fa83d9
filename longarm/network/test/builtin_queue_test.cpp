// SPDX-License-Identifier: Apache-2.0
// Waiting in the built-in network: bursts, backlog, limits, priorities, and queueing theory.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;

/// 125 bytes take a millisecond.
Cable slow_cable() {
  return cable(1e6, 0ns, Framing::kNone);
}

TEST(BuiltinQueue, TheLastOfABurstOfKTakesKSendingTimes) {
  Traffic traffic(chain(cable(1e6, 20ms, Framing::kNone)));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 50; ++i) {
    traffic.send(flow, 125, at(0ns));
  }
  traffic.run();
  ASSERT_EQ(traffic.arrivals().size(), 50U);
  EXPECT_EQ(traffic.arrivals().back(), 70ms);
  EXPECT_EQ(traffic.backend().figures().cables[0].longest_queue_packets, 49U);
  EXPECT_EQ(traffic.backend().figures().cables[0].busy, 50ms);
}

TEST(BuiltinQueue, ACableNeverCarriesMoreThanItsRateTimesTheTime) {
  // 74 of content, 28 of UDP and IP, 18 of Ethernet and 8 of preamble are 1.024 ms, the gap
  // 0.096 ms; 30 frames are there at once
  for (const bool always_decides : {false, true}) {
    Traffic traffic(chain(cable(1e6, 20ms, Framing::kEthernet)), {always_decides});
    const FlowId flow = traffic.open(0, 1, Transport::kUdp);
    for (int i = 0; i < 30; ++i) {
      traffic.send(flow, 74, at(0ns));
    }
    for (Duration now = 100us; now < 40ms; now += 100us) {
      traffic.run(at(now));
      const CableFigures carried = traffic.backend().figures(at(now)).cables[0];
      const std::int64_t begun = std::min<std::int64_t>(30, now / 1120us);
      const Duration under_way = begun < 30 ? std::min<Duration>(now % 1120us, 1024us) : 0ns;
      const std::int64_t whole = begun + (under_way == 1024us ? 1 : 0);
      ASSERT_EQ(carried.packets, static_cast<std::uint64_t>(whole)) << now.count();
      ASSERT_EQ(carried.bytes, 128U * static_cast<std::uint64_t>(whole)) << now.count();
      ASSERT_EQ(carried.busy, begun * 1024us + under_way) << now.count();
    }
    EXPECT_EQ(traffic.backend().figures().cables[0].bytes, 30U * 128U);
  }
}

TEST(BuiltinQueue, SaysThatItWasFull) {
  for (const bool always_decides : {false, true}) {
    Cable limited = slow_cable();
    limited.queue.limit_packets = 1;
    Traffic traffic(chain(limited), {always_decides});
    const FlowId flow = traffic.open(0, 1, Transport::kRaw);
    for (int i = 0; i < 3; ++i) {
      traffic.send(flow, 125, at(0ns));
    }
    traffic.run();
    EXPECT_EQ(traffic.deliveries().front().fate, Fate::kLost);
    EXPECT_EQ(traffic.deliveries().front().reason, DropReason::kQueueFull);
  }
}

TEST(BuiltinQueue, DropTailHoldsItsLimitBesideTheOneBeingSent) {
  // one is sent, three wait, six of ten find no place; at 1 ms a place falls free
  Cable limited = slow_cable();
  limited.queue.limit_packets = 3;
  Traffic traffic(chain(limited));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 10; ++i) {
    traffic.send(flow, 125, at(0ns));
  }
  traffic.send(flow, 125, at(1ms));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(1ms, 2ms, 3ms, 4ms, 5ms));
  EXPECT_THAT(traffic.times_of(Fate::kLost), ElementsAre(0ms, 0ms, 0ms, 0ms, 0ms, 0ms));
  const NetworkFigures figures = traffic.backend().figures();
  EXPECT_EQ(figures.cables[0].dropped_queue, 6U);
  EXPECT_EQ(figures.flows[0].packets_lost, 6U);
  EXPECT_EQ(figures.flows[0].messages_delivered, 5U);
}

TEST(BuiltinQueue, ALimitInBytesCountsWhatWaits) {
  // 125 are being sent; 300 + 200 wait; 1 more byte does not fit into 500
  for (const bool always_decides : {false, true}) {
    Cable limited = slow_cable();
    limited.queue.limit_bytes = 500;
    Traffic traffic(chain(limited), {always_decides});
    const FlowId flow = traffic.open(0, 1, Transport::kRaw);
    for (const std::uint32_t bytes : {125U, 300U, 200U, 1U}) {
      traffic.send(flow, bytes, at(0ns));
    }
    traffic.run();
    EXPECT_THAT(traffic.arrivals(), ElementsAre(1ms, 3400us, 5ms));
  }
}

TEST(BuiltinQueue, ABacklogGrowsAndDrainsAtTheDifferenceOfRates) {
  // 1000 packets/s come for ever; 500 leave in the first second; then 4000/s may: the backlog of
  // 500 is gone after 500 / (4000 - 1000) s. Packet k >= 500 begins at 1000 ms + (k - 500) / 4
  Cable changing = cable(0.5e6, 0ns, Framing::kNone);
  CableChange relief;
  relief.at = at(1s);
  relief.rate_bit_s = 4e6;
  changing.changes.push_back(relief);
  Traffic traffic(chain(changing));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 1200; ++i) {
    traffic.send(flow, 125, at(i * 1ms));
  }
  traffic.run(at(1s));
  EXPECT_EQ(traffic.arrivals().size(), 499U);
  traffic.run();
  const std::vector<Duration> arrivals = traffic.arrivals();
  ASSERT_EQ(arrivals.size(), 1200U);
  EXPECT_EQ(arrivals[499], 1000ms);
  EXPECT_EQ(arrivals[500], 1000ms + 250us);
  EXPECT_EQ(arrivals[1166], 1166ms + 750us);
  EXPECT_EQ(arrivals[1167], 1167ms + 250us);  // nothing waits any more
  EXPECT_EQ(traffic.backend().figures().cables[0].longest_queue_packets, 500U);
}

TEST(BuiltinQueue, WaitsAsLongAsQueueingTheorySays) {
  // M/D/1: mean wait rho / (2 mu (1 - rho)) = 7/6 ms for rho = 0.7 and 1 / mu = 1 ms
  Cable endless = slow_cable();
  endless.queue.limit_packets = 1'000'000;
  Traffic traffic(chain(endless));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  RandomStream random(11, "arrivals");
  constexpr int kPackets = 200'000;
  std::vector<double> sent_ms;
  double now_ms = 0.0;
  for (int i = 0; i < kPackets; ++i) {
    now_ms -= std::log(1.0 - random.uniform()) / 0.7;
    const auto when = Duration(std::llround(now_ms * 1e6));
    sent_ms.push_back(to_seconds(when) * 1e3);
    traffic.send(flow, 125, at(when));
    traffic.run(at(when));
  }
  traffic.run();
  const std::vector<Duration> arrivals = traffic.arrivals();
  ASSERT_EQ(arrivals.size(), sent_ms.size());
  double sum_ms = 0.0;
  for (std::size_t i = 0; i < sent_ms.size(); ++i) {
    sum_ms += to_seconds(arrivals[i]) * 1e3 - sent_ms[i] - 1.0;
  }
  // busy periods make waits alike; 3 % is some three standard errors
  EXPECT_NEAR(sum_ms / kPackets, 7.0 / 6.0, 0.03 * 7.0 / 6.0);
}

TEST(BuiltinQueue, WhatGoesFirstWaitsForOneFrameAtMost) {
  // ten of 1 ms each from 0 on; the urgent one of 0.5 ms is next when the first one is out
  Cable cable_with_priorities = slow_cable();
  cable_with_priorities.queue.priorities = 2;
  Traffic traffic(chain(cable_with_priorities));
  const FlowId bulk = traffic.open(0, 1, Transport::kRaw, 1);
  const FlowId urgent = traffic.open(0, 1, Transport::kRaw, 0);
  for (int i = 0; i < 10; ++i) {
    traffic.send(bulk, 125, at(0ns));
  }
  const MessageId first = traffic.send(urgent, 125, at(500us));
  traffic.run();
  ASSERT_EQ(traffic.deliveries().size(), 11U);
  EXPECT_EQ(traffic.deliveries()[1].message, first);
  EXPECT_EQ(traffic.deliveries()[1].time, at(2ms));
  EXPECT_EQ(traffic.deliveries()[10].time, at(11ms));
}

TEST(BuiltinQueue, EachPriorityHasALimitOfItsOwnAndTheLastTakesTheRest) {
  Cable two = slow_cable();
  two.queue.priorities = 2;
  two.queue.limit_packets = 2;
  Traffic traffic(chain(two));
  const FlowId low = traffic.open(0, 1, Transport::kRaw, 7);  // there are but two
  const FlowId high = traffic.open(0, 1, Transport::kRaw, 0);
  for (int i = 0; i < 4; ++i) {
    traffic.send(low, 125, at(0ns));  // one is sent, two wait, one is lost
  }
  for (int i = 0; i < 3; ++i) {
    traffic.send(high, 125, at(1us));  // two wait, one is lost
  }
  traffic.run();
  EXPECT_EQ(traffic.arrivals().size(), 5U);
  EXPECT_THAT(traffic.times_of(Fate::kLost), ElementsAre(0us, 1us));
}

TEST(BuiltinQueue, CoDelKeepsAStandingQueueShort) {
  // twice what the cable carries: drop-tail of 1000 packets lets the wait grow to seconds; CoDel
  // with its usual 5 ms and 100 ms keeps the median wait well below
  const auto median_wait_ms = [](QueueKind kind) {
    Cable congested = slow_cable();
    congested.queue.kind = kind;
    Traffic traffic(chain(congested));
    const FlowId flow = traffic.open(0, 1, Transport::kRaw);
    // as a sender that slows down when it loses: 1100 packets/s, 900 after each loss for 100 ms
    Duration now{0};
    Duration slow_until{0};
    std::vector<Duration> sent;
    for (int i = 0; i < 20'000; ++i) {
      traffic.run(at(now));
      const std::vector<Delivery>& all = traffic.deliveries();
      if (!all.empty() && all.back().fate == Fate::kLost) {
        slow_until = all.back().time.time_since_epoch() + 100ms;
      }
      traffic.send(flow, 125, at(now));
      sent.push_back(now);
      now += now < slow_until ? 1100us : 900us;
    }
    traffic.run();
    std::vector<double> waits;
    for (const Delivery& delivery : traffic.deliveries()) {
      if (delivery.fate == Fate::kDelivered) {
        const Duration begun = sent[static_cast<std::size_t>(delivery.message) - 1];
        waits.push_back(to_seconds(delivery.time.time_since_epoch() - begun) * 1e3 - 1.0);
      }
    }
    std::nth_element(waits.begin(), waits.begin() + static_cast<long>(waits.size() / 2),
                     waits.end());
    return waits[waits.size() / 2];
  };
  EXPECT_GT(median_wait_ms(QueueKind::kDropTail), 500.0);
  EXPECT_LT(median_wait_ms(QueueKind::kCoDel), 50.0);
}

}  // namespace
}  // namespace longarm::network
