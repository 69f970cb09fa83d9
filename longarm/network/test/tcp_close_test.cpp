// SPDX-License-Identifier: Apache-2.0
// How a connection ends: by agreement, by force, or because the other side is gone.
#include <gtest/gtest.h>

#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

class TcpClose : public ::testing::Test {
 protected:
  static void connect(TcpBench& any) {
    any.connect_at(Time{0s});
    any.run(Time{100ms});
    ASSERT_TRUE(any.is_connected(1));
  }
  TcpBench bench{TcpOptions{}, WireOptions{}};
};

TEST_F(TcpClose, SendsEverythingBeforeTheEndAndClosesBothWays) {
  connect(bench);
  bench.client().write(bench.now(), 100'000);
  bench.client().close(bench.now());
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(bench.readable(1), 100'001U);
  EXPECT_TRUE(bench.is_peer_closed(1));
  EXPECT_FALSE(bench.client().is_closed());  // the other half is open
  bench.server().write(bench.now(), 500);
  bench.server().close(bench.now());
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(bench.readable(0), 501U);
  EXPECT_TRUE(bench.client().is_closed());
  EXPECT_TRUE(bench.server().is_closed());
  EXPECT_EQ(bench.why_reset(0), "");
}

TEST_F(TcpClose, TheEndGoesAloneIfNothingIsLeftToSend) {
  connect(bench);
  bench.trace.clear();
  bench.client().write(bench.now(), 10);
  bench.client().close(bench.now());
  ASSERT_TRUE(bench.run(Time{1h}));
  ASSERT_GE(bench.trace.size(), 2U);
  EXPECT_FALSE(bench.trace[0].segment.is_fin);
  EXPECT_TRUE(bench.trace[1].segment.is_fin);
  EXPECT_EQ(bench.trace[1].segment.length, 0U);
}

TEST_F(TcpClose, ALostEndIsSentAgain) {
  WireOptions there;
  int dropped = 0;
  there.is_dropped = [&](std::uint64_t, const Segment& segment) {
    return segment.is_fin && ++dropped <= 2;
  };
  TcpBench lossy(TcpOptions{}, TcpOptions{}, there, WireOptions{});
  connect(lossy);
  lossy.client().close(lossy.now());
  ASSERT_TRUE(lossy.run(Time{1h}));
  EXPECT_EQ(dropped, 3);
  EXPECT_TRUE(lossy.is_peer_closed(1));
}

TEST_F(TcpClose, BothMayCloseAtOnce) {
  connect(bench);
  bench.client().close(bench.now());
  bench.server().close(bench.now());
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_TRUE(bench.client().is_closed());
  EXPECT_TRUE(bench.server().is_closed());
}

TEST_F(TcpClose, AnAbortIsHeardAfterOneWay) {
  connect(bench);
  const Time at = bench.now();
  bench.client().abort(at);
  EXPECT_TRUE(bench.client().is_closed());
  ASSERT_TRUE(bench.run(Time{1h}));
  EXPECT_EQ(bench.why_reset(1), "reset by peer");
  EXPECT_EQ(bench.why_reset(0), "");  // it knows
  // 20 + 22 bytes: 33.6 us.
  EXPECT_EQ(bench.now(), at + 10'033'600ns);
}

TEST_F(TcpClose, WhoeverWritesToADeadEndIsToldSo) {
  WireOptions back;
  int resets = 0;
  back.is_dropped = [&](std::uint64_t, const Segment& segment) {
    return segment.is_rst && ++resets == 1;
  };
  TcpBench lossy(TcpOptions{}, TcpOptions{}, WireOptions{}, back);
  connect(lossy);
  lossy.server().abort(lossy.now());
  ASSERT_TRUE(lossy.run(Time{1h}));
  EXPECT_EQ(lossy.why_reset(0), "");  // it has not heard
  lossy.client().write(lossy.now(), 10);
  ASSERT_TRUE(lossy.run(Time{1h}));
  EXPECT_EQ(lossy.why_reset(0), "reset by peer");
  EXPECT_EQ(resets, 2);
}

TEST_F(TcpClose, KeepAliveNoticesThatThePeerIsGone) {
  TcpOptions options;
  options.keep_alive_after = 10s;
  options.keep_alive_every = 2s;
  options.keep_alive_probes = 3;
  WireOptions there;
  bool is_cut = false;
  there.is_dropped = [&](std::uint64_t, const Segment&) { return is_cut; };
  TcpBench bench_with_probes(options, TcpOptions{}, there, WireOptions{});
  connect(bench_with_probes);
  // It hears the server's SYN after 20.0992 ms, and probes after 10 s: the server answers.
  bench_with_probes.run(Time{15s});
  EXPECT_EQ(bench_with_probes.why_reset(0), "");
  EXPECT_GE(bench_with_probes.trace.size(), 5U);
  is_cut = true;
  ASSERT_TRUE(bench_with_probes.run(Time{1h}));
  EXPECT_EQ(bench_with_probes.why_reset(0), "no answer to keep-alive");
  // Heard last at 20.0992 ms + 10 s + (54 + 54) x 0.8 us + 20 ms; then 10 s, and three times 2 s.
  EXPECT_EQ(bench_with_probes.now(), Time{20'099'200ns + 10s + 20'086'400ns + 16s});
}

}  // namespace
}  // namespace longarm::network::tcp
