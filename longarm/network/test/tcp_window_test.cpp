// SPDX-License-Identifier: Apache-2.0
// How much a sender keeps in flight: by what the network takes and by what the peer has room for.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/network/builtin/tcp/congestion_window.h"
#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

TcpOptions options_for(CongestionControl control, std::int64_t initial_segments = 10) {
  TcpOptions options;
  options.mss_bytes = 1000;
  options.initial_window_segments = initial_segments;
  options.congestion = control;
  options.rto_rule = RtoRule::kRfc6298;
  return options;
}

TEST(TcpCongestionWindow, DoublesUpToTheThresholdThenGrowsByOneSegmentAWindow) {
  CongestionWindow window(options_for(CongestionControl::kReno));
  window.grow(Time{}, 10, 20ms);
  EXPECT_EQ(window.bytes(), 20'000U);
  window.reduce_threshold();
  window.collapse();
  EXPECT_EQ(window.bytes(), 1'000U);
  EXPECT_EQ(window.threshold(), 10'000U);
  window.grow(Time{}, 12,
              20ms);  // nine reach the threshold, three of the ten for the next are left
  EXPECT_EQ(window.bytes(), 10'000U);
  window.grow(Time{}, 6, 20ms);
  EXPECT_EQ(window.bytes(), 10'000U);
  window.grow(Time{}, 1, 20ms);
  EXPECT_EQ(window.bytes(), 11'000U);
  window.grow(Time{}, 11, 20ms);
  EXPECT_EQ(window.bytes(), 12'000U);
}

TEST(TcpCongestionWindow, ThresholdIsAtLeastTwoSegments) {
  CongestionWindow window(options_for(CongestionControl::kReno, 2));
  window.reduce_threshold();
  EXPECT_EQ(window.threshold(), 2'000U);
}

// Acknowledges a window each round trip, two segments at a time.
double cubic_after(CongestionWindow& window, Time from, Duration elapsed, Duration round_trip) {
  for (Time now = from; now < from + elapsed; now += round_trip) {
    for (std::uint64_t i = window.bytes() / 1000; i >= 2; i -= 2) {
      window.grow(now, 2, round_trip);
    }
  }
  return static_cast<double>(window.bytes()) / 1000.0;
}

TEST(TcpCongestionWindow, CubicReturnsToWhereItLostAndGoesBeyond) {
  // From 100 segments to 70; K = cbrt(30 / 0.4) = 4.217 s; W(t) = 100 + 0.4 (t - K)^3:
  // W(2) = 95.6, W(4.2) = 100, W(8.4) = 129.3. The curve is followed one round trip behind.
  CongestionWindow window(options_for(CongestionControl::kCubic, 100));
  window.reduce_threshold();
  window.fall_to_threshold();
  EXPECT_EQ(window.bytes(), 70'000U);
  EXPECT_NEAR(cubic_after(window, Time{0s}, 2s, 100ms), 95.6, 2.0);
  EXPECT_NEAR(cubic_after(window, Time{2s}, 2200ms, 100ms), 100.0, 1.0);
  EXPECT_NEAR(cubic_after(window, Time{4200ms}, 4200ms, 100ms), 129.3, 3.0);
}

TEST(TcpCongestionWindow, CubicIsNoSlowerThanRenoOnShortWays) {
  // 50 round trips of 1 ms: the curve has hardly moved (W(0.05) = 71.1), Reno with the same mean
  // window grows by 3 x 0.3 / 1.7 = 0.529 segments a round trip, to 96.5.
  CongestionWindow window(options_for(CongestionControl::kCubic, 100));
  window.reduce_threshold();
  window.fall_to_threshold();
  EXPECT_NEAR(cubic_after(window, Time{0s}, 50ms, 1ms), 96.5, 2.5);
}

TEST(TcpCongestionWindow, CubicLeavesSlowStartWhenRoundTripsGrow) {
  CongestionWindow window(options_for(CongestionControl::kCubic, 20));
  // A round of 40 ms, far apart so that they are no train; then 44.9 and 45.1 ms: an eighth of the
  // shortest, 5 ms, is the limit, seen after eight samples.
  Time now{1s};
  const auto round = [&](Duration round_trip, Offset acknowledged, Offset next) {
    for (int i = 0; i < 10; ++i) {
      now += 3ms;
      window.observe(now, round_trip, acknowledged, next);
    }
  };
  round(40ms, 1, 100);
  round(44'900us, 101, 200);
  EXPECT_TRUE(window.is_in_slow_start());
  round(45'100us, 201, 300);
  EXPECT_FALSE(window.is_in_slow_start());
}

TEST(TcpCongestionWindow, CubicLeavesSlowStartWhenATrainLastsARoundTrip) {
  CongestionWindow window(options_for(CongestionControl::kCubic, 20));
  Time now{1s};
  for (int i = 0; i <= 21; ++i) {
    EXPECT_TRUE(window.is_in_slow_start()) << i;
    window.observe(now, 20ms, i == 0 ? 1 : 2, 100);
    now += 1ms;
  }
  EXPECT_FALSE(window.is_in_slow_start());
}

void write_when_connected(TcpBench& bench, std::uint32_t size_bytes) {
  bench.on_connected = [&bench, size_bytes](int side) {
    if (side == 0) {
      bench.client().write(bench.now(), size_bytes);
    }
  };
  bench.connect_at(Time{0s});
}

TEST(TcpReceiveWindow, LimitsWhatARoundTripCarries) {
  TcpOptions options = options_for(CongestionControl::kReno);
  options.receive_buffer_bytes = 10'000;
  options.delayed_ack_segments = 1;
  TcpBench bench(options, distance());
  Time done{};
  bench.on_readable = [&](int, Offset) { done = bench.now(); };
  write_when_connected(bench, 100'000);
  ASSERT_TRUE(bench.run(Time{1h}));
  // Connected after 20 ms; ten windows leave 20 ms apart, the last arrives 10 ms later.
  EXPECT_EQ(done, Time{20ms + 9 * 20ms + 10ms});
}

TEST(TcpReceiveWindow, AWindowSmallerThanASegmentStillMoves) {
  TcpOptions options = options_for(CongestionControl::kReno);
  options.receive_buffer_bytes = 500;
  options.delayed_ack_segments = 1;
  TcpBench bench(options, distance());
  Time done{};
  bench.on_readable = [&](int, Offset) { done = bench.now(); };
  write_when_connected(bench, 5'000);
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(done, Time{20ms + 9 * 20ms + 10ms});
}

class TcpZeroWindow : public ::testing::Test {
 protected:
  TcpZeroWindow() {
    options = options_for(CongestionControl::kReno);
    options.receive_buffer_bytes = 3'000;  // the window; there is memory for 6000
    options.delayed_ack_segments = 1;
  }
  std::vector<Time> probes(const TcpBench& bench) {
    std::vector<Time> times;
    for (const TraceEntry& entry : bench.trace) {
      if (entry.side == 0 && entry.time > Time{61ms} && entry.segment.length == 0) {
        times.push_back(entry.time);
      }
    }
    return times;
  }
  static void read_all(TcpBench& bench) {
    EXPECT_TRUE(bench.server().read(6'000));
    bench.server().update_window(bench.now());
  }
  TcpOptions options;
};

TEST_F(TcpZeroWindow, IsAskedAfterWithDoublingWaitsUntilTheProgramReads) {
  TcpBench bench(options, distance());
  bench.server().read_by_hand();
  write_when_connected(bench, 8'000);
  bench.run(Time{2s});
  EXPECT_EQ(bench.readable(1), 6'001U);
  // Three segments leave at 20 ms, three more at 40 ms; the window closes at 60 ms as far as the
  // client knows.
  EXPECT_EQ(probes(bench), (std::vector<Time>{Time{260ms}, Time{660ms}, Time{1460ms}}));
  bench.call_at(Time{2s}, [&] { read_all(bench); });
  ASSERT_TRUE(bench.run(Time{2030ms}));
  // The news takes 10 ms, the rest another 10, and nothing was lost or sent twice.
  EXPECT_EQ(bench.readable(1), 8'001U);
  EXPECT_EQ(bench.client().counters().retransmissions, 0U);
}

TEST_F(TcpZeroWindow, OpensThoughTheNewsWasLost) {
  WireOptions back = distance();
  bool is_cut = false;
  back.is_dropped = [&](std::uint64_t, const Segment&) { return is_cut; };
  TcpBench bench(options, options, distance(), back);
  Time read_at{};
  bench.on_readable = [&](int, Offset) { read_at = bench.now(); };
  bench.server().read_by_hand();
  write_when_connected(bench, 8'000);
  bench.run(Time{700ms});
  is_cut = true;
  read_all(bench);
  is_cut = false;
  ASSERT_TRUE(bench.run(Time{1h}));
  // The probe of 1460 ms hears of it 20 ms later, the rest arrives 10 ms after that.
  EXPECT_EQ(bench.readable(1), 8'001U);
  EXPECT_EQ(read_at, Time{1490ms});
}

TEST_F(TcpZeroWindow, OutlastsAnyNumberOfAnsweredProbes) {
  options.max_retries = 3;
  TcpBench bench(options, distance());
  bench.server().read_by_hand();
  write_when_connected(bench, 8'000);
  bench.run(Time{1h});
  EXPECT_EQ(bench.why_reset(0), "");
  EXPECT_GT(probes(bench).size(), 50U);  // once a minute
}

TEST_F(TcpZeroWindow, OffersNoCrumbs) {
  TcpBench bench(options, distance());
  bench.server().read_by_hand();
  write_when_connected(bench, 8'000);
  bench.run(Time{100ms});
  // Of the 6000 bytes fewer are free at first than a segment has.
  EXPECT_FALSE(bench.server().read(999));
  EXPECT_TRUE(bench.server().read(1));
}

TEST(TcpReceiveWindow, StaysAsItIsForWhoeverReadsAtOnce) {
  for (const bool is_by_hand : {false, true}) {
    TcpOptions options = options_for(CongestionControl::kReno);
    options.receive_buffer_bytes = 10'000;
    TcpBench bench(options, distance());
    if (is_by_hand) {
      bench.server().read_by_hand();
      bench.on_readable = [&, read = Offset{1}](int, Offset offset) mutable {
        EXPECT_FALSE(bench.server().read(offset - read));
        read = offset;
      };
    }
    write_when_connected(bench, 100'000);
    ASSERT_TRUE(bench.run(Time{1h}));
    for (const TraceEntry& entry : bench.trace) {
      EXPECT_TRUE(entry.side == 0 || entry.segment.window_bytes == 10'000U);
    }
  }
}

TEST(TcpIdle, LinuxHalvesItsWindowForEachTimeoutOfSilence) {
  TcpOptions options = options_for(CongestionControl::kReno);
  for (const RtoRule rule : {RtoRule::kLinux, RtoRule::kRfc6298}) {
    options.rto_rule = rule;
    TcpBench bench(options, distance());
    write_when_connected(bench, 600'000);
    bench.run(Time{2s});
    ASSERT_EQ(bench.readable(1), 600'001U);
    const double before = bench.client().state().congestion_window_bytes;
    const Duration timeout = bench.client().state().retransmission_timeout;
    ASSERT_GT(before, 200'000.0);
    Time last{};
    for (const TraceEntry& entry : bench.trace) {
      last = entry.side == 0 ? entry.time : last;
    }
    // Two timeouts and a half: halved twice, to whole segments of 1000 bytes.
    bench.call_at(last + timeout * 5 / 2, [&] { bench.client().write(bench.now(), 1); });
    bench.run(last + timeout * 5 / 2);
    EXPECT_DOUBLE_EQ(bench.client().state().congestion_window_bytes,
                     rule == RtoRule::kLinux ? std::floor(before / 4000) * 1000 : before);
  }
}

TEST(TcpIdle, LinuxDoesNotGrowAWindowThatNobodyFills) {
  TcpOptions options = options_for(CongestionControl::kReno);
  for (const RtoRule rule : {RtoRule::kLinux, RtoRule::kRfc6298}) {
    options.rto_rule = rule;
    TcpBench bench(options, distance());
    bench.connect_at(Time{0s});
    for (int i = 0; i < 100; ++i) {
      bench.call_at(Time{100ms * (i + 1)}, [&] { bench.client().write(bench.now(), 1'000); });
    }
    ASSERT_TRUE(bench.run(Time{1h}));
    EXPECT_EQ(bench.client().state().congestion_window_bytes,
              rule == RtoRule::kLinux ? 10'000.0 : 110'000.0);
  }
}

TEST(TcpIdle, LinuxCountsSegmentsAndOthersBytes) {
  TcpOptions options = options_for(CongestionControl::kReno);
  for (const RtoRule rule : {RtoRule::kLinux, RtoRule::kRfc6298}) {
    options.rto_rule = rule;
    TcpBench bench(options, distance());
    bench.connect_at(Time{0s});
    for (int i = 0; i < 15; ++i) {
      bench.call_at(Time{100ms}, [&] { bench.client().write(bench.now(), 100); });
    }
    bench.run(Time{109ms});
    // Ten small segments fill a window of ten segments.
    EXPECT_EQ(bench.client().state().in_flight_bytes, rule == RtoRule::kLinux ? 1000U : 1500U);
  }
}

}  // namespace
}  // namespace longarm::network::tcp
