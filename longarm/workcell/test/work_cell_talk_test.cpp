// SPDX-License-Identifier: Apache-2.0
// The kitting cell with a network: clients talk across it, safety stops, links and robots fail.
#include <cmath>

#include "longarm/protocols/modbus/client.h"
#include "longarm/workcell/test/work_cell_fixture.h"

namespace longarm::workcell {
namespace {

namespace crcl = protocols::crcl;

class TalkingCells : public AprsCells {
 protected:
  /// A star; each cable takes `propagation`.
  static WorkCellConfig networked(Duration propagation) {
    WorkCellConfig config = base();
    add_usual_network(config);
    for (network::LinkEntry& cable : config.network.links) {
      cable.propagation = propagation;
    }
    return config;
  }

  /// A CRCL client on the executor's host that asks every 50 ms.
  struct Talk {
    Talk(WorkCell& work, const std::string& door) : link(work.connect(door)) {
      link.listen([this](std::string_view bytes, Time now) {
        statuses += client.receive(bytes);
        last_heard = now;
      });
      const sim::SourceId source = work.kernel().add_source("client of " + door);
      work.kernel().every(50ms, Time{}, sim::Phase::kControl, source, [this](Time) {
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

  static void turn_base(WorkCell& work, double to_rad, double speed_rad_s) {
    const robots::JointGoal goal{0, to_rad, speed_rad_s, std::nullopt, std::nullopt};
    const Result<Duration> planned = work.robots()[0].robot->move_joints(std::span(&goal, 1), {});
    ASSERT_TRUE(planned.has_value()) << planned.error().message;
  }
};

TEST_F(TalkingCells, HearBothRobotsAcrossTheNetwork) {
  const auto work = make(networked(1ms), {});
  Talk fanuc(*work, "fanuc.crcl");
  Talk motoman(*work, "motoman.crcl");
  const std::int64_t init = fanuc.say(crcl::InitCanon{});
  run_until(*work, 500ms);
  EXPECT_EQ(fanuc.client.progress(init), crcl::Progress::kDone);
  // asked at 0, 50 … 450 ms, answered each time
  EXPECT_EQ(fanuc.statuses, 10u);
  EXPECT_EQ(motoman.statuses, 10u);
  const auto results = work->results();
  EXPECT_EQ(results["robots"]["fanuc"]["commands"], 1);
  EXPECT_TRUE(results.contains("traffic_hash"));
  EXPECT_GT(results["network"]["flows"].size(), 4u);
  EXPECT_EQ(results["arm_contacts"], 0);
  EXPECT_EQ(results["environment_hits"], 0);
}

TEST_F(TalkingCells, TellWherePartsAreToThoseWhoAsk) {
  const auto work = make(networked(1ms), {});
  protocols::ClientLink& link = work->connect("fanuc.crcl");
  std::string heard;
  link.listen([&](std::string_view bytes, Time) { heard += bytes; });
  crcl::Client client;
  ASSERT_TRUE(client.send(crcl::InitCanon{}));
  ASSERT_TRUE(client.send(crcl::SetRobotParameters{{{"reportModels", "true"}}}));
  client.ask_status();
  link.send(client.take_output());
  run_until(*work, 100ms);
  int parts = 0;
  for (const model::Placement& placement : work->cell().placements) {
    const bool is_part = !placement.is_fixed && !placement.tree.is_static;
    parts += is_part ? 1 : 0;
    EXPECT_EQ(heard.find("<ModelStatus><Name>" + placement.name + "<") != std::string::npos,
              is_part)
        << placement.name;
  }
  EXPECT_GT(parts, 0);
}

TEST_F(TalkingCells, DriveTheBeltThroughItsPlc) {
  const auto work = make(networked(1ms), {});
  protocols::ClientLink& plc = work->connect("plc");
  namespace modbus = protocols::modbus;
  modbus::Client client;
  plc.send(client.write_registers(0x8000, std::vector<std::uint16_t>{1, 0, 0x4000}).bytes);
  run_until(*work, 600ms);
  // half of full speed, reached after 0.2 s of ramp
  EXPECT_NEAR(work->belt()->velocity_m_s(), 0.1, 1e-3);
  EXPECT_EQ(work->results()["plc"]["writes"], 3);
}

TEST_F(TalkingCells, SeeARobotBreakAndAnotherFallSilent) {
  const auto work = make(networked(1ms), {"300ms robot fanuc breaks", "300ms robot motoman dies"});
  Talk fanuc(*work, "fanuc.crcl");
  Talk motoman(*work, "motoman.crcl");
  fanuc.say(crcl::InitCanon{});
  run_until(*work, 250ms);
  EXPECT_EQ(fanuc.statuses, 5u);
  turn_base(*work, -0.9, 1.0);
  run_until(*work, 800ms);
  EXPECT_NE(work->robots()[0].robot->fault(), "");
  EXPECT_EQ(fanuc.statuses, 16u) << "it still answers";
  EXPECT_EQ(motoman.statuses, 6u) << "the last one before 300 ms";
  // brakes on: it does not move any more
  const std::vector<double> before(work->engine().positions().begin(),
                                   work->engine().positions().end());
  run_until(*work, 900ms);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_NEAR(work->engine().positions()[i], before[i], 1e-3) << i;
  }
}

TEST_F(TalkingCells, StopRobotsAsFarAsTheClosedFormSays) {
  // joint 1 turns at 1 rad/s with the tool at r; the beam is broken at 1 s; reports take 5 ms to
  // the switch and 5 ms on, then the robot brakes with 20 rad/s²:
  // r·(w·latency + w²/(2·20)) with the order acting from the next step on
  const auto work = make(networked(5ms), {"1s curtain broken for 1s"});
  run_until(*work, 500ms);
  turn_base(*work, -1.7, 1.0);
  const model::Vector3 tool = work->robots()[0].robot->state().X_BT.translation();
  const double r = std::hypot(tool.x(), tool.y());
  run_until(*work, 1300ms);
  const auto results = work->results();
  ASSERT_EQ(results["safety_stops"], 1);
  const auto& stop = results["stops"][0];
  EXPECT_NEAR(stop["broken_s"].get<double>(), 1.0, 2.1e-3);
  // 10 ms, and what sending of frames of some hundred bits takes
  EXPECT_NEAR(stop["order_after_s"].get<double>(), 0.010, 1e-5);
  const double latency_s = 0.011;
  const double expected = r * (1.0 * latency_s + 1.0 / (2.0 * 20.0));
  EXPECT_NEAR(stop["distance_m"]["fanuc"].get<double>(), expected, 0.03 * expected);
  EXPECT_LT(stop["distance_m"]["motoman"].get<double>(), 1e-4);
  EXPECT_NEAR(stop["still_after_s"].get<double>(), latency_s + 0.05, 5e-3);
  EXPECT_TRUE(work->robots()[0].robot->is_safety_stopped());
  EXPECT_TRUE(work->belt()->is_stopped());
  // the visitor leaves at 2 s, a second later everything goes on, and the motion is finished
  run_until(*work, 2900ms);
  EXPECT_TRUE(work->robots()[0].robot->is_safety_stopped());
  run_until(*work, 3100ms);
  EXPECT_FALSE(work->robots()[0].robot->is_safety_stopped());
  EXPECT_FALSE(work->belt()->is_stopped());
  run_until(*work, 4500ms);
  EXPECT_EQ(work->robots()[0].robot->motion().state, robots::MotionState::kDone);
  EXPECT_NEAR(work->robots()[0].robot->state().joints[0].position, -1.7, 1e-3);
}

TEST_F(TalkingCells, StopWhenTheCurtainCannotBeHeard) {
  const auto work = make(networked(1ms), {"300ms link curtain down for 400ms"});
  run_until(*work, 480ms);
  EXPECT_FALSE(work->robots()[0].robot->is_safety_stopped());
  // the last report before 300 ms was at 297 ms; 200 ms of silence
  run_until(*work, 510ms);
  EXPECT_TRUE(work->robots()[0].robot->is_safety_stopped());
  EXPECT_EQ(work->results()["safety_stops_by_silence"], 1);
  EXPECT_TRUE(work->results()["stops"][0]["broken_s"].is_null()) << "no beam was";
  // reports arrive again at about 700 ms
  run_until(*work, 1800ms);
  EXPECT_FALSE(work->robots()[0].robot->is_safety_stopped());
}

TEST_F(TalkingCells, HaveLinksThatAreSlowForAWhile) {
  const auto work = make(networked(1ms), {"250ms link camera_1 slow 40ms for 200ms"});
  std::vector<Duration> delays;
  work->listen_to_camera(
      0, [&](const devices::CameraFrame& frame, Time now) { delays.push_back(now - frame.stamp); });
  run_until(*work, 650ms);
  // frames at 0, 100 … 600 ms; those at 300 and 400 ms are slow; 1 ms per cable
  ASSERT_EQ(delays.size(), 7u);
  for (std::size_t i = 0; i < delays.size(); ++i) {
    const double slow = i == 3 || i == 4 ? 0.04 : 0.0;
    EXPECT_NEAR(to_seconds(delays[i]), 0.002 + slow, 1e-4) << i;
  }
}

TEST_F(TalkingCells, RepeatWhatTheySay) {
  const auto run = [] {
    const auto work = make(networked(1ms), {"200ms link executor down for 200ms"});
    Talk fanuc(*work, "fanuc.crcl");
    fanuc.say(crcl::InitCanon{});
    run_until(*work, 900ms);
    return work->results().dump();
  };
  const std::string first = run();
  EXPECT_EQ(first, run());
  EXPECT_NE(first.find("\"retransmissions\":"), std::string::npos);
}

TEST_F(TalkingCells, RefuseHostsThatAreNotThere) {
  WorkCellConfig config = networked(1ms);
  config.hosts = {{"fanuc", "fanuk"}};
  InputFiles files = scenario::files_of("cell.yaml", {});
  const auto remarks = load_cell_network(config, files);
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].key, "hosts.fanuc");
  EXPECT_EQ(remarks[0].message, "the network has no host 'fanuk' for role 'fanuc'");
  EXPECT_EQ(remarks[0].hint, "did you mean 'fanuc'?");
}

}  // namespace
}  // namespace longarm::workcell
