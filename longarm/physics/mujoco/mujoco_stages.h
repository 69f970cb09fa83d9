// SPDX-License-Identifier: Apache-2.0
// The bookkeeping of a Runge–Kutta step: states between its beginning and its end.
#pragma once

#include <span>
#include <vector>

#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::physics {

/// begin(), then go() and add() for each further stage, then end(). Accelerations are in data.qacc.
class MujocoStages {
 public:
  void begin(const mjModel& model, const mjData& data);
  /// To the state that the last stage leads to after `time_s`.
  void go(const mjModel& model, mjData& data, double time_s);
  void add(const mjData& data, double weight);
  /// Weighted means move everything by one step. Degrees of freedom that are driven take the new
  /// velocity for all of it, as a motor's position is that of a semi-implicit step.
  void end(const mjModel& model, mjData& data, std::span<const char> is_driven);

 private:
  // at the beginning of the step
  std::vector<double> position_;
  std::vector<double> velocity_;
  // of the last stage
  std::vector<double> stage_velocity_;
  std::vector<double> stage_acceleration_;
  // weighted
  std::vector<double> velocity_sum_;
  std::vector<double> acceleration_sum_;
  double weight_sum_ = 0.0;
};

}  // namespace longarm::physics
