// SPDX-License-Identifier: Apache-2.0
// The contact sensor: who touches whom, and how hard.
#include "longarm/devices/contact_sensor.h"

#include <chrono>

#include "longarm/core/diagnostic.h"
#include "longarm/physics/test/engine_fixture.h"

namespace longarm::devices {
namespace {

using namespace physics;
using namespace std::chrono_literals;
using model::Vector3;

/// A box of 2 kg with a plate as its base and a knob on it, lying on the ground.
model::Cell box_on_ground() {
  model::Body box = make_mass(2.0, {0.2, 0.2, 0.1});
  box.name = "box";
  box.collisions.push_back(make_shape(model::Box{{0.2, 0.2, 0.1}}));
  box.collisions.back().name = "base";
  box.collisions.push_back(make_shape(model::Sphere{0.02}, 1.0, {0, 0, 0.05}));
  box.collisions.back().name = "knob";
  return cell_of({ground(), free_body(box, {0, 0, 0.05})});
}

class ContactSensors : public EngineTest {};

TEST_P(ContactSensors, TellWhoTouchesWhomAndHowHard) {
  const model::Cell cell = box_on_ground();
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_contacts);
  ContactSensor sensor(*engine, cell, {"box::base", "knob"});
  ASSERT_EQ(sensor.watched().size(), 2u);
  run(*engine, 500);
  sensor.update();
  EXPECT_TRUE(sensor.is_touched(0));
  EXPECT_FALSE(sensor.is_touched(1));
  // mg = 19.62 N, upwards on the box
  EXPECT_NEAR((sensor.force_on_own_W(0) - Vector3(0, 0, 19.62)).norm(), 0.0, 0.05);
  for (const Touch& touch : sensor.touches()) {
    EXPECT_EQ(touch.other, body_id(0));
    EXPECT_EQ(touch.other_geometry, 0);
    EXPECT_NEAR(touch.p_W.z(), 0.0, 2e-3);
    EXPECT_LT(std::abs(touch.depth_m), 2e-3);
  }
}

TEST_P(ContactSensors, SeeTheOtherSideWithTheOppositeSign) {
  const model::Cell cell = box_on_ground();
  const auto engine = make(cell);
  SKIP_UNLESS(engine, has_contacts);
  ContactSensor sensor(*engine, cell, {"ground"});
  run(*engine, 500);
  sensor.update();
  EXPECT_NEAR((sensor.force_on_own_W(0) - Vector3(0, 0, -19.62)).norm(), 0.0, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Engines, ContactSensors, testing::ValuesIn(all_engines()), engine_name);

TEST(ContactSensor, ReportsTouchesAndTheirEnd) {
  const model::Cell cell = box_on_ground();
  const auto engine = built_in_engines().make("mujoco", cell, {});
  ContactSensor sensor(*engine, cell, {"base"});
  sim::Kernel kernel;
  DevicePort<TouchReport> port(kernel, "touch", make_link({}, {1, "touch"}), 1ms);
  sensor.connect(kernel, 1ms, [&](const TouchReport& report, std::size_t size_bytes) {
    port.send(report, size_bytes);
  });
  const sim::SourceId world = kernel.add_source("world");
  kernel.every(1ms, Time{}, sim::Phase::kStep, world, [&](Time) { engine->step(); });
  ASSERT_TRUE(kernel.run_until(Time(50ms)).has_value());
  ASSERT_TRUE(port.latest().has_value());
  EXPECT_FALSE(port.latest()->touches.empty());
  EXPECT_EQ(port.latest()->stamp, Time(49ms));
  engine->reset_body(body_id(1), model::Pose(Eigen::Translation3d(0, 0, 1.0)), {});
  ASSERT_TRUE(kernel.run_until(Time(100ms)).has_value());
  EXPECT_TRUE(port.latest()->touches.empty());
  EXPECT_LT(port.latest()->stamp, Time(55ms)) << "silence while nothing touches";
}

TEST(ContactSensor, SaysWhichNameIsWrong) {
  const model::Cell cell = box_on_ground();
  const auto engine = built_in_engines().make("kinematic", cell, {});
  try {
    ContactSensor sensor(*engine, cell, {"box::bass"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.diagnostics().front().message, "there is no collision 'box::bass' to watch");
  }
}

}  // namespace
}  // namespace longarm::devices
