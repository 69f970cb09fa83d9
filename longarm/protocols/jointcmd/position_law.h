// SPDX-License-Identifier: Apache-2.0
// How a joint topic takes a joint to a position: damped, within the joint's speed and effort.
#pragma once

#include "longarm/core/time.h"
#include "longarm/protocols/jointcmd/joint_port.h"

namespace longarm::protocols::jointcmd {

/// What a joint's motor is told for one step.
struct MotorCommand {
  double velocity = 0.0;    ///< rad/s or m/s
  double max_effort = 0.0;  ///< N·m or N; 0: off
};

/// Without a gain p: towards the goal with the joint's speed, braking evenly from a quarter of a
/// second before, with as much effort as the joint has. With p: the PID law of the message, through
/// a motor that does not overshoot the speed at which its terms cancel within a step, so gains that
/// are too high for the step do not shake. Without a gain d, d is p · 0.1 s.
class PositionLaw {
 public:
  PositionLaw(double goal, const PositionGains& gains, const JointInfo& joint);

  MotorCommand update(const JointReading& state, Duration since_last);

  bool is_to(double goal, const PositionGains& gains) const {
    return goal == goal_ && gains == gains_;
  }

 private:
  MotorCommand with_gains(const JointReading& state, double error, double since_last_s);
  double approach(double error) const;

  double goal_;
  PositionGains gains_;
  double max_velocity_;
  double max_effort_;
  double integral_ = 0.0;  ///< what it exerts
};

}  // namespace longarm::protocols::jointcmd
