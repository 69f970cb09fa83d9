// SPDX-License-Identifier: Apache-2.0
// The figure of an arm's run: planned and executed path, and the distance between them over time.
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/actors/arm.h"
#include "longarm/record/path_figure.h"

namespace longarm::actors {
namespace {

// viewers show no more: a hundredth of a millimetre, and some thousand corners
constexpr double kDrawnParts = 1e5;  // of a metre
constexpr std::size_t kMostDrawnPoints = 10'000;

record::PathTrace read_path(const std::string& file) {
  Result<record::PathTrace> trace = record::read_path_trace(file);
  if (!trace) {
    refuse(trace.error().message, "did something remove or change it?");
  }
  return std::move(trace).value();
}

}  // namespace

record::PlanGeometry plan_geometry(const ArmModel& arm) {
  const ArmConfig& config = arm.whole_config();
  const motion::Kinematics kinematics(arm.tree());
  const auto plain = [](const auto& p) { return record::Point3{p[0], p[1], p[2]}; };
  const auto point_of = [&](const std::vector<double>& configuration) {
    return plain(kinematics.position_of(arm.end_effector_frame(), configuration));
  };
  record::PlanGeometry plan;
  for (const motion::Vector3& point : arm.curve().points()) {
    plan.path_m.push_back(plain(point));
  }
  for (const JointPositions& configuration : config.task.joints_rad) {
    plan.waypoints_m.push_back(point_of(configuration.values));
  }
  for (const std::vector<double>& pose : config.task.poses_m_deg) {
    plan.waypoints_m.push_back(plain(pose));
  }
  plan.start_m = point_of(config.home_rad.values);
  if (arm.plan().hold_start > Duration(0)) {
    plan.hold_start_s = to_seconds(arm.plan().hold_start);
  }
  return plan;
}

std::string draw_path(const ArmModel& arm, const std::string& title, const std::string& trace,
                      const std::string& reference) {
  record::PlanGeometry plan = plan_geometry(arm);
  record::PathFigure figure;
  figure.title = title;
  figure.subtitle = fmt::format("cut {}  ·  {}", arm.config().cut, arm.link_text());
  figure.planned_m = std::move(plan.path_m);
  figure.waypoints_m = std::move(plan.waypoints_m);
  figure.start_m = plan.start_m;
  figure.executed = read_path(trace);
  if (!reference.empty()) {
    figure.reference = read_path(reference);
  }
  figure.hold_start_s = plan.hold_start_s;
  return record::draw_path_figure(figure);
}

std::vector<nlohmann::ordered_json> ArmModel::shows(const cell::ShowContext& context) const {
  using Json = nlohmann::ordered_json;
  const std::string prefix = context.is_short ? "" : placement_.name + "/";
  const auto in_world = [&](const record::Point3& p) -> Json {
    Json out = Json::array();
    for (const double part : placement_.X_WR* model::Vector3(p[0], p[1], p[2])) {
      out.push_back(std::round(part * kDrawnParts) / kDrawnParts);
    }
    return out;
  };
  const record::PlanGeometry plan = plan_geometry(*this);
  Json path = Json::array();
  const std::size_t stride = plan.path_m.size() / kMostDrawnPoints + 1;
  for (std::size_t i = 0; i < plan.path_m.size(); i += stride) {
    path.push_back(in_world(plan.path_m[i]));
  }
  Json waypoints = Json::array();
  for (const record::Point3& point : plan.waypoints_m) {
    waypoints.push_back(in_world(point));
  }
  const std::string topics = context.is_short ? "" : "/" + context.name;
  const std::string& tool =
      placement_.tree.frames[static_cast<std::size_t>(end_effector_frame_)].name;
  return {{{"kind", "tool"},
           {"frame", prefix + tool},
           {"base", prefix + placement_.tree.bodies.front().name},
           {"topic", topics + "/end_effector_pose"}},
          {{"kind", "plan"},
           {"path_m", std::move(path)},
           {"waypoints_m", std::move(waypoints)},
           {"hold_start_s", plan.hold_start_s ? Json(*plan.hold_start_s) : Json()}}};
}

}  // namespace longarm::actors
