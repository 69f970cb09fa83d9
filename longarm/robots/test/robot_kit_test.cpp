// SPDX-License-Identifier: Apache-2.0
// Both arms of the laboratory at work: a gear is picked out of its vessel by its peg and put into
// the slot of a kit, by friction alone, and judged on the world's truth.
#include <algorithm>
#include <cmath>
#include <set>

#include "longarm/mechanisms/belt.h"
#include "longarm/mechanisms/simplifier.h"
#include "longarm/robots/arm/robot_tool.h"
#include "longarm/robots/test/robot_bench.h"

namespace longarm::robots {
namespace {

constexpr Duration kPeriod{1'000'000};
// over a gear's frame: the tips of the fingers are 2 mm above its disc
constexpr double kGrasp_m = 0.021;
constexpr double kApproach_m = 0.06;
// a gear is let go so far above its seat
constexpr double kRelease_m = 0.0003;

constexpr SpeedLimits kTransit{0.8, 3.0, 3.0, 15.0};
constexpr SpeedLimits kFine{0.1, 1.0, 2.0, 10.0};

/// The laboratory, its resting parts merged with what they rest on.
class Laboratory {
 public:
  explicit Laboratory(const model::Cell& world)
      : cell(world),
        engine(physics::built_in_engines().make("mujoco", cell, {.period = kPeriod, .solver = ""})),
        simplifier(*engine, cell, merging(), kPeriod),
        belt(*engine, cell,
             static_cast<physics::JointId>(cell.first_joint(find_placement(cell, "conveyor"))),
             mechanisms::BeltConfig{}, kPeriod, &simplifier),
        fanuc(*engine, cell, fanuc_config("fanuc"), kPeriod),
        motoman(*engine, cell, motoman_config(), kPeriod) {
    for (const Robot* robot : {&fanuc, &motoman}) {
      for (const physics::BodyId body : robot->bodies()) {
        of_robots_.insert(body);
      }
    }
  }

  static mechanisms::SimplifierConfig merging() {
    mechanisms::SimplifierConfig config;
    config.mode = "merge";
    return config;
  }
  static RobotConfig motoman_config() {
    RobotConfig config;
    config.placement = "motoman";
    config.home = {-0.8164, 0.2287, 0.3823, -1.5735, 0.0867, -1.3562, 0.4246};
    return config;
  }

  void step() {
    fanuc.before_step();
    motoman.before_step();
    belt.before_step();
    simplifier.before_step();
    engine->step();
    simplifier.after_step();
    belt.after_step();
    fanuc.after_step();
    motoman.after_step();
    for (const physics::Contact& contact : engine->contacts()) {
      const bool has_a = of_robots_.count(contact.a) > 0;
      const bool has_b = of_robots_.count(contact.b) > 0;
      if (has_a || has_b) {
        touched.insert(has_a ? contact.b : contact.a);
      }
    }
  }

  physics::BodyId body_of(const std::string& name) const {
    return static_cast<physics::BodyId>(cell.first_body(find_placement(cell, name)));
  }
  Pose pose_of(const std::string& name) const { return engine->pose(body_of(name)); }
  /// Where a gear's frame is when it is seated.
  Pose seat(const std::string& tray, const std::string& slot) const {
    const model::BodyTree& tree =
        cell.placements[static_cast<std::size_t>(find_placement(cell, tray))].tree;
    return pose_of(tray) * tree.frames[static_cast<std::size_t>(*tree.find_frame(slot))].X_BF;
  }

  const model::Cell& cell;
  std::unique_ptr<physics::Engine> engine;
  mechanisms::Simplifier simplifier;
  mechanisms::Belt belt;
  Robot fanuc;
  Robot motoman;
  std::set<physics::BodyId> touched;  ///< by robots, so far

 private:
  std::set<physics::BodyId> of_robots_;
};

/// One gear's way into one slot, act by act; the camera is half a millimetre off at both ends.
class Job {
 public:
  Job(Laboratory& laboratory, Robot& robot, std::string gear, std::string tray, std::string slot,
      double yaw)
      : laboratory_(laboratory),
        robot_(robot),
        gear_(std::move(gear)),
        tray_(std::move(tray)),
        slot_(std::move(slot)),
        yaw_(yaw),
        p_gear_(laboratory.pose_of(gear_).translation() + Vector3(4e-4, 3e-4, 0.0)),
        p_seat_(laboratory.seat(tray_, slot_).translation() + Vector3(-3e-4, 4e-4, 0.0)) {}

  bool is_done() const { return act_ > 9; }
  bool was_held() const { return was_held_; }
  /// By what the robot feels at its wrist.
  double carried_N() const { return carried_N_; }

  /// After each step of the world: the next act once the last one is over.
  void look() {
    if (is_done() || --wait_steps_ > 0 || robot_.gripper().is_busy ||
        robot_.motion().state == MotionState::kMoving) {
      return;
    }
    ASSERT_NE(robot_.motion().state, MotionState::kFailed) << robot_.motion().failure;
    begin(act_++);
  }

  /// On the world's truth.
  void judge() const {
    const Pose off = laboratory_.seat(tray_, slot_).inverse() * laboratory_.pose_of(gear_);
    EXPECT_LT(off.translation().norm(), 1e-3) << gear_;
    EXPECT_LT(std::acos(std::min(1.0, off.linear()(2, 2))), M_PI / 180.0) << gear_;
  }
  const std::string& gear() const { return gear_; }

 private:
  void go(const Vector3& p_W, double above_m, const SpeedLimits& limits, bool is_straight) {
    const Pose X_WT = tool_down(p_W.x(), p_W.y(), p_W.z() + kGrasp_m + above_m, yaw_);
    const Result<Duration> told =
        robot_.move(motion_to({robot_.X_WB().inverse() * X_WT}, limits, is_straight));
    ASSERT_TRUE(told) << told.error().message;
  }
  void begin(int act) {
    switch (act) {
      case 0:
        return go(p_gear_, kApproach_m, kTransit, false);
      case 1:
        return go(p_gear_, 0.0, kFine, true);
      case 2:
        return robot_.set_gripper(0.0);
      case 3:
        was_held_ = robot_.gripper().is_holding;
        return go(p_gear_, kApproach_m, kFine, true);
      case 4:
        carried_N_ = -robot_.state().wrench_B.force_W.z();
        return go(p_seat_, kApproach_m, kTransit, true);
      case 5:
        return go(p_seat_, kRelease_m, kFine, true);
      case 6:
        wait_steps_ = 50;
        return;
      case 7:
        robot_.set_gripper(0.5);
        wait_steps_ = 150;
        return;
      case 8:
        return go(p_seat_, kApproach_m, kFine, true);
      default:
        return;
    }
  }

  Laboratory& laboratory_;
  Robot& robot_;
  std::string gear_;
  std::string tray_;
  std::string slot_;
  double yaw_;
  Vector3 p_gear_;
  Vector3 p_seat_;
  int act_ = 0;
  int wait_steps_ = 0;
  bool was_held_ = false;
  double carried_N_ = 0.0;
};

class RobotKit : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { world_ = new model::Cell(read_cell(model_file("aprs"))); }
  static void TearDownTestSuite() { delete world_; }
  static const model::Cell& world() { return *world_; }

 private:
  static inline model::Cell* world_ = nullptr;
};

TEST_F(RobotKit, BothArmsPutAGearIntoAKitAtTheSameTime) {
  Laboratory laboratory(world());
  for (int i = 0; i < 200; ++i) {
    laboratory.step();
  }
  // The small vessel's gears are 56 mm apart along its sides, so the Motoman's wide fingers close
  // along the diagonal that has no neighbour.
  Job medium(laboratory, laboratory.fanuc, "medium_gear_1", "m2l1_kit_1", "slot_1_medium", 0.0);
  Job small(laboratory, laboratory.motoman, "small_gear_1", "s2l2_kit_1", "slot_3_small",
            M_PI / 4.0);
  const Pose tray = laboratory.pose_of("s2l2_kit_1");
  for (int i = 0; i < 9000 && !(medium.is_done() && small.is_done()); ++i) {
    laboratory.step();
    ASSERT_NO_FATAL_FAILURE(medium.look());
    ASSERT_NO_FATAL_FAILURE(small.look());
  }
  ASSERT_TRUE(medium.is_done() && small.is_done());
  EXPECT_TRUE(medium.was_held());
  EXPECT_TRUE(small.was_held());
  // 20 g and 8 g
  EXPECT_NEAR(medium.carried_N(), 0.1962, 0.01);
  EXPECT_NEAR(small.carried_N(), 0.0785, 0.01);
  medium.judge();
  small.judge();
  // the tray on the belt was not shoved
  EXPECT_LT((laboratory.pose_of("s2l2_kit_1").translation() - tray.translation()).norm(), 1e-3);
  // released, and still for a second
  const Pose before = laboratory.pose_of("small_gear_1");
  for (int i = 0; i < 1000; ++i) {
    laboratory.step();
  }
  EXPECT_LT((laboratory.pose_of("small_gear_1").translation() - before.translation()).norm(), 1e-5);
  medium.judge();
  small.judge();
  // nothing but the gears was ever touched: no table, no tray, no other arm
  const std::set<physics::BodyId> gears{laboratory.body_of("medium_gear_1"),
                                        laboratory.body_of("small_gear_1")};
  EXPECT_EQ(laboratory.touched, gears);
}

TEST_F(RobotKit, TheFanucTakesOverOnTheBelt) {
  Laboratory laboratory(world());
  for (int i = 0; i < 200; ++i) {
    laboratory.step();
  }
  laboratory.motoman.break_down();
  Job large(laboratory, laboratory.fanuc, "large_gear_2", "s2l2_kit_1", "slot_2_large", 0.0);
  for (int i = 0; i < 9000 && !large.is_done(); ++i) {
    laboratory.step();
    ASSERT_NO_FATAL_FAILURE(large.look());
  }
  ASSERT_TRUE(large.is_done());
  large.judge();
  EXPECT_EQ(laboratory.touched, std::set{laboratory.body_of("large_gear_2")});
}

}  // namespace
}  // namespace longarm::robots
