// SPDX-License-Identifier: Apache-2.0
// The same transfers as ns-3 3.37 (TcpLinuxReno), whose times in whole nanoseconds stand here.
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

// SegmentSize 1448, InitialCwnd 10, DelAckTimeout 200 ms, MinRto 200 ms, no timestamps; point to
// point at 10 Mb/s and 10 ms, no queue disc; Connect() at 1 ms, the program writes in its
// connection callback.
TcpOptions like_ns3(bool is_nodelay) {
  TcpOptions options;
  options.has_timestamps = false;
  options.is_nodelay = is_nodelay;
  options.delayed_ack_timeout = 200ms;
  options.rto_rule = RtoRule::kRfc6298;
  options.congestion = CongestionControl::kReno;
  options.send_buffer_bytes = options.receive_buffer_bytes = 131072;
  options.send_latency = 1ns;
  return options;
}

// When the last of `size_bytes` arrives.
std::int64_t bulk_ns(const TcpOptions& options, const WireOptions& there,
                     std::uint32_t size_bytes) {
  TcpBench bench(options, options, there, WireOptions{});
  bench.has_trace = false;
  Time done{};
  bench.on_connected = [&](int side) {
    if (side == 0) {
      bench.client().write(bench.now(), size_bytes);
    }
  };
  bench.on_readable = [&](int, Offset offset) {
    if (offset == size_bytes + 1) {
      done = bench.now();
      bench.stop();
    }
  };
  bench.connect_at(Time{1ms});
  bench.run(Time{1h});
  return done.time_since_epoch().count();
}

struct Bulk {
  std::uint32_t size_bytes;
  std::int64_t nagle_ns;
  std::int64_t nodelay_ns;
};

class LosslessBulk : public ::testing::TestWithParam<Bulk> {};

TEST_P(LosslessBulk, EndsInTheSameNanosecondAsInNs3) {
  const Bulk& bulk = GetParam();
  EXPECT_EQ(bulk_ns(like_ns3(false), WireOptions{}, bulk.size_bytes), bulk.nagle_ns);
  EXPECT_EQ(bulk_ns(like_ns3(true), WireOptions{}, bulk.size_bytes), bulk.nodelay_ns);
}

INSTANTIATE_TEST_SUITE_P(
    Sizes, LosslessBulk,
    ::testing::Values(Bulk{1, 31'148'000, 31'148'000}, Bulk{1'000, 31'947'200, 31'947'200},
                      Bulk{1'448, 32'305'600, 32'305'600}, Bulk{1'449, 52'373'600, 32'340'000},
                      Bulk{10'000, 259'382'400, 39'348'800}, Bulk{50'000, 301'628'800, 81'595'200},
                      Bulk{100'000, 142'804'800, 122'771'200},
                      Bulk{500'000, 472'078'400, 452'078'400},
                      Bulk{1'000'000, 1'083'670'400, 863'737'600},
                      Bulk{5'000'000, 4'176'507'200, 4'157'044'800}));

struct Drops {
  std::set<std::uint64_t> dropped;  ///< segments with data, counted as they are sent
  std::int64_t nagle_ns;
  std::int64_t nodelay_ns;
};

class BulkWithDrops : public ::testing::TestWithParam<Drops> {};

// 1 MB with buffers of 1 MB and SACK: recovery by RFC 6675 and 6937 as in ns-3, to the nanosecond.
TEST_P(BulkWithDrops, RecoversLikeNs3) {
  WireOptions there;
  there.dropped = GetParam().dropped;
  TcpOptions options = like_ns3(false);
  options.send_buffer_bytes = options.receive_buffer_bytes = 1'000'000;
  EXPECT_EQ(bulk_ns(options, there, 1'000'000), GetParam().nagle_ns);
  options.is_nodelay = true;
  EXPECT_EQ(bulk_ns(options, there, 1'000'000), GetParam().nodelay_ns);
}

INSTANTIATE_TEST_SUITE_P(
    Scripts, BulkWithDrops,
    ::testing::Values(Drops{{40}, 884'862'400, 864'828'800},
                      Drops{{40, 200, 400}, 916'184'000, 896'150'400},
                      Drops{{40, 42, 44}, 887'246'400, 867'212'800},
                      Drops{{1}, 996'088'000, 976'054'400}, Drops{{5}, 1'177'236'800, 957'203'200},
                      Drops{{40, 41, 42, 43, 44, 45, 46}, 892'014'400, 871'980'800},
                      // The last but one: too few segments follow it, so that time must tell.
                      Drops{{690}, 1'550'511'007, 1'329'739'807}));

TEST(TcpLikeNs3, ALostLastSegmentWaitsForTheTimeout) {
  // Only without Nagle: ns-3 applies Nagle's rule to retransmissions, too, and never sends a short
  // last segment again.
  WireOptions there;
  there.dropped = {691};
  TcpOptions options = like_ns3(true);
  options.send_buffer_bytes = options.receive_buffer_bytes = 1'000'000;
  EXPECT_EQ(bulk_ns(options, there, 1'000'000), 1'754'522'388);
}

TEST(TcpLikeNs3, AQueueOfTwentyPacketsOverflowsAndRecoversAlike) {
  WireOptions there;
  there.queue_packets = 20;
  TcpOptions options = like_ns3(false);
  options.send_buffer_bytes = options.receive_buffer_bytes = 1'000'000;
  EXPECT_EQ(bulk_ns(options, there, 1'000'000), 883'670'400);
  options.is_nodelay = true;
  EXPECT_EQ(bulk_ns(options, there, 1'000'000), 863'636'800);
}

TEST(TcpLikeNs3, CallsTakeAsLong) {
  // ns-3: the first call takes 20.4544 ms because the server acknowledges first and the answer
  // queues behind 42 bytes (33.6 us) at both ends; then 2 x (10 ms + 242 bytes) = 20.3872 ms.
  TcpBench bench(like_ns3(false), WireOptions{});
  std::vector<Duration> calls;
  Time called{};
  const auto call = [&] {
    called = bench.now();
    bench.client().write(bench.now(), 200);
  };
  bench.on_connected = [&](int side) {
    if (side == 0) {
      call();
    }
  };
  bench.on_readable = [&](int side, Offset) {
    if (side == 1) {
      bench.call_at(bench.now(), [&] { bench.server().write(bench.now(), 200); });
      return;
    }
    calls.push_back(bench.now() - called);
    if (calls.size() < 100) {
      bench.call_at(bench.now(), call);
    }
  };
  bench.connect_at(Time{1ms});
  ASSERT_TRUE(bench.run(Time{1h}));
  ASSERT_EQ(calls.size(), 100U);
  EXPECT_EQ(calls[0], 20'454'400ns);
  for (std::size_t i = 1; i < calls.size(); ++i) {
    EXPECT_EQ(calls[i], 20'387'200ns);
  }
}

}  // namespace
}  // namespace longarm::network::tcp
