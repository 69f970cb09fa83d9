// SPDX-License-Identifier: Apache-2.0
// The order of the built-in network's events, also after more of them than it has numbers for.
#include "longarm/network/builtin/event_heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longarm::network {
namespace {

using namespace std::chrono_literals;

std::vector<std::uint32_t> items(EventHeap& heap) {
  std::vector<std::uint32_t> all;
  while (!heap.empty()) {
    all.push_back(heap.pop().item);
  }
  return all;
}

TEST(EventHeap, OrdersAnInstantByKindThenSubjectThenMaking) {
  EventHeap heap;
  heap.push(Time(1ms), EventKind::kTimer, 0, 5);
  heap.push(Time(1ms), EventKind::kArrive, 2, 3);
  heap.push(Time(1ms), EventKind::kArrive, 2, 4);
  heap.push(Time(1ms), EventKind::kArrive, 1, 2);
  heap.push(Time(0ms), EventKind::kCommand, 9, 1);
  EXPECT_THAT(items(heap), testing::ElementsAre(1, 2, 3, 4, 5));
}

TEST(EventHeap, KeepsTheOrderWhereSequencesBeginAnew) {
  EventHeap heap(Event::kMaxSequence - 2);  // the third of them is number 0 again
  for (const std::uint32_t item : {1U, 2U, 3U, 4U, 5U}) {
    const std::uint64_t order = heap.push(Time(1ms), EventKind::kArrive, 7, item);
    EXPECT_EQ(order >> 36, (std::uint64_t{2} << 25) | 7U);  // kind and subject stay what they are
  }
  heap.push(Time(1ms), EventKind::kArrive, 8, 6);
  EXPECT_EQ(heap.count(), Event::kMaxSequence + 4);
  EXPECT_THAT(items(heap), testing::ElementsAre(1, 2, 3, 4, 5, 6));
}

}  // namespace
}  // namespace longarm::network
