// SPDX-License-Identifier: Apache-2.0
// A Robotiq 2F-85 on a UR5: its linkage against the published one, its force against what was asked
// for, and what its server says.
#include <cmath>

#include "longarm/core/index.h"
#include "longarm/robots/arm/robot.h"
#include "longarm/robots/test/ur_bench.h"

namespace longarm::robots {
namespace {

using model::Vector3;

model::Cell gripper_cell() {
  Diagnostics diagnostics;
  const model::Model model =
      model::read_model_file(LONGARM_SOURCE_DIR "/models/ur5-2f85/ur5-2f85.sdf", diagnostics);
  model::Cell cell;
  model::Placement placement;
  placement.name = "ur5";
  placement.tree = model::make_body_tree(model, diagnostics);
  placement.is_fixed = true;
  cell.placements.push_back(placement);
  diagnostics.throw_if_errors();
  return cell;
}

UrConfig gripper_config() {
  UrConfig config;
  config.base_frame = "arm::base";
  config.flange = "arm::tool0";
  return config;
}

/// Half way between the pads when they hold something, at home.
Vector3 between_pads() {
  const UrKinematics kinematics(ur5_geometry());
  Joints home{};
  std::copy_n(UrConfig{}.home_rad.begin(), home.size(), home.begin());
  // the controller's base is turned by half a turn in the model's
  const Vector3 p_B = kinematics.flange(home) * Vector3(0, 0, 0.140);
  return {-p_B.x(), -p_B.y(), p_B.z()};
}

/// That of the data sheet's drawing, as the newest description has it.
double published_opening_m(double angle_rad) {
  const auto x = [](double q) { return 0.0371575 * std::cos(q) - 0.0434217 * std::sin(q); };
  return 0.085 - 2.0 * (x(0.0) - x(angle_rad));
}

class GripperBench : public UrBench {
 public:
  explicit GripperBench(model::Cell given = gripper_cell(), UrConfig config = gripper_config())
      : UrBench("mujoco", config, std::move(given)) {
    for (protocols::Door* each : robot.doors()) {
      door_ = each->name() == "ur5.gripper" ? each : door_;
    }
    door_->open(kClient, now);
  }

  std::string tell(const std::string& line) {
    door_->receive(kClient, line + "\n", now);
    return door_->take_output(kClient);
  }
  int ask(const std::string& variable) {
    const std::string answer = tell("GET " + variable);
    EXPECT_EQ(answer.substr(0, 4), variable + " ");
    return std::stoi(answer.substr(4));
  }
  /// Until it stands, for a second at least; false: it never does.
  bool settle() {
    run(0.2);
    for (int i = 0; i < 100 && ask("OBJ") == 0; ++i) {
      run(0.08);
    }
    return ask("OBJ") != 0;
  }

  physics::BodyId body(const std::string& name) {
    const model::BodyTree& tree = cell.placements[0].tree;
    return static_cast<physics::BodyId>(*tree.find_body("gripper::" + name));
  }
  double opening_m() {
    const Vector3 left = engine->pose(body("left_finger_tip")) * Vector3(-0.0252586, 0, 0.03242);
    const Vector3 right = engine->pose(body("right_finger_tip")) * Vector3(0.0252586, 0, 0.03242);
    return (left - right).norm();
  }
  /// What a pad presses with, the mean of a tenth of a second.
  double force_N(const std::string& pad) {
    constexpr int kSteps = 100;
    double sum = 0.0;
    for (int i = 0; i < kSteps; ++i) {
      step();
      for (const physics::Contact& contact : engine->contacts()) {
        if (contact.a == body(pad) || contact.b == body(pad)) {
          sum += std::abs(contact.force_on_b_W.dot(contact.normal_W));
        }
      }
    }
    return sum / kSteps;
  }

 private:
  static constexpr protocols::ConnectionId kClient{1};
  protocols::Door* door_ = nullptr;
};

/// It floats, so that both pads press alike.
GripperBench bench_with_box(double width_m) {
  model::Cell cell = gripper_cell();
  cell.gravity_m_s2 = Vector3::Zero();
  add_box(cell, between_pads(), {width_m, width_m, 0.02});
  cell.placements.back().is_fixed = false;
  cell.placements.back().tree.is_static = false;
  cell.placements.back().tree.bodies[0].inertial.mass_kg = 0.1;
  cell.placements.back().tree.bodies[0].inertial.inertia_kg_m2 *= 1e-4;
  return GripperBench(std::move(cell));
}

TEST(UrGripper, FingersAreWhereThePublishedLinkagePutsThem) {
  GripperBench bench;
  for (const int position : {0, 20, 64, 100, 128, 160, 192, 230, 255, 128, 0}) {
    EXPECT_EQ(bench.tell(fmt::format("SET POS {} GTO 1", position)), "ack");
    ASSERT_TRUE(bench.settle());
    EXPECT_EQ(bench.ask("OBJ"), 3);
    EXPECT_NEAR(bench.ask("POS"), position, 1);
    EXPECT_NEAR(bench.opening_m(), published_opening_m(0.8 * position / 255.0), 0.5e-3);
  }
}

TEST(UrGripper, ItPressesAsHardAsForAsks) {
  for (const double width_m : {0.02, 0.05, 0.08}) {
    for (const int force : {0, 64, 128, 255}) {
      SCOPED_TRACE(fmt::format("{} m, FOR {}", width_m, force));
      GripperBench bench = bench_with_box(width_m);
      EXPECT_EQ(bench.tell(fmt::format("SET FOR {} SPE 128 POS 255 GTO 1", force)), "ack");
      ASSERT_TRUE(bench.settle());
      EXPECT_EQ(bench.ask("OBJ"), 2);
      EXPECT_NEAR(bench.opening_m(), width_m, 2.5e-3) << "contacts give way, by 1 mm at 235 N";
      const double asked_N = 20.0 + 215.0 * force / 255.0;
      EXPECT_NEAR(bench.force_N("left_finger_tip"), asked_N, 0.1 * asked_N);
      EXPECT_NEAR(bench.force_N("right_finger_tip"), asked_N, 0.1 * asked_N);
    }
  }
}

TEST(UrGripper, ClosesAsFastAsSpeAsks) {
  for (const int speed : {0, 128, 255}) {
    GripperBench bench;
    bench.tell(fmt::format("SET SPE {} POS 255 GTO 1", speed));
    bench.run(0.08);
    const double before_m = bench.opening_m();
    bench.run(0.16);
    const double asked_m_s = 0.020 + 0.130 * speed / 255.0;
    EXPECT_NEAR((before_m - bench.opening_m()) / 0.16, asked_m_s, 0.02 * asked_m_s);
  }
}

TEST(UrGripper, AnEmptyGripIsNotAHeldPart) {
  GripperBench bench;
  bench.tell("SET POS 255 GTO 1");
  EXPECT_EQ(bench.ask("OBJ"), 0);
  bench.run(2.0);
  EXPECT_EQ(bench.ask("OBJ"), 3);
  EXPECT_EQ(bench.ask("POS"), 255);
}

TEST(UrGripper, SomethingInTheWayOfOpeningIsSeen) {
  model::Cell cell = gripper_cell();
  const model::BodyTree& tree = cell.placements[0].tree;
  std::vector<double>& start = cell.placements[0].initial_positions;
  start.resize(tree.joints.size(), 0.0);
  start[index_of(*tree.find_joint("gripper::left_knuckle_joint"))] = 0.8;
  for (const double side : {-1.0, 1.0}) {
    add_box(cell, between_pads() + Vector3(0.05 * side, 0, 0), {0.01, 0.05, 0.01});
    add_box(cell, between_pads() + Vector3(0, 0.05 * side, 0), {0.05, 0.01, 0.01});
  }
  GripperBench bench(std::move(cell));
  EXPECT_EQ(bench.ask("POS"), 255);
  bench.tell("SET POS 0 GTO 1");
  ASSERT_TRUE(bench.settle());
  EXPECT_EQ(bench.ask("OBJ"), 1);
  EXPECT_GT(bench.ask("POS"), 50);
}

TEST(UrGripper, IsActivatedAsItsMakerSays) {
  UrConfig config = gripper_config();
  config.gripper.is_active = false;
  GripperBench bench(gripper_cell(), config);
  EXPECT_EQ(bench.ask("STA"), 0);
  EXPECT_EQ(bench.ask("FLT"), 0);
  bench.tell("SET POS 255 GTO 1");
  bench.run(0.4);
  EXPECT_EQ(bench.ask("POS"), 0) << "it moved without being active";
  EXPECT_EQ(bench.ask("FLT"), 7);
  EXPECT_EQ(bench.ask("PRE"), 255);

  bench.tell("SET GTO 0");
  EXPECT_EQ(bench.tell("SET ACT 1"), "ack");
  EXPECT_EQ(bench.ask("STA"), 1);
  bench.tell("SET GTO 1 POS 100");
  EXPECT_EQ(bench.ask("FLT"), 5) << "what is asked for during the activation waits";
  bench.run(4.0);
  EXPECT_EQ(bench.ask("STA"), 3);
  EXPECT_EQ(bench.ask("FLT"), 0);
  EXPECT_EQ(bench.ask("POS"), 100) << "and is done behind it";

  EXPECT_EQ(bench.tell("SET ACT 0"), "ack");
  EXPECT_EQ(bench.ask("STA"), 0);
  EXPECT_EQ(bench.ask("GTO"), 0);
  EXPECT_EQ(bench.ask("OBJ"), 0);
}

TEST(UrGripper, StopsWhereGtoIsTakenAway) {
  GripperBench bench;
  bench.tell("SET POS 255 SPE 0 GTO 1");
  bench.run(0.8);
  bench.tell("SET GTO 0");
  const int stopped_at = bench.ask("POS");
  bench.run(0.8);
  EXPECT_GT(stopped_at, 10);
  EXPECT_LT(stopped_at, 200);
  EXPECT_NEAR(bench.ask("POS"), stopped_at, 1);
  bench.tell("SET GTO 1");
  ASSERT_TRUE(bench.settle());
  bench.run(5.0);
  EXPECT_EQ(bench.ask("POS"), 255);
}

TEST(UrGripper, AnAutoReleaseOpensSlowlyAndWantsANewActivation) {
  GripperBench bench = bench_with_box(0.05);
  bench.tell("SET POS 255 GTO 1");
  ASSERT_TRUE(bench.settle());
  bench.tell("SET ARD 1 ATR 1");
  EXPECT_EQ(bench.ask("FLT"), 11);
  bench.run(4.0);
  EXPECT_EQ(bench.ask("FLT"), 15);
  EXPECT_EQ(bench.ask("POS"), 0);
  bench.tell("SET POS 255 GTO 1");
  bench.run(1.0);
  EXPECT_EQ(bench.ask("POS"), 0);
  bench.tell("SET ACT 0");
  EXPECT_EQ(bench.ask("FLT"), 0);
}

TEST(UrGripper, TheToolsDigitalOutputClosesIt) {
  GripperBench bench;
  bench.run(0.1);
  EXPECT_EQ(bench.ask("POS"), 0) << "the level that the output starts with is no command";
  bench.say("set_tool_digital_out(0, True)\n");
  bench.run(2.0);
  EXPECT_EQ(bench.ask("POS"), 255);
  bench.say("set_tool_digital_out(0, False)\n");
  bench.run(2.0);
  EXPECT_EQ(bench.ask("POS"), 0);
}

TEST(UrGripper, WhatItDoesNotUnderstandChangesNothing) {
  GripperBench bench;
  for (const char* line :
       {"", "GET", "GET XYZ", "SET", "SET POS", "SET POS 256", "SET POS -1", "SET ACT 2",
        "SET POS 10 XYZ 1", "SET POS 1 SPE", "SET STA 0", "SET POS 1.5", "set pos 10", "POS 10"}) {
    EXPECT_EQ(bench.tell(line), "?") << line;
  }
  EXPECT_EQ(bench.tell(std::string(10'000, 'x')), "?");
  EXPECT_EQ(bench.ask("PRE"), 0);
  EXPECT_EQ(bench.tell("  SET\tSPE 7 FOR 9\r"), "ack");
  EXPECT_EQ(bench.ask("SPE"), 7);
  EXPECT_EQ(bench.ask("FOR"), 9);
}

TEST(LinkageGripper, IsAParallelGripperToCrcl) {
  const model::Cell cell = gripper_cell();
  const auto engine =
      physics::built_in_engines().make("mujoco", cell, {.period = UrBench::kPeriod, .solver = ""});
  RobotConfig config;
  config.placement = "ur5";
  config.home = UrConfig{}.home_rad;
  Robot robot(*engine, cell, config, UrBench::kPeriod);
  const auto run = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      robot.before_step();
      engine->step();
      robot.after_step();
    }
  };
  EXPECT_EQ(robot.gripper().kind, GripperKind::kParallel);
  EXPECT_NEAR(robot.gripper().stroke_m, 0.0424, 1e-4);
  EXPECT_NEAR(robot.gripper().separation_m, 0.085, 5e-4);
  robot.set_gripper(0.5);
  EXPECT_TRUE(robot.gripper().is_busy);
  run(1500);
  EXPECT_FALSE(robot.gripper().is_busy);
  EXPECT_NEAR(robot.gripper().opening, 0.5, 0.01);
  robot.move_fingers(0.010, 0.0);
  run(1500);
  EXPECT_NEAR(robot.gripper().separation_m, 0.0202, 5e-4);
  robot.drive_fingers(-0.005, 30.0);
  run(3000);
  EXPECT_NEAR(robot.gripper().separation_m, 0.0002, 5e-4);
  EXPECT_FALSE(robot.gripper().is_holding);
}

TEST(UrGripper, WithoutOneThereIsNoServer) {
  UrBench bench;
  for (const protocols::Door* door : bench.robot.doors()) {
    EXPECT_NE(door->name(), "ur5.gripper");
  }
}

}  // namespace
}  // namespace longarm::robots
