// SPDX-License-Identifier: Apache-2.0
// Makes the folder, opens the reference, runs, and writes what came out.
#include "longarm/scenario/run.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/core/diagnostic.h"
#include "longarm/record/memory_trace.h"
#include "longarm/record/trace_csv.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/reference.h"
#include "longarm/scenario/run_figure.h"
#include "longarm/scenario/run_folder.h"
#include "longarm/scenario/simulation.h"
#include "longarm/scenario/text_file.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr Duration kProgressEvery = 50ms;

/// What a comparison needs of the same run without the network.
std::unique_ptr<record::TraceSource> ideal_reference(const PreparedScenario& prepared) {
  Simulation ideal(without_network(prepared), {});
  const auto trace = std::make_shared<record::MemoryTrace>(
      ideal.probes(), std::vector<std::string>{"end_effector", "velocity_command"});
  ideal.set_observer([&](Time stamp) { trace->record(stamp); });
  if (const Result<Time> reached = ideal.run_until(ideal.end()); !reached) {
    refuse({"--reference ideal"}, reached.error().message, "compare with a run folder");
  }
  return record::MemoryTrace::reader(trace);
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
  const bool is_ideal = options.reference == kIdealReference;
  if (!options.reference.empty()) {
    simulation_options.reference =
        is_ideal ? ideal_reference(prepared) : open_reference(options.reference, prepared);
  }
  const fs::path folder = make_run_folder(prepared.name, options.out);
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
  simulation_options.capture_folder = folder / "capture";
  simulation_options.call_trace = options.call_trace;

  // run in slices, so that someone may watch
  Simulation simulation(prepared, std::move(simulation_options));
  const auto wall_start = std::chrono::steady_clock::now();
  while (!simulation.is_over()) {
    const Result<Time> reached = simulation.run_until(simulation.now() + kProgressEvery);
    if (!reached && prepared.scenario.network.is_empty()) {
      refuse(reached.error().message, "give the link between them a delay");
    }
    if (!reached) {
      break;  // a network may fail; what happened until then is kept
    }
    if (options.progress && !options.progress(*reached, simulation.end())) {
      break;
    }
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;

  RunResult result{folder, simulation.results()};
  if (simulation.failure()) {
    result.failure = simulation.failure()->message;
  }
  const Result<bool> closed = simulation.close_trace();
  if (!closed) {
    refuse(closed.error().message, "is the disk full?");
  }
  if (has_csv) {
    write_text_file(folder / "path.svg",
                    draw_run_figure(folder, is_ideal ? "" : options.reference, prepared));
  }
  if (!options.reference.empty()) {
    result.metrics["reference"] = options.reference;
  }
  result.metrics["machine"] =
      machine_json(wall.count(), to_seconds(simulation.now().time_since_epoch()));
  write_text_file(folder / "metrics.json", result.metrics.dump(2) + "\n");
  return result;
}

}  // namespace longarm::scenario
