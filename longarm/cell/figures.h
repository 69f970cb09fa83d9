// SPDX-License-Identifier: Apache-2.0
// What tables and figures show of an actor, or of a whole cell.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace longarm::cell {

/// A quantity over time, drawn in figures. `unit` is that of `scale` times the sampled value.
struct CurveInfo {
  std::string name;
  std::string label;
  std::string unit;
  double scale = 1.0;
};

/// A metric, shown in tables and drawn over the axes of a study.
struct MetricInfo {
  std::string name;  ///< in metrics.json
  std::string label;
  std::string unit;
  double scale = 1.0;      ///< from SI to that unit
  int digits = 3;          ///< after the point
  std::string expected{};  ///< name of the metric that holds its closed form; empty: none
};

/// The curves and metrics of an actor, or of a whole cell.
struct Figures {
  std::vector<CurveInfo> curves;
  std::vector<MetricInfo> metrics;
  std::string outcome;  ///< a metric that is true or false, drawn as a map over two axes; or empty
  bool outcome_is_good = true;  ///< whether true is the desired outcome
  std::size_t headline = 5;     ///< how many of them a line of the terminal shows
};

/// A metric in results, by its name: "seed", or "picker.parts_per_minute" of an actor. Null if
/// there is none.
const nlohmann::ordered_json* find_metric(const nlohmann::ordered_json& results,
                                          const std::string& name);
nlohmann::ordered_json* find_metric(nlohmann::ordered_json& results, const std::string& name);

}  // namespace longarm::cell
