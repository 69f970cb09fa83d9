// SPDX-License-Identifier: Apache-2.0
// Makes the folder, runs, and writes what came out.
#include "longarm/experiments/run_experiment.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "longarm/experiments/curves_figure.h"
#include "longarm/experiments/frame_trace.h"
#include "longarm/experiments/ideal_reference.h"
#include "longarm/scenario/data_files.h"
#include "longarm/scenario/run_folder.h"
#include "longarm/scenario/text_file.h"

namespace longarm::experiments {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr Duration kProgressEvery = 50ms;

void write_log(const fs::path& folder, const PreparedExperiment& prepared, const ExperimentRun& run,
               const scenario::RunOptions& options) {
  std::ofstream file(folder / "log.txt");
  const Log log([&](LogLevel level, const std::string& line) {
    file << line << "\n";
    if (options.log_sink) {
      options.log_sink(level, line);
    }
  });
  for (const Diagnostic& warning : prepared.warnings) {
    log.warning(Time{}, "scenario", warning.message);
  }
  for (const std::string& warning : run.warnings()) {
    log.warning(run.now(), "run", warning);
  }
  if (run.divergence()) {
    log.warning(run.divergence()->at, "world",
                fmt::format("{} has no sensible place or speed any more; the run ends here, its "
                            "last good state is that of {} s",
                            run.divergence()->body, to_seconds(run.divergence()->last_good)));
  }
  if (run.failure()) {
    log.error(run.now(), "run", *run.failure());
  }
}

}  // namespace

void write_scenario(const PreparedExperiment& prepared, const fs::path& folder) {
  scenario::write_text_file(folder / "scenario.yaml", to_yaml(prepared.scenario, prepared.plugins));
  for (const InputFile& file : prepared.scenario.model->inputs()) {
    const fs::path copy = folder / scenario::kInputsFolder / file.name;
    std::error_code ignored;  // writing says it better
    fs::create_directories(copy.parent_path(), ignored);
    scenario::write_text_file(copy, scenario::read_text_file(file.path));
  }
}

scenario::RunResult run_experiment(const PreparedExperiment& prepared,
                                   const scenario::RunOptions& options,
                                   const PreparedExperiment* ideal) {
  std::optional<ExperimentRun> made(prepared);
  const fs::path folder = scenario::make_run_folder(prepared.name, options.out);
  if (prepared.scenario.model->writes_while_running()) {
    made.emplace(prepared, folder);  // anew: the first one has shown that it can be made
  }
  ExperimentRun& run = *made;
  write_scenario(prepared, folder);
  FrameTrace trace(folder / "trace.mcap", prepared, run.experiment());
  CurveTable table{prepared.scenario.model->figures().curves, {}, {}};
  table.values.resize(table.curves.size());
  std::vector<double> values(table.curves.size());
  std::optional<IdealReference> reference;
  if (ideal != nullptr) {
    reference.emplace(*ideal);
  }
  run.set_observer([&](Time stamp) {
    trace.step(stamp);
    if (reference) {
      reference->follow(run.experiment(), stamp);
    }
    run.experiment().sample(values);
    table.time_s.push_back(to_seconds(stamp));
    for (std::size_t c = 0; c < values.size(); ++c) {
      table.values[c].push_back(values[c]);
    }
  });

  const auto wall_start = std::chrono::steady_clock::now();
  while (!run.is_over()) {
    run.run_until(run.now() + kProgressEvery);
    if (options.progress && !options.progress(run.now(), run.end())) {
      break;
    }
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;

  if (const Result<bool> closed = trace.close(); !closed) {
    refuse(closed.error().message, "is the disk full?");
  }
  scenario::RunResult result{folder, run.results()};
  result.failure = run.failure().value_or("");
  if (reference) {
    result.metrics["reference"] = reference->results(result.metrics);
  }
  write_log(folder, prepared, run, options);
  if (!table.curves.empty()) {
    scenario::write_text_file(folder / "curves.csv", table.csv());
    const std::string figure = draw_curves(table, prepared.scenario.title);
    if (!figure.empty()) {
      scenario::write_text_file(folder / "curves.svg", figure);
    }
  }
  for (const ResultFile& file : run.experiment().files()) {
    scenario::write_text_file(folder / file.name, file.content);
  }
  result.metrics["machine"] = scenario::machine_json(wall.count(), to_seconds(run.now()));
  scenario::write_text_file(folder / "metrics.json", result.metrics.dump(2) + "\n");
  return result;
}

}  // namespace longarm::experiments
