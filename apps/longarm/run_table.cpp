// SPDX-License-Identifier: Apache-2.0
// A line per metric: its value, and beside it what a closed form says.
#include "apps/longarm/run_table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/actors/arm.h"
#include "longarm/cell/figures.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/record/metrics.h"
#include "longarm/study/report/report_figures.h"

namespace longarm::app {
namespace {

using Json = nlohmann::ordered_json;

/// Of JSON that may be of any type; words as they are.
std::string value_text(const Json& value, const study::MetricColumn& column) {
  if (value.is_boolean()) {
    return value.get<bool>() ? "yes" : "no";
  }
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (!value.is_number()) {
    return value.is_null() ? "-" : value.dump();
  }
  const double number = value.get<double>() * column.scale;
  const double least = 0.5 * std::pow(10.0, -column.digits);
  // rounding noise is no result, and a run that ran away is beyond what digits could say
  const std::string digits =
      std::abs(number) < 1e7
          ? fmt::format("{:.{}f}", std::abs(number) < least ? 0.0 : number, column.digits)
          : fmt::format("{:.2e}", number);
  return column.unit.empty() ? digits : digits + " " + column.unit;
}

Json metric_of(const Json& metrics, const std::string& name) {
  const Json* found = cell::find_metric(metrics, name);
  return found == nullptr ? Json() : *found;
}

/// "closed form 0.068 s, off by 1.2 %"
std::string comparison(const Json& metrics, const study::MetricColumn& column) {
  const Json value = metric_of(metrics, column.name);
  const Json expected = metric_of(metrics, column.expected);
  if (!expected.is_number()) {
    return "";
  }
  std::string text = "closed form " + value_text(expected, column);
  if (value.is_number() && expected.get<double>() != 0.0) {
    const double off = value.get<double>() / expected.get<double>() - 1.0;
    text += fmt::format(", {:+.2f} %", 100.0 * off);
  }
  return text;
}

std::string table(const study::StudyFigures& figures, const Json& metrics) {
  struct Line {
    std::string label, value, remark;
  };
  std::vector<Line> lines;
  std::size_t label_width = 0;
  std::size_t value_width = 0;
  for (const study::MetricColumn& column : figures.columns) {
    const bool is_closed_form =
        std::any_of(figures.columns.begin(), figures.columns.end(),
                    [&](const auto& other) { return other.expected == column.name; });
    if (is_closed_form) {
      continue;  // it stands beside what it is the closed form of
    }
    lines.push_back({column.label, value_text(metric_of(metrics, column.name), column),
                     column.expected.empty() ? "" : comparison(metrics, column)});
    label_width = std::max(label_width, character_count(lines.back().label));
    value_width = std::max(value_width, character_count(lines.back().value));
  }
  std::string text;
  for (const Line& line : lines) {
    text += "  " + line.label + std::string(label_width - character_count(line.label) + 3, ' ') +
            std::string(value_width - character_count(line.value), ' ') + line.value +
            (line.remark.empty() ? "" : "   " + line.remark) + "\n";
  }
  return text;
}

std::string divergence_text(const Json& metrics) {
  const auto found = metrics.find("diverged");
  if (found == metrics.end() || !found->is_object()) {
    return "";
  }
  const Json pose = found->value("last_good_pose", Json::object());
  return fmt::format(
      "  diverged at {:.3f} s: body '{}' left the world or its state is not finite\n"
      "  last good state at {:.3f} s, with the body at {} m; the results below cover the time "
      "until then\n"
      "\n",
      found->value("at_s", 0.0), found->value("body", ""), found->value("last_good_s", 0.0),
      pose.value("position_m", Json()).dump());
}

/// What the network added, before anything else.
std::string reference_text(const Json& metrics) {
  const auto reference = metrics.find("reference");
  if (reference == metrics.end() || !reference->is_object()) {
    return "";
  }
  if (reference->value("state_hash", "") == metrics.value("state_hash", "-")) {
    return "  the network has no effect: the run without it is bit for bit the same\n"
           "\n";
  }
  std::string text = "  effect of the network\n";
  const Json distances = reference->value("distance", Json::object());
  for (const auto& [actor, distance] : distances.items()) {
    text +=
        fmt::format("    {}: at most {:.3f} mm from the run without the network, {:.3f} mm rms\n",
                    actor, 1e3 * distance.value("max_m", 0.0), 1e3 * distance.value("rms_m", 0.0));
  }
  const Json differences = reference->value("metrics", Json::object());
  for (const auto& [name, each] : differences.items()) {
    if (each.value("added", 0.0) != 0.0) {
      text += fmt::format("    {}: {:+.6g} relative to {:.6g} without the network\n", name,
                          each.value("added", 0.0), each["without_network"].get<double>());
    }
  }
  return text + "\n";
}

/// What the run left in its folder.
std::string files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const char* name : {"metrics.json", "scenario.yaml", "trace.mcap", "trace.csv", "path.svg",
                           "curves.csv", "curves.svg"}) {
    if (std::filesystem::exists(std::filesystem::path(folder) / name, ignored)) {
      names.emplace_back(name);
    }
  }
  return join(names);
}

/// "cut velocity, link delay / delay"
std::string arm_text(const actors::ArmConfig& arm, const std::string& host) {
  return fmt::format(
      "cut {}, {}", arm.cut,
      arm.control.host.empty()
          ? fmt::format("link {} / {}", arm.link.states.model, arm.link.commands.model)
          : fmt::format("network {} to {}", arm.control.host, host));
}

}  // namespace

std::string run_text(const cell::PreparedScenario& prepared, const cell::RunResult& result) {
  const Json& metrics = result.metrics;
  const Json machine = metrics.value("machine", Json::object());
  const cell::CellConfig& cell = prepared.cell();
  std::string text = fmt::format("{}: {:.3f} s on {}", prepared.name,
                                 metrics.value("simulated_s", 0.0), prepared.scenario.engine);
  if (cell.is_short) {
    text += ", " + arm_text(actors::arm_of(prepared).config(), cell.actors.front().host) +
            (metrics.value("ended", "") == "diverged" ? ", stopped because the arm diverged" : "") +
            "\n\n" + record::format_metrics_table(metrics) + "\n";
  } else {
    text += "\n\n" + divergence_text(metrics) + reference_text(metrics) +
            table(study::figures_of(prepared), metrics) + "\n";
  }
  return text + fmt::format("  state hash {}   {:.1f}x real time\n  results in {}/ ({})\n",
                            metrics.value("state_hash", ""), machine.value("real_time_factor", 0.0),
                            result.folder, files_in(result.folder));
}

}  // namespace longarm::app
