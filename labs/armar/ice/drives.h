// SPDX-License-Identifier: Apache-2.0
// What KinematicUnit drives: the simulated arm, or joints that move as they are told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "labs/armar/ice/armar.h"

namespace longarm::armar::ice {

/// Of the arm's joints, in their order.
struct JointStates {
  std::vector<double> positions;
  std::vector<double> velocities;
  std::vector<double> torques;
};

/// May be asked by several threads.
class Drives {
 public:
  virtual ~Drives() = default;
  virtual void switch_modes(const ::armar::ControlModes& modes) = 0;
  virtual void command(const ::armar::JointValues& velocities) = 0;
  virtual JointStates read() = 0;
};

/// Those of a simulated arm (the key `drives_port` of the kind armar-arm) at "HOST PORT", which has
/// exactly these joints. At first they are in position mode, where the arm stands.
std::unique_ptr<Drives> connect_to_drives(const std::string& at,
                                          const std::vector<std::string>& joints);

}  // namespace longarm::armar::ice
