// SPDX-License-Identifier: Apache-2.0
// For tests of experiments: from their text to their results.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/diagnostic.h"
#include "longarm/experiments/experiment_run.h"
#include "longarm/experiments/load_experiment.h"

namespace longarm::experiments {

/// Of a file that errors call `path`, with changes as --set takes them.
inline PreparedExperiment load_text(const std::string& text, const std::string& path,
                                    const std::vector<std::string>& changes = {}) {
  return load_experiment_text(text, path, {.overrides = changes}, scenario::built_in_plugins());
}

/// What users are told about such a text, or "no error".
inline std::string load_error(const std::string& text, const std::string& path,
                              const std::vector<std::string>& changes) {
  try {
    load_text(text, path, changes);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

inline nlohmann::ordered_json run_to_end(const PreparedExperiment& prepared) {
  ExperimentRun run(prepared);
  run.run_until(run.end());
  return run.results();
}

inline double number(const nlohmann::ordered_json& results, const char* name) {
  return results.at(name).get<double>();
}

}  // namespace longarm::experiments
