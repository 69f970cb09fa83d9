// SPDX-License-Identifier: Apache-2.0
// Many connections, slow readers and bounded memory.
#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/proxy/test/tcp_fixture.h"

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;

TEST(TcpLoad, TwoHundredConnectionsKeepTheirBytesApart) {
  TestServer server;
  RelayThread relay(link_with("delay 1ms"), server.address());
  constexpr std::uint32_t kCount = 200;
  std::vector<TestSocket> clients;
  std::vector<TestSocket> served;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    clients.push_back(TestSocket::to(relay.address()));
    // each says who it is and is answered as often; those with odd numbers never say more
    EXPECT_TRUE(clients.back().say(counted_text(4000, i * 1000)));
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    served.push_back(server.accept());
    const std::string text = served.back().hear(4000);
    EXPECT_TRUE(served.back().say(text));
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT_TRUE(clients[i].hear(4000) == counted_text(4000, i * 1000)) << i;
  }
  relay.stop();
  EXPECT_EQ(relay.relay().connections(), kCount);
  EXPECT_EQ(relay.link().figures().conversations_now, kCount);
  clients.clear();
  served.clear();
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
  EXPECT_EQ(relay.link().held_bytes(), 0U);
}

TEST(TcpLoad, SlowReaderStopsItsOwnSenderOnly) {
  TestServer server;
  TcpRelayOptions options;
  options.most_connection_bytes = 200'000;
  RelayThread relay(link_with("delay 1ms"), server.address(), options);
  TestSocket slow_client = TestSocket::to(relay.address());
  TestSocket slow = server.accept();
  // far more than the relay may hold and the kernel has buffers for
  const std::string text = counted_text(40'000'000);
  std::jthread sender([&] { EXPECT_TRUE(slow_client.say(text)); });

  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  for (int i = 0; i < 20; ++i) {
    client.say("ping");
    ASSERT_EQ(served.hear(4), "ping");
    served.say("pong");
    ASSERT_EQ(client.hear(4), "pong");
  }
  ASSERT_TRUE(relay.eventually([&] { return relay.link().held_bytes() >= 200'000U; }));
  // what was held when it was stopped, and one read more
  EXPECT_LE(relay.link().held_bytes(), 200'000U + 65'536U);
  std::jthread runner([&] { relay.reactor().run(); });
  EXPECT_TRUE(slow.hear(text.size()) == text);
  relay.reactor().stop();
}

TEST(TcpLoad, AllTogetherHoldNoMoreThanTheirShareAndNobodyStarves) {
  TestServer server;
  TcpLinkOptions link = link_with("");
  link.most_bytes = 1'000'000;
  RelayThread relay(link, server.address());
  const std::string text = counted_text(12'000'000);
  std::vector<TestSocket> clients;
  std::vector<TestSocket> served;
  std::vector<std::jthread> senders;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(TestSocket::to(relay.address()));
    served.push_back(server.accept());
  }
  for (TestSocket& each : clients) {
    senders.emplace_back([&each, &text] { each.say(text); });
  }
  ASSERT_TRUE(relay.eventually([&] { return relay.link().is_full(); }));
  std::jthread runner([&] { relay.reactor().run(); });
  TestSocket client = TestSocket::to(relay.address());
  TestSocket last = server.accept();
  const std::string little = counted_text(500'000);
  std::jthread sender([&] { client.say(little); });
  EXPECT_TRUE(last.hear(little.size()) == little);
  relay.reactor().stop();
  runner.join();
  // four of them and the last, each of which had the right to one read beyond
  EXPECT_LE(relay.link().held_bytes(), 1'000'000U + 5 * 131'072U);
  // and those that waited for the others' room get all of theirs
  std::jthread again([&] { relay.reactor().run(); });
  for (TestSocket& each : served) {
    EXPECT_TRUE(each.hear(text.size()) == text);
  }
  relay.reactor().stop();
}

TEST(TcpLoad, AllConnectionsShareTheRate) {
  TestServer server;
  RelayThread relay(link_with("rate 8mbit"), server.address());
  TestSocket first = TestSocket::to(relay.address());
  TestSocket first_served = server.accept();
  TestSocket second = TestSocket::to(relay.address());
  TestSocket second_served = server.accept();
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = counted_text(250'000);
  EXPECT_TRUE(first.say(text));
  EXPECT_TRUE(second.say(text));
  EXPECT_TRUE(first_served.hear(text.size()) == text);
  EXPECT_TRUE(second_served.hear(text.size()) == text);
  // 500 000 bytes at a million bytes a second, without any header
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 500ms);
}

TEST(TcpLoad, ShortConnectionsLeaveNothingInTheModel) {
  TestServer server;
  TcpLinkOptions options = link_with("loss 1%");
  // an RST that is lost leaves a peer behind who has to find out by himself
  options.tcp.keep_alive_after = options.tcp.keep_alive_every = 100ms;
  RelayThread relay(options, server.address());
  for (int i = 0; i < 300; ++i) {
    TestSocket client = TestSocket::to(relay.address());
    client.say("hello");
    if (i % 3 == 0) {
      client.reset();
      continue;  // the server may never hear of it
    }
    TestSocket served = server.accept();
    served.hear(i % 2);
    if (i % 2 == 0) {
      client.close();
    } else {
      served.close();
    }
  }
  server.close();  // and resets those that it never accepted
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
  EXPECT_TRUE(relay.eventually([&] { return relay.link().flows_in_model() == 0; }))
      << relay.link().flows_in_model();
  EXPECT_EQ(relay.link().held_bytes(), 0U);
}

}  // namespace
}  // namespace longarm::proxy
