// SPDX-License-Identifier: Apache-2.0
// How long a sender waits: smoothed round trips, back-off, giving up, probes.
#include <vector>

#include <gtest/gtest.h>

#include "longarm/network/builtin/tcp/round_trip.h"
#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

TcpOptions with_rule(RtoRule rule) {
  TcpOptions options;
  options.rto_rule = rule;
  return options;
}

TEST(TcpRoundTrip, FollowsRfc6298) {
  RoundTrip trip(with_rule(RtoRule::kRfc6298));
  EXPECT_EQ(trip.timeout(), 1s);  // before any measurement
  trip.measure(100ms, 1, 1);
  EXPECT_EQ(trip.timeout(), 300ms);  // SRTT 100, RTTVAR 50
  trip.measure(200ms, 2, 2);
  EXPECT_EQ(trip.smoothed(), 112'500us);  // 100 + 100/8
  EXPECT_EQ(trip.timeout(), 362'500us);   // RTTVAR 3/4 50 + 1/4 100 = 62.5
}

TEST(TcpRoundTrip, WaitsAtLeastTheMinimumByRfc6298) {
  RoundTrip trip(with_rule(RtoRule::kRfc6298));
  trip.measure(10ms, 1, 1);  // 10 + 4 x 5 = 30
  EXPECT_EQ(trip.timeout(), 200ms);
}

TEST(TcpRoundTrip, AddsTheMinimumInLinux) {
  RoundTrip trip(with_rule(RtoRule::kLinux));
  trip.measure(40ms, 1, 1);  // 40 + max(2 x 40, 200)
  EXPECT_EQ(trip.timeout(), 240ms);
}

TEST(TcpRoundTrip, LinuxCountsAShorterRoundTripAnEighth) {
  RoundTrip trip(with_rule(RtoRule::kLinux));
  trip.measure(1s, 1, 100);  // SRTT 1000, 4 x deviation 2000
  EXPECT_EQ(trip.timeout(), 3s);
  // Error -900: 900 - 2000/4 = 400, an eighth of it is 50. SRTT 1000 - 900/8 = 887.5.
  trip.measure(100ms, 2, 100);
  EXPECT_EQ(trip.timeout(), 887'500us + 2'050ms);
}

TEST(TcpRoundTrip, LinuxLetsTheMarginFallByAQuarterARound) {
  RoundTrip trip(with_rule(RtoRule::kLinux));
  trip.measure(1s, 1, 100);
  // No error: the deviation falls from 2000 to 1500, but the peak of this round was 2000.
  trip.measure(1s, 101, 200);
  EXPECT_EQ(trip.timeout(), 3s);
  // 1125 is the peak of the second round: 2000 - (2000 - 1125)/4 = 1781.25.
  trip.measure(1s, 201, 300);
  EXPECT_EQ(trip.timeout(), 1s + 1'781'250us);
}

// When segments with data leave the client, from the first on.
std::vector<Duration> sendings(const TcpBench& bench) {
  std::vector<Duration> times;
  Time first = Time::max();
  for (const TraceEntry& entry : bench.trace) {
    if (entry.side == 0 && entry.segment.length > 0) {
      first = std::min(first, entry.time);
      times.push_back(entry.time - first);
    }
  }
  return times;
}

/// Writes 100 ms after the handshake.
void write_after_connecting(TcpBench& bench, std::uint32_t size_bytes) {
  bench.on_connected = [&bench, size_bytes](int side) {
    if (side == 0) {
      bench.call_at(bench.now() + 100ms,
                    [&bench, size_bytes] { bench.client().write(bench.now(), size_bytes); });
    }
  };
  bench.connect_at(Time{1ms});
}

TEST(TcpTimeout, DoublesUntilItGivesUp) {
  TcpOptions options = with_rule(RtoRule::kRfc6298);
  options.max_retries = 3;
  WireOptions there;
  there.is_dropped = [](std::uint64_t, const Segment& segment) { return segment.length > 0; };
  TcpBench bench(options, options, there, WireOptions{});
  write_after_connecting(bench, 100);
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(sendings(bench), (std::vector<Duration>{0ms, 200ms, 600ms, 1400ms}));
  EXPECT_EQ(bench.why_reset(0), "no answer");
  EXPECT_EQ(bench.client().counters().timeouts, 3U);
  // The peer is told, so that it does not wait for ever.
  EXPECT_EQ(bench.why_reset(1), "reset by peer");
}

TEST(TcpTimeout, NeverWaitsLongerThanAMinute) {
  TcpOptions options = with_rule(RtoRule::kRfc6298);
  WireOptions there;
  there.is_dropped = [](std::uint64_t, const Segment& segment) { return segment.length > 0; };
  TcpBench bench(options, options, there, WireOptions{});
  write_after_connecting(bench, 100);
  ASSERT_TRUE(bench.run(Time{1h}));
  const auto times = sendings(bench);
  ASSERT_EQ(times.size(), 16U);  // once and 15 retries
  // 0.2 x 2^8 = 51.2 s is the last doubling below 60 s.
  EXPECT_EQ(times[9] - times[8], 51'200ms);
  EXPECT_EQ(times[10] - times[9], 60s);
  EXPECT_EQ(times[15] - times[14], 60s);
}

TEST(TcpTimeout, SaysNothingAboutTheRoundTripOfWhatWasSentTwice) {
  TcpOptions options = with_rule(RtoRule::kRfc6298);
  options.has_timestamps = false;
  WireOptions there;
  there.dropped = {1};
  TcpBench bench(options, options, there, WireOptions{});
  write_after_connecting(bench, 100);
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(bench.readable(1), 101U);
  // Of the SYNs alone: 2 x (10 ms + (32 + 22) x 0.8 us).
  EXPECT_EQ(bench.client().state().smoothed_rtt, 20'086'400ns);
}

TEST(TcpTimeout, TimestampsMeasureASecondSending) {
  TcpOptions options = with_rule(RtoRule::kRfc6298);
  WireOptions there;
  there.dropped = {1};
  TcpBench bench(options, options, there, WireOptions{});
  write_after_connecting(bench, 100);
  ASSERT_TRUE(bench.run(Time{1h}));
  // The SYNs took 2 x (10 ms + 62 x 0.8 us) = 20.0992 ms, the data and its acknowledgement
  // 20 ms + (154 + 54) x 0.8 us = 20.1664 ms: an eighth of the 67.2 us between is 8.4 us.
  EXPECT_EQ(bench.client().state().smoothed_rtt, 20'107'600ns);
}

TEST(TcpTimeout, LinuxWaitsLongerForALoneSegmentAndProbesOnceBeforeItBacksOff) {
  TcpOptions options;
  WireOptions there;
  there.is_dropped = [](std::uint64_t, const Segment& segment) { return segment.length > 0; };
  options.max_retries = 2;
  TcpBench bench(options, options, there, WireOptions{});
  write_after_connecting(bench, 100);
  ASSERT_TRUE(bench.run(Time{1h}));
  // RTO 20.0992 + 200 ms comes before the probe (2 x 20.0992 + 200 ms); the probe that takes its
  // place does not double it, the timeouts after it do.
  const Duration once = 220'099'200ns;
  EXPECT_EQ(sendings(bench), (std::vector<Duration>{0ms, once, 2 * once, 4 * once}));
  EXPECT_EQ(bench.client().counters().tail_probes, 1U);
  EXPECT_EQ(bench.client().counters().timeouts, 2U);  // the last of them gives up; a probe is none
}

TEST(TcpTimeout, LinuxProbesTheTailAfterTwoRoundTrips) {
  WireOptions there;
  there.dropped = {4, 5};
  TcpBench bench(TcpOptions{}, TcpOptions{}, there, WireOptions{});
  write_after_connecting(bench, 5 * 1448);
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(bench.readable(1), 5U * 1448 + 1);
  EXPECT_EQ(bench.client().counters().timeouts, 0U);
  EXPECT_EQ(bench.client().counters().tail_probes, 1U);
  const auto times = sendings(bench);
  ASSERT_EQ(times.size(), 7U);
  // A segment has 1502 bytes on the wire: 1.2016 ms; an acknowledgement 54: 43.2 us. The first is
  // acknowledged after 21.2448 ms, the third after 23.648 ms, counted from when all were sent.
  // SRTT: 20.0992, + 1.1456/8 = 20.2424, + 3.4056/8 = 20.6681 ms. The probe is the last segment.
  EXPECT_EQ(times[5], 23'648'000ns + 2 * 20'668'100ns + 2ms);
  // What was sent before the probe and has not arrived is lost: one round trip later, without any
  // more duplicates, the fourth follows (the SACK makes its header 12 bytes longer: 52.8 us).
  EXPECT_EQ(times[6], times[5] + 1'201'600ns + 52'800ns + 20ms);
}

}  // namespace
}  // namespace longarm::network::tcp
