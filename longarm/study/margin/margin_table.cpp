// SPDX-License-Identifier: Apache-2.0
// Margins as a table of text.
#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/study/margin/margin.h"

namespace longarm::study {
namespace {

constexpr std::size_t kSettingsColumn = 2;

std::string milliseconds(const std::optional<Duration>& value, const char* otherwise) {
  return value ? fmt::format("{:g}", to_seconds(*value) * 1e3) : otherwise;
}

std::string simulated_text(const MarginResult& r) {
  if (!r.critical) {
    return r.unstable ? "unstable at 0" : "undecided";
  }
  if (r.is_at_limit()) {
    return fmt::format(">= {:g}", to_seconds(*r.critical) * 1e3);
  }
  return fmt::format("{} … {}", milliseconds(r.critical, "-"), milliseconds(r.unstable, "?"));
}

std::string closed_form_text(const MarginResult& r) {
  const PredictedMargin& expected = r.prediction.at_goal;
  if (!r.prediction.is_known) {
    return "-";
  }
  return expected.is_unlimited ? "no limit" : milliseconds(expected.critical, "unstable at 0");
}

std::string period_text(const std::optional<double>& period_s) {
  return period_s && *period_s > 0.0 ? fmt::format("{:.4g}", *period_s * 1e3) : "-";
}

std::string growth_text(const MarginResult& r) {
  if (!r.beyond) {
    return "-";
  }
  const std::string expected =
      r.predicted_swing ? fmt::format(" / {:.3g}", r.predicted_swing->growth_per_s) : "";
  if (!r.beyond->limited_joint.empty()) {
    return "to its limits" + expected;
  }
  if (!r.beyond->growth_per_s) {
    return "diverged" + expected;
  }
  // after ± half of the 95 % interval, as everywhere
  const std::optional<double>& error = r.beyond->growth_standard_error_per_s;
  return fmt::format("{:.3g}", *r.beyond->growth_per_s) +
         (error ? fmt::format(" ± {:.1g}", 2.0 * *error) : "") + expected;
}

std::string expected_joint_text(const Prediction& prediction) {
  const PredictedMargin& expected = prediction.at_goal;
  if (expected.is_unlimited || !prediction.is_known) {
    return "-";
  }
  return expected.tied_joints.empty() ? expected.joint : "any of " + join(expected.tied_joints);
}

std::vector<std::string> row_of(const MarginResult& r) {
  const std::optional<double> difference = r.difference_ticks();
  return {r.cut,
          direction_names()[static_cast<std::size_t>(r.direction)],
          join(r.settings, " "),
          simulated_text(r),
          closed_form_text(r),
          difference ? fmt::format("{:+g}", *difference) : "-",
          fmt::format("{} / {}", r.beyond ? r.beyond->first_joint() : "-",
                      expected_joint_text(r.prediction)),
          fmt::format("{} / {}", period_text(r.beyond ? r.beyond->period_s : std::nullopt),
                      period_text(r.predicted_swing ? std::optional(r.predicted_swing->period_s)
                                                    : std::nullopt)),
          growth_text(r)};
}

}  // namespace

std::string format_margin_table(const std::vector<MarginResult>& results) {
  std::vector<std::vector<std::string>> rows{
      {"cut", "direction", "set", "stable … unstable, ms", "closed form, ms", "ticks apart",
       "first joint / closed form", "period / closed form, ms", "growth / closed form, 1/s"}};
  for (const MarginResult& result : results) {
    rows.push_back(row_of(result));
  }
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const std::vector<std::string>& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], character_count(row[column]));
    }
  }
  const bool has_settings = std::any_of(results.begin(), results.end(),
                                        [](const MarginResult& r) { return !r.settings.empty(); });
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      if (column != kSettingsColumn || has_settings) {
        line += row[column] + std::string(widths[column] - character_count(row[column]) + 2, ' ');
      }
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace longarm::study
