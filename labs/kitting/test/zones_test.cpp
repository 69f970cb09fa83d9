// SPDX-License-Identifier: Apache-2.0
// Bells wake the one who waits; zones let in one at a time, in the order of asking.
#include "labs/kitting/zones.h"

#include <chrono>
#include <vector>

#include <gtest/gtest.h>

namespace longarm::kitting {
namespace {

using namespace std::chrono_literals;

struct Entry {
  std::string who;
  Duration at;
  bool is_in;
  bool operator==(const Entry&) const = default;
};

class ZonesTest : public ::testing::Test {
 protected:
  sim::Task<void> visit(sim::TaskContext context, std::string who, Duration when, Duration stay) {
    co_await sim::sleep_for(context, when);
    const bool is_in = co_await zones_.enter(context, "belt", who);
    entries_.push_back({who, kernel_.now().time_since_epoch(), is_in});
    co_await sim::sleep_for(context, stay);
    zones_.leave("belt", who);
  }
  void add(const std::string& who, Duration when, Duration stay) {
    const sim::TaskContext context = tasks_.context(who);
    tasks_.spawn(context, visit(context, who, when, stay));
  }
  void run() { ASSERT_TRUE(kernel_.run_until(Time(100s)).has_value()); }

  sim::Kernel kernel_;
  Zones zones_;
  std::vector<Entry> entries_;
  sim::Tasks tasks_{kernel_};
};

TEST_F(ZonesTest, LetInOneAtATimeInTheOrderOfAsking) {
  add("fanuc", 1s, 5s);    // in from 1 to 6
  add("motoman", 3s, 4s);  // asks third: in from 6 + 2 = 8
  add("belt", 2s, 2s);     // asks second: in from 6 to 8
  run();
  const std::vector<Entry> expected{{"fanuc", 1s, true}, {"belt", 6s, true}, {"motoman", 8s, true}};
  EXPECT_EQ(entries_, expected);
}

TEST_F(ZonesTest, SendEverybodyAwayOnceBlocked) {
  add("fanuc", 1s, 50s);
  add("motoman", 2s, 1s);
  kernel_.at(Time(4s), sim::Phase::kControl, kernel_.add_source("world"),
             [this](Time) { zones_.block("belt", "fanuc stands in it"); });
  add("belt", 5s, 1s);
  run();
  const std::vector<Entry> expected{
      {"fanuc", 1s, true}, {"motoman", 4s, false}, {"belt", 5s, false}};
  EXPECT_EQ(entries_, expected);
  EXPECT_EQ(zones_.why_blocked("belt"), "fanuc stands in it");
}

TEST_F(ZonesTest, ForgetWhoeverIsCancelledWhileItWaits) {
  add("fanuc", 1s, 5s);
  const sim::TaskContext context = tasks_.context("motoman");
  const sim::TaskId waiting = tasks_.spawn(context, visit(context, "motoman", 2s, 10s));
  add("belt", 3s, 1s);
  kernel_.at(Time(4s), sim::Phase::kControl, kernel_.add_source("world"),
             [this, waiting](Time) { tasks_.cancel(waiting); });
  run();
  const std::vector<Entry> expected{{"fanuc", 1s, true}, {"belt", 6s, true}};
  EXPECT_EQ(entries_, expected);
}

sim::Task<void> listen(sim::TaskContext context, Bell& bell, std::vector<bool>& rang,
                       std::vector<Duration>& times) {
  for (int i = 0; i < 3; ++i) {
    const bool has_rung = co_await bell.wait_for(context, 2s);
    rang.push_back(has_rung);
    times.push_back(context.kernel.now().time_since_epoch());
  }
}

TEST(Bell, WakesAtTheRingOrAtTheDeadline) {
  sim::Kernel kernel;
  Bell bell;
  std::vector<bool> rang;
  std::vector<Duration> times;
  sim::Tasks tasks(kernel);
  const sim::TaskContext context = tasks.context("listener");
  tasks.spawn(context, listen(context, bell, rang, times));
  const sim::SourceId world = kernel.add_source("world");
  // at 1 s (twice in a row counts once), then silence until 1 + 2 = 3 s, then at 3.5 s
  for (const Duration at : {Duration(1s), Duration(3500ms), Duration(9s)}) {
    kernel.at(Time(at), sim::Phase::kStep, world, [&bell](Time) {
      bell.ring();
      bell.ring();
    });
  }
  ASSERT_TRUE(kernel.run_until(Time(20s)).has_value());
  EXPECT_EQ(rang, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(times, (std::vector<Duration>{1s, 3s, 3500ms}));
}

}  // namespace
}  // namespace longarm::kitting
