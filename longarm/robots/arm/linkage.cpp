// SPDX-License-Identifier: Apache-2.0
// Turns the drive of a linkage through its stroke once, and remembers where the pads were.
#include "longarm/robots/arm/linkage.h"

#include <algorithm>
#include <cmath>

#include "longarm/core/index.h"
#include "longarm/motion/kinematics.h"

namespace longarm::robots {
namespace {

using model::Pose;
using model::Vector3;

// so many that a straight line between two is off by less than a micrometre
constexpr std::size_t kSamples = 257;
constexpr double kLeastSlope_m_rad = 1e-4;

/// The joint whose will the others have; nothing: no joint on that body leads another.
std::optional<int> find_drive(const model::BodyTree& tree, int body) {
  for (int j = 0; j < static_cast<int>(tree.joints.size()); ++j) {
    const model::TreeJoint& joint = tree.joints[index_of(j)];
    const bool leads = std::any_of(tree.joints.begin(), tree.joints.end(), [&](const auto& other) {
      return other.mimic && other.mimic->joint == j;
    });
    if (joint.parent_body == body && joint.type == model::JointType::kRevolute && !joint.mimic &&
        leads) {
      return j;
    }
  }
  return std::nullopt;
}

std::vector<int> moved_by(const model::BodyTree& tree, int drive) {
  std::vector<int> bodies;
  for (int j = 0; j < static_cast<int>(tree.joints.size()); ++j) {
    const auto& mimic = tree.joints[index_of(j)].mimic;
    if (j == drive || (mimic && mimic->joint == drive)) {
      bodies.push_back(j + 1);
    }
  }
  return bodies;
}

/// The last of each finger that has a shape.
std::vector<int> pads_among(const model::BodyTree& tree, const std::vector<int>& bodies) {
  std::vector<int> pads;
  for (const int body : bodies) {
    const bool carries = std::any_of(tree.joints.begin(), tree.joints.end(),
                                     [&](const auto& joint) { return joint.parent_body == body; });
    if (!carries && !tree.bodies[index_of(body)].collisions.empty()) {
      pads.push_back(body);
    }
  }
  return pads;
}

/// The two pads in the axes of the palm.
class Pads {
 public:
  Pads(const model::BodyTree& tree, int palm, int drive, const std::vector<int>& pads)
      : tree_(tree),
        kinematics_(tree),
        palm_(palm),
        drive_(drive),
        pads_(pads),
        q_(tree.joints.size(), 0.0),
        X_RB_(tree.bodies.size()) {}

  void turn_to(double angle_rad) {
    q_[index_of(drive_)] = angle_rad;
    kinematics_.forward(q_, X_RB_);
  }
  /// From the first pad to the second.
  Vector3 towards() const { return (middle(1) - middle(0)).normalized(); }
  double separation(const Vector3& towards) const {
    return -reach(0, towards) - reach(1, -towards);
  }

 private:
  Pose X_PB(std::size_t pad) const {
    return X_RB_[index_of(palm_)].inverse() * X_RB_[index_of(pads_[pad])];
  }
  const std::vector<model::Geometry>& shapes(std::size_t pad) const {
    return tree_.bodies[index_of(pads_[pad])].collisions;
  }
  Vector3 middle(std::size_t pad) const {
    Vector3 sum = Vector3::Zero();
    for (const model::Geometry& shape : shapes(pad)) {
      sum += shape.X_LG.translation();
    }
    return X_PB(pad) * Vector3(sum / static_cast<double>(shapes(pad).size()));
  }
  double reach(std::size_t pad, const Vector3& direction_P) const {
    const Pose X = X_PB(pad);
    const Vector3 direction = X.linear().transpose() * direction_P;
    double most = -1e9;
    for (const model::Geometry& shape : shapes(pad)) {
      most = std::max(most, reach_along(shape, direction));
    }
    return X.translation().dot(direction_P) + most;
  }

  const model::BodyTree& tree_;
  motion::Kinematics kinematics_;
  int palm_;
  int drive_;
  const std::vector<int>& pads_;
  std::vector<double> q_;
  std::vector<Pose> X_RB_;
};

}  // namespace

double reach_along(const model::Geometry& geometry, const Vector3& direction) {
  const Vector3 d = geometry.X_LG.linear().transpose() * direction;
  double own = 0.0;
  if (const auto* box = std::get_if<model::Box>(&geometry.shape)) {
    own = 0.5 * box->size_m.cwiseProduct(d.cwiseAbs()).sum();
  } else if (const auto* sphere = std::get_if<model::Sphere>(&geometry.shape)) {
    own = sphere->radius_m;
  } else if (const auto* cylinder = std::get_if<model::Cylinder>(&geometry.shape)) {
    own = cylinder->radius_m * d.head<2>().norm() + 0.5 * cylinder->length_m * std::abs(d.z());
  } else if (const auto* capsule = std::get_if<model::Capsule>(&geometry.shape)) {
    own = capsule->radius_m + 0.5 * capsule->length_m * std::abs(d.z());
  }
  return geometry.X_LG.translation().dot(direction) + own;
}

std::optional<Linkage> Linkage::find(const model::Cell& cell, int placement, int body) {
  const model::BodyTree& tree = cell.placements[index_of(placement)].tree;
  const std::optional<int> drive = find_drive(tree, body);
  if (!drive) {
    return std::nullopt;
  }
  const std::vector<int> moved = moved_by(tree, *drive);
  const std::vector<int> pads = pads_among(tree, moved);
  if (pads.size() != 2) {
    return std::nullopt;
  }
  const auto number = [&](int each) {
    return static_cast<physics::BodyId>(cell.first_body(placement) + each);
  };
  Linkage linkage;
  linkage.drive_ = static_cast<physics::JointId>(cell.first_joint(placement) + *drive);
  for (const int each : moved) {
    linkage.bodies_.push_back(number(each));
  }
  linkage.pads_ = {number(pads[0]), number(pads[1])};

  const model::JointLimits& limits = tree.joints[index_of(*drive)].limits;
  Pads both(tree, body, *drive, pads);
  both.turn_to(limits.lower);
  const Vector3 towards = both.towards();
  const double at_lower = both.separation(towards);
  both.turn_to(limits.upper);
  const bool opens_upwards = both.separation(towards) > at_lower;
  linkage.open_rad_ = opens_upwards ? limits.upper : limits.lower;
  linkage.closed_rad_ = opens_upwards ? limits.lower : limits.upper;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const double share = static_cast<double>(i) / (kSamples - 1);
    both.turn_to(linkage.open_rad_ + share * (linkage.closed_rad_ - linkage.open_rad_));
    linkage.separations_m_.push_back(both.separation(towards));
  }
  return linkage;
}

/// In samples.
double Linkage::place(double angle_rad) const {
  const double share = (angle_rad - open_rad_) / (closed_rad_ - open_rad_);
  return std::clamp(share, 0.0, 1.0) * (kSamples - 1);
}

double Linkage::separation_m(double angle_rad) const {
  const double at = place(angle_rad);
  const auto before = std::min(static_cast<std::size_t>(at), kSamples - 2);
  return std::lerp(separations_m_[before], separations_m_[before + 1],
                   at - static_cast<double>(before));
}

double Linkage::slope_m_rad(double angle_rad) const {
  const auto before = std::min(static_cast<std::size_t>(place(angle_rad)), kSamples - 2);
  const double step_rad = std::abs(closed_rad_ - open_rad_) / (kSamples - 1);
  return std::max(kLeastSlope_m_rad,
                  std::abs(separations_m_[before + 1] - separations_m_[before]) / step_rad);
}

double Linkage::angle_rad(double separation_m) const {
  const auto behind = std::lower_bound(separations_m_.begin(), separations_m_.end(), separation_m,
                                       [](double each, double wanted) { return each > wanted; });
  if (behind == separations_m_.begin()) {
    return open_rad_;
  }
  if (behind == separations_m_.end()) {
    return closed_rad_;
  }
  const double between = (*(behind - 1) - separation_m) / (*(behind - 1) - *behind);
  const double at = static_cast<double>(behind - 1 - separations_m_.begin()) + between;
  return open_rad_ + at / (kSamples - 1) * (closed_rad_ - open_rad_);
}

}  // namespace longarm::robots
