// SPDX-License-Identifier: Apache-2.0
// Everything that moves, as data: which models stand where.
#pragma once

#include <string>
#include <vector>

#include "longarm/model/body_tree.h"

namespace longarm::model {

/// One model put into the world.
struct Placement {
  std::string name;
  BodyTree tree;
  Pose X_WR = Pose::Identity();           ///< root body in the world
  bool is_fixed = true;                   ///< root fixed to the world; otherwise it floats freely
  std::vector<double> initial_positions;  ///< per joint; empty means zeros
  std::string kind{};                     ///< its model's name in the file that it comes from
};

/// Bodies and joints are numbered through all placements in order; engines use those numbers as
/// ids.
struct Cell {
  Vector3 gravity_m_s2{0.0, 0.0, -9.81};
  std::vector<Placement> placements;

  int body_count() const;
  int joint_count() const;
  /// First body / joint number of a placement.
  int first_body(int placement) const;
  int first_joint(int placement) const;
  /// Of all bodies, for messages: those of `arm` go by their own names, others by their
  /// placement's, with their own behind it where it has several.
  std::vector<std::string> body_names(int arm) const;
};

}  // namespace longarm::model
