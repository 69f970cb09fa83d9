// SPDX-License-Identifier: Apache-2.0
// Beams against shapes, at and beside their edges.
#include "longarm/devices/beam_shape.h"

#include <gtest/gtest.h>

namespace longarm::devices {
namespace {

using model::Vector3;

/// From x = -1 along x for 2 m, at that y and z.
std::optional<bool> along_x(const model::Shape& shape, double y, double z) {
  return beam_meets(shape, {-1, y, z}, Vector3::UnitX(), 2.0);
}

TEST(BeamShape, EndsWhereTheShapeDoes) {
  const model::Box box{{0.2, 0.4, 0.6}};
  EXPECT_EQ(along_x(box, 0.199, 0.299), true);
  EXPECT_EQ(along_x(box, 0.201, 0.0), false);
  EXPECT_EQ(along_x(box, 0.0, -0.301), false);
  const model::Sphere sphere{0.1};
  // 0.06² + 0.08² = 0.1²
  EXPECT_EQ(along_x(sphere, 0.0599, 0.0799), true);
  EXPECT_EQ(along_x(sphere, 0.0601, 0.0801), false);
  const model::Cylinder cylinder{0.1, 0.4};
  EXPECT_EQ(along_x(cylinder, 0.099, 0.199), true);
  EXPECT_EQ(along_x(cylinder, 0.101, 0.0), false);
  EXPECT_EQ(along_x(cylinder, 0.0, 0.201), false);
  const model::Capsule capsule{0.1, 0.4};
  EXPECT_EQ(along_x(capsule, 0.0, 0.299), true);
  EXPECT_EQ(along_x(capsule, 0.0, 0.301), false);
  EXPECT_EQ(along_x(capsule, 0.0801, 0.2601), false);
}

TEST(BeamShape, MeetsAlongTheAxisAndFromInside) {
  const model::Cylinder cylinder{0.1, 0.4};
  EXPECT_EQ(beam_meets(cylinder, {0.05, 0, -1}, Vector3::UnitZ(), 2.0), true);
  EXPECT_EQ(beam_meets(cylinder, {0.11, 0, -1}, Vector3::UnitZ(), 2.0), false);
  EXPECT_EQ(beam_meets(cylinder, {0, 0, 0}, Vector3::UnitX(), 0.01), true);
}

TEST(BeamShape, IsNotMetBehindTheBeamsEnds) {
  const model::Sphere sphere{0.1};
  EXPECT_EQ(beam_meets(sphere, {-1, 0, 0}, Vector3::UnitX(), 0.89), false);
  EXPECT_EQ(beam_meets(sphere, {-1, 0, 0}, Vector3::UnitX(), 0.91), true);
  EXPECT_EQ(beam_meets(sphere, {-1, 0, 0}, -Vector3::UnitX(), 2.0), false);
}

TEST(BeamShape, LeavesMeshesToTheEngine) {
  EXPECT_EQ(along_x(model::Mesh{}, 0.0, 0.0), std::nullopt);
}

}  // namespace
}  // namespace longarm::devices
