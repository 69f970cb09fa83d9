// SPDX-License-Identifier: Apache-2.0
// What the limits of joints that mimic another leave to the joint that they follow.
#pragma once

#include <vector>

#include "longarm/model/body_tree.h"

namespace longarm::model {

/// Less than this, in rad or m, is no motion.
inline constexpr double kLeastTravel = 1e-6;

/// Joints that mimic `joint`.
std::vector<int> followers_of(const BodyTree& tree, int joint);

struct Range {
  double lower = 0.0;
  double upper = 0.0;
};

/// Where the joint that a joint mimics may be so that the latter is within its limits.
Range range_of_leader(const TreeJoint& follower);

/// Limits of `joint`, narrowed so that it and all its followers keep their own positions and
/// velocities. `lower` is above `upper` where no position suits all of them.
JointLimits limits_with_followers(const BodyTree& tree, int joint);

}  // namespace longarm::model
