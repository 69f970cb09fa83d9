// SPDX-License-Identifier: Apache-2.0
// Real datagrams between real sockets, through the relay.
#include "longarm/proxy/udp_relay.h"

#include <gtest/gtest.h>

#include "longarm/proxy/test/udp_fixture.h"

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;

constexpr auto kUdpPatience = 5000ms;

TEST(UdpRelay, CarriesDatagramsBothWays) {
  const UdpPeer server;
  const UdpPeer client;
  UdpRelayThread relay("", "", server.address());
  client.send(relay.address(), "hello");
  SocketAddress from;
  const std::optional<UdpArrival> heard = server.receive(kUdpPatience, &from);
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->bytes, "hello");
  server.send(from, "and back");
  const std::optional<UdpArrival> answer = client.receive(kUdpPatience, &from);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->bytes, "and back");
  EXPECT_EQ(from.bytes(), relay.address().bytes());  // as if the relay were the server
}

TEST(UdpRelay, CarriesTheLargestAndTheEmptyDatagram) {
  const UdpPeer server;
  const UdpPeer client;
  UdpRelayThread relay("", "", server.address());
  const std::string large(65'507, 'L');
  client.send(relay.address(), large);
  client.send(relay.address(), "");
  EXPECT_EQ(server.receive(kUdpPatience)->bytes, large);
  EXPECT_EQ(server.receive(kUdpPatience)->bytes, "");
}

TEST(UdpRelay, KeepsClientsApart) {
  const UdpPeer server;
  const UdpPeer first;
  const UdpPeer second;
  UdpRelayThread relay("", "", server.address());
  first.send(relay.address(), "1");
  SocketAddress to_first;
  ASSERT_TRUE(server.receive(kUdpPatience, &to_first));
  second.send(relay.address(), "2");
  SocketAddress to_second;
  ASSERT_TRUE(server.receive(kUdpPatience, &to_second));
  server.send(to_second, "for 2");
  server.send(to_first, "for 1");
  EXPECT_EQ(first.receive(kUdpPatience)->bytes, "for 1");
  EXPECT_EQ(second.receive(kUdpPatience)->bytes, "for 2");
  EXPECT_EQ(relay.stop().conversations, 2U);
}

TEST(UdpRelay, DelaysEachDirectionByItsOwnLink) {
  const UdpPeer server;
  const UdpPeer client;
  UdpRelayThread relay("delay 30ms", "delay 10ms", server.address());
  client.send_numbered(relay.address(), 0);
  SocketAddress from;
  const std::optional<UdpArrival> heard = server.receive(kUdpPatience, &from);
  ASSERT_TRUE(heard);
  server.send_numbered(from, 1);
  const std::optional<UdpArrival> answer = client.receive(kUdpPatience);
  ASSERT_TRUE(answer);
  const RelayFigures figures = relay.stop();
  EXPECT_DOUBLE_EQ(figures.up.delay_asked().mean_s(), 0.030);
  EXPECT_DOUBLE_EQ(figures.down.delay_asked().mean_s(), 0.010);
  // never early
  EXPECT_GE(heard->delay_s(), 0.030);
  EXPECT_GE(answer->delay_s(), 0.010);
}

TEST(UdpRelay, GivesTheSameFatesForTheSameSeed) {
  const auto survivors = [](std::uint64_t seed) {
    const UdpPeer server;
    const UdpPeer client;
    UdpRelayThread relay("loss 30%", "", server.address(), seed);
    for (std::uint64_t i = 0; i < 200; ++i) {
      client.send_numbered(relay.address(), i);
    }
    std::vector<std::uint64_t> numbers;
    while (const std::optional<UdpArrival> arrival =
               server.receive(numbers.empty() ? 2000ms : 100ms)) {
      numbers.push_back(arrival->stamp.number);
    }
    return numbers;
  };
  const std::vector<std::uint64_t> first = survivors(7);
  EXPECT_EQ(first, survivors(7));
  EXPECT_NE(first, survivors(8));
  EXPECT_GT(first.size(), 100U);
}

TEST(UdpRelay, LetsNewPacketsOvertakeDelayedOnes) {
  const UdpPeer server;
  const UdpPeer client;
  // the first fate of this seed is to wait, whatever comes after
  UdpRelayThread relay("delay 30ms reorder 50%", "", server.address());
  for (std::uint64_t i = 0; i < 40; ++i) {
    client.send_numbered(relay.address(), i);
  }
  std::vector<std::uint64_t> numbers;
  while (numbers.size() < 40) {
    const std::optional<UdpArrival> arrival = server.receive(kUdpPatience);
    ASSERT_TRUE(arrival);
    numbers.push_back(arrival->stamp.number);
  }
  EXPECT_FALSE(std::is_sorted(numbers.begin(), numbers.end()));
  EXPECT_GT(relay.stop().up.reordered(), 0U);
}

TEST(UdpRelay, GoesOnWhenNobodyListensAtTheServer) {
  Address nobody;
  { nobody = UdpPeer().address(); }
  const UdpPeer client;
  UdpRelayThread relay("", "", nobody);
  for (int i = 0; i < 20; ++i) {
    client.send(relay.address(), "anybody?");
    std::this_thread::sleep_for(1ms);
  }
  const UdpPeer server(nobody.port);
  client.send(relay.address(), "now");
  ASSERT_TRUE(server.receive(kUdpPatience));
  const RelayFigures figures = relay.stop();
  EXPECT_EQ(figures.up.packets_in(), 21U);
  EXPECT_EQ(figures.up.lost_here(), 0U);
  EXPECT_EQ(figures.up.refused(), 20U);  // each came back, but the last
}

TEST(UdpRelay, TellsOnceThatNobodyListens) {
  Address nobody;
  { nobody = UdpPeer().address(); }
  const UdpPeer client;
  std::vector<std::string> told;
  UdpRelayOptions options;
  options.tell = [&](const std::string& sentence) { told.push_back(sentence); };
  UdpRelayThread relay("", "", nobody, 1, options);
  for (int i = 0; i < 5; ++i) {
    client.send(relay.address(), "anybody?");
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_EQ(relay.stop().up.refused(), 5U);
  EXPECT_EQ(told, std::vector<std::string>{"no program listens at udp " + system::to_text(nobody)});
}

TEST(UdpRelay, RemembersASilentClientWhileItsDatagramIsUnderWay) {
  const UdpPeer server;
  const UdpPeer client;
  UdpRelayOptions options;
  options.idle_after = 40ms;
  UdpRelayThread relay("delay 300ms", "delay 300ms", server.address(), 1, options);
  client.send(relay.address(), "slowly");
  SocketAddress from;
  ASSERT_TRUE(server.receive(kUdpPatience, &from));
  server.send(from, "and back");
  const std::optional<UdpArrival> answer = client.receive(kUdpPatience);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->bytes, "and back");
  const RelayFigures figures = relay.stop();
  EXPECT_EQ(figures.up.lost_here() + figures.down.lost_here(), 0U);
}

TEST(UdpRelay, RefusesMoreClientsThanItMayHave) {
  const UdpPeer server;
  UdpRelayOptions options;
  options.most_clients = 2;
  UdpRelayThread relay("", "", server.address(), 1, options);
  const UdpPeer clients[3];
  for (const UdpPeer& client : clients) {
    client.send(relay.address(), "x");
    server.receive(200ms);
  }
  const RelayFigures figures = relay.stop();
  EXPECT_EQ(figures.conversations, 2U);
  EXPECT_EQ(figures.conversations_refused, 1U);
  EXPECT_EQ(figures.up.refused(), 1U);
}

TEST(UdpRelay, ForgetsClientsThatAreSilent) {
  const UdpPeer server;
  const UdpPeer client;
  UdpRelayOptions options;
  options.idle_after = 50ms;
  UdpRelayThread relay("", "", server.address(), 1, options);
  client.send(relay.address(), "1");
  SocketAddress first;
  ASSERT_TRUE(server.receive(kUdpPatience, &first));
  std::this_thread::sleep_for(300ms);
  client.send(relay.address(), "2");
  ASSERT_TRUE(server.receive(kUdpPatience));
  const RelayFigures figures = relay.stop();
  EXPECT_EQ(figures.conversations, 2U);
  EXPECT_EQ(figures.conversations_now, 1U);
}

TEST(UdpRelay, ToldToListenAtATakenPortSaysSo) {
  const UdpPeer taken;
  const std::unique_ptr<system::Reactor> reactor = system::Reactor::make().value();
  const RelayLinks none = read_links({}, network::built_in_link_models());
  RelayLinkPair links(*reactor, {*none.up, *none.down}, 1);
  UdpRelayOptions options;
  options.listen = taken.address();
  options.to = taken.address();
  const Result<std::unique_ptr<UdpRelay>> relay = UdpRelay::make(*reactor, links, nullptr, options);
  ASSERT_FALSE(relay);
  EXPECT_EQ(relay.error().message,
            "cannot listen at " + system::to_text(taken.address()) + ": Address already in use");
}

/// Takes everything.
class Anybody final : public PacketReceiver {
  HandOver hand_over(std::uint64_t, std::span<const std::byte>) override { return HandOver::kSent; }
};

TEST(RelayLink, DropsOrPassesOnWhatIsDamaged) {
  LinkOptions options;
  options.line = "delay 1s corrupt 100%";
  const RelayLinks models = read_links(options, network::built_in_link_models());
  const std::unique_ptr<system::Reactor> reactor = system::Reactor::make().value();
  for (const bool passes_damaged : {true, false}) {
    Anybody anybody;
    DirectionFigures figures;
    RelayLinkOptions choice;
    choice.passes_damaged = passes_damaged;
    RelayLink link(*reactor, *models.up, choice, figures);
    const std::vector<std::byte> bytes(10);
    for (int i = 0; i < 7; ++i) {
      link.offer(Time(0s), bytes, bytes.size(), anybody, 0);
    }
    EXPECT_EQ(link.held_packets(), passes_damaged ? 7U : 0U);
    EXPECT_EQ(figures.drops(network::DropReason::kCorrupt), passes_damaged ? 0U : 7U);
  }
}

TEST(RelayLink, HoldsNoMoreThanItMayAndCountsTheRest) {
  Anybody anybody;
  LinkOptions options;
  options.line = "delay 3600s limit 1000000";
  const RelayLinks models = read_links(options, network::built_in_link_models());
  const std::unique_ptr<system::Reactor> reactor = system::Reactor::make().value();
  DirectionFigures figures;
  RelayLinkOptions bounds;
  bounds.most_bytes = 10'000;
  RelayLink link(*reactor, *models.up, bounds, figures);
  const std::vector<std::byte> bytes(1000);
  for (int i = 0; i < 25; ++i) {
    link.offer(Time(0s), bytes, bytes.size(), anybody, 0);
  }
  EXPECT_EQ(link.held_packets(), 10U);
  EXPECT_EQ(link.held_bytes(), 10'000U);
  EXPECT_EQ(figures.lost_here(), 15U);
}

}  // namespace
}  // namespace longarm::proxy
