// SPDX-License-Identifier: Apache-2.0
// The axes and the metrics of a study as tables and figures name them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/cell/figures.h"
#include "longarm/study/axis.h"

namespace longarm::study {

/// An axis with its values as numbers, where they are some.
struct ReportAxis {
  struct Value {
    std::string text;              ///< as it was asked: "10ms"
    std::optional<double> number;  ///< 0.01
  };
  std::string key;
  std::string unit;  ///< of the numbers: "s" or nothing
  std::vector<Value> values;

  bool is_repeat() const { return key == "seed"; }
  /// Two values or more, all of them numbers.
  bool is_numeric() const;
  /// "link.delay" is called "delay" where that is enough.
  std::string short_key() const;
};

/// From StudyQuestion::axes. Throws InputError if they are damaged.
std::vector<ReportAxis> read_axes(const nlohmann::ordered_json& axes);

/// Throws InputError that names the run if the axes have no such point.
void check_point(const std::vector<ReportAxis>& axes, const Point& point,
                 const std::string& identity);

/// "impulse in m/s" for "impulse_m_s"; a key without a unit in its name as it is.
std::string key_in_unit(const std::string& key);

/// At most so many letters; what is cut out of the middle becomes "…".
std::string shortened(const std::string& text, std::size_t most_letters);

/// "10 ms", "effort", "gain 40", "control.period 4 ms": the only delay needs no name.
std::string point_label(const std::vector<ReportAxis>& axes, const Point& point);

/// How a metric is shown.
struct MetricColumn : cell::MetricInfo {
  bool is_of_machine = false;  ///< differs from run to run, and is no result
};
nlohmann::ordered_json to_json(const MetricColumn& column);

/// For each of metric_columns().
std::vector<MetricColumn> metric_column_labels();

}  // namespace longarm::study
