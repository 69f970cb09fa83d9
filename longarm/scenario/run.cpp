// SPDX-License-Identifier: Apache-2.0
// Makes the folder, opens the reference, runs, and writes what came out.
#include "longarm/scenario/run.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "longarm/core/version.h"
#include "longarm/record/trace_csv.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/reference.h"
#include "longarm/scenario/run_figure.h"
#include "longarm/scenario/simulation.h"
#include "longarm/scenario/text_file.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr Duration kProgressEvery = 50ms;

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw InputError(Diagnostic{{}, message, hint});
}

/// The next free runs/NAME, made by whoever comes first.
fs::path make_next_folder(const std::string& name) {
  fs::path folder = fs::path("runs") / name;
  std::error_code problem;
  fs::create_directories("runs", problem);
  for (int i = 2; !fs::create_directory(folder, problem); ++i) {
    if (problem || i > 1'000'000) {
      refuse(fmt::format("cannot make folder '{}': {}", folder.string(), problem.message()),
             "choose another with --out");
    }
    folder = fs::path("runs") / fmt::format("{}-{}", name, i);
  }
  return folder;
}

fs::path make_folder(const fs::path& folder) {
  std::error_code problem;
  if (fs::exists(folder) && !fs::is_directory(folder)) {
    refuse(fmt::format("'{}' is a file, not a folder", folder.string()), "choose another --out");
  }
  if (fs::exists(folder) && !fs::is_empty(folder)) {
    refuse(fmt::format("'{}' is there already and has something in it", folder.string()),
           "choose another --out, or remove it first");
  }
  fs::create_directories(folder, problem);
  if (problem) {
    refuse(fmt::format("cannot make folder '{}': {}", folder.string(), problem.message()),
           "choose another --out");
  }
  return folder;
}

Json machine(double wall_s, double simulated_s) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  Json out;
  out["wall_time_s"] = wall_s;
  out["real_time_factor"] = wall_s > 0.0 ? simulated_s / wall_s : 0.0;
  out["peak_memory_mib"] = static_cast<double>(usage.ru_maxrss) / 1024.0;
  out["longarm_version"] = LONGARM_VERSION;
  out["compiler"] = fmt::format("g++ {}.{}", __GNUC__, __GNUC_MINOR__);
  return out;
}

}  // namespace

void write_scenario(const PreparedScenario& prepared, const fs::path& folder) {
  write_text_file(folder / "scenario.yaml", to_yaml(prepared.scenario, prepared.plugins));
  std::vector<FileCopy> copies = prepared.copies;
  for (const InputFile& file : prepared.link_files) {
    if (!fs::path(file.name).is_absolute()) {
      copies.push_back({file.path, fs::path(kInputsFolder) / file.name});
    }
  }
  for (const FileCopy& copy : copies) {
    std::error_code ignored;  // writing says it better
    fs::create_directories((folder / copy.name).parent_path(), ignored);
    write_text_file(folder / copy.name, read_text_file(copy.from));
  }
}

RunResult run_scenario(const PreparedScenario& prepared, const RunOptions& options) {
  SimulationOptions simulation_options;
  if (!options.reference.empty()) {
    simulation_options.reference = open_reference(options.reference, prepared);
  }
  const fs::path folder =
      options.out.empty() ? make_next_folder(prepared.name) : make_folder(options.out);
  write_scenario(prepared, folder);

  // shared with the log's sink, which outlives this function's frame inside the simulation
  const auto log_file = std::make_shared<std::ofstream>(folder / "log.txt");
  simulation_options.log =
      Log([log_file, sink = options.log_sink](LogLevel level, const std::string& line) {
        *log_file << line << "\n";
        if (sink) {
          sink(level, line);
        }
      });
  const bool has_csv = prepared.scenario.record_trace && prepared.scenario.record_csv;
  if (has_csv) {
    simulation_options.trace_path = folder / "trace.csv";
  }
  if (prepared.scenario.record_trace) {
    simulation_options.messages_path = folder / "trace.mcap";
  }
  simulation_options.call_trace = options.call_trace;

  // run in slices, so that someone may watch
  Simulation simulation(prepared, std::move(simulation_options));
  const auto wall_start = std::chrono::steady_clock::now();
  while (!simulation.is_over()) {
    const Result<Time> reached = simulation.run_until(simulation.now() + kProgressEvery);
    if (!reached) {
      refuse(reached.error().message, "give the link between them a delay");
    }
    if (options.progress && !options.progress(*reached, simulation.end())) {
      break;
    }
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;

  RunResult result{folder, simulation.results()};
  const Result<bool> closed = simulation.close_trace();
  if (!closed) {
    refuse(closed.error().message, "is the disk full?");
  }
  if (has_csv) {
    write_text_file(folder / "path.svg", draw_run_figure(folder, options.reference, prepared));
  }
  if (!options.reference.empty()) {
    result.metrics["reference"] = options.reference;
  }
  result.metrics["machine"] =
      machine(wall.count(), to_seconds(simulation.now().time_since_epoch()));
  write_text_file(folder / "metrics.json", result.metrics.dump(2) + "\n");
  return result;
}

}  // namespace longarm::scenario
