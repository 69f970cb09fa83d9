// SPDX-License-Identifier: Apache-2.0
// The support of a part is what pushes it up most.
#include "longarm/actors/part_drift.h"

#include <algorithm>

namespace longarm::actors {
namespace {

constexpr int kNone = -1;

}  // namespace

PartDrift::PartDrift(const physics::Engine& engine, const model::Cell& cell,
                     const mechanisms::Belt* belt)
    : engine_(engine), belt_(belt) {
  int body = 0;
  for (const model::Placement& placement : cell.placements) {
    const int count = static_cast<int>(placement.tree.bodies.size());
    const bool is_loose = !placement.is_fixed && !placement.tree.is_static && count == 1;
    for (int i = 0; i < count; ++i, ++body) {
      part_of_body_.push_back(is_loose ? static_cast<int>(parts_.size()) : kNone);
      if (belt_ != nullptr && static_cast<physics::BodyId>(body) == belt_->surface()) {
        const model::TreeJoint& drive = placement.tree.joints[static_cast<std::size_t>(i - 1)];
        X_WBelt_ = engine_.pose(belt_->surface());
        belt_axis_W_ = X_WBelt_.linear() * drive.axis;
      }
    }
    if (is_loose) {
      DriftingPart part;
      part.name = placement.name;
      part.body = static_cast<physics::BodyId>(body - 1);
      parts_.push_back(std::move(part));
    }
  }
  best_N_.resize(parts_.size());
}

void PartDrift::find_supports() {
  std::fill(best_N_.begin(), best_N_.end(), 0.0);
  const auto note = [&](physics::BodyId body, physics::BodyId other, double up_N) {
    const int number = part_of_body_[static_cast<std::size_t>(body)];
    // contacts that were simplified away leave what was seen before
    if (number == kNone || up_N <= best_N_[static_cast<std::size_t>(number)]) {
      return;
    }
    best_N_[static_cast<std::size_t>(number)] = up_N;
    DriftingPart& part = parts_[static_cast<std::size_t>(number)];
    part.support = other;
    part.is_supported = true;
  };
  const bool has_forces = engine_.capabilities().has_dynamics;
  for (const physics::Contact& contact : engine_.contacts()) {
    // without forces what is below carries
    const double up = has_forces ? contact.force_on_b_W.z() : contact.normal_W.z();
    note(contact.b, contact.a, up);
    note(contact.a, contact.b, -up);
  }
}

model::Pose PartDrift::support_pose(physics::BodyId support) const {
  if (belt_ == nullptr || support != belt_->surface()) {
    return engine_.pose(support);
  }
  // as if it had never been put back
  model::Pose X_WS = X_WBelt_;
  X_WS.translation() += belt_->encoder_m() * belt_axis_W_;
  return X_WS;
}

void PartDrift::start() {
  has_started_ = true;
  for (DriftingPart& part : parts_) {
    part.X_WP = engine_.pose(part.body);
    if (part.is_supported) {
      part.X_SP = support_pose(part.support).inverse() * part.X_WP;
    }
  }
}

double PartDrift::displacement_m(const DriftingPart& part) const {
  const model::Pose X_WP = engine_.pose(part.body);
  if (!part.is_supported) {
    return (X_WP.translation() - part.X_WP.translation()).norm();
  }
  const model::Vector3 p_SP = support_pose(part.support).inverse() * X_WP.translation();
  return (p_SP - part.X_SP.translation()).norm();
}

double PartDrift::sum_m() const {
  double sum = 0.0;
  for (const DriftingPart& part : parts_) {
    sum += displacement_m(part);
  }
  return sum;
}

double PartDrift::largest_m() const {
  double largest = 0.0;
  for (const DriftingPart& part : parts_) {
    largest = std::max(largest, displacement_m(part));
  }
  return largest;
}

}  // namespace longarm::actors
