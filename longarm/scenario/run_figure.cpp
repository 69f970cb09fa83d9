// SPDX-License-Identifier: Apache-2.0
// From the traces of run folders, beside the plan.
#include "longarm/scenario/run_figure.h"

#include <utility>

#include <fmt/format.h>

#include "longarm/motion/kinematics.h"
#include "longarm/motion/nearest_distance.h"
#include "longarm/record/path_figure.h"
#include "longarm/scenario/config_writer.h"
#include "longarm/scenario/load.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;

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
  if (!scenario.network.is_empty()) {
    return fmt::format("cut {}  ·  network from {} to {}", scenario.cut, scenario.control.host,
                       scenario.robot.host);
  }
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
    throw InputError(Diagnostic{{}, trace.error().message, "did something remove or change it?"});
  }
  return std::move(trace).value();
}

}  // namespace

PlanGeometry plan_geometry(const PreparedScenario& prepared) {
  const Scenario& scenario = prepared.scenario;
  const motion::Kinematics kinematics(prepared.cell.placements.front().tree);
  const motion::PlannedCurve curve =
      motion::planned_curve(prepared.plan.trajectory, kinematics, prepared.end_effector_frame);
  const auto plain = [](const auto& p) { return record::Point3{p[0], p[1], p[2]}; };
  const auto point_of = [&](const std::vector<double>& configuration) {
    return plain(kinematics.position_of(prepared.end_effector_frame, configuration));
  };
  PlanGeometry plan;
  for (const motion::Vector3& point : curve.points()) {
    plan.path_m.push_back(plain(point));
  }
  for (const std::vector<double>& configuration : scenario.task.joints_rad) {
    plan.waypoints_m.push_back(point_of(configuration));
  }
  for (const std::vector<double>& pose : scenario.task.poses_m_deg) {
    plan.waypoints_m.push_back(plain(pose));
  }
  plan.start_m = point_of(scenario.robot.home_rad);
  if (prepared.plan.hold_start > Duration(0)) {
    plan.hold_start_s = to_seconds(prepared.plan.hold_start);
  }
  return plan;
}

std::string draw_run_figure(const fs::path& folder, const std::string& reference,
                            const PreparedScenario& prepared) {
  PlanGeometry plan = plan_geometry(prepared);
  record::PathFigure figure;
  figure.title = prepared.name;
  figure.subtitle = figure_subtitle(prepared.scenario, prepared.plugins);
  figure.planned_m = std::move(plan.path_m);
  figure.waypoints_m = std::move(plan.waypoints_m);
  figure.start_m = plan.start_m;
  figure.executed = read_path_trace(folder);
  if (!reference.empty()) {
    figure.reference = read_path_trace(reference);
  }
  figure.hold_start_s = plan.hold_start_s;
  return record::draw_path_figure(figure);
}

}  // namespace longarm::scenario
