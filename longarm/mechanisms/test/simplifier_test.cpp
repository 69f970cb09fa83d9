// SPDX-License-Identifier: Apache-2.0
// When parts are joined to what they rest on, what makes them part, and what does not.
#include "longarm/mechanisms/simplifier.h"

#include <algorithm>

#include "longarm/core/diagnostic.h"
#include "longarm/mechanisms/belt.h"
#include "longarm/mechanisms/test/simplifier_fixture.h"

namespace longarm::mechanisms {
namespace {

using namespace physics;
using model::Vector3;

constexpr BodyId kBox{1};

/// A box of 0.3 kg, 60 x 60 x 20 mm, lies on the ground: weight 2.943 N.
model::Cell lying_box(double friction = 0.5) {
  return cell_of(
      {ground(friction), free_body(make_box(0.3, {0.06, 0.06, 0.02}, friction), {0, 0, 0.01})});
}

/// A slider along x with a flat top at z = 0 (bodies 0 and 1), a tray of 0.2 kg on it (2), a gear
/// of 0.05 kg in the tray (3). Friction is 0.5.
model::Cell gear_on_tray_on_belt() {
  model::Body surface = make_mass(20.0, {2.0, 0.5, 0.02});
  surface.collisions.push_back(make_shape(model::Box{{2.0, 0.5, 0.02}}, 0.5, {0, 0, -0.01}));
  model::Body gear = make_mass(0.05, {0.05, 0.05, 0.01});
  gear.collisions.push_back(make_shape(model::Cylinder{0.03, 0.01}, 0.5));
  return cell_of({mechanism({{slider(Vector3::UnitX()), surface}}),
                  free_body(make_box(0.2, {0.1, 0.1, 0.01}, 0.5), {0, 0, 0.005}),
                  free_body(gear, {0, 0, 0.015})});
}
constexpr BodyId kBelt{1};
constexpr BodyId kTray{2};
constexpr BodyId kGear{3};
constexpr JointId kDrive{0};

class Simplifying : public SimplifierTest {};

// what a suction cup holds has to go on touching it, and a gripper is no tray
TEST_P(Simplifying, JoinsNothingToAToolThatLiesAboutNorTheToolItself) {
  model::Cell cell = lying_box();
  cell.placements[static_cast<std::size_t>(kBox)].tree.frames.push_back(
      {.name = "tcp", .body = 0, .X_BF = model::Pose::Identity()});
  SimplifiedWorld w = world(std::move(cell));
  w.run(200);
  EXPECT_FALSE(w.simplifier.is_joined(kGround, kBox));
}

TEST_P(Simplifying, JoinsAPartThatRestsAfterTheHoldTime) {
  SimplifiedWorld w = world(lying_box());
  w.run(45);
  EXPECT_FALSE(w.simplifier.is_joined(kGround, kBox));
  w.run(155);
  EXPECT_TRUE(w.simplifier.is_joined(kGround, kBox));
  EXPECT_TRUE(w.simplifier.is_joined(kBox, kGround));
  EXPECT_EQ(w.simplifier.counts().made, 1u);
  EXPECT_EQ(w.simplifier.counts().joined, 1u);
  EXPECT_TRUE(w.engine->contacts().empty());
  // the joint carries what the contacts carried
  EXPECT_LT(w.simplifier.load_change_N(kBox), 0.02);
}

TEST_P(Simplifying, PartsAtTheThresholdWhenPulledSlowly) {
  for (const Vector3& direction : {Vector3(1, 0, 0), Vector3(0, -1, 0), Vector3(0, 0, 1)}) {
    SimplifiedWorld w = world(lying_box());
    w.run(200);
    ASSERT_TRUE(w.simplifier.is_joined(kGround, kBox));
    EXPECT_NEAR(w.pull_until_parted(kBox, kGround, direction, 3.0), 0.5, 0.05)
        << direction.transpose();
    EXPECT_EQ(w.simplifier.counts().removed, 1u);
  }
}

TEST_P(Simplifying, PartsWhereFrictionEndsWhateverTheThreshold) {
  // μ·m·g = 0.5·2.943 = 1.47 N; edges of the cone and its tolerance leave 10 %
  SimplifiedWorld w = world(lying_box(), {.release_N = 2.0});
  w.run(200);
  EXPECT_NEAR(w.pull_until_parted(kBox, kGround, {1, 0, 0}, 5.0), 1.47, 0.147 + 0.1);
  // and slides: with 0.5 N beyond its friction it would come 0.5·1.7·0.2² = 33 mm far
  for (int i = 0; i < 200; ++i) {
    w.engine->apply_wrench(kBox, {.force_W = {1.97, 0, 0}});
    w.step();
  }
  EXPECT_GT(w.engine->pose(kBox).translation().x(), 0.02);
}

TEST_P(Simplifying, PartsWhenTheForceWouldTipThePart) {
  // 0.1 m above the middle of a box 20 mm high, F·(0.1 + 0.01) turns it over an edge 30 mm off
  // against 2.943·0.03: F = 0.80 N, below friction and threshold
  SimplifiedWorld w = world(lying_box(), {.release_N = 1.4});
  w.run(200);
  EXPECT_NEAR(w.pull_until_parted(kBox, kGround, {1, 0, 0}, 5.0, 0.1), 0.80, 0.12);
}

TEST_P(Simplifying, JoinsAgainElsewhere) {
  SimplifiedWorld w = world(lying_box());
  w.run(200);
  // 6 N for 10 ms, of which the joint takes one: (6 - 1.47)/0.3·9 ms = 0.136 m/s, which friction
  // stops within v²/(2μg) = 1.9 mm; 0.6 mm were covered before
  for (int i = 0; i < 10; ++i) {
    w.engine->apply_wrench(kBox, {.force_W = {6.0, 0, 0}});
    w.step();
  }
  EXPECT_FALSE(w.simplifier.is_joined(kGround, kBox));
  w.run(400);
  EXPECT_NEAR(w.engine->pose(kBox).translation().x(), 2.5e-3, 0.4e-3);
  EXPECT_TRUE(w.simplifier.is_joined(kGround, kBox));
  EXPECT_EQ(w.simplifier.counts().made, 2u);
  EXPECT_EQ(w.simplifier.counts().removed, 1u);
}

TEST_P(Simplifying, ASteadyPullIsPartOfWhatIsRecorded) {
  // parted at 0.5 N, held by friction at 1 N, joined again; then it takes another 0.5 N
  SimplifiedWorld w = world(lying_box());
  for (int i = 0; i < 400; ++i) {
    w.engine->apply_wrench(kBox, {.force_W = {1.0, 0, 0}});
    w.step();
  }
  ASSERT_TRUE(w.simplifier.is_joined(kGround, kBox));
  EXPECT_LT(w.simplifier.load_change_N(kBox), 0.03);
  EXPECT_NEAR(w.pull_until_parted(kBox, kGround, {1, 0, 0}, 0.3), 0.0, 0.02)
      << "without the pull the load changes by 1 N";
}

TEST_P(Simplifying, ChainsOfPartsRideOnABeltThatStartsStopsAndTurns) {
  SimplifiedWorld w = world(gear_on_tray_on_belt());
  double worst_N = 0.0;
  double speed_m_s = 0.0;
  for (int i = 0; i < 4000; ++i) {
    // forwards, a stop, backwards, a stop, by ramps of 1 m/s²: a fifth of what friction can follow
    constexpr double kTargets_m_s[] = {0.2, 0.0, -0.2, 0.0};
    speed_m_s += std::clamp(kTargets_m_s[i / 400 % 4] - speed_m_s, -1e-3, 1e-3);
    w.engine->set_velocity(kDrive, speed_m_s, 2000.0);
    w.step();
    worst_N = std::max(worst_N, w.simplifier.load_change_N(kGear));
  }
  EXPECT_EQ(w.simplifier.counts().made, 2u);
  EXPECT_EQ(w.simplifier.counts().removed, 0u);
  EXPECT_TRUE(w.simplifier.is_joined(kTray, kGear));
  EXPECT_TRUE(w.simplifier.is_joined(kBelt, kTray));
  EXPECT_FALSE(w.simplifier.is_joined(kBelt, kGear));
  EXPECT_LT(worst_N, 0.05);
}

TEST_P(Simplifying, PartsWhenTheSupportAcceleratesFasterThanFrictionCanFollow) {
  SimplifiedWorld w = world(gear_on_tray_on_belt());
  w.run(200);
  ASSERT_EQ(w.simplifier.counts().joined, 2u);
  // 3 m/s² for 0.1 s: less than μg = 4.9 m/s²
  double speed = 0.0;
  const auto accelerate = [&](double by_m_s2, int steps) {
    for (int i = 0; i < steps; ++i) {
      speed += by_m_s2 * 1e-3;
      w.engine->set_velocity(kDrive, speed, 1e5);
      w.step();
    }
  };
  accelerate(3.0, 100);
  EXPECT_EQ(w.simplifier.counts().removed, 0u);
  // 8 m/s² for 0.05 s: the tray falls behind by (8 - 4.9)·0.05²/2 = 3.9 mm
  accelerate(8.0, 50);
  EXPECT_FALSE(w.simplifier.is_joined(kBelt, kTray));
  EXPECT_LT(w.engine->twist(kTray).linear_W.x(), speed - 0.05);
}

TEST_P(Simplifying, ABeltPutBackLosesNothingAndCountsNothing) {
  SimplifiedWorld w = world(gear_on_tray_on_belt());
  w.engine->set_velocity(kDrive, 0.05, 2000.0);
  w.run(300);
  ASSERT_EQ(w.simplifier.counts().joined, 2u);
  const double before_m = w.engine->pose(kTray).translation().x();
  w.simplifier.let_go(kBelt);
  const double from_m = w.engine->positions()[0];
  w.engine->reset_joint(kDrive, -0.3, 0.05);
  w.simplifier.hold_again(kBelt, {-0.3 - from_m, 0.0, 0.0});
  EXPECT_NEAR(w.engine->pose(kTray).translation().x(), before_m, 1e-9);
  w.run(200);
  // goes on with the belt: 0.05·0.2 = 10 mm
  EXPECT_NEAR(w.engine->pose(kTray).translation().x(), before_m + 0.01, 1e-4);
  EXPECT_NEAR(w.engine->pose(kGear).translation().x(), before_m + 0.01, 1e-4);
  EXPECT_EQ(w.simplifier.counts().made, 2u);
  EXPECT_EQ(w.simplifier.counts().removed, 0u);
}

TEST_P(Simplifying, AHundredResetsOfABeltMoveNothingOnIt) {
  SimplifiedWorld w = world(gear_on_tray_on_belt());
  Belt belt(*w.engine, w.cell, kDrive, {.reset_after_m = 0.01}, std::chrono::milliseconds(1),
            &w.simplifier);
  // on the belt as if it had never been put back
  const auto place = [&] {
    return Vector3(w.engine->pose(kTray).translation() - belt.encoder_m() * Vector3::UnitX());
  };
  const auto run_to = [&](double end_m, double speed_m_s) {
    belt.command(speed_m_s);
    while ((end_m - belt.encoder_m()) * speed_m_s > 0.0) {
      belt.before_step();
      w.step();
      belt.after_step();
    }
  };
  run_to(0.155, 0.2);
  ASSERT_EQ(w.simplifier.counts().joined, 2u);
  const Vector3 before = place();
  run_to(0.655, 0.2);
  // QuickStep gives way by some 0.2 µm per mm of lever from the middle of the belt
  const bool is_quick = GetParam().engine.solver == "quick";
  EXPECT_NEAR((place() - before).norm(), 0.0, is_quick ? 2e-4 : 1e-7);
  // back at the same place it does so by as much
  run_to(0.155, -0.2);
  EXPECT_NEAR((place() - before).norm(), 0.0, is_quick ? 5e-6 : 1e-7);
  EXPECT_EQ(w.simplifier.counts().removed, 0u);
}

TEST_P(Simplifying, PartingKeepsMomentum) {
  SimplifiedWorld w = world(gear_on_tray_on_belt());
  w.engine->set_velocity(kDrive, 0.1, 2000.0);
  w.run(300);
  ASSERT_TRUE(w.simplifier.is_joined(kTray, kGear));
  while (w.simplifier.is_joined(kTray, kGear)) {
    w.engine->apply_wrench(kGear, {.force_W = {0, 0, 0.47}, .torque_W = {0, 0, 0.02}});
    w.simplifier.before_step();
    w.engine->step();
    const Twist together = w.engine->twist(kGear);
    w.simplifier.after_step();
    const Twist alone = w.engine->twist(kGear);
    EXPECT_LT((alone.linear_W - together.linear_W).norm(), 0.01 * together.linear_W.norm());
    EXPECT_LT((alone.angular_W - together.angular_W).norm(), 1e-6);
  }
  EXPECT_NEAR(w.engine->twist(kGear).linear_W.x(), 0.1, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Modes, Simplifying, testing::ValuesIn(all_simplifier_cases()),
                         simplifier_case_name);

TEST(SimplifierConfig, RefusesThresholdsOfZeroAndLess) {
  const model::Cell cell = lying_box();
  const auto engine = built_in_engines().make("mujoco", cell, {});
  const auto message = [&](const SimplifierConfig& config) {
    try {
      const Simplifier simplifier(*engine, cell, config, std::chrono::milliseconds(1));
    } catch (const InputError& error) {
      return error.diagnostics()[0].message + " / " + error.diagnostics()[0].hint;
    }
    return std::string("accepted");
  };
  EXPECT_EQ(message({.mode = "weld", .release_N = 0.0}),
            "release_N must be greater than zero / 0.5 is usual; the weight of a light part");
  EXPECT_EQ(message({.mode = "weld", .speed_m_s = -1.0}),
            "speed_m_s must be greater than zero / 0.005 is usual");
  EXPECT_EQ(message({.mode = "weld", .acceleration_m_s2 = std::nan("")}),
            "acceleration_m_s2 must be greater than zero / 0.2 is usual");
  EXPECT_EQ(message({.mode = "merge", .hold = Duration::zero()}),
            "hold must be greater than zero / 50ms is usual");
  EXPECT_EQ(message({.mode = "weld"}), "accepted");
}

TEST(SimplifierConfig, NeedsAnEngineWithContacts) {
  const model::Cell cell = lying_box();
  const auto engine = built_in_engines().make("kinematic", cell, {});
  EXPECT_THROW(Simplifier(*engine, cell, {.mode = "weld"}, std::chrono::milliseconds(1)),
               InputError);
  EXPECT_NO_THROW(Simplifier(*engine, cell, {.mode = "none"}, std::chrono::milliseconds(1)));
}

}  // namespace
}  // namespace longarm::mechanisms
