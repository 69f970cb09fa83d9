// SPDX-License-Identifier: Apache-2.0
// Whatever a network drops, delays and reorders, a stream arrives whole and in order, or both its
// ends hear that it will not.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/core/random.h"
#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

// Draws that depend on the case and their order alone.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : stream_(seed, "tcp_property") {}
  double uniform() { return stream_.uniform(); }
  bool chance(double probability) { return uniform() < probability; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(uniform() * static_cast<double>(high - low + 1));
  }

 private:
  RandomStream stream_;
};

TcpOptions any_options(Dice& dice) {
  TcpOptions options;
  options.mss_bytes = dice.between(1, 3) == 1 ? dice.between(100, 600) : 1448;
  options.initial_window_segments = dice.between(1, 10);
  options.has_timestamps = dice.chance(0.5);
  options.has_sack = dice.chance(0.7);
  options.is_nodelay = dice.chance(0.5);
  options.delayed_ack_segments = dice.between(1, 3);
  options.delayed_ack_timeout = dice.chance(0.5) ? Duration{40ms} : Duration{200ms};
  options.rto_rule = dice.chance(0.5) ? RtoRule::kLinux : RtoRule::kRfc6298;
  options.congestion = dice.chance(0.5) ? CongestionControl::kCubic : CongestionControl::kReno;
  options.send_buffer_bytes = dice.chance(0.3) ? dice.between(2'000, 20'000) : 1 << 20;
  options.receive_buffer_bytes = dice.chance(0.3) ? dice.between(500, 20'000) : 1 << 20;
  options.send_latency = dice.chance(0.5) ? 1ns : 0ns;
  options.keep_alive_after = dice.chance(0.3) ? Duration{10s} : Duration{0};
  return options;
}

WireOptions any_wire(Dice& dice, std::uint64_t seed, const char* name) {
  WireOptions wire;
  wire.rate_bps = dice.chance(0.5) ? 10'000'000 : 1'000'000;
  wire.delay = Duration{dice.between(10, 50'000) * 1000};
  wire.queue_packets = static_cast<std::size_t>(dice.between(3, 100));
  const double loss = dice.chance(0.3) ? 0.3 * dice.uniform() : 0.05 * dice.uniform();
  const RandomStream losses(seed, std::string(name) + ".loss");
  wire.is_dropped = [losses, loss](std::uint64_t index, const Segment&) {
    return losses.uniform_at(index) < loss;
  };
  if (dice.chance(0.4)) {
    const RandomStream jitter(seed, std::string(name) + ".jitter");
    const double most_ns = dice.uniform() * 3e7;
    wire.extra_delay = [jitter, most_ns](std::uint64_t index) {
      return Duration{static_cast<std::int64_t>(jitter.uniform_at(index) * most_ns)};
    };
  }
  return wire;
}

class AnyNetwork : public ::testing::TestWithParam<int> {};

TEST_P(AnyNetwork, DeliversEverythingOnceInOrderOrSaysThatItCannot) {
  // Forty cases each, so that a failure names a small range.
  for (int i = 0; i < 40; ++i) {
    const auto seed = static_cast<std::uint64_t>(GetParam() * 40 + i);
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const TcpOptions first = any_options(dice);
    const TcpOptions second = dice.chance(0.5) ? first : any_options(dice);
    const WireOptions there = any_wire(dice, seed, "there");
    const WireOptions back = any_wire(dice, seed, "back");
    TcpBench bench(first, second, there, back);
    bench.has_trace = false;

    std::int64_t written[2] = {0, 0};
    bool is_monotonic = true;
    Offset last[2] = {1, 1};
    bench.on_readable = [&](int side, Offset offset) {
      is_monotonic &= offset > last[side];
      last[side] = offset;
    };
    bench.connect_at(Time{1ms});
    const std::int64_t writes = dice.between(1, 30);
    for (std::int64_t k = 0; k < writes; ++k) {
      const int side = dice.chance(0.6) ? 0 : 1;
      const auto size = static_cast<std::uint32_t>(dice.chance(0.5) ? dice.between(1, 400)
                                                                    : dice.between(1, 30'000));
      written[side] += size;
      bench.call_at(Time{Duration{dice.between(1, 2'000) * 1'000'000}}, [&bench, side, size] {
        (side == 0 ? bench.client() : bench.server()).write(bench.now(), size);
      });
    }
    for (int side = 0; side < 2; ++side) {
      bench.call_at(Time{2001ms}, [&bench, side] {
        (side == 0 ? bench.client() : bench.server()).close(bench.now());
      });
    }

    // Fifteen retries of up to two minutes, for data and FIN: after a day nothing may be left.
    ASSERT_TRUE(bench.run(Time{24h})) << "still busy";
    EXPECT_TRUE(is_monotonic);
    const bool is_reset = !bench.why_reset(0).empty() || !bench.why_reset(1).empty();
    for (int side = 0; side < 2; ++side) {
      const auto arrived = static_cast<std::int64_t>(bench.readable(1 - side)) - 1;
      EXPECT_LE(arrived, written[side]);
      if (!is_reset && bench.is_connected(0)) {
        EXPECT_EQ(arrived, written[side]) << "from side " << side;
        EXPECT_TRUE(bench.is_peer_closed(side));
      }
    }
    if (!is_reset) {
      EXPECT_TRUE(bench.is_connected(0)) << "neither connected nor refused";
      EXPECT_TRUE(bench.client().is_closed());
      EXPECT_TRUE(bench.server().is_closed());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyNetwork, ::testing::Range(0, 25));

}  // namespace
}  // namespace longarm::network::tcp
