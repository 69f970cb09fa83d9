// SPDX-License-Identifier: Apache-2.0
// How far loose parts wander on what carries them. Internal to the folder.
#pragma once

#include <string>
#include <vector>

#include "longarm/mechanisms/belt.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::actors {

/// A loose part, what it lies on, and where on it.
struct DriftingPart {
  std::string name;
  physics::BodyId body{};
  physics::BodyId support{};
  bool is_supported = false;
  model::Pose X_SP = model::Pose::Identity();  ///< when it started to count
  model::Pose X_WP = model::Pose::Identity();
};

class PartDrift {
 public:
  /// Borrows all; `belt` may be null.
  PartDrift(const physics::Engine& engine, const model::Cell& cell, const mechanisms::Belt* belt);

  /// While parts settle, after each step: what carries each of them.
  void find_supports();
  /// From now on it counts.
  void start();
  bool has_started() const { return has_started_; }

  /// Displacement of each part on its support since start(), in the support's frame; in the world's
  /// if nothing carried it.
  double displacement_m(const DriftingPart& part) const;
  double sum_m() const;
  double largest_m() const;
  const std::vector<DriftingPart>& parts() const { return parts_; }

 private:
  model::Pose support_pose(physics::BodyId support) const;

  const physics::Engine& engine_;
  const mechanisms::Belt* belt_;
  model::Vector3 belt_axis_W_ = model::Vector3::Zero();
  model::Pose X_WBelt_ = model::Pose::Identity();  ///< before it ever moved
  std::vector<DriftingPart> parts_;
  bool has_started_ = false;
  std::vector<int> part_of_body_;  ///< number of a part, or -1
  std::vector<double> best_N_;     ///< upward force on each part by its support
};

}  // namespace longarm::actors
