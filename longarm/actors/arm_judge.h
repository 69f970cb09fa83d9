// SPDX-License-Identifier: Apache-2.0
// What must hold between the values of an arm's keys, and between them and its model. Internal to
// the folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longarm/actors/arm_config.h"
#include "longarm/cell/actor.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/lint.h"

namespace longarm::actors {

/// What users call the arm's keys.
class ArmKeys {
 public:
  explicit ArmKeys(bool is_short) : is_short_(is_short) {}
  std::string operator()(const std::string& key) const { return is_short_ ? short_key(key) : key; }

 private:
  bool is_short_;
};

/// Periods, signs, and keys that need each other; and what is allowed but does nothing.
std::vector<cell::KeyRemark> judge_arm_values(const ArmConfig& config,
                                              const cell::LoadContext& context);

/// Where an arm stands at the start: a number per joint of its tree.
struct ArmStart {
  std::vector<double> home;
  std::vector<cell::KeyRemark> remarks;
};

/// Joints that can be driven, lists per joint, the end effector, the home position.
ArmStart judge_arm_model(const ArmConfig& config, const model::BodyTree& tree,
                         const std::vector<int>& driven, const ArmKeys& keys);

/// What joints are told: the words of `command` against cut, servo and engine, one for each driven
/// joint.
/// Without words those of the model's transmissions, as far as the others allow them; all of them
/// if that makes a difference, else none.
std::vector<cell::KeyRemark> settle_commands(
    ArmConfig& config, const model::BodyTree& tree, const std::vector<int>& driven,
    const std::string& engine, const std::map<std::string, std::string>& transmissions);

/// Step-stability of a pid servo with the smallest inertias along the plan; `config` has lists for
/// all joints of the tree.
std::vector<model::LintFinding> lint_servo_of(const ArmConfig& config, Duration physics_period,
                                              const model::BodyTree& tree, const tasks::Plan& plan);

}  // namespace longarm::actors
