// SPDX-License-Identifier: Apache-2.0
// The kitting cell with a network: clients talk across it, safety stops, links and robots fail.
#include <cmath>

#include <fmt/format.h>

#include "longarm/actors/test/cell_fixture.h"
#include "longarm/protocols/crcl/client.h"
#include "longarm/protocols/modbus/client.h"

namespace longarm::actors {
namespace {

namespace crcl = protocols::crcl;

constexpr const char* kClient = "executor";

class CellTalk : public AprsCells {
 protected:
  /// A star of gigabit cables; each takes `propagation`. The safety controller is beside the PLC.
  static std::vector<std::string> networked(const std::string& propagation) {
    std::vector<std::string> changes{"actors.executor={kind: client}", "actors.safety.host=plc"};
    std::string hosts;
    std::string links;
    for (const std::string name :
         {kClient, "plc", "curtain", "camera_1", "camera_2", "fanuc", "motoman"}) {
      changes.push_back(fmt::format("actors.{}.host={}", name, name));
      hosts += name + ": {}, ";
      links += fmt::format("{}: {{between: [{}, switch], rate: 1Gbit, propagation: {}}}, ", name,
                           name, propagation);
    }
    changes.push_back(fmt::format(
        "network={{hosts: {{{}}}, switches: {{switch: {{}}}}, links: {{{}}}}}", hosts, links));
    return changes;
  }

  static cell::NetworkClientLink& connect(cell::Run& run, const std::string& actor,
                                          const std::string& door) {
    return run.world().dial(kClient, {actor, ""}, door);
  }

  /// A CRCL client on the executor's host that asks every 50 ms.
  struct Talk {
    Talk(cell::Run& run, const std::string& robot) : link(connect(run, robot, robot + ".crcl")) {
      link.listen([this](std::string_view bytes, Time now) {
        statuses += client.receive(bytes);
        last_heard = now;
      });
      const sim::SourceId source = run.world().kernel().add_source("client of " + robot);
      run.world().kernel().every(50ms, Time{}, sim::Phase::kControl, source, [this](Time) {
        client.ask_status();
        link.send(client.take_output());
      });
    }
    std::int64_t say(crcl::CommandBody body) {
      const Result<std::int64_t> id = client.send(std::move(body));
      EXPECT_TRUE(id.has_value());
      return id ? *id : 0;
    }

    protocols::ClientLink& link;
    crcl::Client client;
    std::size_t statuses = 0;
    Time last_heard{};
  };

  static void turn_base(cell::Run& run, double to_rad, double speed_rad_s) {
    const robots::JointGoal goal{0, to_rad, speed_rad_s, std::nullopt, std::nullopt};
    const Result<Duration> planned = robot(run, "fanuc").move_joints(std::span(&goal, 1), {});
    ASSERT_TRUE(planned.has_value()) << planned.error().message;
  }
};

TEST_F(CellTalk, HearsBothRobotsAcrossTheNetwork) {
  const auto run = make({}, networked("1ms"));
  Talk fanuc(*run, "fanuc");
  Talk motoman(*run, "motoman");
  const std::int64_t init = fanuc.say(crcl::InitCanon{});
  run_until(*run, 500ms);
  EXPECT_EQ(fanuc.client.progress(init), crcl::Progress::kDone);
  // asked at 0, 50 … 450 ms, answered each time
  EXPECT_EQ(fanuc.statuses, 10u);
  EXPECT_EQ(motoman.statuses, 10u);
  const auto results = run->results();
  EXPECT_EQ(results["fanuc"]["commands"], 1);
  EXPECT_TRUE(results.contains("traffic_hash"));
  EXPECT_GT(results["network"]["flows"].size(), 4u);
  EXPECT_EQ(results["world"]["arm_contacts"], 0);
  EXPECT_EQ(results["world"]["environment_hits"], 0);
}

TEST_F(CellTalk, TellsWherePartsAreToThoseWhoAsk) {
  const auto run = make({}, networked("1ms"));
  protocols::ClientLink& link = connect(*run, "fanuc", "fanuc.crcl");
  std::string heard;
  link.listen([&](std::string_view bytes, Time) { heard += bytes; });
  crcl::Client client;
  ASSERT_TRUE(client.send(crcl::InitCanon{}));
  ASSERT_TRUE(client.send(crcl::SetRobotParameters{{{"reportModels", "true"}}}));
  client.ask_status();
  link.send(client.take_output());
  run_until(*run, 100ms);
  int parts = 0;
  for (const model::Placement& placement : run->world().model().placements) {
    const bool is_part = !placement.is_fixed && !placement.tree.is_static;
    parts += is_part ? 1 : 0;
    EXPECT_EQ(heard.find("<ModelStatus><Name>" + placement.name + "<") != std::string::npos,
              is_part)
        << placement.name;
  }
  EXPECT_GT(parts, 0);
}

TEST_F(CellTalk, DrivesTheBeltThroughItsPlc) {
  const auto run = make({}, networked("1ms"));
  protocols::ClientLink& plc = connect(*run, "plc", "plc");
  namespace modbus = protocols::modbus;
  modbus::Client client;
  plc.send(client.write_registers(0x8000, std::vector<std::uint16_t>{1, 0, 0x4000}).bytes);
  run_until(*run, 600ms);
  // half of full speed, reached after 0.2 s of ramp
  EXPECT_NEAR(belt(*run).velocity_m_s(), 0.1, 1e-3);
  EXPECT_EQ(run->results()["plc"]["writes"], 3);
}

TEST_F(CellTalk, SeesARobotBreakAndAnotherFallSilent) {
  const auto run = make({"300ms fanuc breaks", "300ms motoman dies"}, networked("1ms"));
  Talk fanuc(*run, "fanuc");
  Talk motoman(*run, "motoman");
  fanuc.say(crcl::InitCanon{});
  run_until(*run, 250ms);
  EXPECT_EQ(fanuc.statuses, 5u);
  turn_base(*run, -0.9, 1.0);
  run_until(*run, 800ms);
  EXPECT_NE(robot(*run, "fanuc").fault(), "");
  EXPECT_EQ(fanuc.statuses, 16u) << "it still answers";
  EXPECT_EQ(motoman.statuses, 6u) << "the last one before 300 ms";
  // brakes on: it does not move any more
  const auto positions = run->world().engine().positions();
  const std::vector<double> before(positions.begin(), positions.end());
  run_until(*run, 900ms);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(run->world().engine().positions()[i], before[i], 1e-3) << i;
  }
}

TEST_F(CellTalk, StopsRobotsAsFarAsTheClosedFormSays) {
  // joint 1 turns at 1 rad/s with the tool at r; the beam is broken at 1 s; reports take 5 ms to
  // the switch and 5 ms on, and so does the order to the robot, which then brakes with 20 rad/s²:
  // r·(w·latency + w²/(2·20)) with the order acting from the next step on
  const auto run = make({"1s curtain broken for 1s"}, networked("5ms"));
  const robots::Robot& fanuc = robot(*run, "fanuc");
  run_until(*run, 500ms);
  turn_base(*run, -1.7, 1.0);
  const model::Vector3 tool = fanuc.state().X_BT.translation();
  const double r = std::hypot(tool.x(), tool.y());
  run_until(*run, 1300ms);
  const auto results = run->results();
  ASSERT_EQ(results["safety"]["stops"], 1);
  const auto& stop = results["safety"]["each_stop"][0];
  EXPECT_NEAR(stop["broken_s"].get<double>(), 1.0, 2.1e-3);
  // 10 ms, and what sending of frames of some hundred bits takes
  EXPECT_NEAR(stop["order_after_s"].get<double>(), 0.010, 1e-5);
  const double latency_s = 0.021;
  const double expected = r * (1.0 * latency_s + 1.0 / (2.0 * 20.0));
  EXPECT_NEAR(stop["distance_m"]["fanuc"].get<double>(), expected, 0.03 * expected);
  EXPECT_LT(stop["distance_m"]["motoman"].get<double>(), 1e-4);
  EXPECT_NEAR(stop["still_after_s"].get<double>(), latency_s + 0.05, 5e-3);
  EXPECT_TRUE(fanuc.is_safety_stopped());
  EXPECT_TRUE(belt(*run).is_stopped());
  // the visitor leaves at 2 s, a second later everything goes on, and the motion is finished
  run_until(*run, 2900ms);
  EXPECT_TRUE(fanuc.is_safety_stopped());
  run_until(*run, 3100ms);
  EXPECT_FALSE(fanuc.is_safety_stopped());
  EXPECT_FALSE(belt(*run).is_stopped());
  run_until(*run, 4500ms);
  EXPECT_EQ(fanuc.motion().state, robots::MotionState::kDone);
  EXPECT_NEAR(fanuc.state().joints[0].position, -1.7, 1e-3);
}

TEST_F(CellTalk, StopsARobotAfterTheBeltWhichIsWiredToTheController) {
  // reports take 2 · 5 ms; the belt has no host and stops at that instant, the robot 10 ms later
  const auto run = make({"1s curtain broken for 1s"}, networked("5ms"));
  std::optional<Time> belt_stopped;
  std::optional<Time> robot_stopped;
  while (!robot_stopped && run->world().now() < Time(1100ms)) {
    step(*run);
    if (belt(*run).is_stopped() && !belt_stopped) {
      belt_stopped = run->world().now();
    }
    if (robot(*run, "fanuc").is_safety_stopped()) {
      robot_stopped = run->world().now();
    }
  }
  ASSERT_TRUE(belt_stopped.has_value());
  ASSERT_TRUE(robot_stopped.has_value());
  EXPECT_NEAR(to_seconds(*belt_stopped), 1.011, 2.1e-3);
  EXPECT_NEAR(to_seconds(*robot_stopped - *belt_stopped), 0.010, 1.1e-3);
}

TEST_F(CellTalk, StopsWhenTheCurtainCannotBeHeard) {
  const auto run = make({"300ms link curtain down for 400ms"}, networked("1ms"));
  const robots::Robot& fanuc = robot(*run, "fanuc");
  run_until(*run, 480ms);
  EXPECT_FALSE(fanuc.is_safety_stopped());
  // the last report before 300 ms was at 297 ms; 200 ms of silence
  run_until(*run, 510ms);
  EXPECT_TRUE(fanuc.is_safety_stopped());
  EXPECT_EQ(run->results()["safety"]["stops_by_silence"], 1);
  EXPECT_TRUE(run->results()["safety"]["each_stop"][0]["broken_s"].is_null()) << "no beam was";
  // reports arrive again at about 700 ms
  run_until(*run, 1800ms);
  EXPECT_FALSE(fanuc.is_safety_stopped());
}

TEST_F(CellTalk, HasLinksThatAreSlowForAWhile) {
  const auto run = make({"250ms link camera_1 slow 40ms for 200ms"}, networked("1ms"));
  std::vector<Duration> delays;
  listen_to_camera(
      *run, "camera_1",
      [&](const devices::CameraFrame& frame, Time now) { delays.push_back(now - frame.stamp); },
      kClient);
  run_until(*run, 650ms);
  // frames at 0, 100 … 600 ms; those at 300 and 400 ms are slow; 1 ms per cable
  ASSERT_EQ(delays.size(), 7u);
  for (std::size_t i = 0; i < delays.size(); ++i) {
    const double slow = i == 3 || i == 4 ? 0.04 : 0.0;
    EXPECT_NEAR(to_seconds(delays[i]), 0.002 + slow, 1e-4) << i;
  }
}

// the client is beside the controller, so it waits for nobody; joints hear of it 2 ms later
TEST_F(CellTalk, MovesARobotWhoseControllerIsOnAnotherHost) {
  std::vector<std::string> changes = networked("1ms");
  changes.push_back("actors.fanuc.control.host=executor");
  const auto run = make({"600ms link fanuc down", "600ms link executor down"}, changes);
  Talk fanuc(*run, "fanuc");
  fanuc.say(crcl::InitCanon{});
  fanuc.say(crcl::ActuateJoints{{{1, -1.2, crcl::JointSpeedAccel{0.5, {}}}}, {}});
  const physics::JointId base = cell::find_joint(run->world().model(), "fanuc::arm::joint_1");
  const auto speed = [&] {
    return std::abs(run->world().engine().velocities()[static_cast<std::size_t>(base)]);
  };
  run_until(*run, 500ms);
  EXPECT_GT(speed(), 0.1);
  // nothing is heard for 100 ms: it brakes, and its controller does not know
  run_until(*run, 699ms);
  EXPECT_GT(speed(), 0.1);
  run_until(*run, 900ms);
  EXPECT_LT(speed(), 1e-3);
  const auto results = run->results()["fanuc"];
  EXPECT_EQ(results["silences"], 1);
  EXPECT_EQ(results["link"]["commands"]["delay_p50_s"], results["link"]["commands"]["delay_max_s"]);
  EXPECT_NEAR(results["link"]["commands"]["delay_p50_s"].get<double>(), 0.002, 1e-4);
  EXPECT_EQ(results["fault"], "");
}

TEST_F(CellTalk, RefusesControllersElsewhereThatCannotWork) {
  const auto refusal = [](const std::string& change) {
    std::vector<std::string> changes = networked("1ms");
    changes.push_back("actors.fanuc.control.host=executor");
    changes.push_back(change);
    return told(kAprs, changes);
  };
  EXPECT_THAT(refusal("actors.fanuc.control.period=1500us"),
              testing::HasSubstr("error: 1500us is not a multiple of the physics step, 1ms\n"
                                 "  hint: for example 4ms"));
  EXPECT_THAT(refusal("actors.fanuc.control.silence=2ms"),
              testing::HasSubstr("error: 2ms is shorter than control.period: the robot would brake "
                                 "between two commands"));
  EXPECT_THAT(refusal("actors.fanuc.host=\"\""),
              testing::HasSubstr("the controller of 'fanuc' reaches its robot across the network, "
                                 "but the robot has no host"));
  EXPECT_THAT(refusal("actors.fanuc.control.host=egde"),
              testing::HasSubstr("the network has no host 'egde'"));
}

TEST_F(CellTalk, RepeatsWhatItSays) {
  const cell::PreparedScenario prepared =
      prepare_aprs({"200ms link executor down for 200ms"}, networked("1ms"));
  const auto results = [&] {
    const auto run = run_of(prepared);
    Talk fanuc(*run, "fanuc");
    fanuc.say(crcl::InitCanon{});
    run_until(*run, 900ms);
    return run->results().dump();
  };
  const std::string first = results();
  EXPECT_EQ(first, results());
  EXPECT_NE(first.find("\"retransmissions\":"), std::string::npos);
}

TEST_F(CellTalk, RefusesHostsThatAreNotThere) {
  std::vector<std::string> changes = networked("1ms");
  changes.push_back("actors.fanuc.host=fanuk");
  EXPECT_THAT(
      told(kAprs, changes),
      testing::HasSubstr("error: the network has no host 'fanuk'\n  hint: did you mean 'fanuc'?"));
}

TEST_F(CellTalk, RefusesLinksWhereMessagesCrossTheNetwork) {
  std::vector<std::string> changes = networked("1ms");
  changes.push_back("actors.camera_1.link={model: delay, delay: 20ms}");
  EXPECT_THAT(told(kAprs, changes),
              testing::HasSubstr("error: its link has no effect where there is a network\n"
                                 "  hint: remove the link, or the host of the device"));
}

}  // namespace
}  // namespace longarm::actors
