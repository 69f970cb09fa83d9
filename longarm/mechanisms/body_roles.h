// SPDX-License-Identifier: Apache-2.0
// Which bodies of a cell are parts, what can carry them, and which are fingers.
#pragma once

#include <vector>

#include "longarm/model/cell.h"

namespace longarm::mechanisms {

struct BodyRole {
  bool is_part = false;     ///< free, without joints, and no tool
  bool is_support = false;  ///< a part may be joined to it
  bool is_finger = false;   ///< the end of a mechanism with several joints
  int joint = -1;           ///< that carries it; -1 for a root
  double mass_kg = 0.0;
  model::Vector3 p_BC = model::Vector3::Zero();  ///< its centre of mass
  std::vector<double> frictions;                 ///< by collision
};

/// By body number.
std::vector<BodyRole> find_roles(const model::Cell& cell);

}  // namespace longarm::mechanisms
