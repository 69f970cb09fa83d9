// SPDX-License-Identifier: Apache-2.0
// One run from scenario to run folder.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "longarm/control/arm_loop.h"
#include "longarm/core/log.h"
#include "longarm/scenario/load.h"

namespace longarm::scenario {

/// The same run without the network, made on the spot. A folder of that name is "./ideal".
inline constexpr const char* kIdealReference = "ideal";

struct RunOptions {
  std::string out;  ///< folder to make; empty: the next free runs/NAME
  /// What to compare with: a run folder, or kIdealReference; empty: nothing.
  std::string reference;
  control::CallTrace call_trace;
  Log::Sink log_sink;  ///< beside the run folder's log
  /// Now and then, with the simulated time and the end; the run is cut short when it says false.
  std::function<bool(Time now, Time end)> progress;
};

struct RunResult {
  std::string folder;
  nlohmann::ordered_json metrics;
  std::string failure{};  ///< why the run ended before its time; empty if it did not
};

/// The resolved scenario, with copies of the files it names (unless they are ready ones), so that
/// the folder runs by itself.
void write_scenario(const PreparedScenario& prepared, const std::filesystem::path& folder);

/// Runs and writes the folder: scenario.yaml and inputs/, log.txt, trace.mcap, trace.csv with its
/// picture path.svg and, last, metrics.json. Throws InputError before anything runs, if the folder
/// or the reference is no good. Never writes into a folder that has something in it.
RunResult run_scenario(const PreparedScenario& prepared, const RunOptions& options);

}  // namespace longarm::scenario
