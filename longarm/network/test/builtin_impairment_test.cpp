// SPDX-License-Identifier: Apache-2.0
// Link models inside a topology: the same fates as on a link alone, losses, copies and order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/builtin_fixture.h"
#include "longarm/network/test/link_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;

/// No rate, no propagation, no headers: only the link model.
Cable bare_cable(std::shared_ptr<const LinkModel> forward) {
  Cable bare;
  bare.framing = Framing::kNone;
  bare.impairment[0] = std::move(forward);
  return bare;
}

TEST(BuiltinImpairment, FatesAreThoseOfTheLinkAlone) {
  const std::shared_ptr<const LinkModel> rough =
      netem("delay 10ms 3ms distribution normal loss 5% duplicate 2% reorder 10%");
  const std::unique_ptr<Link> alone = rough->make({7, "link.states"});
  const std::vector<Outcome> expected = send_stream(*alone, 2000, 1ms, 300);

  Cable bare = bare_cable(rough);
  bare.stream[0] = "link.states";
  Traffic traffic(chain(bare), {}, {7, {}});
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 2000; ++i) {
    traffic.send(flow, 300, at(i * 1ms));
  }
  traffic.run();
  std::vector<Outcome> seen(2000);
  for (const Delivery& delivery : traffic.deliveries()) {
    const std::size_t index = static_cast<std::size_t>(delivery.message) - 1;
    if (delivery.fate == Fate::kLost) {
      seen[index].dropped = DropReason::kLoss;
    } else {
      seen[index].delays.push_back(delivery.time.time_since_epoch() -
                                   static_cast<std::int64_t>(index) * 1ms);
    }
  }
  // a copy counts, but a message arrives once: with the first one
  std::uint64_t copies = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::vector<Duration> delays = expected[i].delays;
    std::sort(delays.begin(), delays.end());
    if (delays.size() > 1) {
      ++copies;
      delays.resize(1);
    }
    EXPECT_EQ(seen[i].delays, delays) << i;
    EXPECT_EQ(seen[i].dropped.has_value(), expected[i].dropped.has_value()) << i;
  }
  EXPECT_GT(copies, 20U);
  EXPECT_EQ(traffic.backend().figures().flows[0].duplicates, copies);
}

TEST(BuiltinImpairment, StreamsAreNamedAfterCableAndSenderUnlessSaidOtherwise) {
  const auto losses = [](const std::string& stream) {
    Cable bare = bare_cable(netem("loss 30%"));
    bare.stream[0] = stream;
    Traffic traffic(chain(bare), {}, {3, {}});
    const FlowId flow = traffic.open(0, 1, Transport::kRaw);
    for (int i = 0; i < 300; ++i) {
      traffic.send(flow, 300, at(i * 1ms));
    }
    traffic.run();
    return traffic.times_of(Fate::kLost);
  };
  EXPECT_EQ(losses(""), losses("c0.h0"));
  EXPECT_NE(losses(""), losses("other"));
}

TEST(BuiltinImpairment, TheModelActsAfterSendingAndBeforePropagation) {
  // 125 bytes: 1 ms each, one behind the other; then 10 ms by the model; then 5 ms of propagation.
  // Losses are known when the packet has been sent
  Cable slow = cable(1e6, 5ms, Framing::kNone);
  slow.impairment[0] = netem("delay 10ms");
  Traffic traffic(chain(slow));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  traffic.send(flow, 125, at(0ns));
  traffic.send(flow, 125, at(0ns));
  traffic.run();
  EXPECT_THAT(traffic.arrivals(), ElementsAre(16ms, 17ms));

  slow.impairment[0] = netem("loss 100%");
  Traffic lossy(chain(slow));
  const FlowId other_flow = lossy.open(0, 1, Transport::kRaw);
  lossy.send(other_flow, 125, at(0ns));
  lossy.send(other_flow, 125, at(0ns));
  lossy.run();
  EXPECT_THAT(lossy.times_of(Fate::kLost), ElementsAre(1ms, 2ms));
  EXPECT_EQ(lossy.backend().figures().cables[0].dropped_loss, 2U);
}

TEST(BuiltinImpairment, AFullQueueOfTheModelIsNoLoss) {
  // netem holds two; the third finds it full
  Traffic traffic(chain(bare_cable(netem("delay 10ms limit 2"))));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 0; i < 3; ++i) {
    traffic.send(flow, 10, at(1ms));
  }
  traffic.run();
  const CableFigures cable = traffic.backend().figures().cables[0];
  EXPECT_EQ(cable.dropped_queue, 1U);
  EXPECT_EQ(cable.dropped_loss, 0U);
}

/// Each packet pushes out the one before it.
class HoldingModel final : public LinkModel {
 public:
  void list_fields(Fields&) override {}
  std::unique_ptr<Link> make(const LinkContext&) const override {
    class HoldingLink final : public Link {
      void do_send(Time now, const Packet& packet, LinkOutput& output) override {
        if (held_) {
          output.arrive(*held_, now);
        }
        held_ = packet;
      }
      std::optional<Packet> held_;
    };
    return std::make_unique<HoldingLink>();
  }
};

TEST(BuiltinImpairment, AModelThatHoldsPacketsKeepsThem) {
  Traffic traffic(chain(bare_cable(std::make_shared<HoldingModel>())));
  const FlowId flow = traffic.open(0, 1, Transport::kRaw);
  for (int i = 1; i <= 3; ++i) {
    traffic.send(flow, 10, at(i * 1ms));
  }
  traffic.run();
  ASSERT_EQ(traffic.deliveries().size(), 2U);
  EXPECT_EQ(traffic.deliveries()[0].message, MessageId{1});
  EXPECT_THAT(traffic.arrivals(), ElementsAre(2ms, 3ms));
}

TEST(BuiltinImpairment, PartsOfADatagramMeetTheirFatesOneByOne) {
  // every second packet is lost, in turn: of two parts one always is
  Cable bare = bare_cable(netem("loss state 100% 100%"));
  bare.framing = Framing::kPpp;
  Traffic traffic(chain(bare));
  const FlowId flow = traffic.open(0, 1, Transport::kUdp);
  for (int i = 0; i < 10; ++i) {
    traffic.send(flow, 2000, at(i * 1ms));  // two parts
  }
  traffic.run();
  EXPECT_TRUE(traffic.arrivals().empty());
  EXPECT_EQ(traffic.times_of(Fate::kLost).size(), 10U);
  EXPECT_EQ(traffic.backend().figures().flows[0].packets_lost, 10U);
}

TEST(BuiltinImpairment, TcpBearsLossesCopiesAndDisorder) {
  Cable rough = cable(1e7, 2ms);
  rough.impairment[0] = netem("delay 5ms 2ms loss 3% duplicate 3%");
  rough.impairment[1] = netem("delay 5ms 2ms loss 3% duplicate 3%");
  Traffic traffic(chain(rough));
  const FlowId flow = traffic.open(0, 1, Transport::kTcp);
  for (int i = 0; i < 300; ++i) {
    traffic.send(flow, 1000, at(i * 20ms), i % 2 == 0 ? Side::kOpener : Side::kPeer);
  }
  traffic.run(at(600s));
  std::vector<std::uint64_t> heard[2];
  for (const Delivery& delivery : traffic.deliveries()) {
    if (delivery.fate == Fate::kDelivered) {
      heard[static_cast<std::size_t>(delivery.side)].push_back(
          static_cast<std::uint64_t>(delivery.message));
    }
  }
  ASSERT_EQ(heard[0].size(), 150U);
  ASSERT_EQ(heard[1].size(), 150U);
  EXPECT_TRUE(std::is_sorted(heard[0].begin(), heard[0].end()));
  EXPECT_TRUE(std::is_sorted(heard[1].begin(), heard[1].end()));
  EXPECT_GT(traffic.backend().figures().flows[0].retransmissions, 0U);
}

}  // namespace
}  // namespace longarm::network
