// SPDX-License-Identifier: Apache-2.0
// The metrics as a person reads them at the end of a run.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/record/metrics.h"

namespace longarm::record {
namespace {

using Json = nlohmann::ordered_json;

std::string cell(const Json& value, double scale, const char* format) {
  return value.is_number() ? fmt::format(fmt::runtime(format), value.get<double>() * scale)
                           : std::string("-");
}

void line(std::string& text, const std::string& name, const std::string& value,
          const std::string& unit) {
  text += fmt::format("  {:<38}{:>14} {}\n", name, value, unit);
}

std::string verdict_text(const Json& stable) {
  if (stable.is_string()) {
    return stable.get<std::string>();
  }
  return stable.get<bool>() ? "stable" : "UNSTABLE";
}

/// One row per direction.
std::string link_table(const Json& link) {
  constexpr const char* kRow = "  {:<10}{:>8}{:>8}{:>8}{:>11}{:>11}{:>11}{:>11}{:>9}{:>12}\n";
  std::string text = fmt::format(kRow, "link", "sent", "dropped", "out of", "delay p50", "p99",
                                 "max", "mean age", "missed", "outage");
  text += fmt::format(kRow, "", "", "", "order", "ms", "ms", "ms", "ms", "deadline", "max ms");
  for (const auto& [direction, figures] : link.items()) {
    const auto in = [&figures = figures](const char* key, double scale, const char* format) {
      return figures.contains(key) ? cell(figures[key], scale, format) : std::string("-");
    };
    text += fmt::format(kRow, direction, in("sent", 1.0, "{:.0f}"), in("dropped", 1.0, "{:.0f}"),
                        in("reordered", 1.0, "{:.0f}"), in("delay_p50_s", 1e3, "{:.3f}"),
                        in("delay_p99_s", 1e3, "{:.3f}"), in("delay_max_s", 1e3, "{:.3f}"),
                        in("age_mean_s", 1e3, "{:.3f}"), in("deadline_miss_ratio", 1e2, "{:.2f} %"),
                        in("longest_outage_s", 1e3, "{:.3f}"));
  }
  return text;
}

}  // namespace

std::string format_metrics_table(const Json& metrics) {
  std::string text;
  const auto number = [&](const char* key, const char* name, double scale, const char* format,
                          const char* unit) {
    if (metrics.contains(key)) {
      line(text, name, cell(metrics[key], scale, format), unit);
    }
  };
  // what the network added comes first
  number("reference_path_deviation_max_m", "distance to reference run, max", 1e3, "{:.3f}", "mm");
  if (metrics.contains("reference_compared_s") &&
      metrics["reference_compared_s"] < metrics["simulated_s"]) {
    number("reference_compared_s", "  compared only up to", 1.0, "{:.3f}", "s");
  }
  number("path_deviation_max_m", "path deviation, max", 1e3, "{:.3f}", "mm");
  number("path_deviation_rms_m", "path deviation, rms", 1e3, "{:.3f}", "mm");
  number("cumulated_pid_error_rad_s", "cumulated PID error", 1.0, "{:.4f}", "rad s");
  number("cumulated_joint_difference_rad_s", "cumulated joint difference to plan", 1.0, "{:.4f}",
         "rad s");
  number("cumulated_velocity_command_difference_rad", "cumulated velocity-command difference", 1.0,
         "{:.4f}", "rad");
  number("overshoot_rad", "overshoot", 1e3, "{:.3f}", "mrad");
  number("settling_time_s", "settling time (1 mrad)", 1.0, "{:.3f}", "s");
  line(text, "verdict", verdict_text(metrics["stable"]),
       "(" + metrics["verdict_reason"].get<std::string>() + ")");
  if (metrics["unstable_joint"].is_string()) {
    line(text, "  first unstable joint", metrics["unstable_joint"].get<std::string>(), "");
    number("unstable_at_s", "  from", 1.0, "{:.3f}", "s");
  }
  if (metrics.contains("abort_reason")) {
    line(text, "trajectory aborted", "", metrics["abort_reason"].get<std::string>());
  }
  number("growth_per_s", "growth of the error's envelope", 1.0, "{:+.3f}", "1/s");
  if (metrics.contains("first_contact")) {
    number("first_contact_s", "the arm touches something, first", 1.0, "{:.3f}",
           ("s: " + metrics["first_contact"].get<std::string>()).c_str());
  }
  if (metrics.contains("watchdog") && metrics["watchdog"]["tripped"].get<bool>()) {
    line(text, "watchdog stopped the robot",
         cell(metrics["watchdog"]["tripped_at_s"], 1.0, "{:.3f}"), "s");
  }

  text += fmt::format("\n  {:<22}{:>12}{:>14}{:>12}{:>12}  {}\n", "joint", "PID error",
                      "to plan, rms", "overshoot", "settling", "verdict");
  text += fmt::format("  {:<22}{:>12}{:>14}{:>12}{:>12}\n", "", "rad s", "mrad", "mrad", "s");
  for (const auto& [name, joint] : metrics["joints"].items()) {
    text +=
        fmt::format("  {:<22}{:>12}{:>14}{:>12}{:>12}  {}\n", name,
                    cell(joint["cumulated_pid_error_rad_s"], 1.0, "{:.4f}"),
                    cell(joint["joint_difference_rms_rad"], 1e3, "{:.3f}"),
                    cell(joint["overshoot_rad"], 1e3, "{:.3f}"),
                    cell(joint["settling_time_s"], 1.0, "{:.3f}"), verdict_text(joint["stable"]));
  }
  if (metrics.contains("link")) {
    text += "\n" + link_table(metrics["link"]);
  }
  return text;
}

}  // namespace longarm::record
