// SPDX-License-Identifier: Apache-2.0
// Margins as the report has them, and in words.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/study/json_values.h"
#include "longarm/study/margin/margin.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

Json trial_json(const MarginTrial& trial) {
  Json out;
  out["latency_s"] = to_seconds(trial.latency);
  out["verdict"] = verdict_text(trial.verdict);
  out["reason"] = trial.reason;
  // between limits a swing neither grows nor decays
  const bool is_free = trial.limited_joint.empty();
  out["growth_per_s"] = is_free ? or_null(trial.growth_per_s) : Json(nullptr);
  out["growth_standard_error_per_s"] =
      is_free ? or_null(trial.growth_standard_error_per_s) : Json(nullptr);
  out["joint"] = or_null(trial.is_unstable() ? trial.first_joint() : trial.joint);
  out["period_s"] = or_null(trial.period_s);
  out["hold_s"] = to_seconds(trial.hold);
  out["runs"] = trial.runs;
  return out;
}

void add_prediction(Json& out, const MarginResult& result) {
  const PredictedMargin& goal = result.prediction.at_goal;
  out["closed_form_s"] = or_null(goal.critical);
  out["closed_form_unlimited"] = goal.is_unlimited;
  const bool is_known = result.prediction.is_known;
  out["closed_form_has_limit"] = is_known ? Json(!goal.is_unlimited) : Json(nullptr);
  out["closed_form"] = !is_known           ? Json(nullptr)
                       : goal.is_unlimited ? Json("this latency is outside all control loops")
                                           : Json(goal.formula);
  out["closed_form_joint"] = goal.is_unlimited ? Json(nullptr) : or_null(goal.joint);
  out["closed_form_tied_joints"] = goal.is_unlimited ? Json::array() : Json(goal.tied_joints);
  const bool is_swinging =
      result.predicted_swing && std::isfinite(result.predicted_swing->period_s);
  out["closed_form_period_s"] =
      is_swinging ? Json(result.predicted_swing->period_s) : Json(nullptr);
  out["closed_form_growth_per_s"] =
      result.predicted_swing ? Json(result.predicted_swing->growth_per_s) : Json(nullptr);
  out["closed_form_loops"] = Json::array();
  for (const PredictedMargin& each : result.prediction.alone) {
    Json loop;
    loop["loop"] = each.loop;
    loop["critical_s"] = or_null(each.critical);
    loop["unlimited"] = each.is_unlimited;
    loop["joint"] = each.joint;
    out["closed_form_loops"].push_back(std::move(loop));
  }
  out["closed_form_path_s"] = or_null(result.prediction.along_path.critical);
}

// a robot that was stopped has another number in each reason
constexpr std::size_t kMostReasons = 3;

/// Bands of latencies, all undecided, each with the first reasons in the order in which they come
/// up.
std::vector<std::string> undecided_bands(const MarginResult& result) {
  std::vector<std::string> bands;
  for (auto first = result.tried.begin(); first != result.tried.end();) {
    if (first->verdict != record::Verdict::kUndecided) {
      ++first;
      continue;
    }
    const auto end = std::find_if(first, result.tried.end(), [](const MarginTrial& trial) {
      return trial.verdict != record::Verdict::kUndecided;
    });
    std::vector<std::string> reasons;
    for (auto each = first; each != end; ++each) {
      if (std::find(reasons.begin(), reasons.end(), each->reason) == reasons.end()) {
        reasons.push_back(each->reason);
      }
    }
    if (reasons.size() > kMostReasons) {
      const std::size_t more = reasons.size() - kMostReasons;
      reasons.resize(kMostReasons);
      reasons.push_back(fmt::format("{} more", more));
    }
    const std::string from = format_duration(first->latency);
    const std::string to = format_duration(std::prev(end)->latency);
    bands.push_back(fmt::format("undecided {}: {}",
                                from == to ? "at " + from : "from " + from + " to " + to,
                                join(reasons, "; ")));
    first = end;
  }
  return bands;
}

/// "cut velocity, both, gain=40": which of the results a remark is about.
std::string name_of(const MarginResult& result) {
  std::string name = fmt::format("cut {}, {}", result.cut,
                                 direction_names()[static_cast<std::size_t>(result.direction)]);
  for (const std::string& setting : result.settings) {
    name += ", " + setting;
  }
  return name;
}

}  // namespace

Json to_json(const MarginResult& result) {
  Json out;
  out["cut"] = result.cut;
  out["direction"] = direction_names()[static_cast<std::size_t>(result.direction)];
  out["settings"] = result.settings;
  out["gain"] = or_null(result.gain);
  out["control_period_s"] = to_seconds(result.control_period);
  out["physics_period_s"] = to_seconds(result.physics_period);
  out["resolution_s"] = to_seconds(result.resolution);
  out["critical_s"] = or_null(result.critical);
  out["is_at_limit"] = result.is_at_limit();
  out["unstable_s"] = or_null(result.unstable);
  out["undecided_s"] = Json::array();
  for (const MarginTrial& trial : result.tried) {
    if (trial.verdict == record::Verdict::kUndecided) {
      out["undecided_s"].push_back(to_seconds(trial.latency));
    }
  }
  add_prediction(out, result);
  out["difference_ticks"] = or_null(result.difference_ticks());
  const MarginTrial beyond = result.beyond.value_or(MarginTrial{});
  out["first_joint"] = or_null(beyond.first_joint());
  out["period_s"] = or_null(beyond.period_s);
  const bool is_growing = beyond.limited_joint.empty();
  out["growth_per_s"] = is_growing ? or_null(beyond.growth_per_s) : Json(nullptr);
  out["growth_standard_error_per_s"] =
      is_growing ? or_null(beyond.growth_standard_error_per_s) : Json(nullptr);
  out["reaches_limits"] = !beyond.limited_joint.empty();
  out["unstable_reason"] = or_null(beyond.reason);
  out["searched_up_to_s"] = to_seconds(result.searched_up_to);
  out["tried"] = Json::array();
  for (const MarginTrial& trial : result.tried) {
    out["tried"].push_back(trial_json(trial));
  }
  out["remarks"] = result.remarks;
  for (const std::string& remark : result.prediction.remarks) {
    out["remarks"].push_back(remark);
  }
  return out;
}

std::string remark_on_difference(const MarginResult& result) {
  const PredictedMargin& goal = result.prediction.at_goal;
  if (!result.prediction.is_known) {
    return "";
  }
  const std::string mark = "SIMULATION AND CLOSED FORM DIFFER: ";
  if (goal.is_unlimited) {
    return result.unstable ? mark + "unstable at " + format_duration(*result.unstable) +
                                 ", where the closed form has no limit"
                           : "";
  }
  // a loop that needs no latency to fail is stable one step below none
  const Duration expected =
      goal.critical ? *goal.critical / result.resolution * result.resolution : -result.resolution;
  const std::string form = goal.critical ? "stable up to " + format_duration(*goal.critical)
                                         : std::string("unstable without any latency");
  if (result.critical && *result.critical > expected + result.control_period) {
    return fmt::format("{}stable at {}, where the closed form says {}", mark,
                       format_duration(*result.critical), form);
  }
  if (result.unstable && *result.unstable - result.resolution < expected - result.control_period) {
    return fmt::format("{}unstable at {}, where the closed form says {}", mark,
                       format_duration(*result.unstable), form);
  }
  return "";
}

std::vector<std::string> remarks_on(const std::vector<MarginResult>& results) {
  std::vector<std::string> remarks;
  for (const MarginResult& result : results) {
    const std::string name = name_of(result);
    if (!result.critical && result.unstable) {
      remarks.push_back(name + ": unstable without any latency");
    }
    if (result.is_at_limit()) {
      remarks.push_back(fmt::format("{}: stable up to {}, the end of the search", name,
                                    format_duration(result.searched_up_to)));
    }
    for (const std::string& band : undecided_bands(result)) {
      remarks.push_back(name + ": " + band);
    }
    for (const std::string& remark : result.remarks) {
      remarks.push_back(name + ": " + remark);
    }
    for (const std::string& remark : result.prediction.remarks) {
      remarks.push_back(name + ": " + remark);
    }
  }
  return remarks;
}

}  // namespace longarm::study
