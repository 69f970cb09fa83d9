// SPDX-License-Identifier: Apache-2.0
// x = a·cos t / (1 + sin² t), y = x·sin t.
#include "longarm/tasks/lemniscate.h"

#include <cmath>
#include <numbers>

namespace longarm::tasks {

using Eigen::AngleAxisd;
using model::Pose;
using model::Vector3;

std::vector<Pose> lemniscate_poses(const LemniscateConfig& config) {
  const Pose X_RC = pose_of(config.centre_m_deg);
  std::vector<Pose> poses;
  for (std::int64_t i = 0; i <= config.rounds * config.points; ++i) {
    const double t = 2.0 * std::numbers::pi * static_cast<double>(i % config.points) /
                     static_cast<double>(config.points);
    const double x = 0.5 * config.width_m * std::cos(t) / (1.0 + std::sin(t) * std::sin(t));
    poses.push_back(X_RC * Eigen::Translation3d(x, x * std::sin(t), 0.0));
  }
  return poses;
}

}  // namespace longarm::tasks
