// SPDX-License-Identifier: Apache-2.0
// Actions: goal, feedback, result; cancel; preemption by a newer goal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/components/actions.h"
#include "longarm/components/test/components_fixture.h"

namespace longarm::components::test {
namespace {

using ::testing::ElementsAre;

struct Count {
  static constexpr std::string_view kTypeName = "test/Count";
  std::uint32_t value = 0;
  template <typename Self, typename Visitor>
  static void list_fields(Self& self, Visitor& visitor) {
    visitor("value", self.value);
  }
};

using CountServer = ActionServer<Count, Count, Count>;
using CountClient = ActionClient<Count, Count, Count>;

/// Counts to the goal, one each millisecond, and says each number.
sim::Task<Count> count_to(Node* node, Count goal, ActionGoal<Count> running) {
  Count reached;
  while (reached.value < goal.value && !running.must_end()) {
    co_await node->sleep_for(1ms);
    ++reached.value;
    running.feedback(reached);
  }
  co_return reached;
}

sim::Task<void> send_goal(CountClient* client, std::string name, std::uint32_t to,
                          std::vector<std::string>* log) {
  const auto feedback = [log, name](const Count& count) {
    log->push_back(name + " " + std::to_string(count.value));
  };
  Result<ActionResult<Count>> result = co_await client->run(Count{to}, feedback);
  if (!result) {
    log->push_back(name + ": " + result.error().message);
    co_return;
  }
  log->push_back(name + " " + std::string(name_of(result->status)) + " at " +
                 std::to_string(result->outcome.value));
}

class Action : public ::testing::Test {
 protected:
  Action() : system(2) {
    server = system.make_known("counter", "pc2", {.threads = 1});
    client = system.make_known("client", "pc1");
    Node* node = server.node.get();
    action_server = std::make_unique<CountServer>(
        *node, "count",
        [node](Count goal, ActionGoal<Count> running) { return count_to(node, goal, running); });
    action_client = std::make_unique<CountClient>(*client.node, "counter", "count");
  }
  void send(std::string name, std::uint32_t to) {
    client.node->spawn(send_goal(action_client.get(), std::move(name), to, &log));
  }

  System system;
  TestComponent server, client;
  std::unique_ptr<CountServer> action_server;
  std::unique_ptr<CountClient> action_client;
  std::vector<std::string> log;
};

TEST_F(Action, RunsToItsEndWithFeedbackOnTheWay) {
  send("a", 3);
  system.run_for(10ms);
  EXPECT_THAT(log, ElementsAre("a 1", "a 2", "a 3", "a succeeded at 3"));
  EXPECT_FALSE(action_server->is_running());
}

TEST_F(Action, EndsEarlyWhenCancelled) {
  send("a", 10);
  system.run_for(2500us);
  action_client->cancel();
  system.run_for(10ms);
  // must_end() is asked before each number: 3 was under way
  EXPECT_THAT(log, ElementsAre("a 1", "a 2", "a 3", "a cancelled at 3"));
}

TEST_F(Action, IsPreemptedByANewerGoal) {
  send("a", 10);
  system.run_for(1500us);
  send("b", 2);
  system.run_for(10ms);
  EXPECT_THAT(log, ElementsAre("a 1", "a 2", "a preempted at 2", "b 1", "b 2", "b succeeded at 2"));
}

TEST_F(Action, KeepsOnlyTheNewestOfThoseThatWait) {
  send("a", 10);
  system.run_for(500us);
  send("b", 2);
  system.run_for(100us);
  send("c", 1);
  system.run_for(10ms);
  EXPECT_THAT(
      log, ElementsAre("b preempted at 0", "a 1", "a preempted at 1", "c 1", "c succeeded at 1"));
}

TEST_F(Action, IsCancelledWhenTheClientDies) {
  send("a", 1000);
  system.run_for(1500us);
  client.kill();
  system.run_for(2ms);
  EXPECT_FALSE(action_server->is_running());
}

TEST_F(Action, FailsWhenTheServerDies) {
  send("a", 1000);
  system.run_for(1500us);
  server.kill();
  system.run_for(1ms);
  ASSERT_EQ(log.size(), 2U);
  EXPECT_THAT(log[1], ::testing::HasSubstr("a: '/counter' at pc2"));
}

/// Waits for the goal's time or for its early end, aborts odd ones.
sim::Task<Count> wait_ms(Node* node, Count goal, ActionGoal<Count> running) {
  const Time began = node->now();
  co_await running.sleep_for(*node, goal.value * 1ms);
  if (goal.value % 2 == 1) {
    running.abort();
  }
  co_return Count{static_cast<std::uint32_t>((node->now() - began) / 1ms)};
}

sim::Task<void> follow_goal(CountClient* client, Node* node, std::string name, std::uint32_t time,
                            std::vector<std::string>* log) {
  const auto stamp = [node] { return std::to_string(node->now().time_since_epoch() / 1us); };
  const auto state = [log, name, stamp](ActionStatus status) {
    log->push_back(stamp() + " " + name + " " + std::string(name_of(status)));
  };
  Result<ActionResult<Count>> result = co_await client->run(Count{time}, {}, state);
  log->push_back(stamp() + " " + name + " " +
                 (result ? std::string(name_of(result->status)) : result.error().message));
}

/// A cable of 1 ms each way between client and server.
class RemoteAction : public ::testing::Test {
 protected:
  void serve(WhenBusy when_busy, CountServer::Accepts accepts = {}) {
    Node* node = server.node.get();
    action_server = std::make_unique<CountServer>(
        *node, "wait",
        [node](Count goal, ActionGoal<Count> running) { return wait_ms(node, goal, running); },
        when_busy, std::move(accepts));
    // looks names up and connects, so that what follows takes the way alone
    send("first", 2);
    system.run_for(100ms);
    log.clear();
    system.recorder.goals.clear();
    start = system.kernel.now();
  }
  void send(std::string name, std::uint32_t time) {
    client.node->spawn(
        follow_goal(action_client.get(), client.node.get(), std::move(name), time, &log));
  }
  std::string at(int time_ms) const {
    return std::to_string((start.time_since_epoch() + time_ms * 1ms) / 1us) + " ";
  }

  static network::Cable cable() {
    network::Cable cable;
    cable.propagation = 1ms;
    return cable;
  }
  System system{2, {}, cable()};
  TestComponent server = system.make_known("waiter", "pc2");
  TestComponent client = system.make_known("client", "pc1");
  std::unique_ptr<CountServer> action_server;
  std::unique_ptr<CountClient> action_client =
      std::make_unique<CountClient>(*client.node, "waiter", "wait");
  std::vector<std::string> log;
  Time start{};
};

TEST_F(RemoteAction, TellsItsStatesAndTakesTheWayTwice) {
  serve(WhenBusy::kPreempt);
  send("a", 10);
  system.run_for(50ms);
  EXPECT_THAT(log, ElementsAre(at(2) + "a executing", at(12) + "a succeeded"));
  ASSERT_EQ(system.recorder.goals.size(), 1U);
  const GoalRecord& goal = system.recorder.goals[0];
  EXPECT_EQ(goal.client + " " + goal.server + " " + goal.action, "/client /waiter wait");
  EXPECT_EQ(goal.status, "succeeded");
  EXPECT_EQ(goal.ended - goal.sent, 12ms);
  EXPECT_EQ(*goal.began - goal.sent, 2ms);
}

// the cancel is sent at 4 ms and arrives at 5 ms
TEST_F(RemoteAction, EndsAsSoonAsTheCancelArrives) {
  serve(WhenBusy::kPreempt);
  send("a", 10);
  system.run_for(4ms);
  action_client->cancel();
  system.run_for(50ms);
  EXPECT_THAT(log,
              ElementsAre(at(2) + "a executing", at(6) + "a cancelling", at(6) + "a cancelled"));
}

TEST_F(RemoteAction, EndsAsSoonAsANewerGoalArrives) {
  serve(WhenBusy::kPreempt);
  send("a", 10);
  system.run_for(4ms);
  send("b", 2);
  system.run_for(50ms);
  EXPECT_THAT(log, ElementsAre(at(2) + "a executing", at(6) + "b accepted", at(6) + "b executing",
                               at(6) + "a preempted", at(8) + "b succeeded"));
}

TEST_F(RemoteAction, CanRejectWhileItIsBusy) {
  serve(WhenBusy::kReject);
  send("a", 10);
  system.run_for(4ms);
  send("b", 2);
  system.run_for(50ms);
  EXPECT_THAT(log,
              ElementsAre(at(2) + "a executing", at(6) + "b rejected", at(12) + "a succeeded"));
}

TEST_F(RemoteAction, CanLetThemWaitAndForgetsThoseCancelledMeanwhile) {
  serve(WhenBusy::kWait);
  send("a", 10);
  send("b", 4);
  system.run_for(1ms);
  send("c", 4);
  system.run_for(4ms);
  action_client->cancel();  // the newest
  system.run_for(50ms);
  EXPECT_THAT(log, ElementsAre(at(2) + "a executing", at(2) + "b accepted", at(3) + "c accepted",
                               at(7) + "c cancelled", at(12) + "b executing",
                               at(12) + "a succeeded", at(16) + "b succeeded"));
}

TEST_F(RemoteAction, CanRejectAGoalForItselfAndAbort) {
  serve(WhenBusy::kPreempt, [](const Count& goal) { return goal.value < 100; });
  send("a", 100);
  system.run_for(20ms);
  send("b", 3);
  system.run_for(20ms);
  EXPECT_THAT(log, ElementsAre(at(2) + "a rejected", at(22) + "b executing", at(25) + "b aborted"));
}

TEST_F(RemoteAction, IsLostWithItsServer) {
  serve(WhenBusy::kPreempt);
  send("a", 10);
  system.run_for(4ms);
  server.kill();
  system.run_for(50ms);
  ASSERT_EQ(system.recorder.goals.size(), 1U);
  EXPECT_EQ(system.recorder.goals[0].status, "lost");
}

}  // namespace
}  // namespace longarm::components::test
