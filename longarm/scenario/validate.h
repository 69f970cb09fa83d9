// SPDX-License-Identifier: Apache-2.0
// What must hold between the values of a scenario, and between them and the model.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/model/body_tree.h"
#include "longarm/model/lint.h"
#include "longarm/scenario/config_node.h"
#include "longarm/scenario/scenario.h"
#include "longarm/tasks/task.h"

namespace longarm::scenario {

/// A scenario's text as a tree, to find the places that messages are about.
struct ConfigSource {
  ConfigNode root;
  std::string path;

  /// Where `dotted_key`'s value stands; the nearest group around it if it is not there.
  SourceLocation where(const std::string& dotted_key) const;
  bool has(const std::string& dotted_key) const;
};

/// Periods, signs, and keys that need each other. Throws InputError.
void validate_values(const Scenario& scenario, const ConfigSource& source);

/// What is allowed but does nothing.
std::vector<Diagnostic> warnings_about_values(const Scenario& scenario, const ConfigSource& source);

/// Joints that can be driven, lists per joint, the end effector, the home position. Throws
/// InputError.
void validate_against_model(const Scenario& scenario, const ConfigSource& source,
                            const model::BodyTree& tree);

/// Step-stability of a pid servo with the smallest inertias along the plan.
std::vector<model::LintFinding> lint_servo_of(const Scenario& scenario, const model::BodyTree& tree,
                                              const tasks::Plan& plan);

}  // namespace longarm::scenario
