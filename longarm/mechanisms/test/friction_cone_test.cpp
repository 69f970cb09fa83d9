// SPDX-License-Identifier: Apache-2.0
// What contacts can hold, against limits worked out by hand.
#include "longarm/mechanisms/friction_cone.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace longarm::mechanisms {
namespace {

using model::Vector3;
using Wrench6 = FrictionCone::Wrench6;

constexpr double kTolerance_N = 1e-3;

Wrench6 wrench(const Vector3& force, const Vector3& torque = Vector3::Zero()) {
  Wrench6 all;
  all << force, torque;
  return all;
}

/// The four corners of a square of 2·`half` under a centre of mass at `height`.
std::vector<HoldingContact> square(double half, double height, double friction) {
  std::vector<HoldingContact> contacts;
  for (const double x : {-half, half}) {
    for (const double y : {-half, half}) {
      contacts.push_back({{x, y, -height}, Vector3::UnitZ(), friction});
    }
  }
  return contacts;
}

/// Eight points on a circle of 20 mm around the centre, on walls at 45 degrees.
std::vector<HoldingContact> funnel(double friction) {
  std::vector<HoldingContact> contacts;
  for (int i = 0; i < 8; ++i) {
    const double angle = std::numbers::pi * i / 4.0;
    const Vector3 outward(std::cos(angle), std::sin(angle), 0.0);
    contacts.push_back({0.02 * outward, (Vector3::UnitZ() - outward).normalized(), friction});
  }
  return contacts;
}

/// How large a multiple of `direction` is still held beside `steady`.
double limit(FrictionCone cone, const Wrench6& steady, const Wrench6& direction) {
  double held = 0.0;
  double too_much = 100.0;
  while (too_much - held > 1e-4) {
    const double middle = (held + too_much) / 2.0;
    (cone.contains(steady + middle * direction, kTolerance_N) ? held : too_much) = middle;
  }
  return held;
}

TEST(FrictionCone, HoldsAFlatPartAgainstFrictionTimesItsWeight) {
  // the centre of mass lies in the plane, so that nothing tips; eight edges are within 4 %
  const FrictionCone cone(square(0.03, 0.0, 0.5));
  for (const double angle : {0.0, 0.2, 0.4, 0.8, 2.0}) {
    const Vector3 along(std::cos(angle), std::sin(angle), 0.0);
    EXPECT_NEAR(limit(cone, wrench({0, 0, 4.0}), wrench(along)), 0.5 * 4.0, 0.042 * 2.0) << angle;
  }
}

TEST(FrictionCone, NeverPullsDown) {
  FrictionCone cone(square(0.03, 0.0, 0.5));
  EXPECT_TRUE(cone.contains(wrench({0, 0, 0.0}), kTolerance_N));
  EXPECT_FALSE(cone.contains(wrench({0, 0, -0.01}), kTolerance_N));
}

TEST(FrictionCone, LetsATallPartTipBeforeItSlides) {
  // It tips over its edge when F·height = N·half: F = 4·0.03/0.1 = 1.2, less than μN = 4.
  const FrictionCone cone(square(0.03, 0.1, 1.0));
  EXPECT_NEAR(limit(cone, wrench({0, 0, 4.0}), wrench(Vector3::UnitX())), 1.2, 0.01);
}

TEST(FrictionCone, HoldsAWeightWhoseLineIsInsideTheCornersOnly) {
  // a weight that acts 20 mm off the middle is held by corners 30 mm off it, one 40 mm off is not
  FrictionCone cone(square(0.03, 0.0, 0.5));
  EXPECT_TRUE(cone.contains(wrench({0, 0, 4.0}, {0.0, 4.0 * 0.02, 0.0}), kTolerance_N));
  EXPECT_FALSE(cone.contains(wrench({0, 0, 4.0}, {0.0, 4.0 * 0.04, 0.0}), kTolerance_N));
}

TEST(FrictionCone, LimitsATwistByFrictionTimesTheDistanceOfTheCorners) {
  // four corners at 30·√2 mm, N/4 each: torque μ·N·0.0424
  const FrictionCone cone(square(0.03, 0.0, 0.5));
  EXPECT_NEAR(limit(cone, wrench({0, 0, 4.0}), wrench(Vector3::Zero(), Vector3::UnitZ())),
              0.5 * 4.0 * 0.03 * std::sqrt(2.0), 0.04 * 0.085);
}

TEST(FrictionCone, WallsOfASmoothFunnelHoldSidewaysByTheirNormals) {
  // All normals meet on the axis, 20 mm above. A force through that point is held until it is
  // steeper than the walls' normals, at 45 degrees: as great as the weight.
  FrictionCone cone(funnel(0.0));
  const Wrench6 sideways = wrench(Vector3::UnitX(), {0.0, 0.02, 0.0});
  EXPECT_NEAR(limit(cone, wrench({0, 0, 2.0}), sideways), 2.0, 0.01);
  // one through any other point turns the part in its seat, if that is smooth
  EXPECT_FALSE(cone.contains(wrench({0.5, 0, 2.0}), kTolerance_N));
  EXPECT_TRUE(FrictionCone(funnel(0.5)).contains(wrench({0.5, 0, 2.0}), kTolerance_N));
}

TEST(FrictionCone, WithoutContactsHoldsNothing) {
  FrictionCone cone;
  EXPECT_TRUE(cone.contains(wrench(Vector3::Zero()), kTolerance_N));
  EXPECT_FALSE(cone.contains(wrench({0, 0, 1.0}), kTolerance_N));
}

TEST(FrictionCone, ManyContactsHoldLikeTheirCorners) {
  std::vector<HoldingContact> contacts;
  for (int x = -5; x <= 5; ++x) {
    for (int y = -5; y <= 5; ++y) {
      contacts.push_back({{0.006 * x, 0.006 * y, -0.1}, Vector3::UnitZ(), 1.0});
    }
  }
  EXPECT_NEAR(limit(FrictionCone(contacts), wrench({0, 0, 4.0}), wrench(Vector3::UnitX())), 1.2,
              0.01);
}

TEST(FrictionCone, DistanceIsThatOfTheNearestPoint) {
  // the cone of x and y: (3, -4) is nearest to (3, 0)
  Eigen::Matrix<double, 6, Eigen::Dynamic> columns(6, 2);
  columns.setZero();
  columns(0, 0) = 1.0;
  columns(1, 1) = 2.0;
  EXPECT_NEAR(distance_to_cone(columns, wrench({3.0, -4.0, 0.0})), 4.0, 1e-12);
  EXPECT_NEAR(distance_to_cone(columns, wrench({3.0, 4.0, 0.0})), 0.0, 1e-12);
}

}  // namespace
}  // namespace longarm::mechanisms
