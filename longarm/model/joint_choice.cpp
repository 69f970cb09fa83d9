// SPDX-License-Identifier: Apache-2.0
// Matches names, and turns joints that nobody moves into fixed ones.
#include "longarm/model/joint_choice.h"

#include <algorithm>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::model {
namespace {

/// Whether a name is what a pattern says, in which `*` stands for any text.
bool matches(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) {
    return name == pattern;
  }
  if (!name.starts_with(pattern.substr(0, star))) {
    return false;
  }
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t i = star; i <= name.size(); ++i) {
    if (matches(name.substr(i), rest)) {
      return true;
    }
  }
  return false;
}

bool matches_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return matches(name, pattern); });
}

bool is_driven(const std::string& name, const JointChoice& choice) {
  return choice.driven.empty() ? !matches_any(name, choice.free) : matches_any(name, choice.driven);
}

std::string in_numbers(std::size_t count) {
  return fmt::format("{} number{}", count, count == 1 ? "" : "s");
}

/// Judges a choice, and fixes joints accordingly.
class Holder {
 public:
  Holder(const JointChoice& choice, const JointPositions& home, Model& model)
      : choice_(choice), home_(home) {
    for (Joint& joint : model.joints) {
      if (joint.type != JointType::kFixed) {
        moving_.emplace(joint.name, &joint);
        names_.push_back(joint.name);
      }
    }
  }

  std::vector<JointFlaw> hold() {
    judge(choice_.driven, JointFlaw::In::kDriven);
    judge(choice_.free, JointFlaw::In::kFree);
    judge_home();
    if (flaws_.empty()) {
      // leaders are looked at as they were, so all positions come first
      std::map<Joint*, double> held;
      for (const std::string& name : names_) {
        Joint* const joint = moving_.at(name);
        if (is_held(leader_of(name))) {
          held.emplace(joint, position_of(name));
        }
      }
      for (const auto& [joint, position] : held) {
        fix(*joint, position);
      }
    }
    return std::move(flaws_);
  }

 private:
  void add(JointFlaw::In in, std::string message, std::string hint) {
    flaws_.push_back({in, std::move(message), std::move(hint)});
  }

  void judge(const std::vector<std::string>& patterns, JointFlaw::In in) {
    for (const std::string& pattern : patterns) {
      bool is_used = false;
      for (const std::string& name : names_) {
        const bool is_named = name == pattern;
        is_used = is_used || matches(name, pattern);
        if (is_named && moving_.at(name)->mimic) {
          add(in,
              fmt::format("joint '{}' mimics '{}' and moves with it", name,
                          moving_.at(name)->mimic->joint),
              fmt::format("name '{}' instead", leader_of(name)));
        }
        if (in == JointFlaw::In::kFree && matches(name, pattern) && !choice_.driven.empty() &&
            matches_any(name, choice_.driven)) {
          add(in, fmt::format("joint '{}' cannot be both driven and free", name),
              "name it in one of the two lists");
        }
      }
      if (!is_used) {
        add(in, fmt::format("the robot has no joint '{}' that moves", pattern),
            suggest(pattern, names_));
      }
    }
  }

  void judge_home() {
    for (std::size_t i = 0; i < home_.names.size(); ++i) {
      const auto found = moving_.find(home_.names[i]);
      if (found == moving_.end()) {
        add(JointFlaw::In::kPositions,
            fmt::format("the robot has no joint '{}' that moves", home_.names[i]),
            suggest(home_.names[i], names_));
      } else if (found->second->mimic) {
        add(JointFlaw::In::kPositions,
            fmt::format("joint '{}' mimics '{}' and moves with it", found->first,
                        found->second->mimic->joint),
            fmt::format("name '{}' instead", leader_of(found->first)));
      }
    }
  }

  bool is_held(const std::string& leader) const {
    return !is_driven(leader, choice_) && !matches_any(leader, choice_.free);
  }

  /// Chains of mimics that never end are reported by whoever makes the tree.
  std::string leader_of(std::string name) const {
    for (std::size_t hops = 0; hops <= names_.size(); ++hops) {
      const auto found = moving_.find(name);
      if (found == moving_.end() || !found->second->mimic) {
        break;
      }
      name = found->second->mimic->joint;
    }
    return name;
  }

  double position_of(const std::string& name, std::size_t hops = 0) const {
    const auto found = moving_.find(name);
    if (found == moving_.end() || hops > names_.size()) {
      return 0.0;
    }
    if (const std::optional<Mimic>& mimic = found->second->mimic) {
      return mimic->multiplier * position_of(mimic->joint, hops + 1) + mimic->offset;
    }
    const auto at = std::find(home_.names.begin(), home_.names.end(), name);
    return at == home_.names.end()
               ? usual_position(found->second->limits)
               : home_.values[static_cast<std::size_t>(at - home_.names.begin())];
  }

  static void fix(Joint& joint, double position) {
    if (joint.type == JointType::kPrismatic) {
      joint.X_PJ = joint.X_PJ * Eigen::Translation3d(position * joint.axis);
    } else {
      joint.X_PJ = joint.X_PJ * Eigen::AngleAxisd(position, joint.axis);
    }
    joint.type = JointType::kFixed;
    joint.mimic.reset();
  }

  const JointChoice& choice_;
  const JointPositions& home_;
  std::map<std::string, Joint*> moving_;
  std::vector<std::string> names_;  ///< in file order
  std::vector<JointFlaw> flaws_;
};

void follow_leaders(const BodyTree& tree, std::vector<double>& positions) {
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    if (const std::optional<MimicIndex>& mimic = tree.joints[i].mimic) {
      positions[i] =
          mimic->multiplier * positions[static_cast<std::size_t>(mimic->joint)] + mimic->offset;
    }
  }
}

}  // namespace

std::vector<JointFlaw> hold_other_joints(const JointChoice& choice, const JointPositions& home,
                                         Model& model) {
  return Holder(choice, home, model).hold();
}

std::vector<int> driven_joints(const BodyTree& tree, const JointChoice& choice) {
  std::vector<int> driven;
  for (std::size_t i = 0; i < tree.joints.size(); ++i) {
    if (!tree.joints[i].mimic && is_driven(tree.joints[i].name, choice)) {
      driven.push_back(static_cast<int>(i));
    }
  }
  return driven;
}

double usual_position(const JointLimits& limits) {
  // written so that limits that exclude each other do no harm here
  return std::min(std::max(0.0, limits.lower), std::max(limits.lower, limits.upper));
}

std::vector<double> put_positions(const JointPositions& positions, const BodyTree& tree,
                                  const std::vector<int>& driven, std::vector<double> before,
                                  std::vector<JointFlaw>& flaws) {
  const auto add = [&](std::string message, std::string hint) {
    flaws.push_back({JointFlaw::In::kPositions, std::move(message), std::move(hint)});
  };
  for (std::size_t i = 0; i < positions.names.size(); ++i) {
    const std::string& name = positions.names[i];
    const std::optional<int> joint = tree.find_joint(name);
    if (!joint || tree.joints[static_cast<std::size_t>(*joint)].mimic) {
      std::vector<std::string> known;
      for (const int each : driven) {
        known.push_back(tree.joints[static_cast<std::size_t>(each)].name);
      }
      add(fmt::format("the robot drives no joint '{}'", name), suggest(name, known));
      continue;
    }
    before[static_cast<std::size_t>(*joint)] = positions.values[i];
  }
  const std::size_t count = positions.values.size();
  if (positions.names.empty() && count != 0) {
    if (count != 1 && count != driven.size()) {
      add(fmt::format("{}, but the robot has {} joint{}", in_numbers(count), driven.size(),
                      driven.size() == 1 ? "" : "s"),
          "give one number per joint");
      return before;
    }
    for (std::size_t i = 0; i < driven.size(); ++i) {
      before[static_cast<std::size_t>(driven[i])] = positions.values[count == 1 ? 0 : i];
    }
  }
  follow_leaders(tree, before);
  return before;
}

}  // namespace longarm::model
