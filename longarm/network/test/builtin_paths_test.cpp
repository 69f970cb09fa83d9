// SPDX-License-Identifier: Apache-2.0
// One event for each hop or two: the same results; and the same again in every run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/hash.h"
#include "longarm/core/random.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

/// All that a run had to tell, in a form that can be compared.
struct Story {
  std::vector<std::tuple<Time, FlowId, MessageId, Side, Fate>> deliveries;
  std::vector<std::uint64_t> figures;
  std::uint64_t events = 0;

  std::uint64_t hash() const {
    Hash hash;
    for (const auto& [time, flow, message, side, fate] : deliveries) {
      hash.add(static_cast<std::uint64_t>(time.time_since_epoch().count()));
      hash.add(static_cast<std::uint64_t>(flow));
      hash.add(static_cast<std::uint64_t>(message));
      hash.add(static_cast<std::uint64_t>(side));
      hash.add(static_cast<std::uint64_t>(fate));
    }
    return hash.value();
  }
};

Story story_of(Traffic& traffic) {
  Story story;
  for (const Delivery& each : traffic.deliveries()) {
    story.deliveries.emplace_back(each.time, each.flow, each.message, each.side, each.fate);
  }
  const NetworkFigures figures = traffic.backend().figures();
  for (const CableFigures& each : figures.cables) {
    for (const std::uint64_t number :
         {each.packets, each.bytes, each.dropped_queue, each.longest_queue_packets,
          static_cast<std::uint64_t>(each.busy.count())}) {
      story.figures.push_back(number);
    }
  }
  for (const FlowFigures& each : figures.flows) {
    for (const std::uint64_t number : {each.messages_delivered, each.packets_sent,
                                       each.packets_lost, each.retransmissions, each.timeouts}) {
      story.figures.push_back(number);
    }
  }
  story.events = figures.events;
  return story;
}

/// Calls and bulk, UDP and TCP, on a star whose queues overflow; sendings fall on a grid so that
/// many things happen at the same instant.
Story run_mixed(bool always_decides, Framing framing, std::uint64_t seed) {
  Cable narrow = cable(2e7, 30us, framing);
  narrow.queue.limit_packets = 8;
  Traffic traffic(star(6, narrow), {always_decides}, {seed, {}});
  RandomStream random(seed, "traffic");
  std::vector<FlowId> flows;
  for (int i = 0; i < 24; ++i) {
    const int opener = static_cast<int>(random.uniform(0.0, 6.0));
    const int peer = (opener + 1 + static_cast<int>(random.uniform(0.0, 5.0))) % 6;
    flows.push_back(traffic.open(opener, peer, i % 2 == 0 ? Transport::kUdp : Transport::kTcp));
  }
  for (int i = 0; i < 3000; ++i) {
    const auto when = Duration(100'000) * static_cast<std::int64_t>(random.uniform(0.0, 10'000.0));
    const auto flow = static_cast<std::size_t>(random.uniform(0.0, 24.0));
    const auto size = static_cast<std::uint32_t>(random.uniform(0.0, 3500.0));
    traffic.send(flows[flow], size, at(when), random.uniform() < 0.5 ? Side::kOpener : Side::kPeer);
  }
  traffic.run(at(20s), [&](const Delivery& delivery) {
    if (delivery.fate == Fate::kDelivered &&
        static_cast<std::uint64_t>(delivery.message) % 3 == 0) {
      const Side side = delivery.side;
      traffic.send(delivery.flow, 200, delivery.time, side);  // an answer at once
    }
  });
  return story_of(traffic);
}

TEST(BuiltinPaths, ForeseeingAndDecidingGiveTheSame) {
  for (const Framing framing : {Framing::kEthernet, Framing::kPpp}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Story foreseen = run_mixed(false, framing, seed);
      const Story decided = run_mixed(true, framing, seed);
      EXPECT_GT(foreseen.deliveries.size(), 3000U);
      EXPECT_EQ(foreseen.deliveries, decided.deliveries);
      EXPECT_EQ(foreseen.figures, decided.figures);
      EXPECT_LT(foreseen.events, decided.events);
    }
  }
}

TEST(BuiltinPaths, TheQueuesOfThatTestDoOverflow) {
  const Story story = run_mixed(false, Framing::kEthernet, 1);
  std::uint64_t dropped = 0;
  for (std::size_t i = 2; i < 12 * 5; i += 5) {
    dropped += story.figures[i];
  }
  EXPECT_GT(dropped, 50U);
}

TEST(BuiltinPaths, RunsRepeatBitForBitAndDifferBySeed) {
  const std::uint64_t once = run_mixed(false, Framing::kEthernet, 3).hash();
  EXPECT_EQ(run_mixed(false, Framing::kEthernet, 3).hash(), once);
  EXPECT_NE(run_mixed(false, Framing::kEthernet, 4).hash(), once);
}

TEST(BuiltinPaths, ALockStepOfAnyLengthGivesTheSame) {
  const auto run = [](Duration step) {
    Traffic traffic(star(4, cable(1e9, 1us)));
    const FlowId udp = traffic.open(0, 1, Transport::kUdp);
    const FlowId tcp = traffic.open(2, 3, Transport::kTcp);
    for (int i = 0; i < 200; ++i) {
      traffic.send(udp, 200, at(i * 97us));
      traffic.send(tcp, 200, at(i * 97us + 7301ns));
    }
    for (Duration until = step; until <= 30ms; until += step) {
      traffic.run(at(until));
    }
    return story_of(traffic).deliveries;
  };
  const auto expected = run(30ms);
  EXPECT_EQ(expected.size(), 402U);
  EXPECT_EQ(run(1ms), expected);
  EXPECT_EQ(run(1us), expected);
}

}  // namespace
}  // namespace longarm::network
