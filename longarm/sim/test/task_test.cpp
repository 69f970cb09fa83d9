// SPDX-License-Identifier: Apache-2.0
// Tests of coroutine tasks: waiting, values, messages, and what cancelling does.
#include "longarm/sim/task.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longarm::sim {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using Words = std::vector<std::string>;

struct SaysGoodbye {
  Words& words;
  std::string name;
  ~SaysGoodbye() { words.push_back("destroyed " + name); }
};

Task<int> add_slowly(TaskContext context, int x, int y) {
  co_await sleep_for(context, 2ms);
  co_return x + y;
}

Task<void> adder(TaskContext context, Words& words) {
  const int sum = co_await add_slowly(context, 2, 3);
  const int more = co_await add_slowly(context, sum, 1);
  words.push_back(std::to_string(more) + " at " +
                  std::to_string(context.kernel.now().time_since_epoch() / 1ms) + "ms");
}

Task<void> listener(Mailbox<int>& box, Words& words) {
  const SaysGoodbye local{words, "listener"};
  while (true) {
    words.push_back("got " + std::to_string(co_await box.receive()));
  }
}

Task<void> inner(TaskContext context, Words& words) {
  const SaysGoodbye local{words, "inner"};
  co_await sleep_for(context, 1s);
  words.push_back("never");
}

Task<void> outer(TaskContext context, Words& words) {
  const SaysGoodbye local{words, "outer"};
  co_await inner(context, words);
}

struct Suicide {
  Tasks& tasks;
  TaskId id{};
};

Task<void> cancels_itself(TaskContext context, Suicide& self, Words& words) {
  const SaysGoodbye local{words, "self"};
  self.tasks.cancel(self.id);
  words.push_back("still here");
  co_await sleep_for(context, 1ms);
  words.push_back("never");
}

class TaskTest : public ::testing::Test {
 protected:
  // what tasks use outlives them
  Kernel kernel;
  Words words;
  Mailbox<int> box;
  Tasks tasks{kernel};
};

TEST_F(TaskTest, WaitsInVirtualTimeAndPassesValuesUp) {
  const TaskContext context = tasks.context("adder");
  const TaskId id = tasks.spawn(context, adder(context, words));
  ASSERT_TRUE(kernel.run_until(Time(3ms)));
  EXPECT_FALSE(tasks.is_over(id));
  ASSERT_TRUE(kernel.run_until(Time(1s)));
  EXPECT_THAT(words, ElementsAre("6 at 4ms"));
  EXPECT_TRUE(tasks.is_over(id));
}

TEST_F(TaskTest, SharesTheKernelWithPeriodicControllersInSourceOrder) {
  const SourceId controller = kernel.add_source("controller");
  const TaskContext context = tasks.context("task");
  kernel.every(2ms, Time(), Phase::kControl, controller, [this](Time) { words.push_back("tick"); });
  tasks.spawn(context, adder(context, words));
  ASSERT_TRUE(kernel.run_until(Time(5ms)));
  EXPECT_THAT(words, ElementsAre("tick", "tick", "tick", "6 at 4ms"));
}

TEST_F(TaskTest, ReceivesMessagesInOrderAlsoThoseSentBeforeItWaited) {
  box.push(1);
  box.push(2);
  const TaskContext context = tasks.context("listener");
  tasks.spawn(context, listener(box, words));
  ASSERT_TRUE(kernel.run_until(Time(1ms)));
  box.push(3);
  EXPECT_THAT(words, ElementsAre("got 1", "got 2", "got 3"));
}

TEST_F(TaskTest, CancellingDestroysTheFramesInnermostFirstAndTheWakeUp) {
  const TaskContext context = tasks.context("outer");
  const TaskId id = tasks.spawn(context, outer(context, words));
  ASSERT_TRUE(kernel.run_until(Time(1ms)));
  tasks.cancel(id);
  ASSERT_TRUE(kernel.run_until(Time(5s)));
  EXPECT_THAT(words, ElementsAre("destroyed inner", "destroyed outer"));
  EXPECT_TRUE(tasks.is_over(id));
}

TEST_F(TaskTest, ACancelledListenerLeavesLaterMessagesInTheBox) {
  const TaskContext context = tasks.context("listener");
  const TaskId id = tasks.spawn(context, listener(box, words));
  ASSERT_TRUE(kernel.run_until(Time(1ms)));
  tasks.cancel(id);
  ASSERT_TRUE(kernel.run_until(Time(2ms)));
  box.push(9);
  EXPECT_EQ(box.size(), 1U);
  EXPECT_THAT(words, ElementsAre("destroyed listener"));
}

TEST_F(TaskTest, ATaskCancelledBeforeItStartedNeverRuns) {
  const TaskContext context = tasks.context("adder");
  const TaskId id = tasks.spawn(context, adder(context, words));
  tasks.cancel(id);
  ASSERT_TRUE(kernel.run_until(Time(1s)));
  EXPECT_TRUE(words.empty());
}

TEST_F(TaskTest, ATaskThatCancelsItselfEndsAtItsNextSuspension) {
  Suicide self{tasks};
  const TaskContext context = tasks.context("self");
  self.id = tasks.spawn(context, cancels_itself(context, self, words));
  ASSERT_TRUE(kernel.run_until(Time(1s)));
  EXPECT_THAT(words, ElementsAre("still here", "destroyed self"));
}

TEST_F(TaskTest, DestroyingTheTasksCancelsThemAll) {
  {
    Tasks local(kernel);
    const TaskContext context = local.context("outer");
    local.spawn(context, outer(context, words));
    ASSERT_TRUE(kernel.run_until(Time(1ms)));
  }
  ASSERT_TRUE(kernel.run_until(Time(5s)));
  EXPECT_THAT(words, ElementsAre("destroyed inner", "destroyed outer"));
}

}  // namespace
}  // namespace longarm::sim
