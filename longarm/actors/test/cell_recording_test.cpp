// SPDX-License-Identifier: Apache-2.0
// What trace.mcap has of actors that are no arms, read back from the file.
#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "labs/labs.h"
#include "labs/test/scenario_fixture.h"
#include "longarm/actors/test/arm_fixture.h"
#include "longarm/actors/test/cell_fixture.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace longarm::actors {
namespace {

/// Of one topic.
struct Heard {
  std::string schema;
  std::string encoding;
  std::vector<Time> at;
  std::vector<Json> messages;  ///< where they are JSON
};

class CellRecording : public CellTest {
 protected:
  /// What a run wrote, by topic.
  std::map<std::string, Heard> record(const cell::PreparedScenario& prepared) {
    cell::RunSetup setup;
    setup.trace = folder_.file("trace.mcap");
    cell::Run run(prepared, std::move(setup));
    run.run_until(run.end());
    results_ = run.results();
    EXPECT_TRUE(run.close_files().has_value());
    std::map<std::string, Heard> heard;
    const auto contents =
        record::read_mcap(folder_.file("trace.mcap"), [&](const record::McapMessage& message) {
          Heard& topic = heard[message.channel.topic];
          topic.schema = message.schema.name;
          topic.encoding = message.channel.message_encoding;
          topic.at.push_back(message.log_time);
          if (topic.encoding == "json") {
            const auto* text = reinterpret_cast<const char*>(message.data.data());
            topic.messages.push_back(Json::parse(text, text + message.data.size()));
          }
        });
    EXPECT_TRUE(contents && contents->is_complete);
    return heard;
  }

  TempFolder folder_;
  Json results_;
};

TEST_F(CellRecording, HasWhatEachActorOfTheLabSays) {
  const auto heard = record(
      cell::load_scenario("aprs-live",
                          {{"length=4s", "failures=2s curtain broken for 1s",
                            "actors.touch={kind: contact-sensor, collisions: [medium_gear_1]}",
                            "actors.belt.commands=[[0.5, 0.1]]"},
                           {}},
                          plugins()));
  const auto& frames = heard.at("/camera_1/frames");
  EXPECT_EQ(frames.schema, "longarm/CameraFrame");
  // ten a second, and as many as its results count
  EXPECT_EQ(frames.messages.size(), results_.at("camera_1").at("sent").get<std::size_t>());
  EXPECT_EQ(frames.messages.at(3).at("number"), 3);
  EXPECT_GT(frames.messages.at(3).at("detections").size(), 5U);
  EXPECT_TRUE(heard.contains("/camera_2/frames"));

  const auto& reports = heard.at("/curtain/reports").messages;
  EXPECT_EQ(reports.size(), results_.at("curtain").at("link").at("sent").get<std::size_t>());
  const auto broken = std::find_if(reports.begin(), reports.end(),
                                   [](const Json& each) { return each.at("is_broken") == true; });
  ASSERT_NE(broken, reports.end());
  EXPECT_NEAR(broken->at("stamp_s").get<double>(), 2.0, 2e-3);
  EXPECT_FALSE(broken->at("broken_beams").empty());

  const auto& orders = heard.at("/safety/orders");
  EXPECT_EQ(orders.messages.at(0), (Json{{"order", "stop"}}));
  EXPECT_NEAR(to_seconds(orders.at.at(0)), 2.003, 2e-3);  // over a link of 2 ms

  // a gear touches the vessel that it lies in until it is joined to it
  const auto& touches = heard.at("/touch/touches").messages;
  EXPECT_EQ(touches.size(), results_.at("touch").at("sent").get<std::size_t>());
  EXPECT_EQ(touches.at(1).at("touches").at(0).at("other"), "medium_vessel_1");

  EXPECT_EQ(heard.at("/fanuc/joint_states").encoding, "cdr");
  EXPECT_EQ(heard.at("/fanuc/joint_states").at.size(), 401U);  // after the first step, too
  const auto& statuses = heard.at("/fanuc/status").messages;
  EXPECT_EQ(statuses.at(0).at("commands"), 0);
  EXPECT_EQ(statuses.at(0).at("motion"), "idle");
  EXPECT_LT(statuses.size(), 10U) << "only when it changes";

  const auto& curves = heard.at("/belt/curves").messages;
  EXPECT_EQ(curves.size(), 401U);
  EXPECT_NEAR(curves.at(150).at("velocity").get<double>(), 0.1, 1e-3);
}

TEST_F(CellRecording, HasAUrArmAndItsDriver) {
  const auto heard = record(cell::load_scenario("ur5-driver", {{"length=2s"}, {}}, plugins()));
  EXPECT_EQ(heard.at("/ur5/joint_states").schema, "sensor_msgs/msg/JointState");
  // after the first step, then at 125 Hz
  EXPECT_EQ(heard.at("/ur5/joint_states").at.size(), 251U);
  EXPECT_EQ(heard.at("/ur5/status").messages.at(0).at("safety_mode"), 1);
  EXPECT_TRUE(heard.contains("/driver/curves"));
  EXPECT_FALSE(heard.contains("/network/packets"));
}

TEST_F(CellRecording, HasTheWritesOfAPlcsClients) {
  const auto heard =
      record(cell::load_scenario("aprs-kitting", {{"length=9s"}, {}}, labs::built_in_plugins()));
  EXPECT_EQ(heard.at("/plc/writes").messages.size(),
            results_.at("plc").at("writes").get<std::size_t>());
  const auto& statuses = heard.at("/fanuc/status").messages;
  EXPECT_EQ(statuses.back().at("commands"), results_.at("fanuc").at("commands"));
}

TEST_F(CellRecording, HasTheFateOfEveryMessageIfAskedTo) {
  const cell::PreparedScenario prepared =
      cell::load_scenario("ur5-topology", {{"record.packets=true"}, {}}, plugins());
  const auto heard = record(prepared);
  std::map<std::string, std::uint64_t> count;
  std::map<std::pair<std::string, std::uint64_t>, std::string> fate;
  for (const Json& each : heard.at("/network/packets").messages) {
    const std::string event = each.at("event");
    ++count[event];
    std::string& last = fate[{each.at("from"), each.at("message")}];
    EXPECT_EQ(last, event == "sent" ? "" : "sent") << each;
    last = event;
    if (event == "lost") {
      EXPECT_EQ(each.at("reason"), "lost");
    }
  }
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;
  for (const Json& flow : results_.at("network").at("flows")) {
    sent += flow.at("messages_sent").get<std::uint64_t>();
    delivered += flow.at("messages_delivered").get<std::uint64_t>();
  }
  EXPECT_EQ(count["sent"], sent);
  EXPECT_EQ(count["delivered"], delivered);
  EXPECT_GT(count["lost"], 0U);
  EXPECT_LE(count["lost"] + count["delivered"], sent);

  // frames: as many losses at each port as its cable counts, and on the last hop of a message that
  // was delivered the instant at which it was
  const Heard& frames = heard.at("/network/frames");
  const Json& counters = heard.at("/network/counters").messages.back();
  const Json& cables = results_.at("network").at("cables");  // ports, as they are numbered
  std::vector<std::uint64_t> lost(cables.size());
  std::map<std::uint64_t, Time> arrived;  // at the robot, by message
  for (std::size_t i = 0; i < frames.messages.size(); ++i) {
    const Json& each = frames.messages[i];
    lost.at(each.at("port")) += each.at("fate") != 0 ? 1 : 0;
    if (each.at("port") == 4 && each.at("fate") == 0) {  // cell > robot
      EXPECT_NEAR(each.at("sending_s").get<double>(), each.at("size_bytes").get<double>() * 8e-8,
                  1e-15);
      EXPECT_DOUBLE_EQ(each.at("travelling_s").get<double>(), 1e-6);
      arrived[each.at("message")] = frames.at[i];
    }
  }
  for (std::size_t port = 0; port < cables.size(); ++port) {
    EXPECT_EQ(lost[port], cables[port].at("dropped_loss")) << cables[port];
  }
  EXPECT_EQ(counters.at("office-bridge.lost"), cables[2].at("dropped_loss"));
  EXPECT_EQ(counters.at("robot-drop.lost"), 0);
  EXPECT_EQ(counters.at("not_followed"), 0);
  const Heard& packets = heard.at("/network/packets");
  for (std::size_t i = 0; i < packets.messages.size(); ++i) {
    const Json& each = packets.messages[i];
    if (each.at("event") == "delivered" && each.at("to") == "robot") {
      EXPECT_EQ(arrived.at(each.at("message")), packets.at[i]);
    }
  }

  // and changes nothing
  cell::Run plain(cell::load_scenario("ur5-topology", {}, plugins()));
  plain.run_until(plain.end());
  EXPECT_EQ(results_.at("state_hash"), plain.results().at("state_hash"));
}

// Fifty frames come in each millisecond and a dozen leave; ten of them are to be followed. Where
// the others are lost is recorded all the same.
TEST_F(CellRecording, FollowsNoMoreFramesThanItIsToldTo) {
  const auto heard = record(labs::load_text(R"(length: 100ms
network:
  hosts: {a: {}, b: {}}
  links: {only: {between: [a, b], rate: 100Mbit, queue: {limit_packets: 60}}}
actors:
  noise: {kind: traffic, host: a, to: b, transport: udp, pattern: constant, rate: 400Mbit, size_bytes: 1000, stop: 50ms}
record: {packets: true, frames: 10000}
)",
                                            "noise.yaml"));
  std::map<int, int> fates;
  for (const Json& each : heard.at("/network/frames").messages) {
    ++fates[each.at("fate")];
  }
  const Json& counters = heard.at("/network/counters").messages.back();
  EXPECT_EQ(counters.at("a-only.lost"), fates[1]);
  EXPECT_GT(fates[1], 1500);
  EXPECT_GT(fates[0], 100);
  // a tenth of a second's may come at once: 1250, until 80 us of each make 100 ms; then every fifth
  EXPECT_NEAR(counters.at("not_followed").get<double>(), 1000.0, 5.0);
  // the longest queue of each millisecond, at its end; within two it is full
  const Heard& queue = heard.at("/network/queues/a-only");
  EXPECT_EQ(queue.at.at(1), Time(Duration(2'000'000)));
  EXPECT_EQ(queue.messages.at(1).at("a-only.packets"), 60);
  EXPECT_EQ(queue.messages.at(1).at("a-only.queued_bytes"),
            60 * 1042);  // with IP, UDP and Ethernet's 14
  EXPECT_EQ(queue.messages.back().at("a-only.packets"), 0);
}

// Two clients call at the same instant; the server has one core, on which jobs stand in line.
constexpr const char* kTwoClients = R"(length: 300ms
network:
  star: {hosts: 3, propagation: 5ms}
  host_defaults: {cores: 1, scheduling: fifo, serialise: 10us, deserialise: 5us}
actors:
  system: {kind: middleware, settle: 60ms}
  First:
    kind: component
    host: pc1
    period: 100ms
    calls: {ask: {to: Server, request_bytes: 100}}
    publishes: {Report: {bytes: 64}}
  Second: {kind: component, host: pc3, period: 100ms, calls: {ask: {to: Server, request_bytes: 30}}}
  Server:
    kind: component
    host: pc2
    serves: {ask: {reply_bytes: 20, execution: 400us}}
    subscribes: [Report]
record: {calls: true}
)";

/// The call of that component in the cycle that begins at `sent_s`.
Json call_of(const Heard& calls, const std::string& caller, const std::string& kind,
             double sent_s) {
  for (const Json& each : calls.messages) {
    if (each.at("caller") == caller && each.at("kind") == kind && each.at("sent_s") == sent_s) {
      return each;
    }
  }
  ADD_FAILURE() << "no " << kind << " of " << caller << " at " << sent_s;
  return {};
}

// 100 ms: both begin. + 10 µs serialising + 10 ms of cables = 110.01 ms: both requests have reached
// the server's host. Its core reads the first until 110.015, the second until 110.02. The first is
// executed then, 5 µs after it had arrived, until 110.42; the second until 110.82. Only now the
// core serialises the replies, until 110.83 and 110.84; 10 ms and 5 µs later they are read.
TEST_F(CellRecording, HasTheInstantsOfEveryCall) {
  const auto heard = record(labs::load_text(kTwoClients, "system.yaml"));
  const Heard& calls = heard.at("/system/calls");
  EXPECT_EQ(calls.schema, "longarm/Call");
  // a request has 7 bytes and its method's name around it, a reply 21
  EXPECT_EQ(call_of(calls, "First", "call", 0.1), (Json{{"kind", "call"},
                                                        {"caller", "First"},
                                                        {"callee", "Server"},
                                                        {"method", "ask"},
                                                        {"remote", true},
                                                        {"sent_s", 0.1},
                                                        {"delivered_s", 0.11001},
                                                        {"arrived_s", 0.110015},
                                                        {"started_s", 0.110015},
                                                        {"core_wait_s", 5e-6},
                                                        {"finished_s", 0.11042},
                                                        {"answered_s", 0.120835},
                                                        {"request_bytes", 110},
                                                        {"failed", false},
                                                        {"reply_bytes", 41}}));
  const Json second = call_of(calls, "Second", "call", 0.1);
  EXPECT_EQ(second.at("delivered_s"), 0.11001);
  EXPECT_EQ(second.at("arrived_s"), 0.11002);
  EXPECT_EQ(second.at("core_wait_s"), 400e-6);
  EXPECT_EQ(second.at("finished_s"), 0.11082);
  EXPECT_EQ(second.at("answered_s"), 0.120845);

  // published when the cycle is over, once there is a subscriber; 10 µs, 10 ms, 5 µs
  const Json report = call_of(calls, "First", "publish", 0.220835);
  EXPECT_EQ(report.at("callee"), "Server");
  EXPECT_EQ(report.at("arrived_s"), 0.23085);

  // of First, from 0 ms on; the first one also looks up a name and connects
  const auto& cycles = heard.at("/system/cycles").messages;
  ASSERT_EQ(cycles.size(), 3U);
  EXPECT_EQ(cycles.at(0).at("counted"), false) << "before `settle`";
  EXPECT_EQ(cycles.at(1), (Json{{"component", "First"},
                                {"number", 2},
                                {"started_s", 0.1},
                                {"ended_s", 0.120835},
                                {"calls", 1},
                                {"failed", false},
                                {"counted", true}}));
}

TEST_F(CellRecording, ChangesNothingByWritingCalls) {
  record(labs::load_text(kTwoClients, "system.yaml"));
  const Json with = results_;
  const auto heard = record(labs::load_text(kTwoClients, "system.yaml", {"record.calls=false"}));
  EXPECT_EQ(results_.at("state_hash"), with.at("state_hash"));
  EXPECT_EQ(results_.at("system"), with.at("system"));
  EXPECT_FALSE(heard.contains("/system/calls"));
  EXPECT_FALSE(heard.contains("/system/cycles"));
}

// an answer takes more than 20 ms
TEST_F(CellRecording, HasCallsThatFailAndThoseThatAreLeftOpen) {
  const auto heard = record(labs::load_text(
      kTwoClients, "system.yaml", {"actors.First.calls.ask.timeout=5ms", "length=105500us"}));
  const Heard& calls = heard.at("/system/calls");
  const Json late = call_of(calls, "First", "call", 0.1);
  EXPECT_EQ(late.at("failed"), true);
  EXPECT_EQ(late.at("answered_s"), 0.105) << "when it gave up";
  EXPECT_NE(late.at("why").get<std::string>().find("within 5ms"), std::string::npos);
  EXPECT_FALSE(late.contains("finished_s"));
  EXPECT_EQ(heard.at("/system/cycles").messages.at(1).at("failed"), true);
  // 5.5 ms before the end
  const Json open = call_of(calls, "Second", "call", 0.1);
  EXPECT_EQ(open.at("failed"), false);
  EXPECT_FALSE(open.contains("answered_s"));
}

}  // namespace
}  // namespace longarm::actors
