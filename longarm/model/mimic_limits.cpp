// SPDX-License-Identifier: Apache-2.0
// Turns limits of followers into limits of their leader.
#include "longarm/model/mimic_limits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace longarm::model {

std::vector<int> followers_of(const BodyTree& tree, int joint) {
  std::vector<int> followers;
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    if (tree.joints[i].mimic && tree.joints[i].mimic->joint == joint) {
      followers.push_back(static_cast<int>(i));
    }
  }
  return followers;
}

Range range_of_leader(const TreeJoint& follower) {
  const MimicIndex& mimic = *follower.mimic;
  // what stands still says nothing about who leads it
  if (mimic.multiplier == 0.0) {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
  const double a = (follower.limits.lower - mimic.offset) / mimic.multiplier;
  const double b = (follower.limits.upper - mimic.offset) / mimic.multiplier;
  return {std::min(a, b), std::max(a, b)};
}

JointLimits limits_with_followers(const BodyTree& tree, int joint) {
  JointLimits limits = tree.joints[static_cast<std::size_t>(joint)].limits;
  for (const int number : followers_of(tree, joint)) {
    const TreeJoint& follower = tree.joints[static_cast<std::size_t>(number)];
    const Range range = range_of_leader(follower);
    limits.lower = std::max(limits.lower, range.lower);
    limits.upper = std::min(limits.upper, range.upper);
    const double multiplier = std::abs(follower.mimic->multiplier);
    if (multiplier > 0.0 && follower.limits.velocity > 0.0) {
      limits.velocity = std::min(limits.velocity, follower.limits.velocity / multiplier);
    }
  }
  return limits;
}

}  // namespace longarm::model
