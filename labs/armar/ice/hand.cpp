// SPDX-License-Identifier: Apache-2.0
// The kinematics of the arm that the scenario armar-rectangle simulates.
#include "labs/armar/ice/hand.h"

#include <cmath>
#include <numbers>

#include "labs/armar/armar_programs.h"
#include "longarm/config/ready.h"
#include "longarm/core/diagnostic.h"
#include "longarm/model/model_file.h"

namespace longarm::armar::ice {
namespace {

model::BodyTree read_tree() {
  Diagnostics diagnostics;
  const model::Model model =
      model::read_model_file(config::find_model_file("armar3", "armar3"), diagnostics);
  model::BodyTree tree = model::make_body_tree(model, diagnostics);
  diagnostics.throw_if_errors();
  return tree;
}

}  // namespace

Hand::Hand() : tree_(read_tree()), kinematics_(tree_), hand_(kinematics_.frame("tcp_l")) {
  for (const model::TreeJoint& joint : tree_.joints) {
    joints_.push_back(joint.name);
  }
}

std::vector<double> Hand::start_positions() const {
  std::vector<double> positions(joints_.size(), 0.0);
  positions.at(1) = -20.0 * std::numbers::pi / 180.0;
  return positions;
}

std::vector<double> Hand::positions(const ::armar::JointValues& all) const {
  std::vector<double> positions;
  for (const std::string& joint : joints_) {
    const auto found = all.find(joint);
    positions.push_back(found == all.end() ? 0.0 : found->second);
  }
  return positions;
}

model::Vector3 Hand::position(const std::vector<double>& joints) const {
  return kinematics_.position_of(hand_, joints);
}

::armar::JointValues Hand::joint_velocities(const std::vector<double>& joints,
                                            const ::armar::Vector& velocity) const {
  const std::vector<double> values = armar::joint_velocities(kinematics_, tree_, hand_, joints,
                                                             {velocity.x, velocity.y, velocity.z});
  ::armar::JointValues named;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    named[joints_[i]] = values[i];
  }
  return named;
}

}  // namespace longarm::armar::ice
