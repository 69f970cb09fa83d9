// SPDX-License-Identifier: Apache-2.0
// The kitting cell with both robots: each failure really happens, and the cell repeats bit by bit.
#include <thread>

#include "longarm/actors/test/cell_fixture.h"
#include "longarm/actors/upstream.h"
#include "longarm/protocols/jointcmd/door.h"

namespace longarm::actors {
namespace {

class CellDevices : public AprsCells {};

TEST_F(CellDevices, PutAMergedPartDownElsewhere) {
  // 0.15 m towards the Fanuc's base there is nothing but the table, whose top is at 0.916 m
  const auto run = make({"500ms part medium_gear_1 misplaced -0.15 0.01"});
  run_until(*run, 499ms);
  const physics::BodyId gear = body_of(*run, "medium_gear_1");
  const model::Vector3 before = place_of(*run, "medium_gear_1");
  EXPECT_TRUE(run->world().simplifier().is_joined(gear, body_of(*run, "medium_vessel_1")))
      << "it rests in its vessel, as one body with it";
  const double seat = before.z();
  run_until(*run, 1s);
  const model::Vector3 after = place_of(*run, "medium_gear_1");
  // it stands on a cone, so it leans over to one side
  EXPECT_NEAR(after.x() - before.x(), -0.15, 5e-3);
  EXPECT_NEAR(after.y() - before.y(), 0.01, 5e-3);
  EXPECT_LT(after.z(), seat) << "on the table, below its seat";
  EXPECT_GT(after.z(), 0.916 - 0.02);
  EXPECT_LT(run->world().engine().twist(gear).linear_W.norm(), 1e-3) << "at rest";
  EXPECT_EQ(run->results()["failures"].size(), 1u);
}

TEST_F(CellDevices, TakeATrayElsewhereWithWhatIsInIt) {
  const auto run = make({"500ms part large_vessel_1 misplaced 0.3 0"});
  run_until(*run, 499ms);
  const model::Vector3 tray = place_of(*run, "large_vessel_1");
  const model::Vector3 gear = place_of(*run, "large_gear_1");
  run_until(*run, 1200ms);
  EXPECT_NEAR((place_of(*run, "large_vessel_1") - tray).x(), 0.3, 1e-3);
  const model::Vector3 moved = place_of(*run, "large_gear_1") - gear;
  EXPECT_NEAR(moved.x(), 0.3, 2e-3);
  EXPECT_NEAR(moved.z(), 0.0, 2e-3) << "it lies in its tray";
}

TEST_F(CellDevices, LosePartsThatAreTakenAway) {
  const auto run = make({"300ms part medium_gear_2 missing"});
  std::size_t seen_before = 0;
  std::size_t seen_after = 0;
  listen_to_camera(*run, "camera_2", [&](const devices::CameraFrame& frame, Time now) {
    (now < Time(300ms) ? seen_before : seen_after) = frame.detections.size();
    for (const devices::Detection& detection : frame.detections) {
      EXPECT_FALSE(now > Time(300ms) && detection.name == "medium_gear_2");
    }
  });
  run_until(*run, 800ms);
  EXPECT_GT(seen_before, 4u);
  EXPECT_EQ(seen_after, seen_before - 1);
  EXPECT_NEAR(place_of(*run, "medium_gear_2").x(), 30.0, 1e-3);
}

TEST_F(CellDevices, HaveCamerasThatFail) {
  const auto run = make({"150ms camera_1 blind for 200ms", "150ms camera_2 silent for 1s"});
  std::vector<std::size_t> seen;
  int frames = 0;
  listen_to_camera(*run, "camera_1", [&](const devices::CameraFrame& frame, Time) {
    seen.push_back(frame.detections.size());
  });
  listen_to_camera(*run, "camera_2", [&](const devices::CameraFrame&, Time) { ++frames; });
  run_until(*run, 550ms);
  // frames at 0, 100 … 500 ms
  ASSERT_EQ(seen.size(), 6u);
  EXPECT_GT(seen[1], 0u);
  EXPECT_EQ(seen[2], 0u);
  EXPECT_EQ(seen[3], 0u);
  EXPECT_EQ(seen[4], seen[1]);
  EXPECT_EQ(frames, 2);
}

TEST_F(CellDevices, HaveABeltWhoseDriveFails) {
  const auto run = make({"500ms belt stops for 300ms"}, {"actors.belt.commands=[[0, 0.1]]"});
  run_until(*run, 490ms);
  EXPECT_NEAR(belt(*run).velocity_m_s(), 0.1, 1e-3);
  run_until(*run, 600ms);
  EXPECT_NEAR(belt(*run).velocity_m_s(), 0.0, 1e-3);
  EXPECT_TRUE(belt(*run).is_stopped());
  run_until(*run, 1100ms);
  EXPECT_NEAR(belt(*run).velocity_m_s(), 0.1, 1e-3) << "what was commanded is not forgotten";
}

/// The Fanuc's tool straight down over a place of the world.
model::Pose tool_at(const robots::Robot& robot, const model::Vector3& p_W, double up_m) {
  model::Pose X_WT = model::Pose::Identity();
  X_WT.linear() = Eigen::AngleAxisd(M_PI, model::Vector3::UnitX()).toRotationMatrix();
  X_WT.translation() = p_W + up_m * model::Vector3::UnitZ();
  return robot.X_WB().inverse() * X_WT;
}

TEST_F(CellDevices, LoseTheNextPartThatTheyHold) {
  const auto run = make({"100ms fanuc drops"});
  robots::Robot& fanuc = robot(*run, "fanuc");
  const auto go = [&](const model::Pose& X_BT, double speed_m_s) {
    robots::CartesianMotion motion;
    motion.goals.push_back({X_BT, {speed_m_s, 3.0, 2.0, 10.0}, {}, true});
    ASSERT_TRUE(fanuc.move(motion).has_value());
    const Time limit = run->world().now() + 3s;
    while (fanuc.motion().state == robots::MotionState::kMoving && run->world().now() < limit) {
      step(*run);
    }
    ASSERT_EQ(fanuc.motion().state, robots::MotionState::kDone) << fanuc.motion().failure;
  };
  run_until(*run, 150ms);
  const model::Vector3 gear = place_of(*run, "medium_gear_1");
  fanuc.set_gripper(1.0);
  go(tool_at(fanuc, gear, 0.08), 0.5);
  go(tool_at(fanuc, gear, 0.021), 0.1);
  fanuc.set_gripper(0.0);
  const Time closing = run->world().now();
  while (!fanuc.gripper().is_holding && run->world().now() < closing + 2s) {
    step(*run);
  }
  ASSERT_TRUE(fanuc.gripper().is_holding);
  const Time holding = run->world().now();
  go(tool_at(fanuc, gear, 0.121), 0.4);
  EXPECT_NEAR(place_of(*run, "medium_gear_1").z() - gear.z(), 0.1, 5e-3) << "lifted";
  run_until(*run, holding.time_since_epoch() + 990ms);
  EXPECT_TRUE(fanuc.gripper().is_holding);
  // slips a second after it was taken, and falls from 0.1 m within 0.15 s
  run_until(*run, holding.time_since_epoch() + 1500ms);
  EXPECT_FALSE(fanuc.gripper().is_holding);
  EXPECT_LT(place_of(*run, "medium_gear_1").z() - gear.z(), 0.03);
}

TEST_F(CellDevices, OpenTheJointTopicOfTheWorldFile) {
  namespace jointcmd = protocols::jointcmd;
  const auto run = make({"400ms fanuc breaks"});
  protocols::Door* door = run->world().doors().back();
  ASSERT_EQ(door->name(), "jointcmd.~/fanuc/joints");
  EXPECT_FALSE(door->port().has_value()) << "not for TCP";
  const auto joint =
      static_cast<std::size_t>(cell::find_joint(run->world().model(), "fanuc::arm::joint_1"));
  const protocols::ConnectionId client{1};
  door->open(client, Time{});
  const auto position = [&] { return run->world().engine().positions()[joint]; };
  const auto say = [&](const jointcmd::JointCommand& command) {
    std::string bytes;
    jointcmd::append_delimited(bytes, jointcmd::encode_joint_command(command));
    door->receive(client, bytes, run->world().now());
  };
  const double start = position();
  say({"arm::joint_1", start + 0.01, {}, {}, false});
  run_until(*run, 200ms);
  EXPECT_NEAR(position(), start + 0.01, 1e-3) << "though the robot's own controller holds it";
  say({"arm::joint_7", 0.0, {}, {}, false});
  EXPECT_EQ(run->results()["fanuc_joints"]["topic"], "~/fanuc/joints");
  EXPECT_EQ(run->results()["fanuc_joints"]["accepted"], 1);
  EXPECT_EQ(run->results()["fanuc_joints"]["refused"], 1);
  // the force that it may take is far more than the joint needs
  say({"arm::joint_1", {}, -0.5, 500.0, false});
  run_until(*run, 300ms);
  EXPECT_NEAR(position(), start + 0.01 - 0.05, 2e-3) << "0.1 s at -0.5 rad/s";
  run_until(*run, 410ms);
  const double broken = position();
  say({"arm::joint_1", 0.5, {}, {}, false});
  run_until(*run, 500ms);
  EXPECT_NEAR(position(), broken, 5e-3) << "a broken robot does not listen";
}

/// The Fanuc's first joint, moved by the topic from now on.
struct TopicMotion {
  double overshoot = 0.0;  ///< beyond the goal, in parts of the way
  double fastest = 0.0;
  double off = 0.0;    ///< from the goal at the end
  double speed = 0.0;  ///< at the end
};

class JointTopic : public AprsCells {
 protected:
  static TopicMotion move(const protocols::jointcmd::PositionGains& gains, double by,
                          Duration for_) {
    namespace jointcmd = protocols::jointcmd;
    const auto run = make({});
    run_until(*run, 100ms);
    protocols::Door* door = run->world().doors().back();
    const auto joint =
        static_cast<std::size_t>(cell::find_joint(run->world().model(), "fanuc::arm::joint_1"));
    const physics::Engine& engine = run->world().engine();
    const double start = engine.positions()[joint];
    door->open(protocols::ConnectionId{1}, run->world().now());
    std::string bytes;
    jointcmd::append_delimited(bytes, jointcmd::encode_joint_command({.joint = "arm::joint_1",
                                                                      .position = start + by,
                                                                      .velocity = {},
                                                                      .force = {},
                                                                      .is_reset = false,
                                                                      .gains = gains}));
    door->receive(protocols::ConnectionId{1}, bytes, run->world().now());
    TopicMotion out;
    const Time until = run->world().now() + for_;
    while (run->world().now() < until) {
      step(*run);
      out.overshoot = std::max(out.overshoot, (engine.positions()[joint] - start) / by - 1.0);
      out.fastest = std::max(out.fastest, std::abs(engine.velocities()[joint]));
    }
    out.off = std::abs(engine.positions()[joint] - start - by);
    out.speed = std::abs(engine.velocities()[joint]);
    return out;
  }
};

// 7.854 rad/s is the joint's limit. At that speed and a quarter of a second of braking the way
// takes 1.5 / 7.854 + 0.125 s, and the speed-up takes a moment.
TEST_F(JointTopic, TakesAJointToAPositionWithinItsSpeedAndWithoutOvershoot) {
  const TopicMotion motion = move({}, 1.5, 1s);
  EXPECT_LT(motion.overshoot, 1e-3);
  EXPECT_LT(motion.fastest, 7.86);
  EXPECT_GT(motion.fastest, 6.0);
  EXPECT_LT(motion.off, 1e-3);
  EXPECT_LT(motion.speed, 1e-2);
}

// A first-order approach with d / p = 0.2 s: after 1 s e^-5 of the way is left.
TEST_F(JointTopic, TakesAJointToAPositionWithTheGainsOfTheMessage) {
  const TopicMotion slow = move({.p = 2000.0, .d = 400.0}, 0.5, 1s);
  EXPECT_LT(slow.overshoot, 1e-3);
  EXPECT_LT(slow.fastest, 2.6) << "0.5 rad / 0.2 s";
  EXPECT_NEAR(slow.off, 0.5 * std::exp(-5.0), 2e-3);
  // far too hard for steps of a millisecond, were it an effort
  const TopicMotion hard = move({.p = 1e7, .d = 1e6}, 0.5, 1s);
  EXPECT_LT(hard.overshoot, 1e-2);
  EXPECT_LT(hard.fastest, 7.86);
  EXPECT_LT(hard.off, 1e-3);
}

TEST_F(CellDevices, StandUpstreamAndAreBrought) {
  const cell::PreparedScenario prepared = prepare_aprs({});
  model::Cell world = prepared.model;
  const int joint = static_cast<int>(cell::find_joint(world, "conveyor::drive"));
  const std::vector<int> standing = standing_on_belt(world, joint);
  // two large vessels with two gears each, a small one with four, two kit trays
  EXPECT_EQ(standing.size(), 3u + 4u + 4u + 2u);
  put_upstream(world, joint, 0.4);
  for (const int number : standing) {
    const auto i = static_cast<std::size_t>(number);
    EXPECT_NEAR(world.placements[i].X_WR.translation().x(),
                prepared.model.placements[i].X_WR.translation().x() - 0.4, 1e-12);
  }
  EXPECT_THROW(put_upstream(world, joint, 2.0), InputError) << "the belt is 3.04 m long";
}

TEST_F(CellDevices, SayWhatDidNotHappen) {
  const auto run = make({"10ms belt stops", "500ms belt stops", "2s belt stops"}, {"length=1s"});
  run_until(*run, 20ms);
  // it was over early; of what is behind its length the user was told before
  ASSERT_EQ(run->warnings().size(), 1u);
  EXPECT_EQ(run->warnings()[0], "\"500ms belt stops\" did not occur: the run ended after 0.020 s");
}

TEST_F(CellDevices, RepeatBitByBitInThreads) {
  const cell::PreparedScenario prepared =
      prepare_aprs({"10ms part medium_gear_1 misplaced -0.15 0.01", "12ms motoman breaks",
                    "14ms part small_gear_1 missing"});
  const auto hash = [&] {
    const auto run = run_of(prepared);
    run_until(*run, 30ms);
    const physics::Engine& engine = run->world().engine();
    Hash state;
    state.add(engine.positions());
    for (int body = 0; body < run->world().model().body_count(); ++body) {
      const model::Vector3 p = engine.pose(static_cast<physics::BodyId>(body)).translation();
      state.add(std::span<const double>(p.data(), 3));
    }
    return state.text();
  };
  const std::string alone = hash();
  std::vector<std::string> all(2);
  std::vector<std::thread> threads;
  for (std::string& each : all) {
    threads.emplace_back([&each, &hash] { each = hash(); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::string& each : all) {
    EXPECT_EQ(each, alone);
  }
}

}  // namespace
}  // namespace longarm::actors
