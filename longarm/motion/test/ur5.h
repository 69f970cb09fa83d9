// SPDX-License-Identifier: Apache-2.0
// The UR5 for tests, and its kinematics a second time from the maker's Denavit-Hartenberg table.
#pragma once

#include <array>
#include <vector>

#include "longarm/model/body_tree.h"

namespace longarm::motion::test {

/// Joints in the usual order: pan, lift, elbow, wrist 1, 2, 3. Has frames base_link and tool0.
model::BodyTree ur5_tree();

/// Elbow up, tool pointing straight down, 0.43 m above the floor in front of the robot.
std::vector<double> ur5_home();

/// Tool at a place in base_link, pointing down, turned about the vertical as it is at home: roll π,
/// pitch 0, yaw −π/2.
model::Pose tool_down(double x, double y, double z);

/// base_link to tool0 by the product of six Denavit-Hartenberg matrices; shares no code with
/// Kinematics.
model::Pose ur5_pose_by_table(const std::array<double, 6>& q);

/// A configuration with every joint uniform in ±`range`, number `index` of a fixed sequence.
std::vector<double> random_configuration(int index, double range = 3.0);

}  // namespace longarm::motion::test
