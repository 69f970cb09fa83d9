// SPDX-License-Identifier: Apache-2.0
// Cables that change under way: rates, propagation, order, and going down.
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/netem/netem_config.h"
#include "longarm/network/netem/netem_link.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;

CableChange change_at(Duration when, std::optional<double> rate_bit_s,
                      std::optional<Duration> propagation) {
  CableChange change;
  change.at = at(when);
  change.rate_bit_s = rate_bit_s;
  change.propagation = propagation;
  return change;
}

CableChange up_at(Duration when, bool is_up) {
  CableChange change;
  change.at = at(when);
  change.is_up = is_up;
  return change;
}

/// The robotics challenge: a good and a bad minute in turn, 40 datagrams of 200 bytes a second.
std::vector<Delivery> run_challenge(bool may_overtake) {
  Cable challenge = cable(1e6, 50ms);
  challenge.may_overtake = may_overtake;
  challenge.changes = {change_at(60s, 1e5, 500ms), change_at(120s, 1e6, 50ms)};
  Traffic traffic(chain(challenge));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  for (int i = 0; i < 180 * 40; ++i) {
    traffic.send(flow, 200, at(i * 25ms));
  }
  traffic.run();
  return traffic.deliveries();
}

Duration sent_at(const Delivery& delivery) {
  return (static_cast<std::int64_t>(delivery.message) - 1) * 25ms;
}

int count_overtaken(const std::vector<Delivery>& deliveries) {
  int overtaken = 0;
  std::uint64_t highest = 0;
  for (const Delivery& delivery : deliveries) {
    const auto message = static_cast<std::uint64_t>(delivery.message);
    overtaken += message < highest ? 1 : 0;
    highest = std::max(highest, message);
  }
  return overtaken;
}

TEST(BuiltinChange, WhatHappensToPacketsIsExchangedWhileTheyAreUnderWay) {
  const auto netem_at = [](Duration when, const char* line) {
    CableChange change;
    change.at = at(when);
    change.impairment = make_netem_model(*parse_netem(line));
    return change;
  };
  Cable wire = cable(1e9, 10ms);
  wire.changes = {netem_at(100ms, "delay 20ms"), netem_at(200ms, "loss 100%")};
  Traffic traffic(chain(wire));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  for (int i = 0; i < 30; ++i) {
    traffic.send(flow, 200, at(i * 10ms + 5ms));
  }
  traffic.run();
  // 238 bytes on the cable and its gap take 2 µs; the last that is sent before 200 ms arrives after
  std::vector<int> arrived(3, 0);
  for (const Delivery& delivery : traffic.deliveries()) {
    if (delivery.fate != Fate::kDelivered) {
      continue;
    }
    const int number = static_cast<int>(delivery.message) - 1;
    const Duration delay = delivery.time.time_since_epoch() - (number * 10ms + 5ms);
    EXPECT_NEAR(to_seconds(delay), number < 10 ? 0.01 : 0.03, 3e-6) << number;
    ++arrived[static_cast<std::size_t>(number / 10)];
  }
  EXPECT_THAT(arrived, ElementsAre(10, 10, 0));
}

TEST(BuiltinChange, TheChallengesDelaysAreExactAndEighteenAreOvertaken) {
  // 230 bytes: 1.84 ms at 1 Mbit/s, 18.4 ms at 100 kbit/s. The datagram of 120 s arrives at
  // 120.05184 s, before those sent from 119.55 to 119.975 s: 18
  const std::vector<Delivery> deliveries = run_challenge(true);
  ASSERT_EQ(deliveries.size(), 7200U);
  std::set<Duration> delays;
  for (const Delivery& delivery : deliveries) {
    delays.insert(delivery.time.time_since_epoch() - sent_at(delivery));
  }
  EXPECT_THAT(delays, ElementsAre(51'840us, 518'400us));
  EXPECT_EQ(count_overtaken(deliveries), 18);
}

TEST(BuiltinChange, UsuallyNothingOvertakes) {
  // the last of the bad minute arrives at 119.975 + 0.5184 = 120.4934 s, and those of the next
  // minute that would come before it come with it
  const std::vector<Delivery> deliveries = run_challenge(false);
  ASSERT_EQ(deliveries.size(), 7200U);
  EXPECT_EQ(count_overtaken(deliveries), 0);
  EXPECT_EQ(deliveries[4800].time, at(120'493'400us));
  EXPECT_EQ(deliveries[4817].time, at(120'493'400us));  // sent at 120.425 s
  EXPECT_EQ(deliveries[4818].time, at(120'450'000us + 51'840us));
}

TEST(BuiltinChange, AFrameBeingSentKeepsItsRate) {
  // 1 ms each; the rate falls to a tenth in the middle of the first one
  Cable changing = cable(1e6, 0ns, Framing::kNone);
  changing.changes = {change_at(500us, 1e5, std::nullopt)};
  Traffic traffic(chain(changing));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  traffic.send(flow, 125, at(0ns));
  traffic.send(flow, 125, at(0ns));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(1ms, 11ms));
}

TEST(BuiltinChange, AtARateOfZeroPacketsWait) {
  Cable changing = cable(1e6, 0ns, Framing::kNone);
  changing.changes = {change_at(1500us, 0.0, std::nullopt), change_at(7ms, 1e6, std::nullopt)};
  Traffic traffic(chain(changing));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 3; ++i) {
    traffic.send(flow, 125, at(0ns));
  }
  traffic.send(flow, 125, at(5ms));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(1ms, 2ms, 8ms, 9ms));
}

TEST(BuiltinChange, OneDirectionMayChangeAlone) {
  Cable changing = cable(1e6, 10ms, Framing::kNone);
  changing.changes = {change_at(0ms, std::nullopt, 30ms)};
  changing.changes[0].direction = Direction::kBackward;
  Traffic traffic(chain(changing));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  traffic.send(flow, 125, at(0ns), Side::kOpener);
  traffic.send(flow, 125, at(0ns), Side::kPeer);
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(11ms, 31ms));
}

TEST(BuiltinChange, WhatIsOnACableOrWaitsWhenItGoesDownIsLost) {
  // sent 0, 1, 2 ms: 0 has arrived at 2.5 ms; 1 is on the cable, 2 being sent, 2.1 waits; 3 ms
  // finds it down; 4 ms finds it up again
  Cable falling = cable(1e6, 1500us, Framing::kNone);
  falling.changes = {up_at(2700us, false), up_at(3500us, true)};
  Traffic traffic(chain(falling));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (const Duration when : {0us, 1000us, 2000us, 2100us, 3000us, 4000us}) {
    traffic.send(flow, 125, at(when));
  }
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(2500us, 6500us));
  // what was on it is known to be lost when it should have arrived
  EXPECT_THAT(traffic.times_of(Fate::kLost), ElementsAre(2700us, 3000us, 3500us, 4500us));
  EXPECT_EQ(traffic.backend().figures().cables[0].dropped_loss, 4U);
  // 0, 1 and 4 ms were sent to the end, 2 ms for 0.7 ms
  EXPECT_EQ(traffic.backend().figures().cables[0].packets, 3U);
  EXPECT_EQ(traffic.backend().figures().cables[0].busy, 3700us);
}

TEST(BuiltinChange, FiguresAreTheSameWhenAChangeIsToldLate) {
  // 125 bytes a millisecond; at 2.5 ms two are away and half of the third
  Traffic traffic(chain(cable(1e6, 1ms, Framing::kNone)));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 5; ++i) {
    traffic.send(flow, 125, at(0ns));
  }
  traffic.run(at(2500us));
  traffic.backend().change(CableId{0}, change_at(100ms, 1e6, 1ms));
  const CableFigures carried = traffic.backend().figures(at(2500us)).cables[0];
  EXPECT_EQ(carried.packets, 2U);
  EXPECT_EQ(carried.bytes, 250U);
  EXPECT_EQ(carried.busy, 2500us);
  traffic.run();
  EXPECT_EQ(traffic.backend().figures().cables[0].busy, 5ms);
}

TEST(BuiltinChange, AChangeToldWhilePacketsWaitIsLikeOneKnownBefore) {
  const CableChange change = change_at(3200us, 0.25e6, 2ms);
  const auto run = [&](bool is_known_before) {
    Cable changing = cable(1e6, 1ms, Framing::kEthernet);
    changing.queue.limit_packets = 12;
    if (is_known_before) {
      changing.changes = {change};
    }
    Traffic traffic(chain(changing, 2));
    const FlowId flow = traffic.open(0, 2, Transport::kUdp);
    for (int i = 0; i < 20; ++i) {
      traffic.send(flow, 60, at(i * 137us));
    }
    traffic.run(at(2500us));  // many wait by now
    if (!is_known_before) {
      traffic.backend().change(CableId{0}, change);
      traffic.backend().change(CableId{1}, change);
    }
    for (int i = 0; i < 20; ++i) {
      traffic.send(flow, 60, at(2600us + i * 137us));
    }
    traffic.run();
    std::vector<std::pair<Time, MessageId>> all;
    for (const Delivery& delivery : traffic.deliveries()) {
      all.emplace_back(delivery.time, delivery.message);
    }
    return all;
  };
  const auto expected = run(true);
  EXPECT_EQ(expected.size(), 40U);
  EXPECT_EQ(run(false), expected);
}

}  // namespace
}  // namespace longarm::network
