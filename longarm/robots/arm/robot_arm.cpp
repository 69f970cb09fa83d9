// SPDX-License-Identifier: Apache-2.0
// Cuts the chain from base to flange out of a model's tree.
#include "longarm/robots/arm/robot_arm.h"

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/index.h"
#include "longarm/core/suggest.h"

namespace longarm::robots {
namespace {

// a joint that stands at its limit may be a hair beyond it
constexpr double kBeyondLimit = 1e-6;

int find_frame(const model::Placement& placement, const std::string& name) {
  if (const auto found = placement.tree.find_frame(name)) {
    return *found;
  }
  std::vector<std::string> known;
  for (const model::Frame& frame : placement.tree.frames) {
    known.push_back(frame.name);
  }
  throw InputError(Diagnostic{
      {}, fmt::format("'{}' has no frame '{}'", placement.name, name), suggest(name, known)});
}

/// The joints that lead to a body, root first.
std::vector<int> chain_to(const model::BodyTree& tree, int body) {
  std::vector<int> chain;
  for (int b = body; b > 0; b = tree.joints[index_of(b - 1)].parent_body) {
    chain.insert(chain.begin(), b - 1);
  }
  return chain;
}

model::BodyTree make_chain(const model::Placement& placement, const std::vector<int>& chain,
                           int last_body, const model::Pose& X_LF) {
  const model::BodyTree& whole = placement.tree;
  model::BodyTree tree;
  tree.name = placement.name;
  tree.bodies.push_back(whole.bodies.front());
  for (const int joint : chain) {
    tree.joints.push_back(whole.joints[index_of(joint)]);
    tree.joints.back().parent_body = static_cast<int>(tree.joints.size()) - 1;
    tree.bodies.push_back(whole.bodies[index_of(joint + 1)]);
    if (tree.joints.back().mimic) {
      throw InputError(Diagnostic{{},
                                  fmt::format("joint '{}' of '{}' follows another one",
                                              whole.joints[index_of(joint)].name, placement.name),
                                  "every joint of a robot's arm must have a drive of its own"});
    }
  }
  for (const model::Frame& frame : whole.frames) {
    if (frame.body == last_body) {
      tree.frames.push_back({frame.name, static_cast<int>(chain.size()), frame.X_BF});
    }
  }
  tree.frames.push_back({"controlled point", static_cast<int>(chain.size()), X_LF});
  return tree;
}

model::BodyTree arm_of(const model::Placement& placement, const std::string& flange) {
  const model::Frame& frame = placement.tree.frames[index_of(find_frame(placement, flange))];
  const std::vector<int> chain = chain_to(placement.tree, frame.body);
  if (chain.empty()) {
    throw InputError(
        Diagnostic{{},
                   fmt::format("no joint of '{}' moves its frame '{}'", placement.name, flange),
                   "name the frame at the end of the arm"});
  }
  return make_chain(placement, chain, frame.body, frame.X_BF);
}

}  // namespace

RobotArm::RobotArm(const model::Cell& cell, int placement, const std::string& flange)
    : tree_(arm_of(cell.placements[index_of(placement)], flange)), kinematics_(tree_) {
  const model::BodyTree& whole = cell.placements[index_of(placement)].tree;
  const model::Frame& frame = whole.frames[index_of(*whole.find_frame(flange))];
  last_tree_body_ = frame.body;
  X_LF_ = frame.X_BF;
  bodies_.push_back(static_cast<physics::BodyId>(cell.first_body(placement)));
  for (const int joint : chain_to(whole, frame.body)) {
    joints_.push_back(static_cast<physics::JointId>(cell.first_joint(placement) + joint));
    bodies_.push_back(static_cast<physics::BodyId>(cell.first_body(placement) + joint + 1));
  }
}

void RobotArm::set_controlled_point(const model::Pose& X_LT) {
  tree_.frames.back().X_BF = X_LT;
  kinematics_ = motion::Kinematics(tree_);
}

model::Pose RobotArm::pose(std::span<const double> q) const {
  return kinematics_.pose_of(static_cast<int>(tree_.frames.size()) - 1, q);
}

motion::Jacobian RobotArm::jacobian(std::span<const double> q) const {
  motion::Jacobian out;
  kinematics_.jacobian(static_cast<int>(tree_.frames.size()) - 1, q, out);
  return out;
}

motion::InverseKinematics RobotArm::inverse_kinematics(int restarts) const {
  motion::IkOptions options;
  options.position_tolerance_m = 1e-8;
  options.angle_tolerance_rad = 1e-8;
  options.max_restarts = restarts;
  return motion::InverseKinematics(tree_, static_cast<int>(tree_.frames.size()) - 1, options);
}

bool RobotArm::is_within_limits(std::span<const double> q) const {
  for (std::size_t j = 0; j < q.size(); ++j) {
    const model::JointLimits& limits = tree_.joints[j].limits;
    if (!(q[j] >= limits.lower - kBeyondLimit && q[j] <= limits.upper + kBeyondLimit)) {
      return false;
    }
  }
  return true;
}

}  // namespace longarm::robots
