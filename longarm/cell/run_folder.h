// SPDX-License-Identifier: Apache-2.0
// One run from scenario to folder: where it leaves its files, and what it says of the machine it
// ran on.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "longarm/cell/run.h"

namespace longarm::cell {

/// Makes the folder `out`, or the next free runs/NAME if that is empty. Throws InputError if it
/// cannot, or if there is something in it.
std::filesystem::path make_run_folder(const std::string& name, const std::string& out);

/// scenario.yaml into a run's folder, and copies of the files that it names where they are needed
/// to read it back. Throws InputError.
void write_scenario(const PreparedScenario& prepared, const std::filesystem::path& folder);

/// Stands for the same run without its network, where a reference is asked for.
inline constexpr const char* kIdealReference = "ideal";

struct RunOptions {
  std::string out;  ///< folder to make; empty: the next free runs/NAME
  /// What to compare with: a run folder, or kIdealReference; empty: nothing.
  std::string reference;
  control::CallTrace call_trace;
  record::TraceListener* listener = nullptr;  ///< hears what is recorded while the run goes on
  Log::Sink log_sink;                         ///< beside the run folder's log
  /// Now and then, with the simulated time and the end, Time::max() if that is not known; the run
  /// is cut short when it says false.
  std::function<bool(Time now, Time end)> progress;
  std::function<void(const Run& run, Time stamp)> observer;  ///< after each step
};

struct RunResult {
  std::string folder;
  nlohmann::ordered_json metrics;
  std::string failure{};  ///< why the run ended before its time; empty if it did not
};

/// Runs and writes the folder: scenario.yaml and inputs/, log.txt, trace.mcap, of arms trace.csv
/// with its picture path.svg, of other cells curves.csv with its picture curves.svg, and
/// metrics.json, before the pictures. Throws InputError before anything runs, if the folder or the
/// reference is no good. Never writes into a folder that has something in it.
RunResult run_scenario(const PreparedScenario& prepared, const RunOptions& options);

/// The last of a run's files: metrics.json with the machine's part, which may have `more` in it,
/// and what its actors leave.
void write_results(const std::filesystem::path& folder, const Run& run,
                   nlohmann::ordered_json& metrics, double wall_s,
                   const nlohmann::ordered_json& more = nlohmann::ordered_json::object());

/// The `machine` part of metrics.json: outside every comparison of results.
nlohmann::ordered_json machine_json(double wall_s, double simulated_s);

}  // namespace longarm::cell
