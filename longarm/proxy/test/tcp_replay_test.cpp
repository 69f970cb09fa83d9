// SPDX-License-Identifier: Apache-2.0
// What a relay did in real time is what the simulator says in virtual time, to the nanosecond.
#include <chrono>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/proxy/test/tcp_fixture.h"

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;
using network::Delivery;
using network::FlowId;
using network::MessageId;
using network::Side;

/// Writes everything down.
struct Journal final : TcpLinkObserver {
  struct Entry {
    Asked what{};
    Time at{};
    FlowId flow{};
    Side side{};
    MessageId message{};
    std::uint32_t size_bytes = 0;
  };
  void asked(Asked what, Time at, FlowId flow, Side side, MessageId message,
             std::uint32_t size_bytes) override {
    entries.push_back({what, at, flow, side, message, size_bytes});
  }
  void happened(const Delivery& delivery) override { deliveries.push_back(delivery); }

  std::vector<Entry> entries;
  std::vector<Delivery> deliveries;
};

/// The plain simulator: two hosts, one cable, everything told before anything runs.
std::vector<Delivery> in_virtual_time(const TcpLinkOptions& options, const Journal& journal,
                                      Time until) {
  network::Topology topology;
  topology.nodes = {{"near", false, {}}, {"far", false, {}}};
  network::Cable cable;
  cable.name = "link";
  cable.ends[1] = network::NodeId{1};
  cable.impairment[0] = options.up;
  cable.impairment[1] = options.down;
  cable.stream[0] = "link.up";
  cable.stream[1] = "link.down";
  topology.cables.push_back(cable);
  const auto backend = network::make_builtin_backend(topology, {options.seed, {}});
  using Asked = TcpLinkObserver::Asked;
  for (const Journal::Entry& each : journal.entries) {
    switch (each.what) {
      case Asked::kOpen:
        EXPECT_EQ(*backend->open({network::NodeId{0},
                                  network::NodeId{1},
                                  {network::Transport::kTcp, options.tcp, 0}},
                                 each.at),
                  each.flow);
        break;
      case Asked::kSend:
        backend->send(each.flow, each.side, each.message, each.size_bytes, each.at);
        break;
      case Asked::kClose:
        backend->close(each.flow, each.side, each.at);
        break;
      case Asked::kReset:
        backend->reset(each.flow, each.side, each.at);
        break;
    }
  }
  std::vector<Delivery> all;
  while (*backend->advance(until, all)) {
  }
  return all;
}

auto what_happened(const Delivery& each) {
  return std::tuple(each.time.time_since_epoch().count(), each.flow, each.message, each.side,
                    each.fate);
}

TEST(TcpReplay, RealTimeAndVirtualTimeAgreeToTheNanosecond) {
  TestServer server;
  // one request in twenty is lost and costs 200 ms; jitter reorders what is close together
  const TcpLinkOptions options = link_with("delay 3ms 1ms loss 5% rate 50mbit", 5);
  Journal journal;
  RelayThread relay(options, server.address(), {}, &journal);
  std::vector<TestSocket> clients;
  std::vector<TestSocket> served;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(TestSocket::to(relay.address()));
    served.push_back(server.accept());
  }
  for (int i = 0; i < 60; ++i) {
    for (TestSocket& client : clients) {
      client.say(counted_text(static_cast<std::size_t>(100 + 90 * i)));
    }
    for (TestSocket& each : served) {
      each.say("pong");
    }
    std::this_thread::sleep_for(2ms);
  }
  for (std::size_t i = 0; i < clients.size(); ++i) {
    std::size_t total = 0;
    for (std::size_t k = 0; k < 60; ++k) {
      total += 100 + 90 * k;
    }
    EXPECT_EQ(served[i].hear(total).size(), total);
    EXPECT_EQ(clients[i].hear(240).size(), 240U);
  }
  relay.stop();

  ASSERT_GT(journal.deliveries.size(), 360U);
  const Time until = journal.deliveries.back().time + Duration(1);
  const std::vector<Delivery> expected = in_virtual_time(options, journal, until);
  ASSERT_EQ(journal.deliveries.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(what_happened(journal.deliveries[i]), what_happened(expected[i])) << i;
  }
  EXPECT_GT(relay.link().model_figures().up.retransmissions, 0U);
}

TEST(TcpReplay, LostRequestCostsTheRetransmissionTimeout) {
  TestServer server;
  const TcpLinkOptions options = link_with("delay 1ms loss 15%", 4);
  Journal journal;
  RelayThread relay(options, server.address(), {}, &journal);
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  int stalls = 0;
  for (int i = 0; i < 8; ++i) {
    const auto asked = std::chrono::steady_clock::now();
    client.say("ping");
    ASSERT_EQ(served.hear(4), "ping");
    served.say("pong");
    ASSERT_EQ(client.hear(4), "pong");
    stalls += std::chrono::steady_clock::now() - asked >= 200ms ? 1 : 0;
  }
  relay.stop();
  // the model's own words: a message that took 200 ms or more where the link takes 1 ms
  std::vector<Time> sent(journal.entries.size());
  for (const Journal::Entry& each : journal.entries) {
    if (each.what == TcpLinkObserver::Asked::kSend) {
      sent[static_cast<std::size_t>(each.message)] = each.at;
    }
  }
  int predicted = 0;
  for (const Delivery& each :
       in_virtual_time(options, journal, journal.deliveries.back().time + Duration(1))) {
    predicted += each.fate == network::Fate::kDelivered &&
                         each.time - sent[static_cast<std::size_t>(each.message)] >= 200ms
                     ? 1
                     : 0;
  }
  EXPECT_GT(predicted, 0);
  EXPECT_GE(2 * stalls, predicted);  // a round trip may have two
}

}  // namespace
}  // namespace longarm::proxy
