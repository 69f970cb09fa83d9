// SPDX-License-Identifier: Apache-2.0
// Tests of the order of events, of deliveries between phases, and of cancellation.
#include "longarm/sim/kernel.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/random.h"

namespace longarm::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class KernelTest : public ::testing::Test {
 protected:
  Kernel::Action note(std::string word) {
    return [this, word = std::move(word)](Time) { said.push_back(word); };
  }

  Kernel kernel;
  SourceId a = kernel.add_source("a");
  SourceId b = kernel.add_source("b");
  std::vector<std::string> said;
};

TEST_F(KernelTest, OrdersByTimeThenPhaseThenSourceThenSequence) {
  kernel.at(Time(1ms), Phase::kSample, a, note("7"));
  kernel.at(Time(), Phase::kRecord, a, note("6"));
  kernel.at(Time(), Phase::kStep, b, note("4"));
  kernel.at(Time(), Phase::kStep, b, note("5"));
  kernel.at(Time(), Phase::kStep, a, note("3"));
  kernel.at(Time(), Phase::kControl, b, note("2"));
  kernel.at(Time(), Phase::kSample, b, note("1"));
  ASSERT_TRUE(kernel.run_until(Time(2ms)));
  EXPECT_THAT(said, ElementsAre("1", "2", "3", "4", "5", "6", "7"));
}

// The order must not depend on the order of scheduling: any permutation gives the same run.
TEST_F(KernelTest, KeepsTheOrderWhateverTheOrderOfScheduling) {
  std::vector<int> plan(60);
  std::iota(plan.begin(), plan.end(), 0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, "shuffle");
    for (std::size_t i = plan.size(); i > 1; --i) {
      std::swap(plan[i - 1], plan[random.bits() % i]);
    }
    Kernel local;
    std::vector<SourceId> sources;
    for (int i = 0; i < 3; ++i) {
      sources.push_back(local.add_source("s"));
    }
    std::vector<int> order;
    for (const int i : plan) {
      local.at(Time(1ms * (i / 15)), Phase(i % 15 / 3), sources[static_cast<std::size_t>(i % 3)],
               [&order, i](Time) { order.push_back(i); });
    }
    ASSERT_TRUE(local.run_until(Time(1s)));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << "seed " << seed;
    EXPECT_EQ(order.size(), plan.size());
  }
}

TEST_F(KernelTest, DeliversBeforeEachPhaseUntilNothingIsLeft) {
  kernel.at(Time(), Phase::kSample, a, [this](Time now) {
    said.push_back("sample");
    kernel.deliver(now, a, [this](Time then) {
      said.push_back("state");
      kernel.deliver(then, b, note("forwarded"));
    });
  });
  kernel.at(Time(), Phase::kControl, a, [this](Time now) {
    said.push_back("control");
    kernel.deliver(now, b, note("command"));
  });
  kernel.at(Time(), Phase::kApply, a, note("apply"));
  kernel.at(Time(), Phase::kStep, a, note("step"));
  ASSERT_TRUE(kernel.run_until(Time(1ms)));
  EXPECT_THAT(said,
              ElementsAre("sample", "state", "forwarded", "control", "command", "apply", "step"));
}

TEST_F(KernelTest, NamesTheMembersOfAnEndlessZeroDelayLoop) {
  kernel.add_source("bystander");
  Kernel::Action ping;
  Kernel::Action pong = [&](Time now) { kernel.deliver(now, a, ping); };
  ping = [&](Time now) { kernel.deliver(now, b, pong); };
  kernel.deliver(Time(3ms), a, ping);
  const Result<Time> end = kernel.run_until(Time(1s));
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().message, "endless zero-delay loop at 3ms between: a, b");
}

TEST_F(KernelTest, RunsHalfOpenWindows) {
  kernel.at(Time(1ms), Phase::kSample, a, note("edge"));
  ASSERT_TRUE(kernel.run_until(Time(1ms)));
  EXPECT_TRUE(said.empty());
  EXPECT_EQ(kernel.now(), Time(1ms));
  ASSERT_TRUE(kernel.run_until(Time(1ms + 1ns)));
  EXPECT_THAT(said, ElementsAre("edge"));
}

TEST_F(KernelTest, RepeatsPeriodicEventsWithoutDrift) {
  std::vector<Time> times;
  kernel.every(3ns, Time(1ns), Phase::kStep, a, [&](Time now) { times.push_back(now); });
  ASSERT_TRUE(kernel.run_until(Time(11ns)));
  EXPECT_THAT(times, ElementsAre(Time(1ns), Time(4ns), Time(7ns), Time(10ns)));
}

TEST_F(KernelTest, CancelledEventsNeverHappenAndCancellingTwiceIsHarmless) {
  const EventId once = kernel.at(Time(1ms), Phase::kStep, a, note("never"));
  kernel.cancel(once);
  kernel.cancel(once);
  kernel.at(Time(2ms), Phase::kStep, a, note("other"));  // reuses the slot
  kernel.cancel(once);
  ASSERT_TRUE(kernel.run_until(Time(5ms)));
  EXPECT_THAT(said, ElementsAre("other"));
}

TEST_F(KernelTest, APeriodicEventMayCancelItself) {
  EventId id{};
  int count = 0;
  id = kernel.every(1ms, Time(), Phase::kStep, a, [&](Time) {
    if (++count == 3) {
      kernel.cancel(id);
    }
  });
  ASSERT_TRUE(kernel.run_until(Time(10ms)));
  EXPECT_EQ(count, 3);
}

TEST_F(KernelTest, StopsAfterThePresentEvent) {
  kernel.at(Time(1ms), Phase::kStep, a, [this](Time) { kernel.stop(); });
  kernel.at(Time(1ms), Phase::kRecord, a, note("late"));
  ASSERT_TRUE(kernel.run_until(Time(5ms)));
  EXPECT_EQ(kernel.now(), Time(1ms));
  EXPECT_TRUE(said.empty());
}

TEST_F(KernelTest, RefusesThePast) {
  ASSERT_TRUE(kernel.run_until(Time(2ms)));
  EXPECT_DEATH(kernel.at(Time(1ms), Phase::kStep, a, note("x")), "cannot be scheduled in the past");
}

TEST_F(KernelTest, RefusesAPhaseThatIsOver) {
  kernel.at(Time(), Phase::kStep, a,
            [this](Time now) { kernel.at(now, Phase::kControl, a, note("x")); });
  EXPECT_DEATH((void)kernel.run_until(Time(1ms)), "in a phase that is over");
}

}  // namespace
}  // namespace longarm::sim
