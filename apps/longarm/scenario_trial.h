// SPDX-License-Identifier: Apache-2.0
// Simulates a scenario once, without a link, and judges whether its robot made the motion.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

namespace longarm::app {

/// How one driven joint followed its plan, in rad or m.
struct JointTrial {
  std::string name;
  bool turns = true;
  double travel = 0.0;         ///< between the extremes of its plan
  double most_behind = 0.0;    ///< the largest difference to the plan at equal time
  double behind_at_end = 0.0;  ///< when the final hold is over
  double effort_limit = INFINITY;
  double share_at_effort_limit = 0.0;  ///< of all steps

  /// Within 5 % of its travel of its plan at any time, and within 1 % at the end.
  bool follows() const;
};

/// What came of trying a scenario.
struct Trial {
  std::string problem;  ///< why it does not run; empty if it does
  double length_s = 0.0;
  double tool_off_m = INFINITY;  ///< the largest distance between tool and plan at equal time
  std::vector<JointTrial> joints;
  std::size_t contact_steps = 0;  ///< in which the robot touches itself
  std::string first_contact;      ///< "base and forearm"

  /// What `longarm new` takes for a motion that was made: it runs to its end, the tool is within
  /// 5 mm of its plan at any time, and every driven joint follows. Contacts do not count.
  bool is_good() const;
  /// Why it is not good, or that it touches itself; empty if neither.
  std::string shortcoming() const;
  /// How far it is from being good; 1 is just good enough.
  double badness() const;
  /// The joint that is at its effort limit longest, if one is there for long; null otherwise.
  const JointTrial* weakest() const;
};

/// `text` is the scenario that will be at `path`. With `stops_at_contact` the trial ends soon after
/// the robot touches itself, for callers that have no use for such a motion.
Trial try_scenario(const std::string& text, const std::filesystem::path& path,
                   bool stops_at_contact);

}  // namespace longarm::app
