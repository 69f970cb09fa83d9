// SPDX-License-Identifier: Apache-2.0
// Conformance: parts that start inside each other get free without being shot away.
#include <cmath>

#include "longarm/physics/test/engine_fixture.h"

namespace longarm::physics {
namespace {

using model::Vector3;

class Inside : public EngineTest {
 protected:
  /// The greatest speed of any of the free bodies 1 to `count` within `steps`, NaN if it is one.
  static double greatest_speed(Engine& engine, int count, int steps) {
    double greatest = 0.0;
    for (int i = 0; i < steps; ++i) {
      engine.step();
      for (int b = 1; b <= count; ++b) {
        const double speed = engine.twist(body_id(b)).linear_W.norm();
        greatest = std::isfinite(speed) ? std::max(greatest, speed) : speed;
      }
    }
    return greatest;
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, Inside, testing::ValuesIn(all_engines()), engine_name);

TEST_P(Inside, AHalfSunkBoxComesUpSlowly) {
  // 5 cm deep in the ground
  const auto engine =
      make(cell_of({ground(), free_body(make_box(1.0, {0.1, 0.1, 0.1}), {0, 0, 0})}));
  SKIP_UNLESS(engine, has_contacts);
  EXPECT_LT(greatest_speed(*engine, 1, 1500), 1.5);
  // at rest on the ground in the end
  EXPECT_NEAR(engine->pose(body_id(1)).translation().z(), 0.05, 2e-3);
  EXPECT_LT(engine->twist(body_id(1)).linear_W.norm(), 0.01);
}

TEST_P(Inside, AGearInsideATrayComesOut) {
  // a disc sunk 1 cm into a plate that lies on the ground
  model::Body gear = make_mass(0.05, {0.06, 0.06, 0.02});
  gear.collisions.push_back(make_shape(model::Cylinder{0.03, 0.02}, 0.8));
  const auto engine =
      make(cell_of({ground(), free_body(make_box(0.5, {0.3, 0.3, 0.02}), {0, 0, 0.01}),
                    free_body(gear, {0, 0, 0.02})}));
  SKIP_UNLESS(engine, has_contacts);
  EXPECT_LT(greatest_speed(*engine, 2, 1500), 1.5);
  EXPECT_NEAR(engine->pose(body_id(2)).translation().z(), 0.03, 2e-3);
  EXPECT_NEAR(engine->pose(body_id(1)).translation().z(), 0.01, 2e-3);
}

TEST_P(Inside, TwoBoxesInOnePlacePart) {
  const model::Body box = make_box(0.2, {0.1, 0.1, 0.1});
  const auto engine =
      make(cell_of({ground(), free_body(box, {0, 0, 0.05}), free_body(box, {0, 0, 0.05})}));
  SKIP_UNLESS(engine, has_contacts);
  EXPECT_LT(greatest_speed(*engine, 2, 2000), 3.0);
  for (const int b : {1, 2}) {
    EXPECT_LT(engine->pose(body_id(b)).translation().norm(), 1.0);
  }
}

}  // namespace
}  // namespace longarm::physics
