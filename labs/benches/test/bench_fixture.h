// SPDX-License-Identifier: Apache-2.0
// For tests of benches: from their keys to their results.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "labs/test/scenario_fixture.h"

namespace longarm::benches {

using labs::load_error;
using labs::load_text;
using labs::number;
using labs::run_to_end;

/// A scenario of one bench: `keys` are the bench's, `world_keys` stand beside it; both as --set
/// takes them.
inline cell::PreparedScenario load_bench(const std::string& kind,
                                         const std::vector<std::string>& keys,
                                         std::vector<std::string> world_keys = {}) {
  for (const std::string& key : keys) {
    world_keys.push_back("actors.bench." + key);
  }
  return load_text("actors: {bench: {kind: " + kind + "}}\n", "bench.yaml", world_keys);
}

/// What the first error says of such a scenario, or "no error".
inline std::string bench_refusal(const std::string& kind, const std::vector<std::string>& keys,
                                 const std::vector<std::string>& world_keys = {}) {
  try {
    load_bench(kind, keys, world_keys);
  } catch (const InputError& error) {
    return error.diagnostics().front().message;
  }
  return "no error";
}

/// The bench's own results beside those of the run.
inline nlohmann::ordered_json run_bench(const cell::PreparedScenario& prepared) {
  nlohmann::ordered_json results = run_to_end(prepared);
  const nlohmann::ordered_json own = results.at("bench");
  results.update(own);
  return results;
}

}  // namespace longarm::benches
