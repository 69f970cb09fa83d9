// SPDX-License-Identifier: Apache-2.0
// The plan of a study, kept beside its runs: a report must not need the models again.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "longarm/record/plan_geometry.h"

namespace longarm::study {

/// Name of the document in a store.
inline constexpr const char* kPlanDocument = "plan";

struct StudyPlan {
  std::string title;  ///< the scenario's
  record::PlanGeometry geometry;
};

/// What a sweep keeps of the first point it is asked for.
nlohmann::ordered_json plan_document(const cell::PreparedScenario& prepared);

/// Nothing if it is damaged.
std::optional<StudyPlan> read_plan_document(const nlohmann::ordered_json& document);

}  // namespace longarm::study
