// SPDX-License-Identifier: Apache-2.0
// For tests of whole scenarios: from their text to their results.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "labs/labs.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run.h"
#include "longarm/core/diagnostic.h"

namespace longarm::labs {

/// Of a file that errors call `path`, with changes as --set takes them.
inline cell::PreparedScenario load_text(const std::string& text, const std::string& path,
                                        const std::vector<std::string>& changes = {}) {
  return cell::load_scenario_text(text, path, {.overrides = changes}, built_in_plugins());
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

inline nlohmann::ordered_json run_to_end(const cell::PreparedScenario& prepared) {
  cell::Run run(prepared);
  run.run_until(run.end());
  return run.results();
}

inline double number(const nlohmann::ordered_json& results, const char* name) {
  return results.at(name).get<double>();
}

}  // namespace longarm::labs
