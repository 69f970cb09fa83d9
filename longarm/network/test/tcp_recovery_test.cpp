// SPDX-License-Identifier: Apache-2.0
// How a sender finds out what was lost, and how fast it sends that again.
#include <gtest/gtest.h>

#include "longarm/network/builtin/tcp/recovery.h"
#include "longarm/network/builtin/tcp/sent_segments.h"
#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

SentSegments ten_segments(bool counts_segments = false) {
  SentSegments sent(1000, counts_segments);
  for (Offset begin = 1; begin < 10'000; begin += 1000) {
    sent.push(begin, 1000, false, Time{1s});
  }
  return sent;
}

TEST(TcpSentSegments, ThreeSackedSegmentsAboveMeanLost) {
  SentSegments sent = ten_segments();
  EXPECT_EQ(sent.mark_sacked({3001, 5001}), 2000U);
  EXPECT_FALSE(sent.mark_lost_below_sacked());
  EXPECT_EQ(sent.in_flight(), 8000U);
  EXPECT_EQ(sent.mark_sacked({3001, 6001}), 1000U);  // only what is new
  EXPECT_TRUE(sent.mark_lost_below_sacked());
  // Ten, of which three have arrived and the three below are lost.
  EXPECT_EQ(sent.in_flight(), 4000U);
  EXPECT_EQ(sent.first_lost(), 0U);
}

TEST(TcpSentSegments, WhatIsSentAgainIsInFlightAgain) {
  SentSegments sent = ten_segments();
  sent.mark_sacked({1001, 4001});
  sent.mark_lost_below_sacked();
  EXPECT_EQ(sent.in_flight(), 6000U);
  sent.mark_resent(0, Time{2s});
  EXPECT_EQ(sent.in_flight(), 7000U);
  EXPECT_EQ(sent.first_lost(), std::nullopt);
  EXPECT_EQ(sent.first_unsacked(), 4U);
  const auto acknowledged = sent.acknowledge(4001);
  EXPECT_EQ(acknowledged.weight, 4000U);
  EXPECT_EQ(acknowledged.newly_delivered, 1000U);
  EXPECT_FALSE(acknowledged.sent_at.has_value());  // Karn
  EXPECT_EQ(sent.in_flight(), 6000U);
}

TEST(TcpSentSegments, AfterATimeoutEverythingNotSackedIsLost) {
  SentSegments sent = ten_segments();
  sent.mark_sacked({5001, 7001});
  sent.mark_resent(0, Time{2s});
  sent.mark_all_lost();
  EXPECT_EQ(sent.in_flight(), 0U);
  EXPECT_EQ(sent.first_lost(), 0U);
}

TEST(TcpSentSegments, JoinsShortLostSegmentsIntoOne) {
  SentSegments sent(1000, true);
  for (Offset begin = 1; begin < 1001; begin += 200) {
    sent.push(begin, 200, false, Time{1s});
  }
  sent.push(1001, 300, false, Time{1s});
  EXPECT_EQ(sent.in_flight(), 6000U);  // each counts as a whole one
  sent.mark_all_lost();
  sent.merge_lost(0, 1000);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent.front().length, 1000U);
  EXPECT_EQ(sent[1].begin, 1001U);
  sent.mark_resent(0, Time{2s});
  EXPECT_EQ(sent.in_flight(), 1000U);
  EXPECT_EQ(sent.first_lost(), 1U);
}

TEST(TcpSentSegments, APeerMayTakeAPartOfASegment) {
  SentSegments sent = ten_segments();
  const auto acknowledged = sent.acknowledge(1501);
  EXPECT_EQ(acknowledged.weight, 1500U);
  EXPECT_EQ(sent.front().begin, 1501U);
  EXPECT_EQ(sent.in_flight(), 8500U);
}

TEST(TcpRecovery, FallsInProportionToWhatArrives) {
  // 20 segments out, down to 10: one may leave for every two that arrive (RFC 6937).
  ProportionalRateReduction reduction;
  reduction.enter(20'000, 1);
  EXPECT_EQ(reduction.window(1000, 18'000, 10'000, 1000), 19'000U);  // the first is free
  reduction.sent(1000);
  EXPECT_EQ(reduction.window(1000, 18'000, 10'000, 1000), 18'000U);  // 2 arrived, 1 allowed, 1 sent
  EXPECT_EQ(reduction.window(1000, 17'000, 10'000, 1000), 17'500U);
  EXPECT_EQ(reduction.window(1000, 16'000, 10'000, 1000), 17'000U);  // 4 arrived: one more
}

TEST(TcpRecovery, GrowsBackByAtMostOneSegmentMoreThanArrived) {
  ProportionalRateReduction reduction;
  reduction.enter(20'000, 1);
  reduction.sent(1000);
  // Many were lost: only 5 are in flight. 1 arrived and 1 was sent: max(0, 1) + 1 = 2 more.
  EXPECT_EQ(reduction.window(1000, 5'000, 10'000, 1000), 7'000U);
  // Never beyond the threshold.
  EXPECT_EQ(reduction.window(6000, 9'500, 10'000, 1000), 10'000U);
}

// Ten segments at once over 10 ms each way, without time for serialisation.
class TcpRecoveryTime : public ::testing::Test {
 protected:
  Duration time_for(const TcpOptions& options, const WireOptions& there, int segments) {
    WireOptions back;
    back.rate_bps = there.rate_bps;
    bench.emplace(options, options, there, back);
    Time start{};
    Time done{};
    bench->on_connected = [&](int side) {
      if (side == 0) {
        start = bench->now();
        bench->client().write(bench->now(), static_cast<std::uint32_t>(segments * 1448));
      }
    };
    bench->on_readable = [&](int, Offset) { done = bench->now(); };
    bench->connect_at(Time{0s});
    EXPECT_TRUE(bench->run(Time{1h}));
    EXPECT_EQ(bench->readable(1), static_cast<Offset>(segments) * 1448 + 1);
    return done - start;
  }
  static TcpOptions options(RtoRule rule, bool has_sack) {
    TcpOptions result;
    result.rto_rule = rule;
    result.has_sack = has_sack;
    result.congestion = CongestionControl::kReno;
    return result;
  }
  std::optional<TcpBench> bench;
};

TEST_F(TcpRecoveryTime, TheThirdDuplicateBringsALostSegmentBack) {
  WireOptions there = distance();
  there.dropped = {1};
  for (const RtoRule rule : {RtoRule::kLinux, RtoRule::kRfc6298}) {
    for (const bool has_sack : {true, false}) {
      // 20 ms until the duplicates are there, 10 ms for the second copy.
      EXPECT_EQ(time_for(options(rule, has_sack), there, 10), 30ms);
      EXPECT_EQ(bench->client().counters().fast_recoveries, 1U);
      EXPECT_EQ(bench->client().counters().timeouts, 0U);
      if (rule == RtoRule::kLinux || !has_sack) {
        EXPECT_EQ(bench->client().counters().retransmissions, 1U);
      } else {
        // With nothing new to send RFC 6675 (NextSeg, rule 3) may repeat what is still under way.
        EXPECT_GE(bench->client().counters().retransmissions, 1U);
      }
    }
  }
}

TEST_F(TcpRecoveryTime, SackMendsSeveralLossesInOneRoundTripNewRenoInOneEach) {
  WireOptions there = distance();
  there.dropped = {1, 3, 5};
  EXPECT_EQ(time_for(options(RtoRule::kRfc6298, true), there, 10), 30ms);
  EXPECT_EQ(time_for(options(RtoRule::kLinux, true), there, 10), 30ms);
  EXPECT_EQ(bench->client().counters().retransmissions, 3U);
  EXPECT_EQ(time_for(options(RtoRule::kRfc6298, false), there, 10), 70ms);
  EXPECT_EQ(bench->client().counters().retransmissions, 3U);
}

TEST_F(TcpRecoveryTime, TwoDuplicatesAreNotEnoughButLetNewSegmentsOut) {
  WireOptions there = distance();
  there.dropped = {8};
  // Ten leave; 9 and 10 cause two duplicates, for which 11 and 12 may leave (limited transmit),
  // besides the fourteen that the acknowledged seven make room for. Those are the third duplicate.
  EXPECT_EQ(time_for(options(RtoRule::kRfc6298, true), there, 26), 50ms);
  EXPECT_EQ(bench->client().counters().timeouts, 0U);
}

TEST_F(TcpRecoveryTime, LinuxToleratesReorderingWithinAQuarterOfARoundTrip) {
  WireOptions there = distance();
  // The first segment with data (after SYN and ACK) is 4 ms late, behind nine others.
  there.extra_delay = [](std::uint64_t index) { return index == 3 ? Duration{4ms} : Duration{0}; };
  time_for(options(RtoRule::kRfc6298, true), there, 10);
  EXPECT_GE(bench->client().counters().retransmissions, 1U);  // three duplicates
  there.extra_delay = [](std::uint64_t index) {
    return index == 10 ? Duration{4ms} : Duration{0};  // behind two others: time decides
  };
  time_for(options(RtoRule::kLinux, true), there, 10);
  EXPECT_EQ(bench->client().counters().retransmissions, 0U);
  there.extra_delay = [](std::uint64_t index) { return index == 10 ? Duration{6ms} : Duration{0}; };
  time_for(options(RtoRule::kLinux, true), there, 10);
  EXPECT_EQ(bench->client().counters().retransmissions, 1U);
}

TEST_F(TcpRecoveryTime, LinuxNoticesThatTheSecondCopyIsLostToo) {
  WireOptions there = distance();
  int copies = 0;
  there.is_dropped = [&copies](std::uint64_t, const Segment& segment) {
    return segment.length > 0 && segment.sequence == 1 && ++copies <= 2;
  };
  time_for(options(RtoRule::kLinux, true), there, 100);
  EXPECT_EQ(bench->client().counters().timeouts, 0U);
  copies = 0;
  time_for(options(RtoRule::kRfc6298, true), there, 100);
  EXPECT_EQ(bench->client().counters().timeouts, 1U);
}

}  // namespace
}  // namespace longarm::network::tcp
