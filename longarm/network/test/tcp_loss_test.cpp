// SPDX-License-Identifier: Apache-2.0
// Calls and transfers over ways that lose packets at random, beside what Linux and ns-3 make of it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

WireOptions lossy(const char* name, Duration delay, Duration jitter, double share = 0.01) {
  WireOptions wire;
  wire.rate_bps = 1'000'000'000;
  wire.delay = delay;
  const RandomStream losses(1, std::string(name) + ".loss");
  wire.is_dropped = [losses, share](std::uint64_t index, const Segment&) {
    return index > 2 && losses.uniform_at(index) < share;  // not the handshake
  };
  const RandomStream delays(1, std::string(name) + ".delay");
  wire.extra_delay = [delays, jitter](std::uint64_t index) {
    return Duration{
        static_cast<std::int64_t>(delays.uniform_at(index) * static_cast<double>(jitter.count()))};
  };
  return wire;
}

// Round trips of calls of 200 bytes each way, one after the other, sorted; in milliseconds.
std::vector<double> calls_ms(const TcpOptions& options, Duration delay, Duration jitter,
                             std::size_t count) {
  TcpBench bench(options, options, lossy("there", delay, jitter), lossy("back", delay, jitter));
  bench.has_trace = false;
  std::vector<double> result;
  Time called{};
  const auto call = [&] {
    called = bench.now();
    bench.client().write(bench.now(), 200);
  };
  bench.on_connected = [&](int side) {
    if (side == 0) {
      bench.call_at(bench.now(), call);
    }
  };
  bench.on_readable = [&](int side, Offset) {
    if (side == 1) {
      bench.call_at(bench.now(), [&] { bench.server().write(bench.now(), 200); });
      return;
    }
    result.push_back(to_seconds(bench.now() - called) * 1e3);
    if (result.size() < count) {
      bench.call_at(bench.now(), call);
    }
  };
  bench.connect_at(Time{0s});
  EXPECT_TRUE(bench.run(Time{24h}));
  EXPECT_EQ(result.size(), count);
  std::sort(result.begin(), result.end());
  return result;
}

TEST(TcpUnderLoss, CallsTakeAsLongAsOverLinux) {
  // 20 +- 5 ms each way, uniform; Linux 6.18 over the same way (700 calls): p50 40.30, p90 45.89,
  // p99 280.0 ms. Expected: two uniform delays have their median at 40 ms and their 90th percentile
  // at 50 - sqrt(0.2) x 10 = 45.53 ms of what is not lost; and 2 % of the calls wait for SRTT (40)
  // + 200 ms more.
  const std::vector<double> calls = calls_ms(TcpOptions{}, 15ms, 10ms, 10'000);
  EXPECT_NEAR(calls[5'000], 40.30, 0.01 * 40.30);
  EXPECT_NEAR(calls[9'000], 45.89, 0.01 * 45.89);
  EXPECT_NEAR(calls[9'900], 280.0, 0.05 * 280.0);
}

// How long a transfer takes, over 20 ms each way that lose so much.
double transfer_s(CongestionControl congestion, double share, std::uint32_t bytes, int run) {
  TcpOptions options;
  options.congestion = congestion;
  const std::string there = "there" + std::to_string(run);
  const std::string back = "back" + std::to_string(run);
  TcpBench bench(options, options, lossy(there.c_str(), 20ms, 0ms, share),
                 lossy(back.c_str(), 20ms, 0ms, share));
  bench.has_trace = false;
  Time written{};
  bench.on_connected = [&](int side) {
    if (side == 0) {
      bench.call_at(bench.now(), [&] {
        written = bench.now();
        bench.client().write(bench.now(), bytes);
      });
    }
  };
  bench.on_readable = [&](int, Offset offset) {
    if (offset == bytes + 1) {
      bench.stop();
    }
  };
  bench.connect_at(Time{0s});
  EXPECT_TRUE(bench.run(Time{1h}));
  return to_seconds(bench.now() - written);
}

TEST(TcpUnderLoss, TransfersTakeAsLongAsOverLinux) {
  // Linux 6.18 through a relay that loses as many: eight transfers each, whose mean is good to 4 %,
  // as is that of the eight here. A window that never fills up again after a loss takes three times
  // as long.
  struct Measured {
    double share;
    std::uint32_t bytes;
    double reno_s;
    double cubic_s;
  };
  for (const Measured& seen :
       {Measured{0.005, 12'000'000, 17.25, 17.93}, Measured{0.01, 8'000'000, 17.18, 18.02},
        Measured{0.03, 4'000'000, 17.23, 18.19}}) {
    double reno_s = 0.0;
    double cubic_s = 0.0;
    for (int run = 0; run < 8; ++run) {
      reno_s += transfer_s(CongestionControl::kReno, seen.share, seen.bytes, run) / 8.0;
      cubic_s += transfer_s(CongestionControl::kCubic, seen.share, seen.bytes, run) / 8.0;
    }
    EXPECT_NEAR(reno_s, seen.reno_s, 0.15 * seen.reno_s) << seen.share;
    EXPECT_NEAR(cubic_s, seen.cubic_s, 0.15 * seen.cubic_s) << seen.share;
  }
}

TEST(TcpUnderLoss, AnOddWindowIsHalvedToWholeSegmentsAndFillsUpAgain) {
  // 15 segments in flight, one of them lost: 7 stay, and each round trip of 20 ms adds one. A
  // window of seven and a half is never full, and one that is not full does not grow.
  TcpOptions options;
  options.congestion = CongestionControl::kReno;
  options.mss_bytes = 1000;
  options.initial_window_segments = 15;
  WireOptions there = distance();
  there.dropped = {1};
  TcpBench bench(options, options, there, distance());
  bench.connect_at(Time{0s});
  bench.call_at(Time{20ms}, [&] { bench.client().write(bench.now(), 1'000'000); });
  bench.run(Time{120ms});
  EXPECT_EQ(bench.client().state().slow_start_threshold_bytes, 7000.0);
  const double before = bench.client().state().congestion_window_bytes;
  EXPECT_GE(before, 7000.0);
  bench.run(Time{320ms});
  // ten round trips later; at 7 or 8 acknowledgements each, the last may be under way
  EXPECT_NEAR(bench.client().state().congestion_window_bytes, before + 10'000.0, 1000.0);
}

TEST(TcpUnderLoss, CallsTakeAsLongAsInNs3) {
  // 20 ms each way and 242 bytes at 1 Gb/s (1.936 us): 40.003872 ms, as ns-3 has it; with a lost
  // request or answer 200 ms more: ns-3's 99th percentile is 240.003872 ms. (A call that is made
  // while ns-3 hands over the last answer is not a nanosecond late.)
  TcpOptions options;
  options.has_timestamps = false;
  options.rto_rule = RtoRule::kRfc6298;
  options.congestion = CongestionControl::kReno;
  options.send_latency = 1ns;
  const std::vector<double> calls = calls_ms(options, 20ms, 0ms, 10'000);
  EXPECT_DOUBLE_EQ(calls[5'000], 40.003872);
  EXPECT_DOUBLE_EQ(calls[9'900], 240.003872);
  // Whatever is lost, and however often: whole timeouts of 200 ms, doubled for one and the same.
  for (const double call : calls) {
    const double timeouts = (call - 40.003872) / 200.0;
    EXPECT_NEAR(timeouts, std::round(timeouts), 1e-5);  // 2 us: an acknowledgement in front
  }
}

}  // namespace
}  // namespace longarm::network::tcp
