// SPDX-License-Identifier: Apache-2.0
// Systems of components from their keys to their figures; times are sums that anyone can do.
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "labs/labs.h"
#include "labs/test/scenario_fixture.h"
#include "longarm/cell/run_folder.h"

namespace longarm::actors {
namespace {

using labs::load_error;
using labs::load_text;

namespace fs = std::filesystem;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

cell::PreparedScenario load_system(const std::string& text,
                                   const std::vector<std::string>& changes = {}) {
  return load_text(text, "system.yaml", changes);
}

/// All results, and those of the system alone.
Json run_cell(const std::string& text, const std::vector<std::string>& changes = {}) {
  return labs::run_to_end(load_system(text, changes));
}
Json run_system(const std::string& text, const std::vector<std::string>& changes = {}) {
  return run_cell(text, changes)["system"];
}

std::string system_error(const std::string& text, const std::vector<std::string>& changes = {}) {
  return load_error(text, "system.yaml", changes);
}

constexpr const char* kPair = R"(length: 1s
network:
  star: {hosts: 2, propagation: 5ms}
actors:
  system: {kind: middleware, settle: 100ms}
  Client:
    kind: component
    host: pc1
    period: 50ms
    calls: {ask: {to: Server, request_bytes: 100}}
  Server:
    kind: component
    host: pc2
    serves: {ask: {reply_bytes: 100}}
)";

// two cables of 5 ms each way, no rate, no host delay
TEST(Components, TakeExactlyTheTimeOfTheWay) {
  const Json results = run_system(kPair);
  EXPECT_EQ(results["cycle_time_min_s"], 0.02);
  EXPECT_EQ(results["cycle_time_max_s"], 0.02);
  // from 100 ms to 1 s every 50 ms
  EXPECT_EQ(results["cycles"], 18);
  EXPECT_EQ(results["failed_calls"], 0);
  EXPECT_EQ(results["hosts_used"], 2);
}

// each message: 10 µs serialising, 20 µs stack, 10 ms, 30 µs stack, 5 µs deserialising; executing
// takes 400 µs: 2 · 10.065 ms + 0.4 ms
TEST(Components, PayForTheirHostsAndForExecution) {
  const std::string defaults = "network.host_defaults.";
  const Json results =
      run_system(kPair, {defaults + "serialise=10us", defaults + "stack_send=20us",
                         defaults + "stack_receive=30us", defaults + "deserialise=5us",
                         "actors.Server.serves.ask.execution=400us"});
  EXPECT_EQ(results["cycle_time_max_s"], 0.02053);
  EXPECT_EQ(results["cycle_time_min_s"], 0.02053);
  const Json& phases = results["call_phases"]["ask"];
  EXPECT_EQ(phases["calls"], phases["remote_calls"]);
  EXPECT_NEAR(phases["execution_mean_s"].get<double>(), 400e-6, 1e-9);
  // a scale makes executing slower, nothing else
  const Json slower = run_system(
      kPair, {"actors.Server.serves.ask.execution=400us", "actors.system.execution.scale=3"});
  EXPECT_EQ(slower["cycle_time_max_s"], 0.0212);
}

// on one host only the loopback is between them
TEST(Components, TakeTheLoopbackOnOneHost) {
  const Json results =
      run_system(kPair, {"placement=together", "network.host_defaults.loopback=70us"});
  EXPECT_EQ(results["cycle_time_max_s"], 140e-6);
  EXPECT_EQ(results["bandwidth_bit_s"], 0.0);
  EXPECT_EQ(results["hosts_used"], 1);
}

constexpr const char* kTopic = R"(length: 1s
network: {star: {hosts: 4, rate: 1Gbit, propagation: 1us}}
placement: separate
actors:
  system: {kind: middleware, settle: 5ms, topics: {server: Storm}}
  Storm: {kind: component}
  Sensor: {kind: component, period: 10ms, phase: 5ms, publishes: {Values: {bytes: 1000}}}
  Observer: {kind: component, subscribes: [Values]}
  Viewer: {kind: component, subscribes: [Values]}
)";

// 100 messages: one call to the server, two from it, in each
TEST(Components, PassTopicsThroughTheServer) {
  const Json results = run_system(kTopic);
  EXPECT_NEAR(results["calls_per_s"].get<double>(), 300.0, 3.5);
  EXPECT_EQ(results["messages_per_s"], 0.0);
  // contents alone: 3 · 1000 bytes · 100/s, and what is around them is more
  const double content = results["bandwidth_content_bit_s"].get<double>();
  EXPECT_GT(content, 2.4e6 * 0.99);
  EXPECT_LT(content, 2.4e6 * 1.1);
  EXPECT_GT(results["bandwidth_bit_s"].get<double>(), content);
}

TEST(Components, PublishStraightToSubscribersWithoutAServer) {
  const Json results = run_system(
      kTopic, {"actors.system.topics.server=\"\"", "actors.Storm.serves.idle.reply_bytes=4"});
  EXPECT_NEAR(results["messages_per_s"].get<double>(), 200.0, 4.0);
}

// 20 ms each way for the first 300 ms, then nothing comes through until the end
constexpr const char* kDying = R"(length: 1s
network:
  hosts: {a: {}, b: {}}
  links: {wire: {between: [a, b], schedule: ["300ms rate 100mbit delay 1ms", "3000s down"]}}
actors:
  system: {kind: middleware, settle: 0s}
  Client: {kind: component, host: a, period: 50ms, calls: {echo: {to: Server, request_bytes: 200}}}
  Server: {kind: component, host: b, serves: {echo: {reply_bytes: 200}}}
)";

TEST(Components, TellOfCallsThatHaveNoAnswerAtTheEnd) {
  const Json metrics = run_cell(kDying);
  const Json& results = metrics["system"];
  EXPECT_EQ(results["calls_outstanding"], 1);
  EXPECT_EQ(results["cycles_failed"], 0);
  EXPECT_THAT(
      metrics["warnings"].dump(),
      HasSubstr(
          "the call Client → Server.echo made at 0.3 s was unanswered at the end of the run"));
}

TEST(Components, GiveUpOnCallsAndGoOn) {
  const Json metrics = run_cell(kDying, {"network.flows=udp", "actors.system.call_timeout=100ms"});
  const Json& results = metrics["system"];
  EXPECT_EQ(results["cycles"], 6);
  // from 300 ms on each takes 100 ms; the last one is still waiting
  EXPECT_GE(results["cycles_failed"].get<int>(), 6);
  EXPECT_THAT(metrics["warnings"].dump(), HasSubstr("cycles failed"));
  EXPECT_THAT(metrics["warnings"].dump(), HasSubstr("cycles started late"));
  EXPECT_EQ(run_system(kDying, {"actors.Client.calls.echo.timeout=100ms"})["cycles"], 6);
  const Json none = run_cell(kDying, {"actors.system.settle=500ms", "network.flows=udp"});
  EXPECT_THAT(none["warnings"].dump(), HasSubstr("nothing was measured: no cycle of Client ended"));
}

// 1 Mbit/s carries an eighth of what is published; TCP would keep all of it
TEST(Components, SendTopicsAsTheFlowsSay) {
  const std::string text = R"(length: 2s
network:
  hosts: {a: {}, b: {}}
  links: {w: {between: [a, b], rate: 1Mbit, propagation: 1ms, queue: {limit_packets: 10}}}
actors:
  system: {kind: middleware, settle: 0s}
  P: {kind: component, host: a, period: 1ms, publishes: {T: {bytes: 1000}}}
  S: {kind: component, host: b, subscribes: [T]}
)";
  const Json udp = run_cell(text, {"network.flows=udp"});
  EXPECT_NE(udp["traffic_hash"], run_cell(text, {"network.flows=tcp"})["traffic_hash"]);
  EXPECT_NE(udp["state_hash"], run_cell(text, {"network.flows=tcp"})["state_hash"]);
  EXPECT_EQ(udp["state_hash"], run_cell(text, {"network.flows=udp"})["state_hash"]);
}

TEST(Components, CaptureIntoTheFolderOfTheRun) {
  const fs::path folder = fs::path(testing::TempDir()) / "components_capture";
  fs::remove_all(folder);
  cell::RunOptions options;
  options.out = folder;
  cell::run_scenario(load_system(kPair, {"network.capture=true"}), options);
  ASSERT_TRUE(fs::exists(folder / "capture"));
  EXPECT_FALSE(fs::is_empty(folder / "capture"));
  EXPECT_THAT(run_cell(kPair, {"network.capture=true"})["warnings"].dump(),
              HasSubstr("network.capture: nothing was captured, because this run has no folder"));
}

TEST(Components, RunEquallyTwiceAndDifferentlyWithAnotherSeed) {
  const std::vector<std::string> changes{"actors.Server.serves.ask.execution=400us",
                                         "actors.system.execution.variation=0.5"};
  const Json first = run_cell(kPair, changes);
  EXPECT_EQ(first["traffic_hash"], run_cell(kPair, changes)["traffic_hash"]);
  std::vector<std::string> other = changes;
  other.push_back("seed=2");
  EXPECT_NE(first["traffic_hash"], run_cell(kPair, other)["traffic_hash"]);
}

constexpr const char* kThree = R"(length: 1s
network: {star: {hosts: 3}}
actors:
  system: {kind: middleware}
  A: {kind: component, serves: {ask: {}}}
  B: {kind: component, serves: {ask: {}}}
  C: {kind: component, host: pc3, serves: {ask: {}}}
)";

std::vector<std::string> placed_by(const std::vector<std::string>& changes) {
  const cell::PreparedScenario prepared = load_system(kThree, changes);
  std::vector<std::string> hosts;
  for (const cell::ActorEntry& actor : prepared.cell().actors) {
    if (actor.kind == "component") {
      hosts.push_back(actor.host);
    }
  }
  return hosts;
}

TEST(Placement, FollowsItsRule) {
  using Hosts = std::vector<std::string>;
  EXPECT_EQ(placed_by({}), (Hosts{"pc1", "pc1", "pc3"}));
  EXPECT_EQ(placed_by({"placement=together"}), (Hosts{"pc1", "pc1", "pc1"}));
  EXPECT_EQ(placed_by({"placement=separate"}), (Hosts{"pc1", "pc2", "pc3"}));
  EXPECT_EQ(placed_by({"placement=isolate", "placement.isolated=[B]"}),
            (Hosts{"pc1", "pc2", "pc1"}));
}

// each has names, topics and figures of its own
TEST(Components, CanBelongToTwoSystems) {
  const fs::path folder = fs::path(testing::TempDir()) / "components_of_two";
  fs::remove_all(folder);
  cell::RunOptions options;
  options.out = folder;
  const std::vector<std::string> changes{
      "actors.Client.middleware=system", "actors.Server.middleware=system",
      "actors.other={kind: middleware, settle: 0s}",
      "actors.Asker={kind: component, middleware: other, period: 10ms, calls: {ask: {to: "
      "Answerer}}}",
      "actors.Answerer={kind: component, middleware: other, serves: {ask: {}}}"};
  const Json metrics = cell::run_scenario(load_system(kPair, changes), options).metrics;
  EXPECT_EQ(metrics["system"]["cycle_time_max_s"], 0.02);
  EXPECT_EQ(metrics["system"]["components"], 2);
  EXPECT_EQ(metrics["other"]["measured"], "Asker");
  EXPECT_EQ(metrics["other"]["cycles"], 100);
  EXPECT_TRUE(fs::exists(folder / "graph.json"));
  EXPECT_TRUE(fs::exists(folder / "other.graph.json"));
  EXPECT_THAT(system_error(kPair, {"actors.other.kind=middleware"}),
              HasSubstr("error: a component needs a middleware"));
}

// a section's short form and its other keys, each by its own --set
TEST(Components, AreIsolatedByTwoChangesOfOneSection) {
  const Json results = run_system(kPair, {"placement=isolate", "placement.isolated=[Server]"});
  EXPECT_EQ(results["hosts_used"], 2);
  EXPECT_EQ(results["cycle_time_max_s"], 0.02);
}

TEST(Components, SayWhatIsWrongWithTheirKeys) {
  EXPECT_THAT(system_error(kPair, {"actors.Client.calls.ask.to=Sever"}),
              HasSubstr("error: there is no component 'Sever'\n  hint: did you mean 'Server'?"));
  EXPECT_THAT(system_error(kPair, {"actors.Client.calls.ask.method=aks"}),
              HasSubstr("error: 'Server' serves no method 'aks'\n  hint: did you mean 'ask'?"));
  EXPECT_THAT(system_error(kPair, {"actors.Client.host=pc7"}),
              HasSubstr("error: the network has no host 'pc7'"));
  EXPECT_THAT(system_error(kPair, {"placement=separate", "network.star.hosts=1"}),
              HasSubstr("error: this needs 2 hosts, but there are 1"));
  EXPECT_THAT(system_error(kPair, {"actors.Servr.host=pc2"}),
              HasSubstr("error: actor 'Servr' has no kind\n  hint: did you mean 'Server'?"));
  EXPECT_THAT(system_error(kPair, {"actors.Servr={kind: component, host: pc2}"}),
              HasSubstr("error: 'Servr' does nothing\n  hint: did you mean 'Server'?"));
  EXPECT_THAT(system_error(kPair, {"actors.system.measure=Clint"}),
              HasSubstr("did you mean 'Client'?"));
  EXPECT_THAT(system_error(kPair, {"actors.Client.program=robot-state"}),
              HasSubstr("error: program 'robot-state' needs an arm"));
  EXPECT_THAT(system_error(kPair, {"actors.Server.subscribes=[Nothing]"}),
              HasSubstr("error: no component publishes 'Nothing'"));
  EXPECT_THAT(system_error(kPair, {"actors.Server.subscribes=[Nothing]"}),
              HasSubstr("hint: let a component publish it"));
  EXPECT_THAT(system_error(kPair, {"actors.system.measure=Server"}),
              HasSubstr("error: 'Server' has no cycles to measure"));
  EXPECT_THAT(
      system_error(kPair, {"network.flows=udp", "actors.Server.serves.ask.reply_bytes=65487"}),
      HasSubstr("error: 65487 bytes do not fit into a UDP datagram\n  hint: use at most 65486"));
  EXPECT_THAT(system_error(kPair, {"actors.system.call_timeout=0s"}),
              HasSubstr("a timeout must be greater than zero"));
  EXPECT_THAT(system_error(kPair, {"actors.system.execution.scale=-1"}),
              HasSubstr("error: computing times must not be negative"));
  EXPECT_THAT(system_error(kPair, {"actors.system.settle=2s"}),
              HasSubstr("error: the run would end before the measurement starts"));
  EXPECT_THAT(system_error("actors: {system: {kind: middleware}}\n"),
              HasSubstr("error: there are no hosts"));
  EXPECT_THAT(system_error("network: {star: {hosts: 1}}\nactors: {system: {kind: middleware}}\n"),
              HasSubstr("error: there are no components"));
  EXPECT_THAT(system_error("actors: {Alone: {kind: component, serves: {ask: {}}}}\n",
                           {"network.star.hosts=1"}),
              HasSubstr("error: a component needs a middleware"));
  EXPECT_THAT(system_error(kPair, {"placement=isolate", "placement.isolated=[Servr]"}),
              HasSubstr("error: there is no actor 'Servr'\n  hint: did you mean 'Server'?"));
  EXPECT_THAT(system_error(kPair, {"placement=isolate", "placement.isolated=[system]"}),
              HasSubstr("error: placement rules do not apply to 'system', which is a middleware"));
  EXPECT_THAT(system_error("experiment: components\n"),
              HasSubstr("error: 'experiment: components' is now written as actors"));
  EXPECT_THAT(system_error(kPair, {"actors.arm={kind: armar-arm, model: armar4}"}),
              HasSubstr("there is no model 'armar4'"));
}

// a program that is none ends the run before its first step; who and when are said, the folder
// stays
TEST(Components, EndWithWhoAndWhenIfAForeignProgramFails) {
  const fs::path folder = fs::path(testing::TempDir()) / "components_foreign";
  fs::remove_all(folder);
  const cell::PreparedScenario prepared = load_system(R"(length: 1s
network: {star: {hosts: 1}}
actors:
  system: {kind: middleware}
  Stranger: {kind: lockstep, command: "exit 3"}
)");
  cell::RunOptions options;
  options.out = folder;
  const cell::RunResult result = cell::run_scenario(prepared, options);
  EXPECT_THAT(result.failure, HasSubstr("Stranger"));
  EXPECT_THAT(result.failure, HasSubstr("at 0 s"));
  EXPECT_EQ(result.metrics["ended"], "failed");
  EXPECT_TRUE(fs::exists(folder / "metrics.json"));
  EXPECT_TRUE(fs::exists(folder / "graph.json"));
}

}  // namespace
}  // namespace longarm::actors
