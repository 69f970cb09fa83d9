// SPDX-License-Identifier: Apache-2.0
// The velocity loop where it is computed as efforts: next to the joints with old states, or on a
// remote host.
#pragma once

#include <memory>
#include <span>

#include "longarm/control/config.h"
#include "longarm/model/body_tree.h"

namespace longarm::control {

/// Turns velocity commands into efforts, knowing only its own model of the arm and the states it is
/// given.
class Servo {
 public:
  virtual ~Servo() = default;
  /// All spans have one entry per joint; `efforts` is written, unlimited.
  virtual void update(std::span<const double> velocity_commands, std::span<const double> positions,
                      std::span<const double> velocities, Duration period,
                      std::span<double> efforts) = 0;
  virtual void reset() = 0;
};

/// PID on the velocity error, plus gravity compensation if configured. Rates by backward
/// difference.
std::unique_ptr<Servo> make_pid_servo(const ServoConfig& config, const model::BodyTree& tree,
                                      const model::Vector3& gravity_R_m_s2);

/// Computed torque: the effort that, by its own model, reaches the commanded velocity within one
/// period.
std::unique_ptr<Servo> make_computed_torque_servo(const model::BodyTree& tree,
                                                  const model::Vector3& gravity_R_m_s2);

}  // namespace longarm::control
