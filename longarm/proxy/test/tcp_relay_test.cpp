// SPDX-License-Identifier: Apache-2.0
// Connections through the relay, from the first byte to the last, whoever ends them and however.
#include "longarm/proxy/tcp_relay.h"

#include <chrono>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "longarm/proxy/test/tcp_fixture.h"

namespace longarm::proxy {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

TEST(TcpRelay, BringsBytesBothWaysInOrder) {
  TestServer server;
  RelayThread relay(link_with(""), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  const std::string up = counted_text(3'000'000);
  const std::string down = counted_text(2'000'000, 77);
  std::jthread up_sender([&] { EXPECT_TRUE(client.say(up)); });
  std::jthread down_sender([&] { EXPECT_TRUE(served.say(down)); });
  std::string heard_down;
  std::jthread down_reader([&] { heard_down = client.hear(down.size()); });
  const std::string heard_up = served.hear(up.size());
  down_reader.join();
  EXPECT_TRUE(heard_up == up);
  EXPECT_TRUE(heard_down == down);
  relay.stop();
  EXPECT_EQ(relay.link().figures().up.bytes_in(), 3'000'000U);
  EXPECT_EQ(relay.link().figures().up.bytes_out(), 3'000'000U);
  EXPECT_EQ(relay.link().figures().down.bytes_out(), 2'000'000U);
}

TEST(TcpRelay, LossCostsTimeAndNoBytes) {
  TestServer server;
  RelayThread relay(link_with("delay 1ms loss 2%"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  const std::string text = counted_text(400'000);
  std::jthread sender([&] { EXPECT_TRUE(client.say(text)); });
  EXPECT_TRUE(served.hear(text.size()) == text);
  sender.join();
  relay.stop();
  // 400 000 / 1448 = 277 segments, of which 2 % get lost; none has a chance of (0.98)^277 = 0.4 %,
  // and the seed is fixed, but the number of acknowledgements on the way is not
  EXPECT_GT(relay.link().model_figures().up.packets_lost, 0U);
  EXPECT_GT(relay.link().model_figures().up.retransmissions, 0U);
}

TEST(TcpRelay, DelayIsAddedEachWayToTheNanosecondBeforeItsOwnLateness) {
  TestServer server;
  RelayThread relay(link_with("delay 20ms"), server.address());
  const auto begin = SteadyClock::now();
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  // SYN, SYN-ACK, ACK: then a server knows of its client
  EXPECT_GE(SteadyClock::now() - begin, 60ms);
  for (int i = 0; i < 10; ++i) {
    const auto asked = SteadyClock::now();
    client.say("ping");
    EXPECT_EQ(served.hear(4), "ping");
    EXPECT_GE(SteadyClock::now() - asked, 20ms);
    served.say("pong");
    EXPECT_EQ(client.hear(4), "pong");
    EXPECT_GE(SteadyClock::now() - asked, 40ms);
  }
  relay.stop();
  for (const DirectionFigures* way : {&relay.link().figures().up, &relay.link().figures().down}) {
    ASSERT_EQ(way->packets_out(), 10U);
    // what the model said is exact: small messages that find an open window take the delay alone
    EXPECT_NEAR(way->delay_asked().mean_s(), 0.020, 1e-12);
    EXPECT_NEAR(way->delay_asked().deviation_s(), 0.0, 1e-12);
    // and what was given differs by the lateness that is reported
    EXPECT_NEAR(way->delay_given().mean_s(), 0.020 + way->lateness().mean_s(), 1e-9);
  }
}

TEST(TcpRelay, EachDirectionEndsByItself) {
  TestServer server;
  RelayThread relay(link_with("delay 2ms"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  client.say("a question");
  client.finish();
  EXPECT_EQ(served.hear(10), "a question");
  EXPECT_EQ(served.how_it_ends(), 0);
  const std::string answer = counted_text(300'000);
  EXPECT_TRUE(served.say(answer));
  EXPECT_TRUE(client.hear(answer.size()) == answer);
  served.close();
  EXPECT_EQ(client.how_it_ends(), 0);
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
  EXPECT_EQ(relay.link().held_bytes(), 0U);
}

TEST(TcpRelay, BothMayEndAtOnce) {
  TestServer server;
  RelayThread relay(link_with("delay 5ms"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  client.say("up");
  served.say("down");
  client.finish();
  served.finish();
  EXPECT_EQ(served.hear(2), "up");
  EXPECT_EQ(client.hear(4), "down");
  EXPECT_EQ(served.how_it_ends(), 0);
  EXPECT_EQ(client.how_it_ends(), 0);
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
}

TEST(TcpRelay, ServerMayEndFirst) {
  TestServer server;
  RelayThread relay(link_with("delay 1ms"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  served.say("last words");
  served.finish();
  EXPECT_EQ(client.hear(10), "last words");
  EXPECT_EQ(client.how_it_ends(), 0);
  client.say("thanks");
  EXPECT_EQ(served.hear(6), "thanks");
  client.close();
  EXPECT_EQ(served.how_it_ends(), 0);
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
}

TEST(TcpRelay, ResetOfTheClientReachesTheServerAfterTheDelay) {
  TestServer server;
  RelayThread relay(link_with("delay 10ms"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  client.say("x");
  EXPECT_EQ(served.hear(1), "x");
  const auto begin = SteadyClock::now();
  client.reset();
  EXPECT_EQ(served.how_it_ends(), ECONNRESET);
  EXPECT_GE(SteadyClock::now() - begin, 10ms);
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
}

TEST(TcpRelay, ResetOfTheServerReachesTheClient) {
  TestServer server;
  RelayThread relay(link_with(""), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  served.say("x");
  EXPECT_EQ(client.hear(1), "x");
  served.reset();
  EXPECT_EQ(client.how_it_ends(), ECONNRESET);
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
}

TEST(TcpRelay, ResetInTheMiddleOfALargeTransferFreesEverything) {
  TestServer server;
  RelayThread relay(link_with("delay 5ms rate 20mbit"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  TestSocket served = server.accept();
  EXPECT_TRUE(client.say(counted_text(1'000'000)));
  EXPECT_EQ(served.hear(1000).size(), 1000U);
  client.reset();
  while (served.hear(100'000).size() == 100'000) {
  }
  EXPECT_EQ(served.how_it_ends(), 0) << "once told, a socket has nothing more to say";
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
  EXPECT_EQ(relay.link().held_bytes(), 0U);
}

TEST(TcpRelay, RefusingServerResetsTheClientAfterTheWayThereAndBack) {
  TestServer server;
  RelayThread relay(link_with("delay 10ms"), server.address());
  server.close();
  const auto begin = SteadyClock::now();
  TestSocket client = TestSocket::to(relay.address());
  EXPECT_EQ(client.how_it_ends(), ECONNRESET);
  // the handshake takes three ways, the refusal one
  EXPECT_GE(SteadyClock::now() - begin, 40ms);
  EXPECT_TRUE(relay.eventually([&] { return relay.relay().connections() == 0; }));
  EXPECT_EQ(relay.link().figures().conversations_refused, 1U);
}

TEST(TcpRelay, ClientThatGivesUpBeforeTheServerIsCalledLeavesNothing) {
  TestServer server;
  RelayThread relay(link_with("delay 50ms"), server.address());
  TestSocket client = TestSocket::to(relay.address());
  client.say("too early");
  client.reset();
  EXPECT_TRUE(relay.eventually([&] {
    return relay.link().figures().conversations == 1 && relay.relay().connections() == 0;
  }));
  EXPECT_EQ(relay.link().held_bytes(), 0U);
}

TEST(TcpRelay, TooManyAreRefused) {
  TestServer server;
  TcpRelayOptions options;
  options.most_connections = 2;
  RelayThread relay(link_with(""), server.address(), options);
  TestSocket first = TestSocket::to(relay.address());
  TestSocket second = TestSocket::to(relay.address());
  TestSocket third = TestSocket::to(relay.address());
  EXPECT_EQ(third.how_it_ends(), ECONNRESET);
  TestSocket served = server.accept();
  first.say("still here");
  relay.stop();
  EXPECT_EQ(relay.link().figures().conversations_refused, 1U);
  EXPECT_EQ(relay.link().figures().conversations, 2U);
}

TEST(TcpRelay, CaptureHasEveryByteTwiceWithItsEnds) {
  TestServer server;
  auto reactor = std::move(system::Reactor::make()).value();
  TcpLink link(*reactor, link_with(""));
  const std::string path = testing::TempDir() + "tcp_relay_test.pcap";
  auto capture = std::move(Capture::open(path, 0)).value();
  TcpRelayOptions options;
  options.listen = {"127.0.0.1", 0};
  options.to = {"127.0.0.1", port_of(server.address())};
  auto relay = std::move(TcpRelay::make(*reactor, link, capture.get(), options)).value();
  std::jthread runner([&] { reactor->run(); });
  TestSocket client = TestSocket::to(relay->address());
  TestSocket served = server.accept();
  client.say("a question");
  EXPECT_EQ(served.hear(10), "a question");
  client.close();
  EXPECT_EQ(served.how_it_ends(), 0);
  reactor->stop();
  runner.join();
  // two handshakes of three segments, the question in and out, its FIN in and out
  EXPECT_GE(capture->packets(), 3U + 3U + 2U + 2U);
  relay.reset();
  capture.reset();
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::size_t first = bytes.find("a question");
  ASSERT_NE(first, std::string::npos);
  EXPECT_NE(bytes.find("a question", first + 1), std::string::npos);
}

TEST(TcpRelay, TakenPortIsSaidInWords) {
  TestServer taken;
  auto reactor = std::move(system::Reactor::make()).value();
  TcpLink link(*reactor, link_with(""));
  TcpRelayOptions options;
  options.listen = {"127.0.0.1", port_of(taken.address())};
  options.to = {"127.0.0.1", 9};
  const auto relay = TcpRelay::make(*reactor, link, nullptr, options);
  ASSERT_FALSE(relay.has_value());
  EXPECT_EQ(relay.error().message,
            "cannot listen at 127.0.0.1:" + std::to_string(port_of(taken.address())) +
                ": Address already in use");
}

}  // namespace
}  // namespace longarm::proxy
