// SPDX-License-Identifier: Apache-2.0
// Channels over a network of hosts, with a backend that does as it is told.
#include "longarm/network/flow_link.h"

#include <gtest/gtest.h>

#include "longarm/network/channel.h"

namespace longarm::network {
namespace {

using namespace std::chrono_literals;

/// Delivers after 3 ms, loses messages of 13 bytes at once, has no room for those of 14, and resets
/// the flow on one of 99.
class ScriptedBackend final : public Backend {
 public:
  std::string name() const override { return "scripted"; }
  Result<FlowId> open(const FlowRequest&, Time) override { return FlowId{0}; }
  void send(FlowId flow, Side from, MessageId message, std::uint32_t size, Time at) override {
    const Side to = from == Side::kOpener ? Side::kPeer : Side::kOpener;
    if (size == 99) {
      pending.push_back({at, flow, message, from, Fate::kReset});
    } else {
      const bool is_lost = size == 13 || size == 14;
      pending.push_back({is_lost ? at : at + 3ms, flow, message, to,
                         is_lost ? Fate::kLost : Fate::kDelivered,
                         size == 14 ? DropReason::kQueueFull : DropReason::kLoss});
    }
    std::stable_sort(pending.begin(), pending.end(),
                     [](const Delivery& a, const Delivery& b) { return a.time < b.time; });
  }
  void close(FlowId, Side, Time) override {}
  void reset(FlowId, Side, Time) override {}
  void change(CableId, const CableChange&) override {}
  Time next_event() const override { return pending.empty() ? Time::max() : pending[0].time; }
  Result<bool> advance(Time until, std::vector<Delivery>& out) override {
    while (!pending.empty() && pending[0].time < until &&
           (out.empty() || out[0].time == pending[0].time)) {
      out.push_back(pending[0]);
      pending.erase(pending.begin());
    }
    return !out.empty();
  }
  NetworkFigures figures(Time) const override { return {}; }

  std::vector<Delivery> pending;
};

struct Heard {
  int message;
  Time at;
  bool operator==(const Heard&) const = default;
};

/// Numbers both ways.
class FlowLinkTest : public testing::Test {
 protected:
  FlowLinkTest()
      : network_(kernel_, std::make_unique<ScriptedBackend>(), std::vector<Host>(2), 1),
        source_(kernel_.add_source("test")) {
    FlowLinks links = open_flow_links(network_, kernel_, {NodeId{0}, NodeId{1}, {}}).value();
    there_ = std::make_unique<Channel<int>>(kernel_, "there", std::move(links.from_opener),
                                            [this](const int& message, Time now) {
                                              heard_there_.push_back({message, now});
                                            });
    back_ = std::make_unique<Channel<int>>(kernel_, "back", std::move(links.from_peer),
                                           [this](const int& message, Time now) {
                                             heard_back_.push_back({message, now});
                                           });
  }

  void send(Channel<int>& channel, Duration at, int message, std::size_t size_bytes) {
    kernel_.at(Time(at), sim::Phase::kControl, source_,
               [&channel, message, size_bytes](Time) { channel.send(message, size_bytes); });
  }

  sim::Kernel kernel_;
  Network network_;
  sim::SourceId source_;
  std::unique_ptr<Channel<int>> there_;
  std::unique_ptr<Channel<int>> back_;
  std::vector<Heard> heard_there_;
  std::vector<Heard> heard_back_;
};

TEST_F(FlowLinkTest, CarriesBothDirectionsOfOneFlow) {
  send(*there_, 1ms, 7, 20);
  send(*there_, 2ms, 8, 20);
  send(*back_, 2ms, 9, 20);
  ASSERT_TRUE(kernel_.run_until(Time(10ms)));
  EXPECT_EQ(heard_there_, (std::vector<Heard>{{7, Time(4ms)}, {8, Time(5ms)}}));
  EXPECT_EQ(heard_back_, (std::vector<Heard>{{9, Time(5ms)}}));
}

TEST_F(FlowLinkTest, CountsWhatTheBackendLoses) {
  send(*there_, 1ms, 7, 13);
  send(*there_, 1ms, 8, 20);
  ASSERT_TRUE(kernel_.run_until(Time(10ms)));
  const LinkReport report = there_->report(kernel_.now());
  EXPECT_EQ(report.sent, 2U);
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(report.delivered, 1U);
  EXPECT_EQ(report.in_flight, 0U);
}

TEST_F(FlowLinkTest, TellsFullQueuesFromLosses) {
  send(*there_, 1ms, 7, 13);
  send(*there_, 1ms, 8, 14);
  send(*there_, 1ms, 9, 14);
  ASSERT_TRUE(kernel_.run_until(Time(10ms)));
  const LinkReport report = there_->report(kernel_.now());
  EXPECT_EQ(report.lost, 1U);
  EXPECT_EQ(report.queue_full, 2U);
}

TEST_F(FlowLinkTest, LosesWhatIsUnderWayWhenTheFlowIsResetAndAllThatFollows) {
  send(*there_, 1ms, 7, 20);
  send(*back_, 2ms, 8, 20);
  send(*there_, 2ms, 9, 99);
  send(*there_, 5ms, 10, 20);
  ASSERT_TRUE(kernel_.run_until(Time(20ms)));
  EXPECT_TRUE(heard_there_.empty());
  EXPECT_TRUE(heard_back_.empty());
  EXPECT_EQ(there_->report(kernel_.now()).lost, 3U);
  EXPECT_EQ(back_->report(kernel_.now()).lost, 1U);
}

}  // namespace
}  // namespace longarm::network
