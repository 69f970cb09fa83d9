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

/// Numbers are shown times `scale`.
struct Unit {
  std::string name{};
  double scale = 1.0;
};
/// In which the largest of some durations is at least one: s, ms or µs.
Unit unit_of_durations(double largest_s);
/// "slip [mm]"; without a unit the label alone.
std::string with_unit(const std::string& label, const std::string& unit);
/// "Slip time" for "slip time".
std::string capital(std::string text);
/// About four digits: "0.25", "1.2e-07".
std::string short_number(double value);
/// "4.2 ms".
std::string duration_text(double time_s);

/// An axis with its values as numbers, where they are some.
struct ReportAxis {
  struct Value {
    std::string text;              ///< as it was asked: "10ms"
    std::optional<double> number;  ///< 0.01
    std::string shown{};           ///< "10 ms": durations of an axis have one unit
  };
  std::string key;
  std::string unit;  ///< of the numbers: "s" or nothing
  std::vector<Value> values;
  Unit shown_in{};

  bool is_repeat() const { return key == "seed"; }
  /// Two values or more, all of them numbers.
  bool is_numeric() const;
  /// "link.delay" is called "delay" where that is enough.
  std::string short_key() const;
  /// "link.delay [ms]", "impulse [m/s]" for impulse_m_s.
  std::string title() const;
};

/// From StudyQuestion::axes. Throws InputError if they are damaged.
std::vector<ReportAxis> read_axes(const nlohmann::ordered_json& axes);

/// Throws InputError that names the run if the axes have no such point.
void check_point(const std::vector<ReportAxis>& axes, const Point& point,
                 const std::string& identity);

/// "10 ms", "effort", "gain 40", "control.period 4 ms": the only delay needs no name.
std::string value_name(const std::vector<ReportAxis>& axes, std::size_t axis, std::size_t step);
std::string point_label(const std::vector<ReportAxis>& axes, const Point& point);

/// How a metric is shown.
struct MetricColumn : cell::MetricInfo {
  bool is_of_machine = false;  ///< differs from run to run, and is no result
};
nlohmann::ordered_json to_json(const MetricColumn& column);

/// For each of metric_columns().
std::vector<MetricColumn> metric_column_labels();

}  // namespace longarm::study
