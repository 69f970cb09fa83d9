// SPDX-License-Identifier: Apache-2.0
// The joints of one model, as a joint topic sees them.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "longarm/protocols/jointcmd/messages.h"

namespace longarm::protocols::jointcmd {

struct JointInfo {
  std::string name;
  bool is_prismatic = false;
  double max_effort = 0.0;                                        ///< N or N·m
  double max_velocity = std::numeric_limits<double>::infinity();  ///< rad/s or m/s
  double lower = -std::numeric_limits<double>::infinity();        ///< of its position
  double upper = std::numeric_limits<double>::infinity();
};

/// Whoever has an engine implements it. Commands are repeated by the door every step, so that they
/// hold against others who command the same joint earlier in the step; they act in the coming step.
class JointPort {
 public:
  virtual ~JointPort() = default;

  /// All joints of the model, in a fixed order; the numbers below count them.
  virtual const std::vector<JointInfo>& joints() const = 0;

  /// A motor that brings the joint to the velocity with no more than the effort; 0: none.
  virtual void set_velocity(std::size_t joint, double velocity, double max_effort) = 0;
  /// Nobody drives it from now on, at least not from here.
  virtual void release(std::size_t joint) = 0;
  virtual JointReading read(std::size_t joint) const = 0;

  /// Why it takes no commands just now, e.g. a safety stop. Empty: it does.
  virtual std::string fault() const { return {}; }
};

}  // namespace longarm::protocols::jointcmd
