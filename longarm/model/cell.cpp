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

std::vector<std::string> Cell::body_names(int arm) const {
  std::vector<std::string> names;
  for (std::size_t p = 0; p < placements.size(); ++p) {
    const Placement& placement = placements[p];
    for (const Body& body : placement.tree.bodies) {
      if (static_cast<int>(p) == arm) {
        names.push_back(body.name);
      } else {
        const bool is_only = placement.tree.bodies.size() == 1;
        names.push_back(is_only ? placement.name : placement.name + "/" + body.name);
      }
    }
  }
  return names;
}

}  // namespace longarm::model
