// SPDX-License-Identifier: Apache-2.0
// Frames hop by hop, as watchers hear of them: times by hand, fates, retransmissions, queues.
#include <map>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/frame_watcher.h"
#include "longarm/network/test/builtin_fixture.h"
#include "longarm/network/test/link_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

class HopWatcher final : public FrameWatcher {
 public:
  bool follows(Time) override { return true; }
  void hop(const FrameHop& hop) override { hops.push_back(hop); }
  void queue(Time now, PortId port, std::uint64_t packets, std::uint64_t bytes) override {
    queues[port].emplace_back(now.time_since_epoch(), packets);
    last_bytes = bytes;
  }

  std::vector<FrameHop> of(std::uint64_t frame) const {
    std::vector<FrameHop> own;
    for (const FrameHop& each : hops) {
      if (each.frame == frame) {
        own.push_back(each);
      }
    }
    return own;
  }
  std::uint64_t count(FrameFate fate) const {
    return static_cast<std::uint64_t>(std::count_if(
        hops.begin(), hops.end(), [&](const FrameHop& each) { return each.fate == fate; }));
  }

  std::vector<FrameHop> hops;
  std::map<PortId, std::vector<std::pair<Duration, std::uint64_t>>> queues;
  std::uint64_t last_bytes = 0;
};

Duration ns_of(Time time) {
  return time.time_since_epoch();
}

std::tuple<Duration, Duration, Duration, Duration> hop_times(const FrameHop& hop) {
  return {ns_of(hop.queued), ns_of(hop.began.value_or(Time::max())),
          ns_of(hop.left.value_or(Time::max())), ns_of(hop.ended)};
}

std::shared_ptr<const LinkModel> netem_line(const std::string& line) {
  const std::shared_ptr<LinkModel> made = built_in_link_models().make("netem");
  KeyFields fields(Keys{{"netem", line}});
  made->list_fields(fields);
  EXPECT_TRUE(fields.rejections.empty());
  return made;
}

// 1000 bytes of content, 28 of UDP and IP, 18 of Ethernet and 8 of preamble are 1054 bytes, which
// take 84.32 us at 100 Mbit/s; the gap takes 0.96 us, the cable 1 us. So the second of two frames
// begins at 85.28 us, and waits nowhere after that: the switch gets it as late as it lets go of the
// first.
TEST(BuiltinFrames, TheSecondOfTwoWaitsForTheFirstAndItsGap) {
  HopWatcher watcher;
  Traffic traffic(chain(cable(1e8, 1us, Framing::kEthernet), 2), {}, {1, {}, &watcher});
  const FlowId flow = traffic.open(0, 2, Transport::kUdp);
  const MessageId first = traffic.send(flow, 1000, at(0ns));
  const MessageId second = traffic.send(flow, 1000, at(0ns));
  traffic.run();

  ASSERT_EQ(watcher.of(1).size(), 2U);
  EXPECT_EQ(hop_times(watcher.of(1)[0]), std::tuple(0ns, 0ns, 84'320ns, 85'320ns));
  EXPECT_EQ(hop_times(watcher.of(1)[1]), std::tuple(85'320ns, 85'320ns, 169'640ns, 170'640ns));
  ASSERT_EQ(watcher.of(2).size(), 2U);
  EXPECT_EQ(hop_times(watcher.of(2)[0]), std::tuple(0ns, 85'280ns, 169'600ns, 170'600ns));
  EXPECT_EQ(hop_times(watcher.of(2)[1]), std::tuple(170'600ns, 170'600ns, 254'920ns, 255'920ns));

  const FrameHop hop = watcher.of(2)[1];
  EXPECT_EQ(hop.port, PortId{2});  // the second cable's first end
  EXPECT_EQ(hop.from, NodeId{0});
  EXPECT_EQ(hop.to, NodeId{2});
  EXPECT_EQ(hop.bytes, 1054U);
  EXPECT_EQ(hop.kind, FrameKind::kUdp);
  EXPECT_EQ(hop.fate, FrameFate::kArrived);
  EXPECT_EQ(watcher.of(1)[0].message, first);
  EXPECT_EQ(hop.message, second);
  EXPECT_FALSE(hop.is_retransmission);
  EXPECT_THAT(watcher.queues[PortId{0}], ElementsAre(Pair(0ns, 1U), Pair(85'280ns, 0U)));
  EXPECT_FALSE(watcher.queues.contains(PortId{2}));
}

// two places: of four frames at once one is sent and one has no place
TEST(BuiltinFrames, AFullQueueDropsAtThePort) {
  HopWatcher watcher;
  Cable narrow = cable(1e6, 0ns, Framing::kNone);  // 125 bytes take a millisecond
  narrow.queue.limit_packets = 2;
  Traffic traffic(chain(narrow), {}, {1, {}, &watcher});
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 4; ++i) {
    traffic.send(flow, 125, at(5ms));
  }
  traffic.run();
  ASSERT_EQ(watcher.hops.size(), 4U);
  const FrameHop& lost = watcher.hops[0];
  EXPECT_EQ(lost.frame, 4U);
  EXPECT_EQ(lost.fate, FrameFate::kQueueFull);
  EXPECT_EQ(ns_of(lost.queued), 5ms);
  EXPECT_EQ(ns_of(lost.ended), 5ms);
  EXPECT_FALSE(lost.began.has_value());
  EXPECT_EQ(watcher.count(FrameFate::kArrived), 3U);
  EXPECT_THAT(watcher.queues[PortId{0}],
              ElementsAre(Pair(5ms, 1U), Pair(5ms, 2U), Pair(6ms, 1U), Pair(7ms, 0U)));
  EXPECT_EQ(watcher.last_bytes, 0U);
}

TEST(BuiltinFrames, SayWhetherCoDelACableOrItsModelLostThem) {
  HopWatcher watcher;
  Cable codel = cable(1e6, 0ns, Framing::kNone);
  codel.queue.kind = QueueKind::kCoDel;
  Traffic waits(chain(codel), {}, {1, {}, &watcher});
  const FlowId flow = waits.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 400; ++i) {
    waits.send(flow, 125, at(0ns));
  }
  waits.run();
  EXPECT_GT(watcher.count(FrameFate::kCoDel), 0U);
  EXPECT_EQ(watcher.count(FrameFate::kCoDel), waits.backend().figures().cables[0].dropped_queue);

  HopWatcher damage;
  Cable bad = cable(1e6, 0ns, Framing::kNone);
  bad.impairment[0] = netem_line("loss 100%");
  Traffic spoiled(chain(bad), {}, {1, {}, &damage});
  spoiled.send(spoiled.open(0, 1, Transport::kRaw), 125, at(0ns));
  spoiled.run();
  ASSERT_EQ(damage.hops.size(), 1U);
  EXPECT_EQ(damage.hops[0].fate, FrameFate::kDamaged);
  EXPECT_EQ(ns_of(damage.hops[0].ended), 1ms);  // once it has left

  // at 1.5 ms one is on its way for the second time, one waits; a third comes too late
  HopWatcher down;
  Cable cut = cable(1e6, 10ms, Framing::kNone);
  cut.changes.push_back({at(1500us), {}, {}, {}, false});
  Traffic broken(chain(cut), {}, {1, {}, &down});
  const FlowId other = broken.open(0, 1, Transport::kRaw);
  for (const Duration when : {0ns, 0ns, 0ns, 2'000'000ns}) {
    broken.send(other, 125, at(when));
  }
  broken.run();
  EXPECT_EQ(down.count(FrameFate::kCableDown), 4U);
}

TEST(BuiltinFrames, KnowRetransmissionsAndAcknowledgements) {
  HopWatcher watcher;
  Cable lossy = cable(1e7, 5ms, Framing::kEthernet);
  lossy.impairment[0] = netem_line("loss 5%");
  lossy.impairment[1] = netem_line("loss 2%");
  Traffic traffic(chain(lossy), {}, {3, {}, &watcher});
  const FlowId flow = traffic.open(0, 1, Transport::kTcp);
  std::vector<MessageId> messages;
  for (int i = 0; i < 200; ++i) {
    messages.push_back(traffic.send(flow, 1000, at(i * 10ms)));
  }
  traffic.run(at(20s));
  ASSERT_EQ(traffic.arrivals().size(), messages.size());

  std::uint64_t again = 0;
  std::map<MessageId, int> carried;
  for (const FrameHop& hop : watcher.hops) {
    again += hop.is_retransmission ? 1 : 0;
    if (hop.kind == FrameKind::kTcpData) {
      EXPECT_EQ(hop.from, NodeId{0});
      ASSERT_TRUE(hop.message || hop.is_retransmission);  // unless it had arrived
      if (hop.message) {
        ++carried[*hop.message];
      }
    } else if (hop.kind == FrameKind::kTcpAcknowledgement) {
      EXPECT_FALSE(hop.message);
      EXPECT_FALSE(hop.is_retransmission);
    }
  }
  // after a loss a segment carries the ends of some and the starts of others
  EXPECT_GE(carried.size(), messages.size() - 10);
  EXPECT_GT(again, 5U);
  const NetworkFigures figures = traffic.backend().figures();
  EXPECT_EQ(again, figures.flows[0].retransmissions + figures.flows[1].retransmissions);

  // a lost frame's message comes in a later one that says what it is
  for (const FrameHop& lost : watcher.hops) {
    if (lost.fate != FrameFate::kDamaged || lost.kind != FrameKind::kTcpData) {
      continue;
    }
    EXPECT_TRUE(std::any_of(watcher.hops.begin(), watcher.hops.end(), [&](const FrameHop& each) {
      return each.is_retransmission && each.frame > lost.frame && each.message == lost.message;
    })) << lost.frame;
  }
}

// duplicates have numbers of their own and the times of the frame they are made of
TEST(BuiltinFrames, CountCopiesByThemselves) {
  HopWatcher watcher;
  Cable twice = cable(1e6, 0ns, Framing::kNone);
  twice.impairment[0] = netem_line("duplicate 100%");
  Traffic traffic(chain(twice), {}, {1, {}, &watcher});
  traffic.send(traffic.open(0, 1, Transport::kRaw), 125, at(0ns));
  traffic.run();
  ASSERT_EQ(watcher.hops.size(), 2U);
  EXPECT_NE(watcher.hops[0].frame, watcher.hops[1].frame);
  EXPECT_EQ(watcher.hops[0].message, watcher.hops[1].message);
  EXPECT_EQ(ns_of(watcher.hops[1].left.value()), 1ms);
}

TEST(BuiltinFrames, ChangeNothingThatAnyoneElseSees) {
  Cable narrow = cable(2e7, 30us, Framing::kEthernet);
  narrow.queue.limit_packets = 8;
  std::vector<std::vector<std::tuple<Time, FlowId, MessageId, Fate>>> stories;
  std::vector<std::uint64_t> bytes;
  HopWatcher watcher;
  for (FrameWatcher* const each :
       {static_cast<FrameWatcher*>(nullptr), static_cast<FrameWatcher*>(&watcher)}) {
    Traffic traffic(star(4, narrow), {}, {7, {}, each});
    std::vector<FlowId> flows;
    for (int i = 0; i < 6; ++i) {
      flows.push_back(traffic.open(i % 3, 3, i % 2 == 0 ? Transport::kUdp : Transport::kTcp));
    }
    for (int i = 0; i < 600; ++i) {
      traffic.send(flows[static_cast<std::size_t>(i % 6)], 3000, at(i / 6 * 500us));
    }
    traffic.run(at(10s));
    auto& story = stories.emplace_back();
    for (const Delivery& delivery : traffic.deliveries()) {
      story.emplace_back(delivery.time, delivery.flow, delivery.message, delivery.fate);
    }
    for (const CableFigures& figures : traffic.backend().figures().cables) {
      bytes.push_back(figures.bytes);
    }
  }
  EXPECT_GT(watcher.count(FrameFate::kQueueFull), 10U);
  EXPECT_EQ(stories[0], stories[1]);
  EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + 8, bytes.begin() + 8));
}

}  // namespace
}  // namespace longarm::network
