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
  const char* const kEnds[] = {"succeeded", "cancelled", "preempted"};
  log->push_back(name + " " + kEnds[static_cast<int>(result->status)] + " at " +
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

}  // namespace
}  // namespace longarm::components::test
