// SPDX-License-Identifier: Apache-2.0
// Tests of a whole gripper on each engine with forces: motion, states, and the mimic's second
// defect.
#include "longarm/control/gripper/gripper.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "longarm/core/diagnostic.h"

namespace longarm::control {
namespace {

using namespace std::chrono_literals;

constexpr double kFingerMass_kg = 0.1;
constexpr double kStroke_m = 0.03;

model::Body box(double mass_kg, const model::Vector3& size_m) {
  model::Body body;
  body.inertial.mass_kg = mass_kg;
  body.inertial.inertia_kg_m2 = model::Vector3::Constant(1e-4).asDiagonal();
  model::Geometry shape;
  shape.shape = model::Box{size_m};
  body.collisions.push_back(shape);
  return body;
}

/// Two fingers, cubes of 1 cm, whose inner faces are 3 cm left and right of the middle. The second
/// joint's axis also points to +x, so that it closes backwards.
model::Placement two_fingers(double damping) {
  model::Placement gripper;
  gripper.name = "gripper";
  gripper.tree.bodies.emplace_back();
  for (const double side : {-1.0, 1.0}) {
    model::TreeJoint joint;
    joint.name = side < 0.0 ? "left" : "right";
    joint.type = model::JointType::kPrismatic;
    joint.axis = model::Vector3::UnitX();
    joint.X_PJ.translation().x() = side * (kStroke_m + 0.005);
    joint.limits.lower = side < 0.0 ? 0.0 : -2.0 * kStroke_m;
    joint.limits.upper = side < 0.0 ? 2.0 * kStroke_m : 0.0;
    joint.dynamics.damping = damping;
    gripper.tree.joints.push_back(joint);
    gripper.tree.bodies.push_back(box(kFingerMass_kg, {0.01, 0.01, 0.01}));
    gripper.tree.bodies.back().name = joint.name;
  }
  return gripper;
}

class GripperTest : public testing::TestWithParam<std::string> {
 protected:
  /// `x` from the middle; of 2 cm width.
  void add_block(double x_m, bool is_fixed) {
    model::Placement block;
    block.name = "block";
    block.tree.bodies.push_back(box(0.05, {0.02, 0.02, 0.02}));
    block.X_WR.translation().x() = x_m;
    block.is_fixed = is_fixed;
    cell_.placements.push_back(block);
  }

  void make(const GripperConfig& config, double damping = 20.0) {
    cell_.gravity_m_s2.setZero();
    cell_.placements.insert(cell_.placements.begin(), two_fingers(damping));
    engine_ = physics::built_in_engines().make(GetParam(), cell_, {});
    gripper_ = std::make_unique<Gripper>(
        *engine_,
        std::vector<Finger>{
            {.joint = physics::JointId{0}, .body = physics::BodyId{1}},
            {.joint = physics::JointId{1}, .body = physics::BodyId{2}, .multiplier = -1.0}},
        GripperStroke{0.0, kStroke_m}, config, 1ms);
  }

  void run(int steps) {
    const std::array<physics::BodyId, 3> own{physics::BodyId{0}, physics::BodyId{1},
                                             physics::BodyId{2}};
    for (int i = 0; i < steps; ++i) {
      gripper_->before_step();
      engine_->step();
      std::array<bool, 2> touched{};
      find_touched(*engine_, gripper_->fingers(), own, touched);
      gripper_->after_step(touched);
    }
  }

  double p(std::size_t finger) const { return gripper_->positions()[finger]; }
  GripperState state() const { return gripper_->state(); }

  model::Cell cell_;
  std::unique_ptr<physics::Engine> engine_;
  std::unique_ptr<Gripper> gripper_;
};

GripperConfig default_config(const std::string& law) {
  GripperConfig config;
  config.law = law;
  return config;
}

TEST_P(GripperTest, VelFmaxGainsItsForceTimesStepOverMassUntilItIsThere) {
  // 10 N · 1 ms / 0.1 kg = 0.1 m/s per step: 0.1, 0.2, and then only what is missing to 0.25
  GripperConfig config = default_config("vel-fmax");
  config.force_N = 10.0;
  config.speed_m_s = 0.25;
  make(config, 0.0);
  gripper_->close();
  for (const double expected : {0.1, 0.2, 0.25, 0.25}) {
    run(1);
    EXPECT_NEAR(engine_->velocities()[0], expected, 1e-6);
    EXPECT_NEAR(engine_->velocities()[1], -expected, 1e-6);
  }
}

TEST_P(GripperTest, VelFmaxWithAmpleForceIsThereInOneStep) {
  GripperConfig config = default_config("vel-fmax");
  config.force_N = 1000.0;
  make(config, 0.0);
  gripper_->close();
  run(1);
  EXPECT_NEAR(engine_->velocities()[0], 0.1, 1e-6);
}

TEST_P(GripperTest, VelFmaxWithoutForceIsOff) {
  GripperConfig config = default_config("vel-fmax");
  config.force_N = 0.0;
  make(config, 0.0);
  engine_->reset_joint(physics::JointId{0}, 0.0, 0.05);
  gripper_->close();
  run(10);
  EXPECT_NEAR(engine_->velocities()[0], 0.05, 1e-9);
  EXPECT_EQ(engine_->velocities()[1], 0.0);
}

TEST_P(GripperTest, ClosesOnNothingAndOpensAgain) {
  make(default_config("parallel"));
  run(1);
  EXPECT_EQ(state(), GripperState::kOpen);
  gripper_->close();
  EXPECT_EQ(state(), GripperState::kClosing);
  run(10);
  EXPECT_EQ(state(), GripperState::kClosing);
  run(300);
  EXPECT_EQ(state(), GripperState::kClosed);
  EXPECT_NEAR(p(0), kStroke_m, 5e-4);
  gripper_->open();
  run(10);
  EXPECT_EQ(state(), GripperState::kOpening);
  run(400);
  EXPECT_EQ(state(), GripperState::kOpen);
}

TEST_P(GripperTest, HoldsWhatBothFingersTouch) {
  add_block(0.0, false);
  make(default_config("parallel"));
  gripper_->close();
  run(300);
  EXPECT_EQ(state(), GripperState::kHolding);
  EXPECT_NEAR(p(0), 0.02, 5e-4);  // the block is 1 cm wide to each side
  gripper_->open();
  run(20);
  EXPECT_EQ(state(), GripperState::kOpening);
}

TEST_P(GripperTest, IsNoHolderOfWhatItTouchesWithOneFinger) {
  // a post right at the right finger: the left one goes on until the law's difference stops it
  add_block(0.02, true);
  make(default_config("parallel"));
  gripper_->close();
  run(500);
  EXPECT_EQ(state(), GripperState::kStalled);
}

TEST_P(GripperTest, MovesToAPositionWhateverItsLaw) {
  make(default_config("mimic-pid"));
  gripper_->move_to(0.012);
  run(50);
  EXPECT_EQ(state(), GripperState::kClosing);
  run(200);
  EXPECT_EQ(state(), GripperState::kStopped);
  EXPECT_NEAR(p(0), 0.012, 1e-6);
  EXPECT_NEAR(p(1), 0.012, 1e-6);
}

TEST_P(GripperTest, StopsWhereItIs) {
  GripperConfig config = default_config("vel-fmax");
  make(config);
  gripper_->close();
  run(100);
  const double before = p(0);
  gripper_->stop();
  run(100);
  EXPECT_EQ(state(), GripperState::kStopped);
  EXPECT_NEAR(p(0), before, 1e-4);  // one step of 0.1 m/s
}

TEST_P(GripperTest, MimicLeavesABlockedFollowerBehindAndTheParallelLawDoesNot) {
  // A post reaches from the middle to 2 cm right of it: the right finger meets it after 1 cm. The
  // mimic's leader does not know and goes on to the post's other side, 3 cm: 2 cm ahead. The
  // parallel law stops where k·difference is the closing force: 20 N / 4000 N/m = 5 mm ahead.
  add_block(0.01, true);
  make(default_config("parallel"));
  gripper_->close();
  run(600);
  EXPECT_NEAR(p(1), 0.01, 5e-4);
  EXPECT_NEAR(p(0) - p(1), 0.005, 2e-4);

  cell_.placements.erase(cell_.placements.begin());
  make(default_config("mimic-pid"));
  gripper_->close();
  run(600);
  EXPECT_NEAR(p(1), 0.01, 5e-4);
  EXPECT_NEAR(p(0) - p(1), 0.02, 1e-3);
}

TEST_P(GripperTest, ClosingOnTouchWaitsForTheOtherFinger) {
  // a light block 5 mm right of the middle: the right finger is there after 1.5 cm, the left after
  // 2.5 cm. Nothing but its inertia holds the block, and it hardly moves.
  add_block(0.005, false);
  GripperConfig config = default_config("constant-force");
  config.closes_on_touch = true;
  make(config);
  gripper_->close();
  run(760);  // 1.5 cm at 2 cm/s, and a bit
  EXPECT_NEAR(p(1), 0.015, 2e-4);
  EXPECT_NEAR(engine_->velocities()[1], 0.0, 1e-6);
  EXPECT_NEAR(engine_->velocities()[0], 0.02, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Engines, GripperTest, testing::Values("mujoco", "ode"),
                         [](const auto& param) { return param.param; });

TEST(Gripper, RefusesWhatMakesNoSense) {
  const auto engine = physics::built_in_engines().make("kinematic", {}, {});
  GripperConfig config;
  config.force_N = -1.0;
  config.open_force_N = 1.0;
  try {
    Gripper(*engine, {}, {0.0, 0.0}, config, 1ms);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("a gripper without fingers"),
                                             testing::HasSubstr("a gripper without a stroke"),
                                             testing::HasSubstr("gripper.force_N is -1")));
  }
}

}  // namespace
}  // namespace longarm::control
