// SPDX-License-Identifier: Apache-2.0
// Streams that stay on a host, and datagrams.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/link_fixture.h"
#include "longarm/network/test/streams_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class StreamsOnOneHost : public StreamsFixture {
 protected:
  void start(Duration loopback) {
    on_hosts = [loopback](std::vector<Host>& hosts) {
      hosts[0].loopback.fixed = loopback;
      hosts[0].stack_send.fixed = 1s;  // not used
    };
    StreamsFixture::start(chain(cable(1e7, 1ms)));
    connect(true);
  }
};

TEST_F(StreamsOnOneHost, TheHandshakeAndEveryWriteTakeTheLoopbacksTime) {
  start(30us);
  at_time(1ms, [&] { client.write(100); });
  at_time(2ms, [&] { server.write(100); });
  at_time(3ms, [&] { client.stream->shut_down_writing(); });
  run();
  EXPECT_THAT(client.heard, ElementsAre(Pair("connected", 60us), Pair("readable", 2030us)));
  EXPECT_THAT(arrived_, ElementsAre(90us));
  EXPECT_THAT(server.heard, ElementsAre(Pair("readable", 1030us), Pair("fin", 3030us)));
  EXPECT_EQ(client.read, 100U);
  EXPECT_EQ(server.read, 100U);
  EXPECT_THAT(network_->figures().flows, IsEmpty());
}

TEST_F(StreamsOnOneHost, WhatIsWrittenEarlyWaits) {
  start(30us);
  client.write(100);
  client.stream.reset();
  run();
  EXPECT_THAT(server.heard, ElementsAre(Pair("readable", 90us), Pair("fin", 90us)));
}

TEST_F(StreamsOnOneHost, RefusalsAndSilence) {
  doormen_[0].answer = Doorman::Answer::kRefuse;
  start(30us);
  run(1s);
  EXPECT_THAT(client.heard, ElementsAre(Pair("refused", 60us)));
  doormen_[0].answer = Doorman::Answer::kIgnore;
  connect(true);
  run(200s);
  EXPECT_THAT(client.times_of("timed out"), ElementsAre(1s + 127s));
  EXPECT_EQ(doormen_[0].calls, 1 + 7);
}

TEST_F(StreamsOnOneHost, AFullBufferPushesBack) {
  options.receive_buffer_bytes = 10'000;
  options.send_buffer_bytes = 5'000;
  server.reads_at_once = false;
  start(30us);
  at_time(1ms, [&] { client.write(50'000); });
  at_time(10ms, [&] {
    EXPECT_EQ(server.stream->readable(), 10'000U);
    EXPECT_EQ(client.written, 15'000U);
    EXPECT_EQ(client.stream->unsent(), 5'000U);
    EXPECT_EQ(client.stream->room(), 0U);
    server.read_on(1);  // a crumb moves nothing
    EXPECT_EQ(client.stream->unsent(), 5'000U);
    server.reads_at_once = true;
    server.read_on();
  });
  run();
  EXPECT_EQ(server.read, 50'000U);
}

TEST_F(StreamsOnOneHost, ClosingWithSomethingUnreadAndWritingToNobodyReset) {
  server.reads_at_once = false;
  start(30us);
  at_time(1ms, [&] { client.write(10); });
  at_time(2ms, [&] { server.stream.reset(); });
  run();
  EXPECT_THAT(client.times_of("reset"), ElementsAre(2030us));
  EXPECT_EQ(client.stream->write(bytes_from(0, 1)), 0U);
}

TEST_F(StreamsOnOneHost, DataForAClosedEndIsAnsweredByAReset) {
  start(30us);
  at_time(1ms, [&] { server.stream.reset(); });
  at_time(2ms, [&] { client.write(10); });
  run();
  EXPECT_THAT(client.heard,
              ElementsAre(Pair("connected", 60us), Pair("fin", 1030us), Pair("reset", 2060us)));
}

TEST_F(StreamsOnOneHost, AThousandCallsAtOneInstantDoNotRunWithinEachOther) {
  start(0us);
  int depth = 0;
  int deepest = 0;
  const auto answer = [&](Program& program) {
    deepest = std::max(deepest, ++depth);
    if (program.written < 1000) {
      program.write(1);
    }
    --depth;
  };
  client.on_readable = [&] { answer(client); };
  server.on_readable = [&] { answer(server); };
  at_time(1ms, [&] { client.write(1); });
  run();
  EXPECT_EQ(client.read, 1000U);
  EXPECT_EQ(server.read, 1000U);
  EXPECT_EQ(deepest, 1);
  EXPECT_EQ(client.heard.back().second, 1ms);
}

TEST_F(StreamsFixture, OtherNetworksAreRefusedInWords) {
  Network ideal(kernel_, make_ideal_backend(chain(cable(1e7, 1ms))), std::vector<Host>(2), 1);
  const auto made = make_streams(kernel_, ideal);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "programs need the built-in network: 'ideal' carries messages, but no streams of "
            "bytes");
}

class StreamsDatagrams : public StreamsFixture {
 protected:
  struct Datagram {
    Duration time{};
    HostPort from;
    HostPort to;
    std::vector<std::byte> bytes;
  };

  void start(const Topology& topology) {
    StreamsFixture::start(topology);
    for (TestDoorman& doorman : doormen_) {
      doorman.on_datagram = [this](HostPort to, HostPort from, std::span<const std::byte> bytes) {
        datagrams.push_back(
            {kernel_.now().time_since_epoch(), from, to, {bytes.begin(), bytes.end()}});
      };
      doorman.on_unreachable = [this](HostPort from, HostPort to) {
        unreachable.emplace_back(from, to);
        unreachable_at.push_back(kernel_.now().time_since_epoch());
      };
    }
  }
  void send(std::size_t size, bool is_loopback = false) {
    EXPECT_TRUE(streams_->send_datagram({host(0), 1000}, {is_loopback ? host(0) : far(), 2000}, 0,
                                        bytes_from(0, size), 0));
  }
  std::vector<Duration> times() const {
    std::vector<Duration> all;
    for (const Datagram& datagram : datagrams) {
      all.push_back(datagram.time);
    }
    return all;
  }

  std::vector<Datagram> datagrams;
  std::vector<std::pair<HostPort, HostPort>> unreachable;
  std::vector<Duration> unreachable_at;
};

TEST_F(StreamsDatagrams, ArriveWithTheirPortsAndContentsOnceTheLastFragmentHas) {
  start(chain(cable(1e7, 1ms)));
  at_time(1ms, [&] { send(4000); });
  run();
  // 4008 bytes in 1480 + 1480 + 1048, each with 20 of IP and 2 of PPP: 4074 bytes are 3259.2 us
  EXPECT_THAT(times(), ElementsAre(1ms + 3'259'200ns + 1ms));
  ASSERT_EQ(datagrams.size(), 1U);
  EXPECT_EQ(datagrams[0].from, (HostPort{host(0), 1000}));
  EXPECT_EQ(datagrams[0].to, (HostPort{far(), 2000}));
  EXPECT_EQ(datagrams[0].bytes, bytes_from(0, 4000));
}

TEST_F(StreamsDatagrams, EmptyOnesArriveToo) {
  start(chain(cable(1e7, 1ms)));
  at_time(1ms, [&] { send(0); });
  run();
  EXPECT_THAT(times(), ElementsAre(1ms + 24us + 1ms));  // 20 + 8 + 2 bytes
}

TEST_F(StreamsDatagrams, APortWithoutAnybodyAnswersWithFiftySixBytes) {
  start(chain(cable(1e7, 1ms)));
  doormen_[1].takes_datagrams = false;
  at_time(1ms, [&] { send(72); });
  run();
  // 72 + 28 + 2 bytes there, 56 + 2 back
  EXPECT_THAT(unreachable, ElementsAre(Pair(HostPort{host(0), 1000}, HostPort{far(), 2000})));
  EXPECT_THAT(unreachable_at, ElementsAre(1ms + 81'600ns + 1ms + 46'400ns + 1ms));
}

TEST_F(StreamsDatagrams, OnOneHostTheyTakeItsLoopback) {
  on_hosts = [](std::vector<Host>& hosts) { hosts[0].loopback.fixed = 30us; };
  start(chain(cable(1e7, 1ms)));
  at_time(1ms, [&] { send(60'000, true); });
  at_time(2ms, [&] {
    doormen_[0].takes_datagrams = false;
    send(1, true);
  });
  run();
  EXPECT_THAT(times(), ElementsAre(1030us));
  EXPECT_THAT(unreachable_at, ElementsAre(2060us));
}

TEST_F(StreamsDatagrams, TheNetworksCopiesAndLossesReachPrograms) {
  const auto netem = [](const std::string& line) {
    const std::shared_ptr<LinkModel> made = built_in_link_models().make("netem");
    KeyFields fields({{"netem", line}});
    made->list_fields(fields);
    EXPECT_TRUE(fields.rejections.empty());
    return made;
  };
  Cable doubling = cable(1e7, 1ms);
  doubling.impairment[0] = netem("duplicate 100%");
  start(chain(doubling));
  at_time(1ms, [&] { send(10); });
  // two fragments, each twice: the second copy of the first comes too early for another datagram
  at_time(2ms, [&] { send(2000); });
  run();
  EXPECT_EQ(datagrams.size(), 3U);
}

TEST_F(StreamsDatagrams, ThoseThatAreLostAreNotHeardOf) {
  Cable down = cable(1e7, 1ms);
  CableChange change;
  change.at = at(2ms);
  change.is_up = false;
  down.changes = {change};
  start(chain(down));
  at_time(3ms, [&] { send(5000); });
  run();
  EXPECT_THAT(datagrams, IsEmpty());
}

}  // namespace
}  // namespace longarm::network
