// SPDX-License-Identifier: Apache-2.0
// Our own test of two convex shapes against closed forms and against an independent search.
#include "longarm/physics/convex_shape.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace longarm::physics {
namespace {

using model::Pose;
using model::Vector3;

Pose at(const Vector3& p, const Vector3& turn = Vector3::Zero()) {
  Pose X = Pose::Identity();
  X.translation() = p;
  if (turn.norm() > 0.0) {
    X.linear() = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
  }
  return X;
}

bool overlap(const model::Shape& a, const Pose& X_WA, const model::Shape& b, const Pose& X_WB) {
  const bool there = do_overlap(ConvexShape(a), X_WA, ConvexShape(b), X_WB);
  EXPECT_EQ(there, do_overlap(ConvexShape(b), X_WB, ConvexShape(a), X_WA));
  return there;
}

TEST(ConvexShape, WhatMerelyTouchesDoesNotOverlap) {
  const model::Box cube{{1, 1, 1}};
  EXPECT_FALSE(overlap(cube, at({0, 0, 0}), cube, at({1, 0, 0})));
  EXPECT_FALSE(overlap(cube, at({0, 0, 0}), model::Sphere{0.5}, at({0, 1, 0})));
  EXPECT_FALSE(
      overlap(model::Cylinder{0.1, 1}, at({0, 0, 0.5}), model::HalfSpace{}, at({0, 0, 0})));
  EXPECT_TRUE(overlap(cube, at({0, 0, 0}), cube, at({0.9999, 0, 0})));
}

// An edge of one cube towards an edge of the other, crosswise: half a diagonal each, √2/2.
TEST(ConvexShape, EdgesAcrossEachOtherMeetAtTheirDiagonals) {
  const model::Box cube{{1, 1, 1}};
  const Pose A = at({0, 0, 0}, {0, M_PI / 4, 0});
  const auto B = [](double x) { return at({x, 0, 0}, {0, 0, M_PI / 4}); };
  EXPECT_TRUE(overlap(cube, A, cube, B(std::sqrt(2.0) - 1e-4)));
  EXPECT_FALSE(overlap(cube, A, cube, B(std::sqrt(2.0) + 1e-4)));
}

/// The distance of a line to a box by ternary search: the distance to a convex set is convex along
/// a line.
double distance_by_search(const Pose& X_BC, double half_length, const Vector3& half) {
  const auto distance = [&](double t) {
    const Vector3 p = X_BC * Vector3(0, 0, t);
    return (p.cwiseAbs() - half).cwiseMax(0.0).norm();
  };
  double low = -half_length;
  double high = half_length;
  for (int i = 0; i < 200; ++i) {
    const double third = (high - low) / 3.0;
    (distance(low + third) < distance(high - third) ? high : low) +=
        distance(low + third) < distance(high - third) ? -third : third;
  }
  return std::min({distance(low), distance(-half_length), distance(half_length)});
}

TEST(ConvexShape, CapsulesAndBoxesAgreeWithASearchAlongTheAxis) {
  std::mt19937 random(1);  // its sequence is fixed by the standard
  const auto number = [&](double most) {
    return most * (2.0 * static_cast<double>(random()) / 4294967295.0 - 1.0);
  };
  int overlapping = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vector3 half(0.3, 0.2, 0.02);
    const model::Capsule capsule{0.06, 0.5};
    const Pose X = at({number(0.5), number(0.5), number(0.3)}, {number(2), number(2), number(2)});
    const double distance = distance_by_search(X, 0.25, half);
    // too close to call with shapes that are a millionth smaller
    if (std::abs(distance - 0.06) < 1e-5) {
      continue;
    }
    const bool is_in = overlap(capsule, X, model::Box{2.0 * half}, at({0, 0, 0}));
    EXPECT_EQ(is_in, distance < 0.06) << "distance " << distance << " in case " << i;
    overlapping += is_in ? 1 : 0;
  }
  // both answers were asked for
  EXPECT_GT(overlapping, 400);
  EXPECT_LT(overlapping, 1600);
}

}  // namespace
}  // namespace longarm::physics
