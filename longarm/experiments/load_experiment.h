// SPDX-License-Identifier: Apache-2.0
// Finds, reads and judges a scenario that is an experiment: `experiment: KIND` and that kind's
// keys.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "longarm/experiments/experiment.h"
#include "longarm/scenario/load.h"

namespace longarm::experiments {

/// Everything a run depends on.
struct ExperimentScenario {
  std::string title;
  std::vector<std::string> plugins;
  std::string kind;
  std::string engine = "mujoco";
  std::string solver;
  std::int64_t seed = 1;
  Duration physics_period{1'000'000};
  std::shared_ptr<ExperimentModel> model;  ///< shared: copies of a scenario only read it
};

void list_fields(Fields& fields, ExperimentScenario& scenario, const scenario::Plugins& plugins);
/// The whole scenario as YAML that reads back the same.
std::string to_yaml(ExperimentScenario scenario, const scenario::Plugins& plugins);

struct PreparedExperiment {
  std::string name;  ///< the file's, without folder and ending
  ExperimentScenario scenario;
  std::string identity;    ///< hash of scenario, files and result format
  std::string files_hash;  ///< of the files that the scenario names
  std::vector<Diagnostic> warnings;
  scenario::Plugins plugins;

  ExperimentContext context() const;
};

/// Whether the scenario of that name or file is an experiment, or a cell of actors. False for one
/// that cannot be read.
bool is_experiment(const std::string& name_or_file);
/// Whether it says `experiment: KIND`.
bool has_experiment_kind(const std::string& name_or_file);

/// Throws InputError with everything that is wrong. Of the options, `allow` means nothing here.
PreparedExperiment load_experiment(const std::string& name_or_file,
                                   const scenario::LoadOptions& options,
                                   const scenario::Plugins& plugins);
/// The same from text; `path` is for messages and for files named relative to it.
PreparedExperiment load_experiment_text(const std::string& text, const std::string& path,
                                        const scenario::LoadOptions& options,
                                        const scenario::Plugins& plugins);

}  // namespace longarm::experiments
