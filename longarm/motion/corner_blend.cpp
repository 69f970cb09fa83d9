// SPDX-License-Identifier: Apache-2.0
// Straight piece, cut corner, straight piece.
#include "longarm/motion/corner_blend.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Core>

namespace longarm::motion {
namespace {

using Eigen::VectorXd;

constexpr double kLargestCut = 0.4;  ///< of the shorter line at a corner; leaves straight pieces
constexpr int kCuts = 6;             ///< each half as large as the one before
constexpr double kNoTurn = 1e-6;
constexpr double kTurnsBack = 1.9;  ///< of two unit vectors' difference; 2 is straight back
constexpr double kLeastSteps = 8.0;

VectorXd vector_of(const std::vector<double>& q) {
  return Eigen::Map<const VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()));
}

std::vector<double> list_of(const VectorXd& q) {
  return {q.begin(), q.end()};
}

double largest_step(const VectorXd& a, const VectorXd& b) {
  return a.size() == 0 ? 0.0 : (b - a).cwiseAbs().maxCoeff();
}

/// Points of the curve that cuts a corner, `a` before it to `b` after it, both ends included.
std::vector<std::vector<double>> cut(const VectorXd& corner, const VectorXd& a, const VectorXd& b,
                                     double max_joint_step) {
  // the curve is fastest at its ends, where it moves by 3·a or 3·b per unit of t
  const double steps =
      3.0 * std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()) / max_joint_step;
  const int count = static_cast<int>(std::ceil(std::max(steps, kLeastSteps)));
  std::vector<std::vector<double>> points;
  for (int i = 0; i <= count; ++i) {
    const double t = static_cast<double>(i) / count;
    points.push_back(list_of(corner - std::pow(1.0 - t, 3) * a + std::pow(t, 3) * b));
  }
  return points;
}

bool is_free(const std::vector<std::vector<double>>& points, const FreeMotion& motion) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (!motion.is_free(points[i], points[i + 1])) {
      return false;
    }
  }
  return true;
}

/// The largest free cut, if there is one.
std::optional<std::vector<std::vector<double>>> free_cut(const VectorXd& before,
                                                         const VectorXd& corner,
                                                         const VectorXd& after,
                                                         const FreeMotion& motion,
                                                         double max_joint_step) {
  const VectorXd in = (corner - before).normalized();
  const VectorXd out = (after - corner).normalized();
  if ((out - in).norm() > kTurnsBack) {
    return std::nullopt;
  }
  double length = kLargestCut * std::min((corner - before).norm(), (after - corner).norm());
  for (int i = 0; i < kCuts; ++i, length /= 2.0) {
    auto points = cut(corner, length * in, length * out, max_joint_step);
    if ((out - in).norm() < kNoTurn || is_free(points, motion)) {
      return points;
    }
  }
  return std::nullopt;
}

/// Adds a straight line from the last configuration to `to`, without the former.
void append_straight(JointPath& path, const VectorXd& to, double max_joint_step) {
  const VectorXd from = vector_of(path.configurations.back());
  const double steps = std::ceil(largest_step(from, to) / max_joint_step);
  if (steps == 0.0) {
    return;
  }
  const int count = std::max(3, static_cast<int>(steps));
  for (int i = 1; i < count; ++i) {
    path.configurations.push_back(list_of(from + static_cast<double>(i) / count * (to - from)));
  }
  path.configurations.push_back(list_of(to));
}

}  // namespace

JointPath blend_corners(const Polyline& line, const FreeMotion& motion, double max_joint_step) {
  JointPath path{{line.front()}, {0}};
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    const VectorXd corner = vector_of(line[i]);
    const auto points =
        free_cut(vector_of(line[i - 1]), corner, vector_of(line[i + 1]), motion, max_joint_step);
    append_straight(path, points ? vector_of(points->front()) : corner, max_joint_step);
    if (points) {
      path.configurations.insert(path.configurations.end(), points->begin() + 1, points->end());
    } else {
      path.waypoints.push_back(path.configurations.size() - 1);
    }
  }
  append_straight(path, vector_of(line.back()), max_joint_step);
  path.configurations.back() = line.back();
  path.waypoints.push_back(path.configurations.size() - 1);
  return path;
}

}  // namespace longarm::motion
