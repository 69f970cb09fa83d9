// SPDX-License-Identifier: Apache-2.0
// The loop component in a simulation: cycles from first request to last reply, windows, overruns.
#include "longarm/components/loop_component.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "longarm/components/test/lockstep_fixture.h"
#include "longarm/network/config/network_config.h"

namespace longarm::components {
namespace {

using namespace std::chrono_literals;

LoopCall call_of(const std::string& to, const std::string& method) {
  LoopCall call;
  call.name = method;
  call.to = to;
  call.request_bytes = 10;
  return call;
}

LoopMethod method_of(const std::string& name, Duration execution) {
  LoopMethod method;
  method.name = name;
  method.reply_bytes = 20;
  method.execution.fixed = execution;
  return method;
}

class LoopTest : public LockstepTest {
 protected:
  LoopComponent& add_loop(LoopConfig config, const std::string& host) {
    Node& node = add_node(config.name, host);
    return *loops_.emplace_back(std::make_unique<LoopComponent>(node, std::move(config), 1));
  }
  void run(Duration length) { ASSERT_TRUE(kernel_.run_until(Time(length)).has_value()); }

  ~LoopTest() override { parts_.clear(); }  // tasks use the loops

  std::vector<std::unique_ptr<LoopComponent>> loops_;
};

TEST_F(LoopTest, ACycleIsTheSumOfItsWaysAndExecutionsNestedOnesToo) {
  LoopConfig base;
  base.name = "Base";
  base.serves = {method_of("get", 1ms)};
  LoopConfig middle;
  middle.name = "Middle";
  middle.serves = {method_of("get", 2ms)};
  middle.serves[0].calls = {call_of("Base", "get")};
  LoopConfig top;
  top.name = "Top";
  top.period = 200ms;
  top.phase = 100ms;
  top.cycles = 5;
  top.compute.fixed = 7ms;
  top.calls = {call_of("Middle", "get"), call_of("Base", "get")};
  add_loop(base, "near");
  add_loop(middle, "far");
  LoopComponent& loop = add_loop(top, "near");
  run(3s);
  ASSERT_EQ(loop.cycles().size(), 5U) << loop.last_failure();
  // from the second on, when everybody is found and connected. Middle is 10 ms away and computes
  // 2 ms; it calls Base, 10 ms away and 1 ms; then Base directly, on the same host: 1 ms.
  const Duration expected = 10ms + 2ms + (10ms + 1ms + 10ms) + 10ms + 1ms;
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_EQ(loop.cycles()[i].started, Time(100ms + static_cast<int>(i) * 200ms + 7ms));
    EXPECT_EQ(loop.cycles()[i].ended - loop.cycles()[i].started, expected);
    EXPECT_EQ(loop.cycles()[i].calls, 2);
  }
  EXPECT_EQ(loop.overruns(), 0U);
  EXPECT_TRUE(loop.is_done());
}

TEST_F(LoopTest, MakesCallsOnlyInTheirWindowsAndCycles) {
  LoopConfig server;
  server.name = "Server";
  server.serves = {method_of("always", 0ms), method_of("rarely", 0ms), method_of("late", 0ms)};
  LoopConfig top;
  top.name = "Top";
  top.period = 100ms;
  top.phase = 100ms;
  top.cycles = 6;
  top.calls = {call_of("Server", "always"), call_of("Server", "rarely"), call_of("Server", "late")};
  top.calls[1].every = 3;
  top.calls[2].from = 300ms;
  top.calls[2].until = 500ms;
  add_loop(server, "near");
  LoopComponent& loop = add_loop(top, "near");
  run(2s);
  std::vector<std::int64_t> calls;
  for (const LoopCycle& cycle : loop.cycles()) {
    calls.push_back(cycle.calls);
  }
  // cycles at 100, 200, … 600 ms: every third makes the rare call; those at 300 and 400 the late
  // one
  EXPECT_THAT(calls, testing::ElementsAre(2, 1, 2, 3, 1, 1));
}

TEST_F(LoopTest, BeginsAtOnceWhenACycleTookLongerThanItsPeriod) {
  LoopConfig server;
  server.name = "Server";
  server.serves = {method_of("get", 5ms)};
  LoopConfig top;
  top.name = "Top";
  top.period = 10ms;
  top.phase = 100ms;
  top.calls = {call_of("Server", "get")};
  add_loop(server, "far");
  LoopComponent& loop = add_loop(top, "near");
  run(2s);
  ASSERT_GT(loop.cycles().size(), 10U);
  EXPECT_EQ(loop.overruns(), loop.cycles().size());
  EXPECT_EQ(loop.cycles()[10].started, loop.cycles()[9].ended);
  EXPECT_EQ(loop.cycles()[9].ended - loop.cycles()[9].started, 25ms);
}

TEST_F(LoopTest, NotesCallsThatFail) {
  LoopConfig top;
  top.name = "Top";
  top.period = 100ms;
  top.cycles = 1;
  top.calls = {call_of("Nobody", "get")};
  LoopComponent& loop = add_loop(top, "near");
  run(2s);
  ASSERT_EQ(loop.cycles().size(), 1U);
  EXPECT_TRUE(loop.cycles()[0].has_failed);
  EXPECT_THAT(loop.last_failure(), testing::StartsWith("Nobody.get: "));
}

class OneCoreTest : public LockstepTest {
 protected:
  OneCoreTest() : LockstepTest(1) {}

  static sim::Task<void> compute(Node& node, Time& done) {
    co_await node.compute(10ms);
    done = node.now();
  }
};

TEST_F(OneCoreTest, HostsOfOneMachineWaitForItsCore) {
  Time near_done{};
  Time far_done{};
  Node& near = add_node("Near", "near");
  Node& far = add_node("Far", "far");
  near.spawn(compute(near, near_done));
  far.spawn(compute(far, far_done));
  ASSERT_TRUE(kernel_.run_until(Time(1s)).has_value());
  EXPECT_EQ(near_done, Time(10ms));
  EXPECT_EQ(far_done, Time(20ms));
  EXPECT_DOUBLE_EQ(hosts_->busy_s("near"), 0.020);
}

TEST(SharedCores, MustBeThoseOfAHostThatHasItsOwn) {
  network::NetworkConfig config;
  config.star.hosts = 3;
  config.hosts.resize(2);
  config.hosts[0].name = "pc1";
  config.hosts[0].shares_cores_with = "pc9";
  config.hosts[1].name = "pc2";
  config.hosts[1].shares_cores_with = "pc1";
  InputFiles files;
  std::vector<std::string> problems;
  for (const network::KeyRemark& remark : network::load(config, files)) {
    problems.push_back(remark.key + ": " + remark.message);
  }
  EXPECT_THAT(problems,
              testing::ElementsAre("hosts.pc1.shares_cores_with: there is no host 'pc9'",
                                   "hosts.pc2.shares_cores_with: 'pc1' has no cores of its own"));
  config.hosts[0].shares_cores_with = "pc1";  // itself: its own
  EXPECT_THAT(network::load(config, files), testing::IsEmpty());
}

TEST(LoopConfig, SaysWhatMakesNoSense) {
  LoopConfig config;
  config.name = "Top";
  config.calls = {call_of("", "get")};
  config.calls[0].every = 0;
  config.calls[0].request_bytes = -1;
  config.calls[0].until = Duration::zero();
  config.publishes.resize(1);
  config.publishes[0].name = "news";
  config.publishes[0].bytes = 1LL << 40;
  InputFiles files;
  std::vector<std::string> keys;
  for (const network::KeyRemark& remark : load(config, files)) {
    keys.push_back(remark.key);
  }
  EXPECT_THAT(keys,
              testing::ElementsAre("period", "calls.get.to", "calls.get.request_bytes",
                                   "calls.get.every", "calls.get.until", "publishes.news.bytes"));
}

}  // namespace
}  // namespace longarm::components
