// SPDX-License-Identifier: Apache-2.0
// Tests that a trace in full swing asks for no memory. Counts all allocations of this program.
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "longarm/record/ros_trace.h"
#include "longarm/record/test/mcap_fixture.h"

namespace {

std::atomic<long> allocation_count = 0;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size > 0 ? size : 1)) {
    return memory;
  }
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace longarm::record {
namespace {

using namespace std::chrono_literals;

class RosTraceMemoryTest : public McapTest {};

TEST_F(RosTraceMemoryTest, AsksForNoneBetweenChunks) {
  RosTraceConfig config;
  config.moving_frames = {{"base_link", "upper_arm", {}}};
  config.file.chunk_size_bytes = 8 << 20;  // so that only time closes a chunk, every second
  auto trace = RosTrace::open(path, config);
  ASSERT_TRUE(trace);
  RosTrace& to = *trace.value();
  const std::unique_ptr<ArmTrace> arm = to.add_arm("", {{"shoulder", "elbow"}});
  const std::vector<double> numbers = {1.0, 2.0};
  const std::vector<FramePose> poses(1);
  long before = 0;
  for (int i = 0; i < 3900; ++i) {
    if (i == 3001) {  // the chunk of the fourth second has been begun, and three were as large
      before = allocation_count;
    }
    const Time now(i * Duration(1ms));
    const auto index = static_cast<std::uint64_t>(i);
    to.clock(now);
    arm->joint_states(JointTopic::kStates, now, now, numbers, numbers, numbers);
    arm->link_event(LinkTopic::kStates, now, i % 2 == 0 ? "sent" : "arrived", index, 172, now);
    arm->joint_states(JointTopic::kControllerCommands, now, now, {}, numbers, {});
    arm->end_effector(now, poses[0]);
    to.frames(now, poses);
  }
  EXPECT_EQ(allocation_count - before, 0);
  EXPECT_GT(before, 0);  // the counter counts
  ASSERT_TRUE(to.close());
}

}  // namespace
}  // namespace longarm::record
