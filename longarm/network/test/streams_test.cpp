// SPDX-License-Identifier: Apache-2.0
// Streams of programs over cables: connecting, contents, windows, ends.
#include "longarm/network/streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/test/streams_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Only distance takes time: 10 ms.
Cable distance() {
  Cable endless = cable(1.0, 10ms);
  endless.rate_bit_s.reset();
  return endless;
}

class StreamsOverCables : public StreamsFixture {};

TEST_F(StreamsOverCables, AConnectionTakesARoundTripOfTheHandshakesFrames) {
  // SYN and SYN|ACK: 14 + 20 + 40 bytes, 4 of check and 8 of preamble: 86 bytes are 6.88 us at
  // 100 Mbit/s; the ACK has 32 instead of 40 bytes of TCP: 6.24 us
  start(chain(cable(1e8, 1ms, Framing::kEthernet)));
  connect();
  run();
  EXPECT_THAT(client.times_of("connected"), ElementsAre(2 * (6'880ns + 1ms)));
  EXPECT_THAT(arrived_, ElementsAre(2 * (6'880ns + 1ms) + 6'240ns + 1ms));
  EXPECT_EQ(server.stream->remote(), (HostPort{host(0), 40'000}));
  EXPECT_EQ(server.stream->local(), (HostPort{far(), 80}));
}

TEST_F(StreamsOverCables, BytesGoBothWaysAndWholeThoughWritesAreNot) {
  start(chain(cable(1e8, 1ms, Framing::kEthernet), 2));
  connect();
  at_time(100ms, [&] {
    client.write(1);
    client.write(70'000);
    server.write(300'000);
  });
  run();
  EXPECT_EQ(server.read, 70'001U);
  EXPECT_EQ(client.read, 300'000U);
  EXPECT_EQ(client.stream->unacknowledged(), 0U);
  EXPECT_EQ(client.stream->unsent(), 0U);
}

TEST_F(StreamsOverCables, WhatIsWrittenBeforeTheConnectionStandsWaits) {
  start(chain(distance()));
  connect();
  client.write(1000);
  EXPECT_EQ(client.stream->unsent(), 1000U);
  EXPECT_EQ(client.stream->unacknowledged(), 1000U);
  run();
  EXPECT_THAT(server.times_of("readable"), ElementsAre(30ms));
  EXPECT_EQ(server.read, 1000U);
}

TEST_F(StreamsOverCables, APortWithoutAnybodyRefusesAfterOneRoundTrip) {
  start(chain(distance()));
  doormen_[1].answer = Doorman::Answer::kRefuse;
  connect();
  run();
  EXPECT_THAT(client.heard, ElementsAre(std::pair("refused", 20ms)));
  EXPECT_FALSE(client.stream->is_connected());
  EXPECT_EQ(client.stream->write(bytes_from(0, 10)), 0U);
}

TEST_F(StreamsOverCables, AHostWithoutADoormanRefuses) {
  start(star(3, distance()));
  const auto made = streams_->connect({host(0), 1}, {host(1), 2}, 0, options, 0, client);
  ASSERT_TRUE(made);
  run();
  EXPECT_THAT(client.heard, ElementsAre(std::pair("refused", 40ms)));
}

TEST_F(StreamsOverCables, AnIgnoredCallIsRepeatedAndGivenUp) {
  start(chain(distance()));
  doormen_[1].answer = Doorman::Answer::kIgnore;
  connect();
  run(200s);
  // after 1, 2, 4 … 32 s again, and given up 64 s later
  EXPECT_EQ(doormen_[1].calls, 7);
  EXPECT_THAT(client.heard, ElementsAre(std::pair("timed out", 127s)));
}

TEST_F(StreamsOverCables, AnIgnoredCallMayBeAnsweredLater) {
  start(chain(distance()));
  doormen_[1].answer = Doorman::Answer::kIgnore;
  connect();
  at_time(500ms, [&] { doormen_[1].answer = Doorman::Answer::kAccept; });
  run();
  EXPECT_THAT(client.heard, ElementsAre(std::pair("connected", 1s + 20ms)));
}

TEST_F(StreamsOverCables, OneHalfMayCloseAndTheOtherGoesOn) {
  start(chain(distance()));
  connect();
  client.write(500);
  client.stream->shut_down_writing();
  server.on_readable = [&] {
    if (server.stream && server.stream->is_at_end() && server.to_write == 0) {
      server.write(server.read);  // an echo of all
      server.stream.reset();
    }
  };
  run();
  EXPECT_EQ(client.read, 500U);
  EXPECT_THAT(server.times_of("fin"), ElementsAre(30ms));
  EXPECT_THAT(client.heard, ElementsAre(std::pair("connected", 20ms), std::pair("readable", 40ms),
                                        std::pair("fin", 40ms)));
  EXPECT_TRUE(client.stream->is_at_end());
}

TEST_F(StreamsOverCables, ClosingWithSomethingUnreadResets) {
  start(chain(distance()));
  connect();
  server.reads_at_once = false;
  at_time(100ms, [&] { client.write(10); });
  at_time(200ms, [&] { server.stream.reset(); });
  run();
  EXPECT_THAT(client.times_of("reset"), ElementsAre(210ms));
}

TEST_F(StreamsOverCables, ClosingWithNothingUnreadSendsAFin) {
  start(chain(distance()));
  connect();
  at_time(100ms, [&] { client.write(10); });
  at_time(200ms, [&] { server.stream.reset(); });
  run();
  EXPECT_THAT(client.times_of("reset"), IsEmpty());
  EXPECT_THAT(client.times_of("fin"), ElementsAre(210ms));
}

TEST_F(StreamsOverCables, DataForAClosedEndIsAnsweredByAReset) {
  start(chain(distance()));
  connect();
  at_time(100ms, [&] { server.stream.reset(); });
  at_time(200ms, [&] { client.write(10); });
  run();
  EXPECT_THAT(client.times_of("fin"), ElementsAre(110ms));
  EXPECT_THAT(client.times_of("reset"), ElementsAre(220ms));
}

TEST_F(StreamsOverCables, AResetIsHeardOneWayLaterAndWhatArrivedCanBeRead) {
  start(chain(distance()));
  connect();
  client.reads_at_once = false;
  at_time(100ms, [&] { server.write(10); });
  at_time(200ms, [&] { server.stream->reset(); });
  run();
  EXPECT_THAT(client.times_of("reset"), ElementsAre(210ms));
  EXPECT_EQ(client.read_on(), 10U);
  EXPECT_THAT(server.times_of("reset"), IsEmpty());
}

TEST_F(StreamsOverCables, BothMayCloseAtOnce) {
  start(chain(distance()));
  connect();
  at_time(100ms, [&] {
    client.stream->shut_down_writing();
    server.stream->shut_down_writing();
  });
  run();
  EXPECT_THAT(client.times_of("fin"), ElementsAre(110ms));
  EXPECT_THAT(server.times_of("fin"), ElementsAre(110ms));
}

TEST_F(StreamsOverCables, WhoeverGoesBeforeTheAnswerLeavesNobodyBehind) {
  start(chain(distance()));
  connect();
  at_time(5ms, [&] { client.stream.reset(); });
  run();
  EXPECT_EQ(doormen_[1].calls, 1);
  EXPECT_THAT(arrived_, IsEmpty());
}

TEST_F(StreamsOverCables, AWindowIsFullUntilTheProgramReads) {
  start(chain(distance()));
  options.receive_buffer_bytes = 40'000;  // there is memory for 80 000
  options.send_buffer_bytes = 30'000;
  connect();
  server.reads_at_once = false;
  at_time(100ms, [&] { client.write(200'000); });
  at_time(50s, [&] {
    EXPECT_EQ(server.stream->readable(), 80'000U);
    // the last acknowledgement freed less than a third of the send buffer
    EXPECT_GT(client.stream->unacknowledged(), 20'000U);
    EXPECT_EQ(client.stream->unsent(), client.stream->unacknowledged());
    EXPECT_EQ(client.stream->room(), 30'000U - client.stream->unacknowledged());
    EXPECT_EQ(client.written, 80'000U + client.stream->unacknowledged());
    server.reads_at_once = true;
    server.read_on();
  });
  run(50s + 9ms);
  EXPECT_EQ(server.read, 80'000U);
  // the news of the window takes 10 ms, and the initial window, for it was long idle, 10 more
  run(50s + 21ms);
  EXPECT_EQ(server.read, 80'000U + 10 * 1448U);
  run();
  EXPECT_EQ(server.read, 200'000U);
}

TEST_F(StreamsOverCables, ThroughputIsAWindowForEachRoundTrip) {
  start(chain(distance()));
  options.receive_buffer_bytes = 14'480;  // ten segments, as many as go at once in the beginning
  options.delayed_ack_segments = 1;
  connect();
  at_time(100ms, [&] { client.write(1'448'000); });
  run();
  EXPECT_EQ(server.read, 1'448'000U);
  // 100 windows: the last leaves 99 round trips later
  EXPECT_EQ(server.times_of("readable").back(), 100ms + 99 * 20ms + 10ms);
}

TEST_F(StreamsOverCables, WritersAreToldWhenAThirdOfTheirBufferIsFree) {
  start(chain(distance()));
  options.send_buffer_bytes = 4'344;  // three segments
  connect();
  at_time(100ms, [&] {
    client.write(5'000);
    EXPECT_EQ(client.written, 4'344U);
  });
  run();
  EXPECT_THAT(client.times_of("writable"), ElementsAre(120ms));
  EXPECT_EQ(server.read, 5'000U);
}

TEST_F(StreamsOverCables, PeekingLeavesEverythingWhereItIs) {
  start(chain(distance()));
  connect();
  server.reads_at_once = false;
  at_time(100ms, [&] { client.write(100); });
  run();
  std::vector<std::byte> out(30);
  EXPECT_EQ(server.stream->peek(out, 80), 20U);
  EXPECT_EQ(out[19], byte_at(99));
  EXPECT_EQ(server.stream->peek(out, 100), 0U);
  EXPECT_EQ(server.read_on(), 100U);
}

TEST_F(StreamsOverCables, StacksTakeTheirTimeAtBothEndsAndKeepTheOrder) {
  on_hosts = [](std::vector<Host>& hosts) {
    hosts[0].stack_send.fixed = 1ms;
    hosts[0].stack_send.per_byte_ns = 1000.0;
    hosts[1].stack_receive.fixed = 2ms;
    hosts[1].stack_receive.per_byte_ns = 2000.0;
  };
  start(chain(distance()));
  connect();
  at_time(100ms, [&] {
    client.write(100);  // 1.1 + 10 + 2.2 ms
    client.write(10);   // ready before, but behind it
    client.stream->shut_down_writing();
  });
  run();
  EXPECT_THAT(server.times_of("readable"), ElementsAre(113'300us, 113'300us));
  EXPECT_THAT(server.times_of("fin"), ElementsAre(113'300us));
}

}  // namespace
}  // namespace longarm::network
