// SPDX-License-Identifier: Apache-2.0
// Conformance: stiffness, damping and depths of surfaces, and bodies that start inside each other.
#include <cmath>

#include "longarm/physics/surface_warnings.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Surface;
using model::Vector3;

constexpr double kWeight_N = 2.0 * kGravity;

Surface springy(double stiffness_N_m, double damping_N_s_m) {
  Surface surface;
  surface.stiffness_N_m = stiffness_N_m;
  surface.damping_N_s_m = damping_N_s_m;
  return surface;
}

class Surfaces : public EngineTest {
 protected:
  /// A box of 2 kg that just touches the ground with four corners, or overlaps it by `depth_m`.
  static model::Cell box_on_ground(const Surface& box, const Surface& ground_surface,
                                   double depth_m = 0.0,
                                   const Vector3& gravity = {0, 0, -kGravity}) {
    model::Cell cell = cell_of(
        {ground(), free_body(make_box(2.0, {0.2, 0.2, 0.1}), {0, 0, 0.05 - depth_m})}, gravity);
    cell.placements[0].tree.bodies[0].collisions[0].surface = ground_surface;
    cell.placements[1].tree.bodies[0].collisions[0].surface = box;
    return cell;
  }
  static double depth(const Engine& engine) {
    return 0.05 - engine.pose(body_id(1)).translation().z();
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Surfaces, testing::ValuesIn(all_engines()), engine_name);

TEST_P(Surfaces, SinkByTheWeightOverTheirStiffness) {
  // 1/(1/2e4 + 1/2e4) = 1e4 N/m at each of four corners: 19.62/(4·1e4) = 0.4905 mm
  const Surface soft = springy(2e4, 50.0);
  const auto engine = make(box_on_ground(soft, soft));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 500);
  EXPECT_NEAR(depth(*engine), kWeight_N / 4e4, 0.02 * kWeight_N / 4e4);
  ASSERT_EQ(engine->contacts().size(), 4u);
  EXPECT_NEAR(engine->contacts()[0].depth_m, depth(*engine), 1e-6);
}

TEST_P(Surfaces, YieldAloneOnARigidOne) {
  const Surface soft = springy(1e5, 100.0);
  for (const bool is_box_soft : {true, false}) {
    const auto engine =
        make(is_box_soft ? box_on_ground(soft, Surface{}) : box_on_ground(Surface{}, soft));
    SKIP_UNLESS(engine, has_contacts);
    run(*engine, 500);
    EXPECT_NEAR(depth(*engine), kWeight_N / 4e5, 0.02 * kWeight_N / 4e5);
  }
}

TEST_P(Surfaces, SinkAsSlowlyAsTheirDampingAllows) {
  // overdamped: depth(t) = W/(4·kp)·(1 - exp(-t·kp/kd)), here with kd/kp = 0.1 s. The mass adds
  // m/(4·kd) = 0.5 ms of delay.
  const Surface slow = springy(2e4, 500.0);
  const auto engine = make(box_on_ground(slow, slow));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 100);
  const double expected = kWeight_N / 4e4 * (1.0 - std::exp(-1.0));
  EXPECT_NEAR(depth(*engine), expected, 0.02 * expected);
}

TEST_P(Surfaces, LeaveTheirMinimumDepthAlone) {
  // of 1 mm and 3 mm the smaller counts; the spring begins there
  Surface box = springy(2e4, 50.0);
  box.min_depth_m = 1e-3;
  Surface floor = springy(2e4, 50.0);
  floor.min_depth_m = 3e-3;
  const auto engine = make(box_on_ground(box, floor));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 800);
  const double expected = 1e-3 + kWeight_N / 4e4;
  EXPECT_NEAR(depth(*engine), expected, 0.02 * expected);
}

TEST_P(Surfaces, DoNotPushApartAnOverlapBelowTheMinimumDepth) {
  Surface shallow;
  shallow.min_depth_m = 1e-3;
  const auto engine = make(box_on_ground(shallow, shallow, 0.8e-3, Vector3::Zero()));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 200);
  EXPECT_NEAR(depth(*engine), 0.8e-3, 1e-6);
  EXPECT_EQ(engine->contacts().size(), 4u) << "they still touch";
}

TEST_P(Surfaces, PushApartNoFasterThanTheySay) {
  // 10 mm deep, without gravity: 100 ms at the smaller of the two velocities, 0.03 m/s
  Surface stiff = springy(1e6, 1.0);
  stiff.max_correction_m_s = 0.03;
  Surface faster = springy(1e6, 1.0);
  faster.max_correction_m_s = 0.5;
  const auto engine = make(box_on_ground(stiff, faster, 0.01, Vector3::Zero()));
  SKIP_UNLESS(engine, has_contacts);
  run(*engine, 100);
  EXPECT_NEAR(engine->twist(body_id(1)).linear_W.z(), 0.03, 1e-3);
  EXPECT_NEAR(depth(*engine), 0.01 - 0.003, 1e-4);
}

TEST_P(Surfaces, HoldByTheSmallerFriction) {
  // 5 N pull at a box that μ = 0.2 holds with 3.9 N: a = (5 - 3.924)/2
  Surface slick = springy(1e6, 100.0);
  slick.friction = 0.2;
  Surface rough = springy(1e6, 100.0);
  rough.friction = 0.9;
  const auto engine = make(box_on_ground(slick, rough, 1e-5));
  SKIP_UNLESS(engine, has_contacts);
  for (int i = 0; i < 500; ++i) {
    engine->apply_wrench(body_id(1), {Vector3(5.0, 0, 0), Vector3::Zero()});
    engine->step();
  }
  const double expected = 0.5 * (5.0 - 0.2 * kWeight_N) / 2.0;
  EXPECT_NEAR(engine->twist(body_id(1)).linear_W.x(), expected, 0.02 * expected);
}

TEST_P(Surfaces, HoldStillHoweverHardTheyAre) {
  // a part of 50 g, pulled with half of what friction holds; hard contacts must not hop
  for (const double stiffness : {1e6, 3e6, 1e8, 1e12}) {
    model::Cell cell =
        cell_of({ground(), free_body(make_box(0.05, {0.06, 0.06, 0.02}), {0, 0, 0.01})});
    for (model::Placement& placement : cell.placements) {
      placement.tree.bodies[0].collisions[0].surface = springy(stiffness, 1.0);
    }
    const auto engine = make(cell);
    SKIP_UNLESS(engine, has_contacts);
    for (int i = 0; i < 300; ++i) {
      engine->apply_wrench(body_id(1), {Vector3(0.5 * 0.05 * kGravity, 0, 0), Vector3::Zero()});
      engine->step();
    }
    // MuJoCo creeps by some 13 µm/s
    EXPECT_NEAR(engine->pose(body_id(1)).translation().x(), 0.0, 2e-5) << stiffness;
  }
}

TEST_P(Surfaces, GetFreeOfEachOtherAtABoundedSpeed) {
  // two boxes of 0.1 m, one half inside the other
  const auto engine = make(cell_of({free_body(make_box(1.0, {0.1, 0.1, 0.1}), {0, 0, 0}),
                                    free_body(make_box(1.0, {0.1, 0.1, 0.1}), {0.05, 0.01, 0.02})},
                                   Vector3::Zero()));
  SKIP_UNLESS(engine, has_contacts);
  double fastest = 0.0;
  for (int i = 0; i < 2000; ++i) {
    engine->step();
    for (const int body : {0, 1}) {
      fastest = std::max(fastest, engine->twist(body_id(body)).linear_W.norm());
    }
  }

  ASSERT_TRUE(engine->pose(body_id(0)).matrix().allFinite());
  EXPECT_TRUE(engine->contacts().empty());
  // ODE: 0.1 m/s between the two. MuJoCo pushes by the depth: measured 2.2 m/s
  EXPECT_LT(fastest, is("ode") ? 0.1 : 5.0);
}

TEST(SurfaceWarnings, TellOnceForEachModelWhatDiffers) {
  model::Cell cell = cell_of({ground(), free_body(make_box(1.0, {1, 1, 1}), {0, 0, 1}),
                              free_body(make_box(1.0, {1, 1, 1}), {0, 0, 3})});
  for (const std::size_t box : {1u, 2u}) {
    model::BodyTree& tree = cell.placements[box].tree;
    tree.name = "crate";
    tree.bodies[0].name = "lid";
    tree.bodies[0].collisions[0].surface = springy(1e5, 1.0);
  }
  const Capabilities near{.has_contacts = true};
  const std::vector<Diagnostic> warnings = surface_warnings(cell, near);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(
      warnings[0].message,
      "body 'lid': this engine applies the contact parameters kp, kd, min_depth and max_vel normal "
      "to the contact only; tangential friction is soft as well, so that held parts creep");
  const Capabilities exact{.has_contacts = true, .has_exact_surfaces = true};
  EXPECT_TRUE(surface_warnings(cell, exact).empty());
  EXPECT_TRUE(surface_warnings(cell, Capabilities{}).empty());
  EXPECT_TRUE(surface_warnings(cell_of({ground()}), near).empty());
}

}  // namespace
}  // namespace longarm::physics
