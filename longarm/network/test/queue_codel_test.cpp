// SPDX-License-Identifier: Apache-2.0
// CoDel against a sequence worked out by hand from RFC 8289.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/network/builtin/port_queue.h"
#include "longarm/network/test/builtin_fixture.h"

namespace longarm::network {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A queue that is always behind by `behind`: packets of 1000 bytes.
class CoDelQueue : public ::testing::Test {
 protected:
  CoDelQueue() {
    settings_.kind = QueueKind::kCoDel;
    settings_.limit_packets = 100'000;
  }

  void fill(PortQueue& queue, Time when, int count) {
    for (int i = 0; i < count; ++i) {
      const PacketIndex index = packets_.take();
      packets_[index].payload_bytes = 1000;
      packets_[index].priority = 0;
      ASSERT_TRUE(queue.enqueue(when, index));
    }
  }
  /// Takes a packet out every millisecond from `first` to `last`; when packets were dropped.
  std::vector<Duration> drops(PortQueue& queue, Duration first, Duration last) {
    std::vector<Duration> times;
    for (Duration now = first; now <= last; now += 1ms) {
      std::vector<PacketIndex> dropped;
      const PacketIndex sent = queue.dequeue(at(now), dropped);
      EXPECT_NE(sent, kNoPacket);
      times.insert(times.end(), dropped.size(), now);
    }
    return times;
  }

  QueueSettings settings_;
  PacketPool packets_;
};

TEST_F(CoDelQueue, DropsAfterAnIntervalAboveTargetAndThenEverMoreOften) {
  // all wait from 0 on. At 5 ms the wait is at the target: the interval begins, and ends at 105 ms:
  // first drop, count 1, next due at 105 + 100 = 205. There count 2: 205 + 100/sqrt 2 = 275.71, so
  // at 276; count 3: 275.71 + 57.74 = 333.45, at 334; count 4: + 50 = 383.45, at 384; count 5:
  // + 44.72 = 428.17, at 429
  PortQueue queue(settings_, Framing::kNone, packets_);
  fill(queue, at(0ns), 1000);
  EXPECT_THAT(drops(queue, 1ms, 430ms), ElementsAre(105ms, 205ms, 276ms, 334ms, 384ms, 429ms));
}

TEST_F(CoDelQueue, AMomentBelowTargetStartsTheIntervalAnew) {
  PortQueue queue(settings_, Framing::kNone, packets_);
  fill(queue, at(0ns), 50);    // taken out from 1 to 50 ms
  fill(queue, at(47ms), 300);  // at 51 ms: waited 4 ms; at 52: 5 ms, the interval begins
  EXPECT_THAT(drops(queue, 1ms, 151ms), IsEmpty());
  EXPECT_THAT(drops(queue, 152ms, 160ms), ElementsAre(152ms));
}

TEST_F(CoDelQueue, NeverDropsTheLastPackets) {
  // what waits behind is no more than one full packet
  PortQueue queue(settings_, Framing::kNone, packets_);
  for (int i = 0; i < 500; ++i) {
    fill(queue, at(i * 1ms), 1);
    std::vector<PacketIndex> dropped;
    EXPECT_NE(queue.dequeue(at(i * 1ms + 900us), dropped), kNoPacket);
    EXPECT_THAT(dropped, IsEmpty());
  }
}

TEST_F(CoDelQueue, RemembersHowOftenItHadToDrop) {
  // after six drops (count 6) the queue runs empty; the next dropping state begins within 16
  // intervals and so at count 6 - 1 = 5: two drops are 100 / sqrt 5 = 44.72 ms apart
  PortQueue queue(settings_, Framing::kNone, packets_);
  fill(queue, at(0ns), 436);
  EXPECT_THAT(drops(queue, 1ms, 430ms), ElementsAre(105ms, 205ms, 276ms, 334ms, 384ms, 429ms));
  ASSERT_TRUE(queue.empty());
  fill(queue, at(440ms), 501);  // the first one did not wait: the state ends
  // at 445 ms at the target; the first drop at 545 ms, the next due at 589.72 ms
  EXPECT_THAT(drops(queue, 440ms, 600ms), ElementsAre(545ms, 590ms));
}

}  // namespace
}  // namespace longarm::network
