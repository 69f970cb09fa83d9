// SPDX-License-Identifier: Apache-2.0
// Words for keys, values and metrics.
#include "longarm/study/report/report_axis.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/record/figure_panel.h"
#include "longarm/study/store.h"

namespace longarm::study {
namespace {

/// What tells a long value from the axis's others: "…/quiet.csv" of a path.
std::string distinct_text(const ReportAxis& axis, const std::string& text) {
  constexpr std::size_t kLong = 24;
  constexpr std::size_t kMost = 40;
  if (text.size() <= kLong || axis.values.size() < 2) {
    return record::shortened(text, kMost);
  }
  std::size_t same = text.size();
  for (const ReportAxis::Value& other : axis.values) {
    if (other.text != text) {
      const auto end =
          std::mismatch(text.begin(), text.end(), other.text.begin(), other.text.end());
      same = std::min(same, static_cast<std::size_t>(end.first - text.begin()));
    }
  }
  // from the last word's beginning on
  const std::size_t word = same == 0 ? std::string::npos : text.find_last_of("/,[ ", same - 1);
  const bool is_cut = word != std::string::npos && word > 3;
  return record::shortened(is_cut ? "…" + text.substr(word) : text, kMost);
}

/// One unit for all values: plain numbers if all are, else durations where they are some.
void read_numbers(ReportAxis& axis) {
  const bool are_plain = std::all_of(axis.values.begin(), axis.values.end(), [](const auto& value) {
    return parse_number(value.text).has_value();
  });
  for (ReportAxis::Value& value : axis.values) {
    if (are_plain) {
      value.number = parse_number(value.text);
      continue;
    }
    if (const Result<Duration> duration = parse_duration(value.text)) {
      value.number = to_seconds(*duration);
      axis.unit = "s";
    }
  }
  double largest = 0.0;
  for (const ReportAxis::Value& value : axis.values) {
    largest = std::max(largest, std::abs(value.number.value_or(0.0)));
  }
  axis.shown_in = axis.unit == "s" ? unit_of_durations(largest) : Unit{};
  for (ReportAxis::Value& value : axis.values) {
    const bool is_duration = axis.unit == "s" && value.number;
    value.shown = is_duration ? fmt::format("{:.6g} {}", *value.number * axis.shown_in.scale,
                                            axis.shown_in.name)
                              : value.text;
  }
}

}  // namespace

bool ReportAxis::is_numeric() const {
  return values.size() > 1 && std::all_of(values.begin(), values.end(), [](const Value& value) {
           return value.number.has_value();
         });
}

std::string ReportAxis::short_key() const {
  return key.substr(key.rfind('.') + 1);
}

std::string ReportAxis::title() const {
  if (unit == "s") {
    return with_unit(key, shown_in.name);
  }
  // the longest first: _m_s is no second
  static constexpr std::array<std::pair<const char*, const char*>, 13> kUnits{{{"_m_s2", "m/s²"},
                                                                               {"_rad_s", "rad/s"},
                                                                               {"_m_s", "m/s"},
                                                                               {"_rad", "rad"},
                                                                               {"_deg", "deg"},
                                                                               {"_pa", "Pa"},
                                                                               {"_kg", "kg"},
                                                                               {"_nm", "Nm"},
                                                                               {"_hz", "Hz"},
                                                                               {"_N", "N"},
                                                                               {"_n", "N"},
                                                                               {"_m", "m"},
                                                                               {"_s", "s"}}};
  for (const auto& [ending, name] : kUnits) {
    if (key.ends_with(ending)) {
      return with_unit(key.substr(0, key.size() - std::string_view(ending).size()), name);
    }
  }
  return key;
}

Unit unit_of_durations(double largest_s) {
  return largest_s >= 0.9995                          ? Unit{"s", 1.0}
         : largest_s >= 0.9995e-3 || largest_s == 0.0 ? Unit{"ms", 1e3}
                                                      : Unit{"µs", 1e6};
}

std::string with_unit(const std::string& label, const std::string& unit) {
  return unit.empty() ? label : label + " [" + unit + "]";
}

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
}

std::string short_number(double value) {
  return fmt::format("{}{:.4g}", value < 0.0 ? "\u2212" : "", std::abs(value));
}

std::string duration_text(double time_s) {
  const Unit unit = time_s == 0.0 ? Unit{"s"} : unit_of_durations(std::abs(time_s));
  return short_number(time_s * unit.scale) + " " + unit.name;
}

std::vector<ReportAxis> read_axes(const nlohmann::ordered_json& axes) {
  std::vector<ReportAxis> read;
  try {
    for (const auto& axis : axes) {
      ReportAxis& out = read.emplace_back();
      out.key = axis.at("key").get<std::string>();
      for (const auto& text : axis.at("values")) {
        out.values.push_back({text.get<std::string>(), std::nullopt});
      }
      read_numbers(out);
    }
  } catch (const nlohmann::json::exception&) {
    throw InputError(Diagnostic{
        {}, "the axes in the study's database are damaged", "repeat it: longarm sweep …"});
  }
  return read;
}

void check_point(const std::vector<ReportAxis>& axes, const Point& point,
                 const std::string& identity) {
  bool is_there = axes.size() == point.size();
  for (std::size_t i = 0; is_there && i < axes.size(); ++i) {
    is_there = point[i] < axes[i].values.size();
  }
  if (!is_there) {
    throw InputError(Diagnostic{{},
                                "the study's axes do not include the point of run " + identity,
                                "its database is damaged; repeat it: longarm sweep …"});
  }
}

std::string value_name(const std::vector<ReportAxis>& axes, std::size_t axis, std::size_t step) {
  const auto is_delay = [](const ReportAxis& each) {
    return each.unit == "s" && each.key.find("delay") != std::string::npos;
  };
  const ReportAxis& own = axes[axis];
  const ReportAxis::Value& value = own.values.at(step);
  if (own.unit == "s" && value.number) {
    const bool is_only_delay =
        is_delay(own) && std::count_if(axes.begin(), axes.end(), is_delay) == 1;
    return (is_only_delay ? "" : own.key + " ") + value.shown;
  }
  const bool needs_key = value.number || value.text == "true" || value.text == "false";
  return needs_key ? own.short_key() + " " + value.text : distinct_text(own, value.text);
}

std::string point_label(const std::vector<ReportAxis>& axes, const Point& point) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < axes.size() && i < point.size(); ++i) {
    words.push_back(value_name(axes, i, point[i]));
  }
  return join(words);
}

nlohmann::ordered_json to_json(const MetricColumn& column) {
  nlohmann::ordered_json out{{"name", column.name},
                             {"label", column.label},
                             {"unit", column.unit},
                             {"scale", column.scale},
                             {"digits", column.digits}};
  if (!column.expected.empty()) {
    out["expected"] = column.expected;
  }
  if (column.is_of_machine) {
    out["is_of_machine"] = true;
  }
  return out;
}

std::vector<MetricColumn> metric_column_labels() {
  static const std::array<cell::MetricInfo, 11> kKnown{{
      {"path_deviation_max_m", "path deviation, max", "mm", 1e3, 3},
      {"path_deviation_rms_m", "path deviation, rms", "mm", 1e3, 3},
      {"reference_path_deviation_max_m", "distance to the run without the link, max", "mm", 1e3, 3},
      {"cumulated_velocity_command_difference_rad", "cumulated velocity-command difference", "rad",
       1.0, 4},
      {"cumulated_pid_error_rad_s", "cumulated PID error", "rad·s", 1.0, 4},
      {"cumulated_joint_difference_rad_s", "cumulated joint difference to plan", "rad·s", 1.0, 4},
      {"overshoot_rad", "overshoot", "mrad", 1e3, 3},
      {"settling_time_s", "settling time", "s", 1.0, 3},
      {"unstable_at_s", "unstable from", "s", 1.0, 3},
      {"growth_per_s", "growth of the error", "1/s", 1.0, 3},
      {"growth_standard_error_per_s", "its standard error", "1/s", 1.0, 4},
  }};
  std::vector<MetricColumn> columns;
  for (const std::string& name : metric_columns()) {
    const auto known = std::find_if(kKnown.begin(), kKnown.end(),
                                    [&](const auto& each) { return each.name == name; });
    columns.push_back({known != kKnown.end() ? *known : cell::MetricInfo{name, name, "", 1.0, 4}});
  }
  return columns;
}

}  // namespace longarm::study
