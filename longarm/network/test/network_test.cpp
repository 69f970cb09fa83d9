// SPDX-License-Identifier: Apache-2.0
// Programs on hosts: stacks that take their time, loopback, order, and ends; on every backend.
#include "longarm/network/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two hosts, 10 ms apart (or not at all, by the ideal backend).
class Programs : public ::testing::Test {
 protected:
  Programs() : topology_(chain(endless_cable())) {
    for (const Node& node : topology_.nodes) {
      hosts_.emplace_back();
      hosts_.back().name = node.name;
    }
  }

  static Cable endless_cable() {
    Cable endless = cable(1.0, 10ms, Framing::kNone);
    endless.rate_bit_s.reset();
    return endless;
  }

  void start(bool is_ideal = false) {
    network_ = std::make_unique<Network>(
        kernel_, is_ideal ? make_ideal_backend(topology_) : make_builtin_backend(topology_, {}),
        hosts_, 1);
    source_ = kernel_.add_source("test");
  }

  FlowId open(int opener, int peer, Transport transport) {
    FlowRequest request{
        NodeId{static_cast<std::uint32_t>(opener)}, NodeId{static_cast<std::uint32_t>(peer)}, {}};
    request.options.transport = transport;
    const auto note = [this](std::string what, Side side) {
      heard_.push_back(what + (side == Side::kOpener ? "<" : ">"));
      times_.push_back(kernel_.now().time_since_epoch());
    };
    FlowEvents events;
    events.connected = [note](Side side) { note("connected", side); };
    events.delivered = [this, note](Side side, MessageId message) {
      note("delivered", side);
      messages_.push_back(message);
    };
    events.lost = [note](Side side, MessageId, DropReason) { note("lost", side); };
    events.reset = [note](Side side) { note("reset", side); };
    const Result<FlowId> flow = network_->open(request, std::move(events));
    EXPECT_TRUE(flow);
    return *flow;
  }

  void at_time(Duration when, std::function<void()> action) {
    kernel_.at(at(when), sim::Phase::kControl, source_, [action](Time) { action(); });
  }
  void run(Duration until = 10s) { ASSERT_TRUE(kernel_.run_until(at(until))); }

  Topology topology_;
  std::vector<Host> hosts_;
  sim::Kernel kernel_;
  std::unique_ptr<Network> network_;
  sim::SourceId source_{};
  std::vector<std::string> heard_;
  std::vector<Duration> times_;
  std::vector<MessageId> messages_;
};

TEST_F(Programs, StacksAddTheirTimesAtBothEnds) {
  hosts_[0].stack_send.fixed = 1ms;
  hosts_[0].stack_send.per_byte_ns = 1000.0;
  hosts_[1].stack_receive.fixed = 2ms;
  hosts_[1].stack_receive.per_byte_ns = 2000.0;
  start();
  const FlowId flow = open(0, 1, Transport::kRaw);
  at_time(5ms, [&] { network_->send(flow, Side::kOpener, 100); });
  run();
  // 5 + (1 + 0.1) + 10 + (2 + 0.2)
  EXPECT_THAT(times_, ElementsAre(18'300us));
}

TEST_F(Programs, OnOneFlowNothingOvertakes) {
  hosts_[0].stack_send.per_byte_ns = 10'000.0;  // 10 us a byte
  hosts_[1].stack_receive.per_byte_ns = 10'000.0;
  start();
  const FlowId flow = open(0, 1, Transport::kRaw);
  const FlowId another = open(0, 1, Transport::kRaw);
  std::vector<MessageId> sent;
  at_time(0ms, [&] {
    sent.push_back(network_->send(flow, Side::kOpener, 1000));  // 10 + 10 + 10 ms
    sent.push_back(network_->send(flow, Side::kOpener, 1));     // at once behind it
    network_->send(another, Side::kOpener, 1);                  // 10.02 ms
  });
  run();
  EXPECT_THAT(times_, ElementsAre(10'020us, 30ms, 30ms));
  EXPECT_THAT(messages_, ElementsAre(::testing::_, sent[0], sent[1]));
}

TEST_F(Programs, StackTimesAreDrawnFromTheHostsStream) {
  hosts_[0].stack_send.sorted_s =
      std::make_shared<const std::vector<double>>(std::vector<double>{0.001, 0.002, 0.003, 0.004});
  start();
  const FlowId flow = open(0, 1, Transport::kRaw);
  RandomStream expected(1, "h0.stack_send");
  std::vector<Duration> arrivals;
  for (int i = 0; i < 20; ++i) {
    at_time(i * 100ms, [&] { network_->send(flow, Side::kOpener, 8); });
    arrivals.push_back(i * 100ms + 10ms + hosts_[0].stack_send.at(8, expected.uniform()));
  }
  run();
  EXPECT_EQ(times_, arrivals);
}

TEST_F(Programs, OneHostTalksToItselfOverItsLoopback) {
  hosts_[0].loopback.fixed = 30us;
  hosts_[0].stack_send.fixed = 1s;  // not used
  start();
  const FlowId flow = open(0, 0, Transport::kTcp);
  at_time(1ms, [&] { network_->send(flow, Side::kOpener, 100); });
  at_time(2ms, [&] { network_->send(flow, Side::kPeer, 100); });
  at_time(3ms, [&] { network_->close(flow, Side::kOpener); });
  run();
  EXPECT_THAT(heard_,
              ElementsAre("connected<", "connected>", "delivered>", "delivered<", "reset>"));
  EXPECT_THAT(times_, ElementsAre(60us, 90us, 1030us, 2030us, 3030us));
  EXPECT_THAT(network_->backend().figures().flows, IsEmpty());
}

TEST_F(Programs, AZeroLoopbackDeliversInTheSameInstantButNotWithinTheCall) {
  start();
  const FlowId flow = open(0, 0, Transport::kRaw);
  at_time(1ms, [&] {
    network_->send(flow, Side::kOpener, 100);
    EXPECT_THAT(heard_, IsEmpty());
  });
  run();
  EXPECT_THAT(times_, ElementsAre(1ms));
}

TEST_F(Programs, AnswersGoBackInTheSameInstant) {
  start();
  FlowRequest request{NodeId{0}, NodeId{1}, {}};
  request.options.transport = Transport::kRaw;
  std::vector<Duration> replies;
  FlowId flow{};
  FlowEvents events;
  events.delivered = [&](Side side, MessageId) {
    if (side == Side::kPeer) {
      network_->send(flow, Side::kPeer, 10);
    } else {
      replies.push_back(kernel_.now().time_since_epoch());
    }
  };
  flow = *network_->open(request, events);
  for (int i = 0; i < 3; ++i) {
    at_time(i * 1s, [&] { network_->send(flow, Side::kOpener, 10); });
  }
  run();
  EXPECT_THAT(replies, ElementsAre(20ms, 1020ms, 2020ms));
}

TEST_F(Programs, WhoHasClosedHearsNothingMore) {
  start();
  const FlowId flow = open(0, 1, Transport::kTcp);
  at_time(100ms, [&] { network_->send(flow, Side::kPeer, 10); });
  at_time(101ms, [&] { network_->close(flow, Side::kOpener); });
  at_time(300ms, [&] { network_->send(flow, Side::kOpener, 10); });
  run();
  EXPECT_THAT(heard_, ElementsAre("connected<", "connected>", "reset>"));
}

TEST_F(Programs, AResetIsHeardAfterWhatArrivedBeforeIt) {
  hosts_[1].stack_receive.fixed = 50ms;
  start();
  const FlowId flow = open(0, 1, Transport::kTcp);
  at_time(100ms, [&] { network_->send(flow, Side::kOpener, 10); });
  at_time(120ms, [&] { network_->reset(flow, Side::kOpener); });
  run();
  EXPECT_THAT(heard_, ElementsAre("connected<", "connected>", "delivered>", "reset>"));
  EXPECT_THAT(times_, ElementsAre(20ms, 30ms, 160ms, 160ms));
}

TEST_F(Programs, LossesAreHeardOf) {
  CableChange down;
  down.is_up = false;
  topology_.cables[0].changes = {down};
  start();
  const FlowId flow = open(0, 1, Transport::kUdp);
  at_time(1ms, [&] { network_->send(flow, Side::kOpener, 10); });
  run();
  EXPECT_THAT(heard_, ElementsAre("lost>"));
  EXPECT_THAT(times_, ElementsAre(1ms));
}

TEST_F(Programs, TheIdealNetworkTakesNoTime) {
  start(true);
  const FlowId tcp = open(0, 1, Transport::kTcp);
  const FlowId udp = open(1, 0, Transport::kUdp);
  at_time(1ms, [&] {
    network_->send(udp, Side::kOpener, 100'000);
    network_->send(tcp, Side::kPeer, 10);
    network_->send(tcp, Side::kOpener, 10);
  });
  at_time(2ms, [&] { network_->close(tcp, Side::kPeer); });
  run();
  // in order of flow and side
  EXPECT_THAT(heard_, ElementsAre("connected<", "connected>", "delivered<", "delivered>",
                                  "delivered>", "reset<"));
  EXPECT_THAT(times_, ElementsAre(0ms, 0ms, 1ms, 1ms, 1ms, 2ms));
}

}  // namespace
}  // namespace longarm::network
