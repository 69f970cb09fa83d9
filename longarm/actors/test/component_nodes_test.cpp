// SPDX-License-Identifier: Apache-2.0
// Components as nodes of ROS, from scenarios: actions whose times are sums that anyone can do,
// parameters, namespaces, remapping; and what is wrong with some.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/test/scenario_fixture.h"
#include "longarm/cell/world.h"

namespace longarm::actors {
namespace {

using testing::HasSubstr;
using NodesJson = nlohmann::ordered_json;
using NodesChanges = std::vector<std::string>;

NodesJson run_nodes(const std::string& text, const NodesChanges& changes = {}) {
  return labs::run_to_end(labs::load_text(text, "nodes.yaml", changes))["system"];
}
std::string nodes_error(const std::string& text, const NodesChanges& changes) {
  return labs::load_error(text, "nodes.yaml", changes);
}

// two cables of 5 ms each way, no rate, no host delay: 10 ms one way. The goals at 200, 700, 1200
// and 1700 ms; the first looks up the name and connects, and does not count
constexpr const char* kGoals = R"(length: 2s
network: {star: {hosts: 2, propagation: 5ms}}
actors:
  system: {kind: middleware, settle: 600ms}
  Planner: {kind: component, host: pc1, goals: {pick: {to: Arm, goal_bytes: 400, from: 200ms, period: 500ms}}}
  Arm: {kind: component, host: pc2, actions: {pick: {duration: 100ms}}}
)";

void expect_times(const NodesJson& results, const char* kind, double seconds) {
  for (const char* which : {"_mean_s", "_min_s", "_max_s"}) {
    EXPECT_NEAR(results[std::string(kind) + which].get<double>(), seconds, 1e-12) << which;
  }
}

TEST(Goals, TakeTheWayTwiceAndTheirTime) {
  const NodesJson results = run_nodes(kGoals);
  EXPECT_EQ(results["goals"], 3);
  EXPECT_EQ(results["goals_succeeded"], 3);
  expect_times(results, "goals_begin", 0.020);
  expect_times(results, "goals_time", 0.120);
  EXPECT_EQ(results["actions"]["Arm/pick"]["succeeded"], 3);
}

// sent after 30 ms, arrives after 40, its answer after 50; with 15 ms to stop after 65
TEST(Goals, EndWhenTheCancelArrives) {
  NodesChanges changes{"actors.Planner.goals.pick.cancel_after=30ms"};
  NodesJson results = run_nodes(kGoals, changes);
  EXPECT_EQ(results["goals_cancelled"], 3);
  expect_times(results, "goals_time", 0.050);
  changes.push_back("actors.Arm.actions.pick.stopping=15ms");
  expect_times(run_nodes(kGoals, changes), "goals_time", 0.065);
}

// each goal ends when the next one arrives, 500 ms later; that of 1700 ms still runs at the end
TEST(Goals, ArePreemptedByTheNextOne) {
  const NodesJson results = run_nodes(kGoals, {"actors.Arm.actions.pick.duration=10s"});
  EXPECT_EQ(results["goals"], 2);
  EXPECT_EQ(results["goals_preempted"], 2);
  expect_times(results, "goals_time", 0.520);
}

// of those at 600, 660, 720, … each one that arrives while another runs (100 ms) is rejected:
// every second one
TEST(Goals, CanBeRejected) {
  const NodesJson results =
      run_nodes(kGoals, {"actors.Planner.goals.pick={to: Arm, from: 240ms, period: 60ms}",
                         "actors.Arm.actions.pick.when_busy=reject", "length=1.8s"});
  // 600, 720, … 1560 and 660, 780, … 1740 ms; that of 1680 ends with the run
  EXPECT_EQ(results["goals"], 19);
  EXPECT_EQ(results["goals_succeeded"], 9);
  EXPECT_EQ(results["goals_rejected"], 10);
  EXPECT_NEAR(results["goals_time_min_s"].get<double>(), 0.020, 1e-12);
  EXPECT_NEAR(results["goals_time_max_s"].get<double>(), 0.120, 1e-12);
}

// two goals at once, three times: the second waits until the first is done
TEST(Goals, CanWaitForEachOther) {
  const NodesJson results = run_nodes(
      kGoals, {"actors.Planner.goals.other={to: Arm, action: pick, from: 200ms, period: 500ms}",
               "actors.Arm.actions.pick.when_busy=wait"});
  EXPECT_EQ(results["goals_succeeded"], 6);
  EXPECT_NEAR(results["goals_time_min_s"].get<double>(), 0.120, 1e-12);
  EXPECT_NEAR(results["goals_time_max_s"].get<double>(), 0.220, 1e-12);
}

// at 30, 60 and 90 of 100 ms
TEST(Goals, HaveFeedbackAndMayAbort) {
  const NodesJson results = run_nodes(kGoals, {"actors.Arm.actions.pick.feedback_every=30ms",
                                               "actors.Arm.actions.pick.abort_probability=1"});
  EXPECT_EQ(results["goals_feedback"], 9);
  EXPECT_EQ(results["goals_aborted"], 3);
  expect_times(results, "goals_time", 0.120);
}

TEST(Goals, AreLostWithoutAnAnswerInTime) {
  const NodesJson results = run_nodes(kGoals, {"actors.Planner.goals.pick.timeout=80ms"});
  EXPECT_EQ(results["goals_lost"], 3);
  EXPECT_EQ(results["goals_time_mean_s"], nullptr);
}

// one after the other, each 120 ms, from 200 ms on
TEST(Goals, CanFollowEachOther) {
  const NodesJson results = run_nodes(
      kGoals, {"actors.Planner.goals.pick.period=0s", "actors.Planner.goals.pick.count=7"});
  EXPECT_EQ(results["goals_succeeded"], 3);  // the others were sent before 600 ms
  expect_times(results, "goals_time", 0.120);
}

TEST(Goals, SayWhatIsWrong) {
  EXPECT_THAT(nodes_error(kGoals, {"actors.Planner.goals.pick.to=Arn"}),
              HasSubstr("error: there is no component 'Arn'\n  hint: did you mean 'Arm'?"));
  EXPECT_THAT(nodes_error(kGoals, {"actors.Planner.goals.pick.action=pik"}),
              HasSubstr("error: 'Arm' has no action 'pik'\n  hint: did you mean 'pick'?"));
  EXPECT_THAT(nodes_error(kGoals, {"actors.Planner.calls.pick.to=Arm", "actors.Planner.period=1s"}),
              HasSubstr("error: 'pick' is an action of 'Arm', not a method\n"
                        "  hint: goals: {pick: {to: Arm}}"));
  EXPECT_THAT(nodes_error(kGoals, {"actors.Arm.actions.pick.when_busy=ignore"}),
              HasSubstr("error: unknown actors.Arm.actions.pick.when_busy 'ignore'"));
  EXPECT_THAT(nodes_error(kGoals, {"actors.Arm.actions.pick.abort_probability=2"}),
              HasSubstr("error: a probability is from 0 to 1"));
  EXPECT_THAT(nodes_error(kGoals, {"actors.Arm.serves.pick.reply_bytes=4"}),
              HasSubstr("error: 'pick' is also a method that it serves"));
}

// the pair of component_system_test.cpp: a cycle every 50 ms
constexpr const char* kCycling = R"(length: 1s
network: {star: {hosts: 2, propagation: 5ms}}
actors:
  system: {kind: middleware, settle: 100ms, measure: Client}
  Client: {kind: component, host: pc1, period: 50ms, calls: {ask: {to: Server, request_bytes: 100}}}
  Server: {kind: component, host: pc2, serves: {ask: {reply_bytes: 100}}}
)";

TEST(ParametersOfComponents, AreSetInTheScenario) {
  EXPECT_EQ(run_nodes(kCycling)["cycles"], 18);
  EXPECT_EQ(run_nodes(kCycling, {"actors.Client.parameters.period=100ms"})["cycles"], 9);
  EXPECT_EQ(run_nodes(kCycling, {"actors.Client.parameters.period=0.1"})["cycles"], 9);
  EXPECT_EQ(run_nodes(kCycling, {"actors.Client.parameters={period: {value: 0.1}}"})["cycles"], 9);
}

// cycles at 100, 150, …, 500 ms (9); set at 500 + 20 ms at the latest, so that the next is at 700,
// 800 and 900: the one at 550 has begun to be waited for, and comes
TEST(ParametersOfComponents, AreSetByOthersDuringTheRun) {
  const NodesChanges changes{
      "actors.Boss={kind: component, host: pc2, period: 1s, phase: 505ms, calls: {slow: {to: "
      "Client, set: ['period:=0.1']}, look: {to: Client, get: [period]}}}"};
  const NodesJson results = run_nodes(kCycling, changes);
  // 100 … 550 are ten; 550 + 100 n: 650, 750, 850, 950 are four
  EXPECT_EQ(results["cycles"], 14);
  EXPECT_EQ(results["failed_calls"], 0);
}

TEST(ParametersOfComponents, AreLiveKeysOfAServedCell) {
  const cell::PreparedScenario prepared = labs::load_text(
      kCycling, "nodes.yaml",
      {"actors.Client.namespace=left", "actors.Client.remap.Server=/Server",
       "actors.Client.declares={label: {type: string, default: a}, limit: {type: integer, default: "
       "3, unit: parts, doc: most parts}}"});
  cell::Run run(prepared);
  std::vector<std::string> names;
  for (const cell::LiveKey& key : run.world().live_keys()) {
    if (!key.name.starts_with("left/")) {
      continue;
    }
    names.push_back(key.name + " " + key.value().dump() + " " + key.unit);
    if (key.name == "left/Client/period") {
      EXPECT_FALSE(key.set(-1.0));
      EXPECT_TRUE(key.set(0.2));
    }
  }
  EXPECT_EQ(names,
            (std::vector<std::string>{"left/Client/period 0.05 s", "left/Client/limit 3 parts"}));
  run.run_until(run.end());
  EXPECT_EQ(run.results()["system"]["cycles"], 4);  // at 200, 400, 600 and 800 ms
}

TEST(ParametersOfComponents, SayWhatIsWrong) {
  EXPECT_THAT(nodes_error(kCycling, {"actors.Client.parameters.priod=0.1"}),
              HasSubstr("error: there is no parameter 'priod'\n  hint: did you mean 'period'?"));
  EXPECT_THAT(nodes_error(kCycling, {"actors.Client.parameters.period=fast"}),
              HasSubstr("error: expected a number, found 'fast'\n"
                        "  hint: it is a double in s: period of its cycles"));
  EXPECT_THAT(nodes_error(kCycling, {"actors.Client.parameters.period=0"}),
              HasSubstr("error: 0.0 is less than 1e-06"));
  EXPECT_THAT(nodes_error(kCycling, {"actors.Server.parameters.gain=1"}),
              HasSubstr("hint: this component has none; declare it under declares"));
  EXPECT_THAT(nodes_error(kCycling, {"actors.Server.declares.gain={type: integer, default: 1.5}"}),
              HasSubstr("error: expected a whole number, found 1.5"));
  EXPECT_THAT(nodes_error(kCycling, {"actors.Server.declares.gain={type: integer}"}),
              HasSubstr("error: a parameter needs a default"));
  const std::string boss =
      "actors.Boss={kind: component, host: pc2, period: 1s, calls: {x: {to: Client, ";
  EXPECT_THAT(
      nodes_error(kCycling, {boss + "set: ['priod:=1']}}}"}),
      HasSubstr("error: 'Client' has no parameter 'priod'\n  hint: did you mean 'period'?"));
  EXPECT_THAT(nodes_error(kCycling, {boss + "set: ['period:=fast']}}}"}),
              HasSubstr("error: parameter 'period': expected a number, found \"fast\""));
  EXPECT_THAT(nodes_error(kCycling, {boss + "set: [period]}}}"}),
              HasSubstr("error: 'period' has no ':='"));
  EXPECT_THAT(nodes_error(kCycling, {boss + "get: [rate]}}}"}),
              HasSubstr("error: 'Client' has no parameter 'rate'"));
}

// the first state is left when the parameter says so: at 300 ms of 10 ms cycles, and not before
TEST(ParametersOfComponents, AreValuesOfGuards) {
  const std::string text = R"(length: 1s
network: {hosts: [pc]}
placement: {rule: together}
actors:
  system: {kind: middleware, settle: 0s}
  Gate:
    kind: component
    program: statechart
    period: 10ms
    declares: {open: {type: bool, default: false}}
    states:
      Closed: {transitions: {open: {when: open == 1, to: Open}}}
      Open: {calls: {move: {to: Motor}}}
  Motor: {kind: component, serves: {move: {}}}
  Boss: {kind: component, period: 1s, phase: 295ms, calls: {open: {to: Gate, set: ['open:=true']}}}
)";
  EXPECT_EQ(run_nodes(text)["states_entered"]["Gate"]["Open"], 1);
  EXPECT_EQ(run_nodes(text)["cycles"], 70);  // at 300, 310, …, 990 ms
  EXPECT_EQ(run_nodes(text, {"actors.Gate.parameters.open=true"})["cycles"], 100);
}

// the same two components twice
constexpr const char* kTwice = R"(length: 1s
network: {star: {hosts: 4, propagation: 5ms}}
actors:
  system: {kind: middleware, settle: 100ms}
  left_client: {kind: component, namespace: left, name: client, host: pc1, period: 50ms, phase: 1ms,
                calls: {ask: {to: server}}, publishes: {image: {bytes: 100}}, goals: {go: {to: server, from: 200ms, count: 1}}}
  left_server: {kind: component, namespace: left, name: server, host: pc2, serves: {ask: {}},
                actions: {go: {duration: 1ms}}, subscribes: [image]}
  right_client: {like: left_client, namespace: right, host: pc3}
  right_server: {like: left_server, namespace: right, host: pc4}
)";

double calls_between(const NodesJson& graph, const std::string& a, const std::string& b) {
  for (const NodesJson& edge : graph["edges"]) {
    if ((edge["a"] == a && edge["b"] == b) || (edge["a"] == b && edge["b"] == a)) {
      return edge["calls_per_s"].get<double>();
    }
  }
  return 0.0;
}

/// Who talks to whom.
NodesJson graph_of(const NodesChanges& changes = {}) {
  const cell::PreparedScenario prepared = labs::load_text(kTwice, "nodes.yaml", changes);
  cell::Run run(prepared);
  run.run_until(run.end());
  for (const cell::ResultFile& file : run.files()) {
    if (file.name.ends_with("graph.json")) {
      return NodesJson::parse(file.content);
    }
  }
  return {};
}

TEST(Namespaces, KeepTwoCopiesApart) {
  const NodesJson results = run_nodes(kTwice);
  EXPECT_EQ(results["actions"]["left/server/go"]["succeeded"], 1);
  EXPECT_EQ(results["actions"]["right/server/go"]["succeeded"], 1);
  EXPECT_EQ(results["failed_calls"], 0);
  const NodesJson graph = graph_of();
  // 18 calls and 18 messages in 0.9 s, and a goal; the right ones are farther from the name
  // service, and their first messages come before the subscription
  EXPECT_NEAR(calls_between(graph, "left_client", "left_server"), 41.0, 3.0);
  EXPECT_NEAR(calls_between(graph, "right_client", "right_server"), 41.0, 3.0);
  EXPECT_EQ(calls_between(graph, "left_client", "right_server"), 0.0);
  EXPECT_EQ(calls_between(graph, "right_client", "left_server"), 0.0);
}

TEST(Namespaces, AreCrossedByRemapping) {
  // the topic alone: 20 messages a second go to the left server as well
  const NodesJson topic = graph_of({"actors.left_server.remap.image=/right/image"});
  EXPECT_NEAR(calls_between(topic, "right_client", "left_server"), 20.0, 1.5);
  EXPECT_NEAR(calls_between(topic, "left_client", "left_server"), 21.0, 1.5);
  // the service alone: the goal and the topic stay
  const NodesJson service = graph_of({"actors.left_client.remap.server/ask=/right/server/ask"});
  EXPECT_NEAR(calls_between(service, "left_client", "right_server"), 20.0, 1.5);
  EXPECT_NEAR(calls_between(service, "left_client", "left_server"), 21.0, 1.5);
  // the whole component: services and actions, but not the topic
  const NodesJson whole = graph_of({"actors.left_client.remap={server: /right/server}"});
  EXPECT_NEAR(calls_between(whole, "left_client", "right_server"), 21.0, 1.5);
  EXPECT_NEAR(calls_between(whole, "left_client", "left_server"), 20.0, 1.5);
}

TEST(Namespaces, SayWhatIsWrong) {
  EXPECT_THAT(nodes_error(kTwice, {"actors.right_server.namespace=left"}),
              HasSubstr("error: its node has the same name as that of 'left_server': /left/server\n"
                        "  hint: give it another name or namespace"));
  EXPECT_THAT(nodes_error(kTwice, {"actors.right_server.name=sever"}),
              HasSubstr("error: there is no component 'server', which is /right/server here\n"
                        "  hint: did you mean '/right/sever'?"));
  EXPECT_THAT(nodes_error(kTwice, {"actors.left_client.remap.image=picture"}),
              HasSubstr("error: no component publishes 'image', which is /left/image here"));
  EXPECT_THAT(nodes_error(kTwice, {"actors.left_client.remap.image=a b"}),
              HasSubstr("error: the name 'a b' contains ' '"));
  EXPECT_THAT(nodes_error(kTwice, {"actors.left_client.namespace=~x"}),
              HasSubstr("error: a namespace cannot be private"));
  EXPECT_THAT(nodes_error(kTwice, {"actors.left_client.name=x/y"}),
              HasSubstr("error: the name 'x/y' has a namespace in it"));
}

// through a topic server, which is in no namespace
TEST(Namespaces, HoldForTopicsThroughAServer) {
  const NodesChanges changes{"actors.system.topics.server=Storm",
                             "actors.Storm={kind: component, host: pc1}"};
  const NodesJson graph = graph_of(changes);
  EXPECT_GT(calls_between(graph, "left_client", "Storm"), 15.0);
  EXPECT_GT(calls_between(graph, "left_server", "Storm"), 15.0);
  EXPECT_NEAR(
      calls_between(graph, "left_client", "Storm") + calls_between(graph, "right_client", "Storm"),
      calls_between(graph, "left_server", "Storm") + calls_between(graph, "right_server", "Storm"),
      2.5);
  EXPECT_EQ(run_nodes(kTwice, changes)["failed_calls"], 0);
}

}  // namespace
}  // namespace longarm::actors
