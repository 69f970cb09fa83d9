// SPDX-License-Identifier: Apache-2.0
// The belt: ramps, direction, encoder, resets, jams and stops on every engine, and what it refuses.
#include "longarm/mechanisms/belt.h"

#include <chrono>

#include "longarm/core/diagnostic.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::mechanisms {
namespace {

using namespace physics;
using namespace std::chrono_literals;
using model::Vector3;

constexpr JointId kBeltDrive{0};
constexpr BodyId kCarriedPart{2};

/// A slab of 20 kg, 2 m long, whose top is at z = 0, on a slider along x.
model::Placement make_belt(const Vector3& size_m = {2.0, 0.5, 0.02}) {
  model::Body surface = make_mass(20.0, {2.0, 0.5, 0.02});
  surface.collisions.push_back(make_shape(model::Box{size_m}, 1.0, {0, 0, -0.01}));
  return mechanism({{slider(Vector3::UnitX()), surface}});
}

/// With a box of 0.1 kg lying on it.
model::Cell loaded_belt() {
  return cell_of(
      {make_belt(), free_body(make_box(0.1, {0.08, 0.08, 0.02}, 0.5), {0.0, 0.0, 0.01})});
}

void run_belt(Engine& engine, Belt& belt, int steps) {
  for (int i = 0; i < steps; ++i) {
    belt.before_step();
    engine.step();
    belt.after_step();
  }
}

class Belts : public EngineTest {};

TEST_P(Belts, FollowRampsAndCountThemWithoutTheResets) {
  const model::Cell cell = cell_of({make_belt()});
  const auto engine = make(cell);
  Belt belt(*engine, cell, kBeltDrive, {.acceleration_m_s2 = 0.5, .max_speed_m_s = 0.2}, 1ms,
            nullptr);
  belt.command(0.2);
  // after 0.2 s: a·t = 0.1 m/s
  run_belt(*engine, belt, 200);
  EXPECT_NEAR(belt.velocity_m_s(), 0.1, 1e-6);
  // 0.4 s of ramp cover v²/(2a) = 0.04 m, 1.6 s at 0.2 m/s cover 0.32 m; a ramp of steps is half a
  // step ahead: 0.2·0.5 ms = 0.1 mm
  run_belt(*engine, belt, 1800);
  EXPECT_NEAR(belt.encoder_m(), 0.36, 2e-4);
  EXPECT_LT(std::abs(engine->positions()[0]), 0.1);
  // and back, through zero: to -0.1 m/s takes 0.6 s
  belt.command(-0.1);
  run_belt(*engine, belt, 600);
  EXPECT_NEAR(belt.velocity_m_s(), -0.1, 1e-6);
}

TEST_P(Belts, CutCommandsAtTheirGreatestSpeed) {
  const model::Cell cell = cell_of({make_belt()});
  const auto engine = make(cell);
  Belt belt(*engine, cell, kBeltDrive, {.acceleration_m_s2 = 0.0, .max_force_N = 1e5}, 1ms,
            nullptr);
  belt.command(-7.0);
  run_belt(*engine, belt, 3);
  EXPECT_NEAR(belt.velocity_m_s(), -0.2, 1e-6);
}

TEST_P(Belts, StopAtOnceAndResumeAlongTheRamp) {
  const model::Cell cell = cell_of({make_belt()});
  const auto engine = make(cell);
  Belt belt(*engine, cell, kBeltDrive, {}, 1ms, nullptr);
  belt.command(0.2);
  run_belt(*engine, belt, 500);
  belt.stop();
  // 20 kg at 0.2 m/s against 2000 N: 2 ms
  run_belt(*engine, belt, 4);
  EXPECT_NEAR(belt.velocity_m_s(), 0.0, 1e-6);
  belt.command(-0.1);
  run_belt(*engine, belt, 100);
  EXPECT_NEAR(belt.velocity_m_s(), 0.0, 1e-6) << "a command alone does not end a stop";
  belt.resume();
  run_belt(*engine, belt, 100);
  EXPECT_NEAR(belt.velocity_m_s(), -0.05, 1e-6);
}

TEST_P(Belts, CarryByFrictionWithoutANoticeOfTheResets) {
  const model::Cell cell = loaded_belt();
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_contacts);
  Belt belt(*engine, cell, kBeltDrive, {.reset_after_m = 0.02}, 1ms, nullptr);
  run_belt(*engine, belt, 100);
  const double start = engine->pose(kCarriedPart).translation().x();
  belt.command(0.2);
  // 0.5 m/s² is far below μg, so the part goes with the belt: 17 resets must not show
  run_belt(*engine, belt, 2000);
  EXPECT_NEAR(engine->pose(kCarriedPart).translation().x() - start, belt.encoder_m(), 1e-3);
  EXPECT_NEAR(engine->twist(kCarriedPart).linear_W.x(), 0.2, 1e-3);
  EXPECT_NEAR(engine->pose(kCarriedPart).translation().z(), 0.01, 1e-3);
}

TEST_P(Belts, SayThatTheyAreJammedOnlyAfterAWhile) {
  // the load leans on a wall that stands across the belt, and is too heavy to slip under
  model::Cell cell = loaded_belt();
  cell.placements[1] = free_body(make_box(10.0, {0.2, 0.2, 0.2}, 1.0), {0.0, 0.0, 0.1});
  model::Body wall;
  wall.name = "wall";
  wall.collisions.push_back(make_shape(model::Box{{0.1, 1.0, 1.0}}, 0.0));
  cell.placements.push_back(place(wall, {0.15, 0.0, 0.51}, true));
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_contacts);
  // friction is μmg = 98 N, more than the drive has
  Belt belt(*engine, cell, kBeltDrive, {.max_force_N = 50.0, .jam_after = 100ms}, 1ms, nullptr);
  run_belt(*engine, belt, 100);
  belt.command(0.1);
  run_belt(*engine, belt, 80);
  EXPECT_FALSE(belt.is_jammed());
  run_belt(*engine, belt, 220);
  EXPECT_TRUE(belt.is_jammed());
  EXPECT_LT(std::abs(belt.velocity_m_s()), 0.02);
  // told to stand still it has what it wants
  belt.stop();
  run_belt(*engine, belt, 50);
  EXPECT_FALSE(belt.is_jammed());
}

TEST_P(Belts, AreNotJammedByTheirOwnInertia) {
  const model::Cell cell = loaded_belt();
  const auto engine = make(cell);
  // 20 kg at 50 N: 80 ms at full force until 0.2 m/s
  Belt belt(*engine, cell, kBeltDrive, {.acceleration_m_s2 = 0.0, .max_force_N = 50.0}, 1ms,
            nullptr);
  belt.command(0.2);
  for (int i = 0; i < 300; ++i) {
    run_belt(*engine, belt, 1);
    ASSERT_FALSE(belt.is_jammed()) << i;
  }
  EXPECT_NEAR(belt.velocity_m_s(), 0.2, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Engines, Belts, testing::ValuesIn(all_engines()), engine_name);

std::string refusal(const model::Cell& cell, JointId joint, const BeltConfig& config) {
  const auto engine = built_in_engines().make("kinematic", cell, {});
  try {
    Belt belt(*engine, cell, joint, config, 1ms, nullptr);
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
  return "";
}

TEST(Belt, RefusesWhatIsNoBelt) {
  const model::Cell flat = cell_of({make_belt({0.0, 0.5, 0.02})});
  EXPECT_EQ(refusal(flat, kBeltDrive, {}),
            "the belt 'body1' has no length along its joint 'joint0'");
  const model::Cell turning = one_joint(hinge(Vector3::UnitX()), make_box(1.0, {1, 1, 1}));
  EXPECT_EQ(refusal(turning, kBeltDrive, {}),
            "joint 'joint0' cannot drive a belt: it is rotational");
  EXPECT_EQ(refusal(loaded_belt(), JointId{1}, {}), "the belt's joint 1 is not there");
  model::Cell limited = loaded_belt();
  limited.placements[0].tree.joints[0].limits.upper = 0.05;
  EXPECT_EQ(refusal(limited, kBeltDrive, {}),
            "the limits of joint 'joint0' are too narrow for a belt that is reset after 0.1 m");
}

TEST(Belt, RefusesValuesThatMakeNoSense) {
  const model::Cell cell = loaded_belt();
  EXPECT_EQ(refusal(cell, kBeltDrive, {.acceleration_m_s2 = -1.0}),
            "acceleration_m_s2: a belt's acceleration must not be negative");
  EXPECT_EQ(refusal(cell, kBeltDrive, {.max_speed_m_s = std::nan("")}),
            "max_speed_m_s: a belt needs a max_speed_m_s above zero");
  EXPECT_EQ(refusal(cell, kBeltDrive, {.max_force_N = 0.0}),
            "max_force_N: a belt needs a drive with a force above zero");
  EXPECT_EQ(refusal(cell, kBeltDrive, {.reset_after_m = 0.0}),
            "reset_after_m: reset_after_m must be greater than zero");
  EXPECT_EQ(refusal(cell, kBeltDrive, {.reset_after_m = 1.5}),
            "the belt 'body1' is 2 m long: if reset only after 1.5 m, it would no longer support "
            "its load");
}

}  // namespace
}  // namespace longarm::mechanisms
