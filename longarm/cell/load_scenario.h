// SPDX-License-Identifier: Apache-2.0
// Finds, reads and checks a scenario and prepares it to run.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longarm/cell/failures.h"
#include "longarm/cell/kept_files.h"
#include "longarm/cell/scenario.h"
#include "longarm/config/config_node.h"
#include "longarm/core/diagnostic.h"
#include "longarm/model/cell.h"

namespace longarm::cell {

/// A scenario ready to run: defaults filled in, files read, actors connected, bodies placed, plans
/// made.
struct PreparedScenario {
  std::string name;                ///< the file's, without folder and ending
  Scenario scenario;               ///< every default filled in
  Plugins plugins;                 ///< the program's and those the scenario brings
  model::Cell model;               ///< models that actors add, then those of the world file
  Duration length{};               ///< of the run
  std::vector<Failure> failures;   ///< injected failures
  std::vector<std::size_t> order;  ///< of actors, in which they are created
  KeptFiles kept;
  std::string identity;    ///< hash of scenario, files and result format
  std::string model_hash;  ///< hash of the model files
  std::string files_hash;  ///< hash of all files that the scenario names
  std::vector<Diagnostic> warnings;

  const CellConfig& cell() const { return scenario.cell; }
};

/// An InputError for a scenario that can be read but is physically implausible (`longarm lint`).
class LintError : public InputError {
 public:
  /// `warnings` are those found besides the errors.
  LintError(std::vector<Diagnostic> errors, std::vector<Diagnostic> warnings)
      : InputError(std::move(errors)), warnings_(std::move(warnings)) {}

  const std::vector<Diagnostic>& warnings() const { return warnings_; }

 private:
  std::vector<Diagnostic> warnings_;
};

/// A "key=value", and the place where the user wrote it.
struct VariedValue {
  std::string text;
  SourceLocation where;
};

/// What a caller can change about a scenario while loading it.
struct LoadOptions {
  std::vector<std::string> overrides{};  ///< "key=value"
  std::vector<std::string> allow{};      ///< names of lint findings to accept
  std::vector<std::string> plugins{};    ///< plug-ins (shared objects) to load first
  std::vector<VariedValue> varied{};     ///< further overrides, applied last: a study's axes
  std::vector<std::string> search{};  ///< further folders in which files named by keys are searched
};

/// Version of the result format (metrics.json, run folders); part of a run's identity.
inline constexpr int kResultFormat = 3;

/// Loads the ready scenario or the file `name_or_file`. Throws InputError with all errors found, or
/// LintError if a model or servo is implausible. `plugins`: usually labs::built_in_plugins().
PreparedScenario load_scenario(const std::string& name_or_file, const LoadOptions& options,
                               const Plugins& plugins);

/// The same from YAML text; `path` is used in messages and to find files named relative to it.
PreparedScenario load_scenario_text(const std::string& text, const std::string& path,
                                    const LoadOptions& options, const Plugins& plugins);

/// Checks keys, units, names and files without planning or simulating. Throws InputError.
void check_values(const std::string& name_or_file, const LoadOptions& options,
                  const Plugins& plugins);

/// A copy with the same plans in which messages arrive at once: an ideal network, no links. Times
/// that hosts need stay.
PreparedScenario without_network(PreparedScenario prepared);

/// A copy with `latency` added each way to the named links of its network. Throws InputError for a
/// name that is not a link.
PreparedScenario with_latency(PreparedScenario prepared, const std::vector<std::string>& links,
                              Duration latency);

}  // namespace longarm::cell
