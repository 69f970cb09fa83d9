// SPDX-License-Identifier: Apache-2.0
// The light curtain: what it sees, what it remembers, what it costs, and how its reports travel.
#include "longarm/devices/light_curtain.h"

#include <chrono>
#include <numeric>

#include "longarm/core/diagnostic.h"
#include "longarm/core/test/ignoring_fields.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::devices {
namespace {

using namespace physics;
using namespace std::chrono_literals;
using model::Vector3;

constexpr BodyId kRod{0};

/// The lab's: two pairs of poles at a right angle, 43 beams each, 0.212 to 1.892 m high.
CurtainConfig lab_curtain() {
  return {.poles = {{2.60, 1.46, 0.212, 2.60, -2.27, 0.212},
                    {-1.77, -2.27, 0.212, 2.46, -2.27, 0.212}}};
}

/// An upright rod of 40 mm that flies along x without gravity, from 0.2 m before the first plane.
model::Cell rod_cell() {
  model::Body rod = make_mass(1.0, {0.04, 0.04, 0.5});
  rod.collisions.push_back(make_shape(model::Cylinder{0.02, 0.5}));
  return cell_of({free_body(rod, {2.4, 0.0, 1.0})}, Vector3::Zero());
}

/// Gives a link of model `delay` 5 ms.
class SetDelay final : public IgnoringFields {
 public:
  void do_field(const Field& field) override {
    if (Duration* const* duration = std::get_if<Duration*>(&field.value)) {
      **duration = 5ms;
    }
  }
};

int count(const LightCurtain& curtain) {
  const auto beams = curtain.beams();
  return std::accumulate(beams.begin(), beams.end(), 0);
}

class LightCurtains : public EngineTest {};

TEST_P(LightCurtains, SeeARodThatFliesThroughAndRememberIt) {
  const model::Cell cell = rod_cell();
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_rays);
  LightCurtain curtain(*engine, cell, lab_curtain());
  ASSERT_EQ(curtain.beams().size(), 86u);
  engine->reset_body(kRod, engine->pose(kRod), {.linear_W = {2.0, 0, 0}});
  int steps_broken = 0;
  for (int i = 0; i < 200; ++i) {
    engine->step();
    curtain.update(Time(1ms * (i + 1)));
    steps_broken += curtain.is_broken() ? 1 : 0;
  }
  // 40 mm at 2 mm a step
  EXPECT_NEAR(steps_broken, 20, 1);
  EXPECT_EQ(curtain.interruptions(), 1u);
  // its edge is there after 180 mm, 90 steps
  ASSERT_TRUE(curtain.first_broken().has_value());
  EXPECT_NEAR(to_seconds(curtain.first_broken()->time_since_epoch()), 0.090, 0.0015);
  EXPECT_FALSE(curtain.is_broken());
  EXPECT_TRUE(curtain.is_latched());
  curtain.reset();
  EXPECT_FALSE(curtain.is_latched());
}

TEST_P(LightCurtains, KnowWhichBeamsAreBroken) {
  const model::Cell cell = rod_cell();
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_rays);
  LightCurtain curtain(*engine, cell, lab_curtain());
  engine->reset_body(kRod, model::Pose(Eigen::Translation3d(2.6, 0.0, 1.0)), {});
  curtain.update(Time{});
  // 0.75 to 1.25 m: (0.75 - 0.212)/0.04 = 13.45 and (1.25 - 0.212)/0.04 = 25.95
  for (int beam = 0; beam < 86; ++beam) {
    EXPECT_EQ(curtain.beams()[static_cast<std::size_t>(beam)], beam >= 14 && beam <= 25) << beam;
  }
  curtain.reset();
  EXPECT_TRUE(curtain.is_latched()) << "it is still there";
  engine->reset_body(kRod, model::Pose(Eigen::Translation3d(0.0, -2.27, 1.0)), {});
  curtain.update(Time{});
  EXPECT_EQ(count(curtain), 12);
  EXPECT_EQ(curtain.beams()[43 + 14], 1) << "now it stands in the other plane";
}

TEST_P(LightCurtains, HaveABeamInARodAsThickAsTheirPitchAtAnyHeight) {
  // along the normal, as an arm would reach in: the plane cuts a disc of 40 mm out of it
  model::Body rod = make_mass(1.0, {0.5, 0.04, 0.04});
  model::Geometry shape = make_shape(model::Cylinder{0.02, 0.5});
  shape.X_LG.linear() = Eigen::AngleAxisd(M_PI / 2, Vector3::UnitY()).toRotationMatrix();
  rod.collisions.push_back(shape);
  const model::Cell cell = cell_of({free_body(rod, {0, 0, 0})}, Vector3::Zero());
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_rays);
  LightCurtain curtain(*engine, cell, lab_curtain());
  for (int i = 0; i < 40; ++i) {
    const double height = 1.0 + 1e-3 * i + 3e-4;
    engine->reset_body(kRod, model::Pose(Eigen::Translation3d(2.6, 0.3, height)), {});
    curtain.update(Time{});
    EXPECT_EQ(count(curtain), 1) << height;
  }
}

TEST_P(LightCurtains, CastRaysOnlyWhereSomethingIs) {
  const model::Cell cell = rod_cell();
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_rays);
  LightCurtain curtain(*engine, cell, lab_curtain());
  curtain.update(Time{});
  EXPECT_EQ(curtain.rays_cast(), 86u) << "what never moves is looked at once";
  engine->reset_body(kRod, model::Pose(Eigen::Translation3d(1.0, 0.0, 1.0)), {});
  for (int i = 0; i < 100; ++i) {
    curtain.update(Time{});
  }
  EXPECT_EQ(curtain.rays_cast(), 86u);
}

TEST_P(LightCurtains, AreBlockedByWhatStandsBehindWhatMovesAway) {
  // a wall in the plane, and the rod before it at first
  model::Cell cell = rod_cell();
  model::Body wall;
  wall.name = "wall";
  wall.collisions.push_back(make_shape(model::Box{{0.2, 0.2, 4.0}}));
  cell.placements.push_back(place(wall, {2.6, -1.0, 0.0}, true));
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_rays);
  LightCurtain curtain(*engine, cell, lab_curtain());
  engine->reset_body(kRod, model::Pose(Eigen::Translation3d(2.6, 0.0, 1.0)), {});
  curtain.update(Time{});
  EXPECT_EQ(count(curtain), 43);
  engine->reset_body(kRod, model::Pose(Eigen::Translation3d(0.0, 0.0, 1.0)), {});
  curtain.update(Time{});
  curtain.update(Time{});
  EXPECT_EQ(count(curtain), 43);
}

INSTANTIATE_TEST_SUITE_P(Engines, LightCurtains, testing::ValuesIn(all_engines()), engine_name);

TEST(LightCurtain, ReportsChangesAtOnceThroughItsLink) {
  const model::Cell cell = rod_cell();
  const auto engine = built_in_engines().make("mujoco", cell, {});
  engine->reset_body(kRod, engine->pose(kRod), {.linear_W = {2.0, 0, 0}});
  sim::Kernel kernel;
  LightCurtain curtain(*engine, cell, lab_curtain());
  DeviceLinkConfig link{.model = "delay", .plugin = {}, .requirements = {}};
  link.plugin = network::built_in_link_models().make("delay");
  SetDelay set_delay;
  link.plugin->list_fields(set_delay);
  DevicePort<CurtainReport> port(kernel, "curtain", make_link(link, {1, "curtain"}), 33ms);
  curtain.connect(kernel, 1ms, [&](const CurtainReport& report, std::size_t size_bytes) {
    port.send(report, size_bytes);
  });
  std::optional<Time> heard;
  port.listen([&](const CurtainReport& report, Time now) {
    if (report.is_broken && !heard) {
      heard = now;
    }
  });
  const sim::SourceId world = kernel.add_source("world");
  kernel.every(1ms, Time{}, sim::Phase::kStep, world, [&](Time) { engine->step(); });
  ASSERT_TRUE(kernel.run_until(Time(200ms)).has_value());
  ASSERT_TRUE(heard.has_value());
  EXPECT_EQ(*heard, *curtain.first_broken() + 5ms);
  EXPECT_TRUE(port.latest()->is_latched);
  EXPECT_FALSE(port.latest()->is_broken);
  EXPECT_EQ(port.latest()->beams.size(), 86u);
}

TEST(LightCurtain, NeedsAnEngineWithRays) {
  const model::Cell cell = rod_cell();
  const auto engine = built_in_engines().make("kinematic", cell, {});
  try {
    LightCurtain curtain(*engine, cell, lab_curtain());
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "error: this engine has no rays: a light curtain would see nothing\n"
                 "  hint: use engine mujoco or ode, or leave the curtain's poles out");
  }
}

TEST(LightCurtain, RefusesPolesThatMakeNoSense) {
  const model::Cell cell = rod_cell();
  const auto engine = built_in_engines().make("mujoco", cell, {});
  const auto refusal = [&](std::vector<double> row) -> std::string {
    try {
      LightCurtain curtain(*engine, cell, {.poles = {std::move(row)}});
    } catch (const InputError& error) {
      return error.diagnostics().front().message;
    }
    return "";
  };
  EXPECT_EQ(refusal({0, 0, 1}),
            "a pair of poles is six numbers: x, y, z of the emitter and of the receiver");
  EXPECT_EQ(refusal({0, 0, 1, 0, 0.1, 1}),
            "with poles 0.1 m apart no beam is left between near_m and far_m");
  EXPECT_EQ(refusal({0, 0, 1, 0, 1, 2}),
            "beams must be level: emitter and receiver of the first one at the same height");
}

}  // namespace
}  // namespace longarm::devices
