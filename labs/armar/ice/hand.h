// SPDX-License-Identifier: Apache-2.0
// What the programs know of the arm beforehand: its joints and where its hand is.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "labs/armar/ice/armar.h"
#include "longarm/model/body_tree.h"
#include "longarm/motion/kinematics.h"

namespace longarm::armar::ice {

class Hand {
 public:
  /// Of the ready model armar3.
  Hand();

  const std::vector<std::string>& joints() const { return joints_; }
  /// Where the scenario armar-rectangle has its arm at the start.
  std::vector<double> start_positions() const;

  /// Those of the arm's joints among all; joints that are not there are at zero.
  std::vector<double> positions(const ::armar::JointValues& all) const;
  model::Vector3 position(const std::vector<double>& joints) const;
  /// Of the joints, so that the hand moves with `velocity`.
  ::armar::JointValues joint_velocities(const std::vector<double>& joints,
                                        const ::armar::Vector& velocity) const;

 private:
  model::BodyTree tree_;
  motion::Kinematics kinematics_;
  int hand_;
  std::vector<std::string> joints_;
};

}  // namespace longarm::armar::ice
