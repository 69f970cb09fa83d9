// SPDX-License-Identifier: Apache-2.0
// Finds, reads and resolves a scenario: after this, everything in it is known to make sense
// together.
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

/// A scenario ready to run: files read, wishes judged, bodies placed, plans made.
struct PreparedScenario {
  std::string name;                ///< the file's, without folder and ending
  Scenario scenario;               ///< every default filled in
  Plugins plugins;                 ///< the program's and those the scenario brings
  model::Cell model;               ///< what actors brought, then the world
  Duration length{};               ///< of the run
  std::vector<Failure> failures;   ///< as the keys say them
  std::vector<std::size_t> order;  ///< in which actors are made
  KeptFiles kept;
  std::string identity;    ///< hash of scenario, files and result format
  std::string model_hash;  ///< of the files that say what stands there
  std::string files_hash;  ///< of all files that the scenario names
  std::vector<Diagnostic> warnings;

  const CellConfig& cell() const { return scenario.cell; }
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
  std::vector<std::string> search{};     ///< more folders to look in for files of keys
};

/// Version of what runs write; part of a run's identity.
inline constexpr int kResultFormat = 3;

/// `name_or_file` is a ready scenario's name or a path. Throws InputError with everything that is
/// wrong; LintError if that is a model or a servo.
PreparedScenario load_scenario(const std::string& name_or_file, const LoadOptions& options,
                               const Plugins& plugins);

/// The same from text; `path` is for messages and for files named relative to it.
PreparedScenario load_scenario_text(const std::string& text, const std::string& path,
                                    const LoadOptions& options, const Plugins& plugins);

/// What can be told without planning and simulating: keys, units, words, files. Throws InputError.
void check_values(const std::string& name_or_file, const LoadOptions& options,
                  const Plugins& plugins);

/// The same scenario and plans with a network on which messages arrive at once, and without links;
/// what hosts take stays.
PreparedScenario without_network(PreparedScenario prepared);

/// The same with so much more latency each way on these links of its network, on top of what they
/// do. Throws InputError for a name that is none of them.
PreparedScenario with_latency(PreparedScenario prepared, const std::vector<std::string>& links,
                              Duration latency);

}  // namespace longarm::cell
