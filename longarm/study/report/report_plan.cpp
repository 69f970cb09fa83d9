// SPDX-License-Identifier: Apache-2.0
// The plan to JSON and back.
#include "longarm/study/report/report_plan.h"

#include "longarm/actors/arm.h"
#include "longarm/cell/load_scenario.h"

namespace longarm::study {

using Json = nlohmann::ordered_json;

Json plan_document(const cell::PreparedScenario& prepared) {
  const record::PlanGeometry plan = actors::plan_geometry(actors::arm_of(prepared));
  Json out{{"title", prepared.scenario.title},
           {"path_m", plan.path_m},
           {"waypoints_m", plan.waypoints_m}};
  out["start_m"] = plan.start_m ? Json(*plan.start_m) : Json();
  out["hold_start_s"] = plan.hold_start_s ? Json(*plan.hold_start_s) : Json();
  return out;
}

std::optional<StudyPlan> read_plan_document(const Json& document) {
  try {
    StudyPlan plan;
    plan.title = document.at("title").get<std::string>();
    plan.geometry.path_m = document.at("path_m").get<std::vector<record::Point3>>();
    plan.geometry.waypoints_m = document.at("waypoints_m").get<std::vector<record::Point3>>();
    if (!document.at("start_m").is_null()) {
      plan.geometry.start_m = document.at("start_m").get<record::Point3>();
    }
    if (!document.at("hold_start_s").is_null()) {
      plan.geometry.hold_start_s = document.at("hold_start_s").get<double>();
    }
    return plan;
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace longarm::study
