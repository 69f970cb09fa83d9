// SPDX-License-Identifier: Apache-2.0
// Growth of the error over latency, with the margin found and the one that mathematics gives.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/study/json_values.h"
#include "longarm/study/report/figures.h"
#include "longarm/study/report/figures_style.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;
using record::SvgDrawing;

constexpr double kMarginPanelWidth = 380.0;
constexpr double kMarginPanelHeight = 170.0;
constexpr double kMarginPanelRow = kMarginPanelHeight + 86.0;
constexpr double kMarginPanelsTop = 136.0;
constexpr std::size_t kMostPanels = 24;

constexpr const char* kStable = "#1f5fa8";
constexpr const char* kUnstable = "#c2410c";
constexpr const char* kClosedForm = "#6b21a8";

const Json& trials_of(const Json& margin) {
  static const Json kNone = Json::array();
  const auto found = margin.find("tried");
  return found != margin.end() && found->is_array() ? *found : kNone;
}

/// Around the border, if there is one; a scan reaches much farther.
Range latency_range_ms(const Json& margin) {
  double border = 0.0;
  for (const char* key : {"critical_s", "unstable_s", "closed_form_s"}) {
    border = std::max(border, number_in(margin, key).value_or(0.0));
  }
  double most = 0.0;
  for (const Json& trial : trials_of(margin)) {
    most = std::max(most, number_in(trial, "latency_s").value_or(0.0));
  }
  const double shown = border > 0.0 ? std::min(2.0 * border, std::max(most, border)) : most;
  Range range{0.0, shown > 0.0 ? shown * 1e3 : 1.0};
  range.high *= 1.05;
  return range;
}

/// What the stable runs need, and as much above: how fast others grow says little.
Range growth_range(const Json& margin, const Range& latency_ms) {
  Range range{0.0, 0.0};
  for (const Json& trial : trials_of(margin)) {
    const bool is_shown = number_in(trial, "latency_s").value_or(0.0) * 1e3 <= latency_ms.high;
    if (const auto growth = number_in(trial, "growth_per_s"); growth && is_shown) {
      range.include(*growth);
    }
  }
  const double below = -range.low;
  if (below > 0.0) {
    range.high = std::min(range.high, 1.5 * below);
  }
  range.widen(0.1);
  return range;
}

void draw_trials(SvgDrawing& svg, const Plot& plot, const Json& margin) {
  for (const Json& trial : trials_of(margin)) {
    const double latency_ms = number_in(trial, "latency_s").value_or(0.0) * 1e3;
    if (latency_ms > plot.across.high) {
      continue;
    }
    const std::string verdict = text_in(trial, "verdict");
    const std::string_view colour = verdict == "stable"     ? kStable
                                    : verdict == "unstable" ? kUnstable
                                                            : record::colour::kFaintInk;
    const double x = plot.x_of(latency_ms);
    // without a fitted growth only the verdict is known
    const std::optional<double> growth = number_in(trial, "growth_per_s");
    const double value = growth.value_or(verdict == "stable"     ? plot.up.low
                                         : verdict == "unstable" ? plot.up.high
                                                                 : 0.0);
    if (value >= plot.up.high || value <= plot.up.low) {
      const bool is_above = value >= plot.up.high;
      svg.text({x, is_above ? plot.frame.low[1] + 12.0 : plot.frame.high[1] - 3.0},
               is_above ? "▲" : "▼", {.size_px = 10.0, .colour = colour, .anchor = "middle"});
      continue;
    }
    const double error = 2.0 * number_in(trial, "growth_standard_error_per_s").value_or(0.0);
    const double low = plot.y_of(std::max(value - error, plot.up.low));
    const double high = plot.y_of(std::min(value + error, plot.up.high));
    svg.line({x, low}, {x, high}, colour, 1.2);
    svg.circle({x, plot.y_of(value)}, 3.5, verdict == "undecided" ? "#ffffff" : colour, colour);
  }
}

std::string panel_title(const Json& margin) {
  std::string title =
      fmt::format("cut {}, latency on {}", text_in(margin, "cut"), text_in(margin, "direction"));
  if (text_in(margin, "direction") == "both") {
    title = fmt::format("cut {}, latency each way", text_in(margin, "cut"));
  }
  if (const auto gain = number_in(margin, "gain")) {
    title += fmt::format(", gain {:g}", *gain);
  }
  if (const auto period = number_in(margin, "control_period_s")) {
    title += fmt::format(", control {:g} ms", *period * 1e3);
  }
  return title;
}

std::string found_text(const Json& margin) {
  const std::optional<double> critical = number_in(margin, "critical_s");
  const std::optional<double> closed = number_in(margin, "closed_form_s");
  std::string text;
  if (!number_in(margin, "unstable_s")) {
    const double up_to = number_in(margin, "searched_up_to_s").value_or(0.0);
    text = fmt::format("stable up to {:g} ms, where the search ended", up_to * 1e3);
  } else {
    text = critical ? fmt::format("stable up to {:g} ms", *critical * 1e3)
                    : std::string("unstable without any latency");
  }
  return text + (closed ? fmt::format("; closed form {:g} ms", *closed * 1e3) : "");
}

void draw_panel(SvgDrawing& svg, const Json& margin, double left, double top) {
  Plot plot{{{left, top}, {left + kMarginPanelWidth, top + kMarginPanelHeight}},
            latency_range_ms(margin),
            {}};
  plot.up = growth_range(margin, plot.across);
  record::draw_panel_title(svg, {{left, top - 16.0}, plot.frame.high}, panel_title(margin));
  svg.text({left, top - 7.0}, found_text(margin), {.colour = record::colour::kInk});
  plot.draw_axes(svg, "latency in ms", "growth in 1/s");
  if (plot.up.low < 0.0 && plot.up.high > 0.0) {
    svg.line({left, plot.y_of(0.0)}, {plot.frame.high[0], plot.y_of(0.0)}, record::colour::kInk,
             1.0);
  }
  const auto mark = [&](const char* key, std::string_view colour, std::string_view dashes,
                        double width) {
    const std::optional<double> at = number_in(margin, key);
    if (at && *at * 1e3 <= plot.across.high) {
      const double x = plot.x_of(*at * 1e3);
      svg.line({x, top}, {x, plot.frame.high[1]}, colour, width, dashes);
    }
  };
  if (number_in(margin, "unstable_s")) {
    mark("critical_s", kStable, "", 2.0);
  }
  mark("closed_form_s", kClosedForm, "5 3", 2.0);
  draw_trials(svg, plot, margin);
  svg.rectangle(plot.frame, "none", record::colour::kFrame);
}

void draw_margin_legend(SvgDrawing& svg, double y) {
  double x = 24.0;
  const auto entry = [&](std::string_view words) {
    svg.text({x + 34.0, y + 4.0}, words, {.colour = record::colour::kInk});
    x += 34.0 + 6.4 * static_cast<double>(words.size()) + 18.0;
  };
  const auto dot = [&](std::string_view fill, std::string_view stroke, std::string_view words) {
    svg.circle({x + 24.0, y}, 3.5, fill, stroke);
    entry(words);
  };
  dot(kStable, kStable, "stable");
  dot(kUnstable, kUnstable, "unstable");
  dot("#ffffff", record::colour::kFaintInk, "undecided");
  svg.line({x, y}, {x + 28.0, y}, kStable, 2.0);
  entry("largest stable latency found");
  svg.line({x, y}, {x + 28.0, y}, kClosedForm, 2.0, "5 3");
  entry("closed form");
  svg.text({x + 8.0, y + 4.0}, "▲", {.size_px = 10.0, .colour = kUnstable});
  entry("off the scale; bars: 2 std. errors");
}

}  // namespace

std::string draw_margins(const Report& report) {
  if (!report.margins.is_array() || report.margins.empty()) {
    return "";
  }
  const std::size_t panels = std::min(report.margins.size(), kMostPanels);
  const std::string remark = report.margins.size() > kMostPanels
                                 ? fmt::format("{} of {} searches", panels, report.margins.size())
                                 : "";
  SvgDrawing svg(kPageWidth,
                 kMarginPanelsTop + 20.0 + static_cast<double>((panels + 1) / 2) * kMarginPanelRow,
                 "Latency margins");
  draw_heading(svg, report, "Latency margins", remark);
  draw_margin_legend(svg, kHeadingHeight + 12.0);
  for (std::size_t i = 0; i < panels; ++i) {
    draw_panel(svg, report.margins[i], i % 2 == 0 ? 84.0 : 84.0 + kMarginPanelWidth + 98.0,
               kMarginPanelsTop + 20.0 + static_cast<double>(i / 2) * kMarginPanelRow);
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
