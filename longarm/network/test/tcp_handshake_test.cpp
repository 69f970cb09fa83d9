// SPDX-License-Identifier: Apache-2.0
// How two ends find each other, what they agree on, and what happens if one is not there.
#include <vector>

#include <gtest/gtest.h>

#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

TEST(TcpHandshake, TakesAnExchangeForTheCallerAndOneMoreSegmentForTheCalled) {
  // A SYN has 40 bytes with all options, 22 of IP and PPP: 496 bits, 49.6 us at 10 Mb/s; it arrives
  // after 10.0496 ms. The answer is as long. The last ACK has 32 + 22 bytes: 43.2 us.
  TcpBench bench(TcpOptions{}, WireOptions{});
  std::vector<Time> connected(2);
  bench.on_connected = [&](int side) { connected[static_cast<std::size_t>(side)] = bench.now(); };
  bench.connect_at(Time{1ms});
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(connected[0], Time{1ms + 2 * 10'049'600ns});
  EXPECT_EQ(connected[1], Time{1ms + 2 * 10'049'600ns + 10'043'200ns});
}

TEST(TcpHandshake, HeadersAreAsLongAsTheirOptions) {
  TcpOptions options;
  Segment syn;
  syn.is_syn = syn.permits_sack = syn.has_timestamp = true;
  EXPECT_EQ(syn.header_bytes(options), 40U);  // MSS 4, SACK 2, timestamps 10, NOP 1, scale 3
  syn.has_timestamp = false;
  EXPECT_EQ(syn.header_bytes(options), 32U);  // MSS 4, NOPs and SACK 4, NOP and scale 4
  options.send_latency = 1ns;                 // ns-3: scale 3, SACK 2, padded
  EXPECT_EQ(syn.header_bytes(options), 28U);
  syn.has_timestamp = true;
  EXPECT_EQ(syn.header_bytes(options), 36U);

  Segment segment;
  EXPECT_EQ(segment.header_bytes(options), 20U);
  segment.has_timestamp = true;
  EXPECT_EQ(segment.header_bytes(options), 32U);
  segment.sack_count = 2;
  EXPECT_EQ(segment.header_bytes(options), 52U);  // and 2 NOPs, 2, 2 x 8
}

TEST(TcpHandshake, UsesWhatBothSidesOffer) {
  TcpOptions rich;
  TcpOptions poor;
  poor.has_sack = poor.has_timestamps = false;
  poor.mss_bytes = 500;
  TcpBench bench(rich, poor, WireOptions{}, WireOptions{});
  bench.on_connected = [&](int side) {
    if (side == 0) {
      bench.client().write(bench.now(), 1200);
    }
  };
  bench.connect_at(Time{1ms});
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(bench.readable(1), 1201U);
  std::vector<std::uint32_t> lengths;
  for (const TraceEntry& entry : bench.trace) {
    if (!entry.segment.is_syn) {
      EXPECT_FALSE(entry.segment.has_timestamp);
    }
    if (entry.segment.length > 0) {
      lengths.push_back(entry.segment.length);
    }
  }
  EXPECT_EQ(lengths, (std::vector<std::uint32_t>{500, 500, 200}));
}

TEST(TcpHandshake, CallsSevenTimesWithDoublingWaitsThenGivesUp) {
  WireOptions dead;
  dead.is_dropped = [](std::uint64_t, const Segment&) { return true; };
  TcpBench bench(TcpOptions{}, TcpOptions{}, dead, dead);
  bench.connect_at(Time{0s});
  ASSERT_TRUE(bench.run());
  std::vector<Time> calls;
  for (const TraceEntry& entry : bench.trace) {
    calls.push_back(entry.time);
  }
  EXPECT_EQ(calls, (std::vector<Time>{Time{0s}, Time{1s}, Time{3s}, Time{7s}, Time{15s}, Time{31s},
                                      Time{63s}}));
  EXPECT_EQ(bench.why_reset(0), "no answer");
  EXPECT_EQ(bench.now(), Time{127s});
  EXPECT_TRUE(bench.client().is_closed());
}

TEST(TcpHandshake, IsRefusedWhereNobodyListens) {
  TcpBench bench(TcpOptions{}, WireOptions{});
  bench.call_at(Time{0s}, [&] { bench.client().connect(bench.now()); });
  ASSERT_TRUE(bench.run());
  EXPECT_EQ(bench.why_reset(0), "refused");
  // SYN 49.6 us, RST without options (20 + 22 bytes) 33.6 us.
  EXPECT_EQ(bench.now(), Time{20ms + 49'600ns + 33'600ns});
}

TEST(TcpHandshake, DataStandsInForALostLastAcknowledgement) {
  WireOptions there;
  there.is_dropped = [](std::uint64_t index, const Segment&) { return index == 2; };
  TcpBench bench(TcpOptions{}, TcpOptions{}, there, WireOptions{});
  bench.connect_at(Time{0s});
  bench.on_connected = [&](int side) {
    if (side == 0) {
      bench.client().write(bench.now(), 100);
    }
  };
  ASSERT_TRUE(bench.run(Time{900ms}));
  EXPECT_TRUE(bench.is_connected(1));
  EXPECT_EQ(bench.readable(1), 101U);
}

TEST(TcpHandshake, ALostAnswerIsSentAgainWhenTheSynComesAgain) {
  WireOptions back;
  back.is_dropped = [](std::uint64_t index, const Segment&) { return index == 1; };
  TcpBench bench(TcpOptions{}, TcpOptions{}, WireOptions{}, back);
  Time connected{};
  bench.on_connected = [&](int side) { connected = side == 0 ? bench.now() : connected; };
  bench.connect_at(Time{0s});
  ASSERT_TRUE(bench.run(Time{1h}));
  // The second SYN leaves after a second; the called end's own timer would ring 10 ms later.
  EXPECT_EQ(connected, Time{1s + 2 * 10'049'600ns});
  // Which of the two was answered is not known (Karn): the timeout is still the first guess.
  EXPECT_EQ(bench.client().state().smoothed_rtt, 0ns);
}

TEST(TcpHandshake, BothMayCallAtOnce) {
  TcpBench bench(TcpOptions{}, WireOptions{});
  bench.call_at(Time{0s}, [&] { bench.client().connect(bench.now()); });
  bench.call_at(Time{0s}, [&] { bench.server().connect(bench.now()); });
  bench.call_at(Time{1s}, [&] { bench.client().write(bench.now(), 10); });
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_TRUE(bench.is_connected(0));
  EXPECT_TRUE(bench.is_connected(1));
  EXPECT_EQ(bench.readable(1), 11U);
}

}  // namespace
}  // namespace longarm::network::tcp
