// SPDX-License-Identifier: Apache-2.0
// Finds, reads and resolves a scenario: after this, everything in it is known to make sense
// together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longarm/core/diagnostic.h"
#include "longarm/core/input_files.h"
#include "longarm/model/cell.h"
#include "longarm/scenario/config_node.h"
#include "longarm/scenario/scenario.h"
#include "longarm/tasks/task.h"

namespace longarm::scenario {

/// A user's file, and what it is called in the folder of a run.
struct FileCopy {
  std::string from;
  std::string name;
};

/// A scenario ready to run, with its model and its plan.
struct PreparedScenario {
  std::string name;   ///< the file's, without folder and ending
  Scenario scenario;  ///< every default filled in
  model::Cell cell;   ///< the robot is placement 0
  int end_effector_frame = 0;
  tasks::Plan plan;
  std::string identity;               ///< hash of scenario, model file and result format
  std::string model_hash;             ///< of robot and world
  std::string link_hash;              ///< of the files that the link reads
  std::vector<FileCopy> copies;       ///< of robot and world, for the folder of a run
  std::vector<InputFile> link_files;  ///< to be copied, too; the scenario names them as they are
  std::vector<Diagnostic> warnings;
  Plugins plugins;  ///< the program's and those the scenario brings
};

/// In place of a plain InputError where everything could be read but makes no physical sense.
class LintError : public InputError {
 public:
  /// `warnings` are those found until then.
  LintError(std::vector<Diagnostic> errors, std::vector<Diagnostic> warnings)
      : InputError(std::move(errors)), warnings_(std::move(warnings)) {}

  const std::vector<Diagnostic>& warnings() const { return warnings_; }

 private:
  std::vector<Diagnostic> warnings_;
};

/// A "key=value" and where the user wrote it.
struct VariedValue {
  std::string text;
  SourceLocation where;
};

struct LoadOptions {
  std::vector<std::string> overrides{};  ///< "key=value"
  std::vector<std::string> allow{};      ///< names of lint findings to go on with
  std::vector<std::string> plugins{};    ///< shared objects to load before
  std::vector<VariedValue> varied{};     ///< more overrides, after those: from a study's axes
  std::vector<std::string> search{};     ///< more folders to look in for the link's files
};

/// A scenario's text as a tree, with overrides applied and plug-ins loaded. `shorthand` names the
/// key that stands for a section given in short. Throws InputError.
ConfigNode read_tree(const std::string& text, const std::string& path, const LoadOptions& options,
                     std::string (*shorthand)(const std::string& section), Plugins& plugins);

/// Version of what runs write; part of a run's identity.
inline constexpr int kResultFormat = 2;

/// `name_or_file` is a ready scenario's name or a path. Throws InputError with everything that is
/// wrong; LintError if that is the model or the servo.
PreparedScenario load_scenario(const std::string& name_or_file, const LoadOptions& options,
                               const Plugins& plugins);

/// What can be told of each value by itself: keys, units, words, and the link's files. Throws
/// InputError.
void check_values(const std::string& name_or_file, const LoadOptions& options,
                  const Plugins& plugins);

/// Gives it the identity that belongs to its values, after those were changed.
void identify(PreparedScenario& prepared);

/// The same scenario and plan with a network on which messages arrive at once; what hosts take
/// stays. Without a network: without a link.
PreparedScenario without_network(PreparedScenario prepared);

/// The same scenario and plan with nothing between controller and robot: what a link costs is told
/// by comparing with it.
PreparedScenario without_link(PreparedScenario prepared);

/// The same from text; `path` is for messages and for files named relative to it.
PreparedScenario load_scenario_text(const std::string& text, const std::string& path,
                                    const LoadOptions& options, const Plugins& plugins);

}  // namespace longarm::scenario
