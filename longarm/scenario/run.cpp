// SPDX-License-Identifier: Apache-2.0
// Makes the folder, opens the reference, runs, and writes what came out.
#include "longarm/scenario/run.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>

#include "longarm/record/path_figure.h"
#include "longarm/record/trace_csv.h"
#include "longarm/scenario/config_writer.h"
#include "longarm/scenario/reference.h"
#include "longarm/scenario/simulation.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr Duration kProgressEvery = 50ms;

[[noreturn]] void refuse(const std::string& message, const std::string& hint) {
  throw InputError(Diagnostic{{}, message, hint});
}

fs::path make_folder(const std::string& asked, const std::string& name) {
  fs::path folder = asked;
  if (asked.empty()) {
    folder = fs::path("runs") / name;
    for (int i = 2; fs::exists(folder); ++i) {
      folder = fs::path("runs") / fmt::format("{}-{}", name, i);
    }
  }
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

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    refuse("cannot write " + path.string(), "is the disk full?");
  }
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

/// "delay 20ms": what the user chose for one direction, without what the model has by default.
std::string link_text(const LinkDirectionConfig& direction, const Plugins& plugins) {
  if (!direction.plugin) {
    return direction.model;
  }
  ConfigWriter chosen;
  ConfigWriter by_default;
  direction.plugin->list_fields(chosen);
  plugins.link_models.make(direction.model)->list_fields(by_default);
  std::string text;
  for (std::size_t i = 0; i < chosen.lines().size(); ++i) {
    const ConfigWriter::Line& line = chosen.lines()[i];
    const bool is_default =
        i < by_default.lines().size() && by_default.lines()[i].value == line.value;
    if (!is_default) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", line.key, line.value);
    }
  }
  return text.empty() ? direction.model : text;
}

std::string figure_subtitle(const Scenario& scenario, const Plugins& plugins) {
  const std::string states = link_text(scenario.link.states, plugins);
  const std::string commands = link_text(scenario.link.commands, plugins);
  std::string link = states == commands
                         ? states + (states == "none" ? "" : " each way")
                         : fmt::format("{} for states, {} for commands", states, commands);
  return fmt::format("cut {}  ·  link {}", scenario.cut, link);
}

record::PathTrace read_path_trace(const fs::path& folder) {
  Result<record::PathTrace> trace = record::read_path_trace(folder / "trace.csv");
  if (!trace) {
    refuse(trace.error().message, "did something remove or change it?");
  }
  return std::move(trace).value();
}

/// From the run folders alone, beside the plan.
void write_figure(const fs::path& folder, const std::string& reference,
                  const PreparedScenario& prepared, const Plugins& plugins,
                  const motion::PlannedCurve& curve) {
  const Scenario& scenario = prepared.scenario;
  const motion::Kinematics kinematics(prepared.cell.placements.front().tree);
  const auto plain = [](const auto& p) { return record::Point3{p[0], p[1], p[2]}; };
  const auto point_of = [&](const std::vector<double>& configuration) {
    return plain(kinematics.position_of(prepared.end_effector_frame, configuration));
  };
  record::PathFigure figure;
  figure.title = prepared.name;
  figure.subtitle = figure_subtitle(scenario, plugins);
  for (const motion::Vector3& point : curve.points()) {
    figure.planned_m.push_back(plain(point));
  }
  for (const std::vector<double>& configuration : scenario.task.joints_rad) {
    figure.waypoints_m.push_back(point_of(configuration));
  }
  for (const std::vector<double>& pose : scenario.task.poses_m_deg) {
    figure.waypoints_m.push_back(plain(pose));
  }
  figure.start_m = point_of(scenario.robot.home_rad);
  figure.executed = read_path_trace(folder);
  if (!reference.empty()) {
    figure.reference = read_path_trace(reference);
  }
  if (prepared.plan.hold_start > Duration(0)) {
    figure.hold_start_s = to_seconds(prepared.plan.hold_start);
  }
  write_file(folder / "path.svg", record::draw_path_figure(figure));
}

}  // namespace

RunResult run_scenario(const PreparedScenario& prepared, const Plugins& plugins,
                       const RunOptions& options) {
  SimulationOptions simulation_options;
  if (!options.reference.empty()) {
    simulation_options.reference = open_reference(options.reference, prepared, plugins);
  }
  const fs::path folder = make_folder(options.out, prepared.name);
  write_file(folder / "scenario.yaml", to_yaml(prepared.scenario, plugins));
  if (!prepared.model_file.empty()) {
    write_file(folder / prepared.scenario.robot.model, read_file(prepared.model_file));
  }

  // shared with the log's sink, which outlives this function's frame inside the simulation
  const auto log_file = std::make_shared<std::ofstream>(folder / "log.txt");
  simulation_options.log =
      Log([log_file, sink = options.log_sink](LogLevel level, const std::string& line) {
        *log_file << line << "\n";
        if (sink) {
          sink(level, line);
        }
      });
  if (prepared.scenario.record_trace) {
    simulation_options.trace_path = folder / "trace.csv";
  }
  simulation_options.call_trace = options.call_trace;

  // run in slices, so that someone may watch
  Simulation simulation(prepared, plugins, std::move(simulation_options));
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
  if (prepared.scenario.record_trace) {
    write_figure(folder, options.reference, prepared, plugins, simulation.planned_curve());
  }
  result.metrics["machine"] =
      machine(wall.count(), to_seconds(simulation.now().time_since_epoch()));
  write_file(folder / "metrics.json", result.metrics.dump(2) + "\n");
  return result;
}

}  // namespace longarm::scenario
