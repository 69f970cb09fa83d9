// SPDX-License-Identifier: Apache-2.0
// When the receiving half acknowledges, and what it says.
#include <vector>

#include <gtest/gtest.h>

#include "longarm/network/test/tcp_bench.h"

namespace longarm::network::tcp {
namespace {

using namespace std::chrono_literals;

struct Answer {
  Duration after{0};  ///< since connected
  Offset acknowledged = 0;
  bool operator==(const Answer&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << answer.after.count() << " ns: " << answer.acknowledged;
}

class TcpAcknowledgement : public ::testing::Test {
 protected:
  void connect() {
    bench.on_connected = [this](int side) { start = side == 0 ? bench.now() : start; };
    bench.connect_at(Time{0s});
    bench.run(Time{25ms});
  }
  void write_at(Duration after, std::uint32_t size_bytes) {
    bench.call_at(start + after,
                  [this, size_bytes] { bench.client().write(bench.now(), size_bytes); });
  }
  std::vector<Answer> answers() {
    EXPECT_TRUE(bench.run(Time{1h}));
    std::vector<Answer> result;
    for (const TraceEntry& entry : bench.trace) {
      if (entry.side == 1 && !entry.segment.is_syn) {
        result.push_back({entry.time - start, entry.segment.acknowledged});
      }
    }
    return result;
  }

  static TcpOptions options(bool is_nodelay) {
    TcpOptions result;
    result.is_nodelay = is_nodelay;
    result.rto_rule = RtoRule::kRfc6298;
    return result;
  }

  TcpBench bench{options(true), distance()};
  Time start{};
};

TEST_F(TcpAcknowledgement, AnswersTheFirstSegmentAtOnceThenEverySecondOrAfterFortyMilliseconds) {
  connect();
  write_at(100ms, 10);  // at once
  write_at(101ms, 10);  // waits
  write_at(103ms, 10);  // the second: at once
  write_at(200ms, 10);  // alone: 40 ms
  EXPECT_EQ(answers(), (std::vector<Answer>{{110ms, 11}, {113ms, 31}, {250ms, 41}}));
}

TEST_F(TcpAcknowledgement, TravelsWithDataThatGoesTheOtherWay) {
  connect();
  write_at(100ms, 10);
  write_at(200ms, 10);
  bench.call_at(start + 220ms, [this] { bench.server().write(bench.now(), 5); });
  // The second would have been acknowledged at 250 ms.
  EXPECT_EQ(answers(), (std::vector<Answer>{{110ms, 11}, {220ms, 21}}));
}

TEST_F(TcpAcknowledgement, NagleWaitsForADelayedAcknowledgement) {
  TcpBench slow(options(false), distance());
  Time connected{};
  Time done{};
  slow.on_connected = [&](int side) { connected = side == 0 ? slow.now() : connected; };
  slow.on_readable = [&](int, Offset) { done = slow.now(); };
  slow.connect_at(Time{0s});
  // The first is acknowledged at once. Then a header and a body, written separately: the body waits
  // until the header is acknowledged, 10 + 40 + 10 ms later, and takes another 10 ms.
  for (const Duration at : {100ms, 200ms, 200ms}) {
    slow.call_at(Time{at}, [&] { slow.client().write(slow.now(), 10); });
  }
  ASSERT_TRUE(slow.run(Time{1h}));
  EXPECT_EQ(done, Time{270ms});
}

TEST_F(TcpAcknowledgement, ReportsWhatArrivedBeyondAGapMostRecentFirst) {
  Segment data;
  data.length = 10;
  TcpOptions tcp = options(true);
  tcp.has_timestamps = false;
  Receiver receiver(tcp);
  receiver.start(true, false);
  const auto take = [&](Offset begin) {
    data.sequence = begin;
    receiver.take(Time{1s}, data);
    EXPECT_TRUE(receiver.is_acknowledgement_due());
    Segment answer;
    receiver.fill(answer);
    return answer;
  };
  Segment answer = take(1);
  EXPECT_EQ(answer.acknowledged, 11U);
  EXPECT_EQ(answer.sack_count, 0);
  take(21);
  take(61);
  answer = take(41);
  ASSERT_EQ(answer.sack_count, 3);
  EXPECT_EQ(answer.acknowledged, 11U);
  EXPECT_EQ(answer.sack[0].begin, 41U);
  EXPECT_EQ(answer.sack[1].begin, 61U);
  EXPECT_EQ(answer.sack[2].begin, 21U);
  // Joins two blocks into one.
  answer = take(51);
  ASSERT_EQ(answer.sack_count, 2);
  EXPECT_EQ(answer.sack[0].begin, 41U);
  EXPECT_EQ(answer.sack[0].end, 71U);
  // Fills the first gap up to the second.
  answer = take(11);
  EXPECT_EQ(answer.acknowledged, 31U);
  ASSERT_EQ(answer.sack_count, 1);
  answer = take(31);
  EXPECT_EQ(answer.acknowledged, 71U);
  EXPECT_EQ(answer.sack_count, 0);
}

TEST_F(TcpAcknowledgement, HasRoomForFourBlocksOrForThreeAndATimestamp) {
  for (const bool has_timestamps : {false, true}) {
    Receiver receiver(options(true));
    receiver.start(true, has_timestamps);
    Segment data;
    data.length = 10;
    for (Offset begin = 21; begin < 200; begin += 20) {
      data.sequence = begin;
      receiver.take(Time{1s}, data);
    }
    Segment answer;
    receiver.fill(answer);
    EXPECT_EQ(answer.sack_count, has_timestamps ? 3 : 4);
  }
}

TEST_F(TcpAcknowledgement, EchoesTheTimestampOfWhatItWaitedFor) {
  Receiver receiver(options(true));
  receiver.start(true, true);
  Segment answer;
  receiver.fill(answer);  // the next expected is 1
  Segment data;
  data.length = 10;
  data.has_timestamp = true;
  // Two segments, acknowledged together: the first one's timestamp, so that the delay counts.
  for (const auto& [sequence, at] : {std::pair<Offset, Duration>{1, 100ms}, {11, 130ms}}) {
    data.sequence = sequence;
    data.timestamp = Time{at};
    receiver.note_timestamp(data);
    receiver.take(Time{at}, data);
  }
  receiver.fill(answer);
  EXPECT_EQ(answer.timestamp_echo, Time{100ms});
  // Beyond a gap: still the last that was in order.
  data.sequence = 51;
  data.timestamp = Time{200ms};
  receiver.note_timestamp(data);
  receiver.take(Time{200ms}, data);
  receiver.fill(answer);
  EXPECT_EQ(answer.timestamp_echo, Time{100ms});
}

TEST_F(TcpAcknowledgement, AnswersACopyAtOnce) {
  Receiver receiver(options(true));
  Segment data;
  data.sequence = 1;
  data.length = 10;
  EXPECT_TRUE(receiver.is_acceptable(data));
  receiver.take(Time{1s}, data);
  EXPECT_FALSE(receiver.is_acceptable(data));
  data.length = 15;  // five of them are new
  EXPECT_TRUE(receiver.is_acceptable(data));
  receiver.take(Time{1s}, data);
  EXPECT_EQ(receiver.next(), 16U);
}

}  // namespace
}  // namespace longarm::network::tcp
