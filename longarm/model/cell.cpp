// SPDX-License-Identifier: Apache-2.0
// The numbering of bodies and joints through a whole cell.
#include "longarm/model/cell.h"

#include "longarm/core/check.h"

namespace longarm::model {

int Cell::body_count() const {
  return first_body(static_cast<int>(placements.size()));
}

int Cell::joint_count() const {
  return first_joint(static_cast<int>(placements.size()));
}

int Cell::first_body(int placement) const {
  check(placement >= 0 && placement <= static_cast<int>(placements.size()), "no such placement");
  int count = 0;
  for (int i = 0; i < placement; ++i) {
    count += static_cast<int>(placements[static_cast<std::size_t>(i)].tree.bodies.size());
  }
  return count;
}

int Cell::first_joint(int placement) const {
  check(placement >= 0 && placement <= static_cast<int>(placements.size()), "no such placement");
  int count = 0;
  for (int i = 0; i < placement; ++i) {
    count += static_cast<int>(placements[static_cast<std::size_t>(i)].tree.joints.size());
  }
  return count;
}

}  // namespace longarm::model
