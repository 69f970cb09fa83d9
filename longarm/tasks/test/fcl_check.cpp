// SPDX-License-Identifier: Apache-2.0
// One FCL object per shape, moved by forward kinematics.
#include "longarm/tasks/test/fcl_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>

#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include "longarm/motion/kinematics.h"

namespace longarm::tasks::test {
namespace {

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

Geometry geometry_of(const model::Shape& shape) {
  if (const auto* box = std::get_if<model::Box>(&shape)) {
    return std::make_shared<fcl::Boxd>(box->size_m);
  }
  if (const auto* sphere = std::get_if<model::Sphere>(&shape)) {
    return std::make_shared<fcl::Sphered>(sphere->radius_m);
  }
  if (const auto* cylinder = std::get_if<model::Cylinder>(&shape)) {
    return std::make_shared<fcl::Cylinderd>(cylinder->radius_m, cylinder->length_m);
  }
  if (const auto* capsule = std::get_if<model::Capsule>(&shape)) {
    return std::make_shared<fcl::Capsuled>(capsule->radius_m, capsule->length_m);
  }
  throw std::logic_error("a shape that this test cannot check");
}

struct Piece {
  int body = 0;
  model::Pose X_BG;
  fcl::CollisionObjectd object;
};

std::vector<Piece> pieces_of(const model::BodyTree& tree) {
  std::vector<Piece> pieces;
  for (std::size_t b = 0; b < tree.bodies.size(); ++b) {
    for (const model::Geometry& each : tree.bodies[b].collisions) {
      pieces.push_back(
          {static_cast<int>(b), each.X_LG, fcl::CollisionObjectd(geometry_of(each.shape))});
    }
  }
  return pieces;
}

bool overlap(const Piece& a, const Piece& b) {
  const fcl::CollisionRequestd request;
  fcl::CollisionResultd result;
  return fcl::collide(&a.object, &b.object, request, result) > 0;
}

double distance(const Piece& a, const Piece& b) {
  if (overlap(a, b)) {
    return 0.0;
  }
  const fcl::DistanceRequestd request;
  fcl::DistanceResultd result;
  return fcl::distance(&a.object, &b.object, request, result);
}

}  // namespace

struct FclCheck::Shapes {
  explicit Shapes(const model::Cell& cell)
      : tree(cell.placements.front().tree), arm(tree), pieces(pieces_of(tree)) {
    for (std::size_t p = 1; p < cell.placements.size(); ++p) {
      for (Piece& piece : pieces_of(cell.placements[p].tree)) {
        piece.object.setTransform(cell.placements[p].X_WR * piece.X_BG);
        piece.object.computeAABB();
        obstacles.push_back(std::move(piece));
      }
    }
    X_WR = cell.placements.front().X_WR;
  }

  void move(std::span<const double> q) {
    std::vector<model::Pose> X_RB(tree.bodies.size());
    arm.forward(q, X_RB);
    for (Piece& piece : pieces) {
      piece.object.setTransform(X_WR * X_RB[static_cast<std::size_t>(piece.body)] * piece.X_BG);
      piece.object.computeAABB();
    }
  }

  bool may_touch(int a, int b) const {
    const auto& ignored = tree.ignored_contacts;
    const auto is_parent = [&](int parent, int child) {
      return child > 0 && tree.joints[static_cast<std::size_t>(child) - 1].parent_body == parent;
    };
    return a != b && !is_parent(a, b) && !is_parent(b, a) &&
           std::find(ignored.begin(), ignored.end(), std::pair(a, b)) == ignored.end() &&
           std::find(ignored.begin(), ignored.end(), std::pair(b, a)) == ignored.end();
  }

  model::BodyTree tree;
  motion::Kinematics arm;
  model::Pose X_WR;
  std::vector<Piece> pieces;
  std::vector<Piece> obstacles;
};

FclCheck::FclCheck(const model::Cell& cell) : shapes_(std::make_unique<Shapes>(cell)) {}
FclCheck::~FclCheck() = default;

double FclCheck::clearance_m(std::span<const double> q) {
  shapes_->move(q);
  double least = std::numeric_limits<double>::infinity();
  for (const Piece& piece : shapes_->pieces) {
    for (const Piece& obstacle : shapes_->obstacles) {
      // a box around the piece that is further away than the least so far has nothing to say
      const double apart = piece.object.getAABB().distance(obstacle.object.getAABB());
      if (piece.body > 0 && apart < least) {
        least = std::min(least, distance(piece, obstacle));
      }
    }
  }
  return least;
}

bool FclCheck::collides_with_itself(std::span<const double> q) {
  shapes_->move(q);
  for (const Piece& a : shapes_->pieces) {
    for (const Piece& b : shapes_->pieces) {
      if (a.body < b.body && shapes_->may_touch(a.body, b.body) && overlap(a, b)) {
        return true;
      }
    }
  }
  return false;
}

FclCheck::Verdict FclCheck::check(const motion::Trajectory& trajectory, double resolution_m,
                                  double arm_length_m) {
  Verdict verdict{std::numeric_limits<double>::infinity(), false, 0};
  std::vector<double> q(static_cast<std::size_t>(trajectory.joint_count()));
  std::vector<double> last;
  const auto moved_m = [&] {
    double sum = 0.0;
    for (std::size_t j = 0; j < q.size(); ++j) {
      sum += arm_length_m * std::abs(q[j] - last[j]);
    }
    return sum;
  };
  Duration step{1'000'000};
  for (Duration t = trajectory.start();;) {
    trajectory.sample(t, q);
    if (!last.empty() && moved_m() > resolution_m) {
      t -= step;
      step /= 2;
      t += step;
      continue;
    }
    verdict.least_clearance_m = std::min(verdict.least_clearance_m, clearance_m(q));
    verdict.touches_itself = verdict.touches_itself || collides_with_itself(q);
    ++verdict.samples;
    if (t == trajectory.end()) {
      return verdict;
    }
    last = q;
    step = std::min({step * 2, Duration{1'000'000}, trajectory.end() - t});
    t += step;
  }
}

}  // namespace longarm::tasks::test
