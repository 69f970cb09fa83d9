// SPDX-License-Identifier: Apache-2.0
// Flows that are over give their memory back, and nothing else is different.
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/network/builtin/builtin_backend.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;

/// Loses a share of the packets, by their index, and takes a millisecond for the others.
class LossyModel final : public LinkModel {
 public:
  explicit LossyModel(double share) : share_(share) {}
  void list_fields(Fields&) override {}
  std::unique_ptr<Link> make(const LinkContext& context) const override {
    return std::make_unique<Lossy>(RandomStream(context.seed, context.name), share_);
  }

 private:
  class Lossy final : public Link {
   public:
    Lossy(const RandomStream& random, double share) : random_(random), share_(share) {}

   private:
    void do_send(Time now, const Packet& packet, LinkOutput& output) override {
      if (random_.uniform_at(packet.index) < share_) {
        output.drop(packet, DropReason::kLoss);
      } else {
        output.arrive(packet, now + 1ms);
      }
    }
    RandomStream random_;
    double share_;
  };
  double share_;
};

struct Ended {
  std::vector<std::tuple<std::int64_t, MessageId, Side, Fate>> deliveries;
  NetworkFigures figures;
};

/// Connections one after the other, each ended in one of five ways; with losses, so that every part
/// of an ending gets lost now and then.
Ended run_connections(std::uint64_t seed, bool forgets, double loss) {
  Topology topology;
  topology.nodes = {{"a", false, {}}, {"b", false, {}}};
  Cable cable;
  cable.name = "cable";
  cable.ends[1] = NodeId{1};
  cable.impairment[0] = cable.impairment[1] = std::make_shared<LossyModel>(loss);
  topology.cables.push_back(cable);
  const auto backend =
      make_builtin_backend(topology, {seed, {}}, {false, /*forgets_closed_flows=*/forgets});
  TcpOptions options;
  options.keep_alive_after = options.keep_alive_every = 500ms;

  RandomStream dice(seed, "dice");
  std::vector<Delivery> all;
  Time now{};
  for (std::uint64_t i = 0; i < 60; ++i) {
    const FlowId flow = *backend->open({NodeId{0}, NodeId{1}, {Transport::kTcp, options, 0}}, now);
    backend->send(flow, Side::kOpener, MessageId{2 * i}, 5000, now);
    backend->send(flow, Side::kPeer, MessageId{2 * i + 1}, 300, now);
    const Time later = now + Duration(static_cast<std::int64_t>(dice.uniform(0, 3e9)));
    switch (dice.bits() % 5) {
      case 0:
        backend->reset(flow, Side::kOpener, now);
        break;
      case 1:
        backend->reset(flow, Side::kPeer, later);
        break;
      case 2:
        backend->close(flow, Side::kOpener, later);
        break;
      case 3:
        backend->close(flow, Side::kPeer, later);
        break;
      default:
        backend->close(flow, Side::kOpener, later);
        backend->close(flow, Side::kPeer, later);
    }
    // wait until it is over, so that with and without forgetting flows stand in the same order
    now = later + 2000s;
    while (*backend->advance(now, all)) {
    }
  }
  Ended outcome{{}, backend->figures(now)};
  for (const Delivery& each : all) {
    outcome.deliveries.emplace_back(each.time.time_since_epoch().count(), each.message, each.side,
                                    each.fate);
  }
  return outcome;
}

TEST(BuiltinForgets, NothingIsLeftOfFlowsThatAreOver) {
  for (const double loss : {0.0, 0.05, 0.3}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      // two rows are the sums
      EXPECT_EQ(run_connections(seed, true, loss).figures.flows.size(), 2U) << loss << ' ' << seed;
    }
  }
}

TEST(BuiltinForgets, ResultsAreTheSame) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Ended keeps = run_connections(seed, false, 0.1);
    const Ended forgets = run_connections(seed, true, 0.1);
    EXPECT_EQ(keeps.deliveries, forgets.deliveries);
    EXPECT_EQ(keeps.figures.cables[0].packets, forgets.figures.cables[0].packets);
    EXPECT_EQ(keeps.figures.cables[1].dropped_loss, forgets.figures.cables[1].dropped_loss);
    ASSERT_EQ(keeps.figures.flows.size(), 120U);
    for (const std::size_t side : {0U, 1U}) {
      FlowFigures sum;
      for (std::size_t i = side; i < keeps.figures.flows.size(); i += 2) {
        sum.messages_delivered += keeps.figures.flows[i].messages_delivered;
        sum.packets_sent += keeps.figures.flows[i].packets_sent;
        sum.retransmissions += keeps.figures.flows[i].retransmissions;
      }
      EXPECT_EQ(forgets.figures.flows[side].messages_delivered, sum.messages_delivered);
      EXPECT_EQ(forgets.figures.flows[side].packets_sent, sum.packets_sent);
      EXPECT_EQ(forgets.figures.flows[side].retransmissions, sum.retransmissions);
    }
  }
}

}  // namespace
}  // namespace longarm::network
