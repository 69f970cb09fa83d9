// SPDX-License-Identifier: Apache-2.0
// The settings of a gripper, with their defaults, and what is wrong with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/control/pid.h"
#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/network/link.h"

namespace longarm::control {

/// What turns "open" and "close" into joint commands.
enum class GripperLawKind { kParallel, kConstantForce, kMimicPid, kVelFmax, kPosition };

/// The words of `gripper.law`, in the order of GripperLawKind; and a word's meaning.
const std::vector<std::string>& gripper_law_names();
GripperLawKind gripper_law_of(const std::string& name);

/// Forces and speeds are those of one finger. The followers' PID is tuned for the grasp bench,
/// whose fingers have 0.1 kg and 20 N s/m: as stiff as the parallel law, critically damped (20 + d
/// = 2·√(p·0.1)), 0.1 s of reset time, and no more integral than the leader's force.
struct GripperConfig {
  std::string law = "parallel";
  double force_N = 20.0;               ///< closing; the motors' limit in vel-fmax and position
  std::optional<double> open_force_N;  ///< absent: half the closing force
  double stiffness_N_m = 4000.0;       ///< parallel: k_p between each two fingers
  std::optional<double> most_align_N;  ///< parallel: limit of the sum of F_s; absent: none
  double speed_m_s = 0.1;              ///< vel-fmax and position
  PidGains mimic{.p = 4000.0, .i = 40000.0, .d = 20.0, .i_clamp = 20.0, .antiwindup = true};
  double mimic_max_effort_N = 100.0;   ///< a follower's clamp
  bool closes_on_touch = false;        ///< each finger waits where it touches until all do
  double touch_speed_m_s = 0.02;       ///< of that approach
  double touch_force_N = 2.0;          ///< the most a finger presses then
  double stall_speed_m_s = 1e-3;       ///< slower than this counts as standing
  Duration stall_time{50'000'000};     ///< standing this long is a stall
  double position_tolerance_m = 5e-4;  ///< how near counts as there

  double opening_force_N() const { return open_force_N.value_or(0.5 * force_N); }
};

void list_fields(Fields& fields, GripperConfig& config);

/// Everything that makes no sense; keys begin with `prefix`, e.g. "gripper.".
std::vector<network::KeyRemark> judge_gripper(const GripperConfig& config,
                                              const std::string& prefix);

}  // namespace longarm::control
