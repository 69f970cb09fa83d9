// SPDX-License-Identifier: Apache-2.0
// Folders are made by whoever comes first; nothing is ever written over.
#include "longarm/cell/run_folder.h"

#include <chrono>
#include <fstream>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "longarm/cell/curves_figure.h"
#include "longarm/cell/reference.h"
#include "longarm/config/data_files.h"
#include "longarm/config/text_file.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/version.h"

namespace longarm::cell {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr Duration kProgressEvery = 50ms;

/// The next free runs/NAME, made by whoever comes first.
fs::path make_next_folder(const std::string& name) {
  fs::path folder = fs::path("runs") / name;
  std::error_code problem;
  fs::create_directories("runs", problem);
  if (problem) {
    refuse(fmt::format("cannot create folder 'runs': {}", problem.message()),
           "choose another folder with --out, or change to a writable folder");
  }
  for (int i = 2; !fs::create_directory(folder, problem); ++i) {
    if (problem || i > 1'000'000) {
      refuse(fmt::format("cannot create folder '{}': {}", folder.string(), problem.message()),
             "choose another folder with --out");
    }
    folder = fs::path("runs") / fmt::format("{}-{}", name, i);
  }
  return folder;
}

fs::path make_folder(const fs::path& folder) {
  std::error_code problem;
  const fs::file_status status = fs::status(folder, problem);
  if (fs::exists(status) && !fs::is_directory(status)) {
    refuse(fmt::format("'{}' is a file, not a folder", folder.string()), "choose another --out");
  }
  if (fs::is_directory(status) && !fs::is_empty(folder, problem) && !problem) {
    refuse(fmt::format("'{}' already exists and is not empty", folder.string()),
           "choose another --out, or remove it first");
  }
  const bool is_unreadable = fs::is_directory(status) && problem;
  if (!is_unreadable) {
    fs::create_directories(folder, problem);
  }
  if (problem) {
    refuse(fmt::format("cannot {} folder '{}': {}", is_unreadable ? "use" : "create",
                       folder.string(), problem.message()),
           "choose another --out");
  }
  return folder;
}

/// Of what tables and figures of the cell show; arms by themselves have trace.csv instead.
class Curves {
 public:
  explicit Curves(const PreparedScenario& prepared) {
    if (!prepared.cell().is_short) {
      table_.curves = prepared.cell().figures().curves;
    }
    table_.values.resize(table_.curves.size());
    values_.resize(table_.curves.size());
  }

  void sample(const Run& run, Time stamp) {
    if (table_.curves.empty()) {
      return;
    }
    run.sample(values_);
    table_.time_s.push_back(to_seconds(stamp));
    for (std::size_t c = 0; c < values_.size(); ++c) {
      table_.values[c].push_back(values_[c]);
    }
  }

  void write(const fs::path& folder, const std::string& title) const {
    if (table_.curves.empty()) {
      return;
    }
    config::write_text_file(folder / "curves.csv", table_.csv());
    if (const std::string figure = draw_curves(table_, title); !figure.empty()) {
      config::write_text_file(folder / "curves.svg", figure);
    }
  }

 private:
  CurveTable table_;
  std::vector<double> values_;
};

/// What came to light in the run; the scenario's warnings were written before.
void log_end(const Log& log, const Run& run) {
  for (const std::string& warning : run.warnings()) {
    log.warning(run.now(), "run", warning);
  }
  if (run.divergence()) {
    log.warning(run.divergence()->at, "world",
                fmt::format("the position or speed of {} is no longer finite or plausible; the run "
                            "ends here, the last good state is at {} s",
                            run.divergence()->body, to_seconds(run.divergence()->last_good)));
  }
  if (run.failure()) {
    log.error(run.now(), "run", *run.failure());
  }
}

/// Until it is over, or nobody wants more of it.
void go_on(Run& run, const RunOptions& options) {
  while (!run.is_over()) {
    run.run_until(run.now() + kProgressEvery);
    const CellConfig& cell = run.prepared().cell();
    if (run.failure() && cell.is_short && cell.network.is_empty()) {
      refuse(*run.failure(), "give the link between them a delay");
    }
    if (options.progress && !options.progress(run.now(), run.foreseen_end())) {
      break;
    }
  }
}

}  // namespace

void write_scenario(const PreparedScenario& prepared, const fs::path& folder) {
  config::write_text_file(folder / "scenario.yaml", to_yaml(prepared.scenario, prepared.plugins));
  for (const InputFile& file : prepared.kept.all()) {
    const fs::path copy = folder / config::kInputsFolder / file.name;
    std::error_code ignored;  // writing says it better
    fs::create_directories(copy.parent_path(), ignored);
    config::write_text_file(copy, config::read_text_file(file.path));
  }
}

RunResult run_scenario(const PreparedScenario& prepared, const RunOptions& options) {
  const bool is_ideal = options.reference == kIdealReference;
  RunSetup setup;
  std::optional<Comparison> comparison;
  if (is_ideal) {
    const auto reference = run_reference(without_network(prepared), options.progress);
    setup.references = reference->readers();
    comparison.emplace(reference);
  } else if (!options.reference.empty()) {
    setup.references[kShortName] = open_reference(options.reference, prepared);
    setup.reference_folder = options.reference;
  }
  const fs::path folder = make_run_folder(prepared.name, options.out);
  write_scenario(prepared, folder);
  std::ofstream log_file(folder / "log.txt");
  const Log log([&](LogLevel level, const std::string& line) {
    log_file << line << "\n";
    if (options.log_sink) {
      options.log_sink(level, line);
    }
  });
  for (const Diagnostic& warning : prepared.warnings) {
    log.warning(Time{}, "scenario", warning.message);
  }
  const Scenario& s = prepared.scenario;
  setup.folder = folder;
  setup.trace = s.record_trace ? folder / "trace.mcap" : fs::path();
  setup.writes_csv = s.record_trace && s.record_csv;
  setup.log = log;
  setup.call_trace = options.call_trace;
  setup.listener = options.listener;
  Run run(prepared, std::move(setup));
  Curves curves(prepared);
  run.set_observer([&](Time stamp) {
    curves.sample(run, stamp);
    if (comparison) {
      comparison->follow(run);
    }
    if (options.observer) {
      options.observer(run, stamp);
    }
  });
  const auto wall_start = std::chrono::steady_clock::now();
  go_on(run, options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;

  RunResult result{folder, run.results(), run.failure().value_or("")};
  log_end(log, run);
  if (const Result<bool> closed = run.close_files(); !closed) {
    refuse(closed.error().message, "check that the disk is not full");
  }
  if (comparison && !s.cell.is_short) {
    result.metrics["reference"] = comparison->results(s.cell.figures().metrics, result.metrics);
  } else if (!options.reference.empty()) {
    result.metrics["reference"] = options.reference;
  }
  write_results(folder, run, result.metrics, wall.count());
  curves.write(folder, s.title);
  return result;
}

void write_results(const fs::path& folder, const Run& run, Json& metrics, double wall_s,
                   const Json& more) {
  metrics["machine"] = machine_json(wall_s, to_seconds(run.now()));
  metrics["machine"].update(more);
  // before all that is drawn from them
  config::write_text_file(folder / "metrics.json", metrics.dump(2) + "\n");
  for (const ResultFile& file : run.files()) {
    config::write_text_file(folder / file.name, file.content);
  }
}

fs::path make_run_folder(const std::string& name, const std::string& out) {
  return out.empty() ? make_next_folder(name) : make_folder(out);
}

Json machine_json(double wall_s, double simulated_s) {
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

}  // namespace longarm::cell
