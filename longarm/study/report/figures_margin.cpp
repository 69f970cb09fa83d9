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

constexpr double kPanelHeight = 190.0;
constexpr double kPanelAbove = 56.0;
constexpr double kPanelBelow = 52.0;
constexpr double kPanelLeft = 70.0;
constexpr double kPanelRight = 14.0;
constexpr double kTrialArea = 46.0;  // square pixels
constexpr std::size_t kMostPanels = 24;

/// Linear up to the frame's constant and logarithmic beyond, on both sides of zero.
double bent(double growth, const MarginFrame& frame) {
  return std::copysign(std::log1p(std::abs(growth) / frame.constant), growth);
}

std::string_view verdict_colour(const std::string& verdict) {
  return verdict == "stable"     ? record::colour::kStable
         : verdict == "unstable" ? record::colour::kUnstable
                                 : record::colour::kUndecided;
}

record::Plot plot_of(const MarginFrame& frame, const record::PlaneBox& box) {
  return {box,
          {0.0, frame.end_s * frame.unit.scale},
          {bent(2.0 * frame.low, frame), bent(2.0 * frame.high, frame)}};
}

void draw_axes(SvgDrawing& svg, const record::Plot& plot, const MarginPanel& panel) {
  const MarginFrame& frame = panel.near;
  const double width = plot.frame.high[0] - plot.frame.low[0];
  record::draw_across_ticks(
      svg, plot.frame, record::ticks_between(0.0, plot.across.high, width / 60.0).values,
      [&](double value) { return plot.x_of(value); },
      with_unit(panel.across_title, frame.unit.name));
  // text needs room: next to zero it is zero that is told
  std::vector<double> ticks = frame.ticks;
  const double zero = plot.y_of(0.0);
  std::erase_if(ticks, [&](double tick) {
    const double y = plot.y_of(bent(tick, frame));
    return y < plot.frame.low[1] || y > plot.frame.high[1] ||
           (tick != 0.0 && std::abs(y - zero) < 13.0);
  });
  record::draw_up_ticks(
      svg, plot.frame, ticks, [&](double tick) { return plot.y_of(bent(tick, frame)); },
      "growth [1/s]");
  svg.rectangle(plot.frame, "none", record::colour::kLine);
  svg.line({plot.frame.low[0], zero}, {plot.frame.high[0], zero}, record::colour::kSoft, 1.0);
}

/// The margin as a line and the gap to the first unstable latency as a band; the closed form
/// dashed.
void draw_limits(SvgDrawing& svg, const record::Plot& plot, const MarginPanel& panel,
                 const Json& margin) {
  const auto x_of = [&](const char* key) {
    const std::optional<double> at = number_in(margin, key);
    return at ? std::optional(plot.x_of(*at * panel.near.unit.scale)) : std::nullopt;
  };
  const auto critical = x_of("critical_s");
  const auto unstable = x_of("unstable_s");
  const auto closed = x_of("closed_form_s");
  const double top = plot.frame.low[1];
  const double bottom = plot.frame.high[1];
  if (critical && unstable) {
    svg.rectangle({{*critical, top}, {*unstable, bottom}}, record::colour::kInk, "none", 0.1);
  }
  // stable as far as it was searched is no margin
  if (critical && !panel.is_at_limit) {
    svg.line({*critical, top}, {*critical, bottom}, record::colour::kInk, 1.6);
  }
  if (closed) {
    svg.line({*closed, top}, {*closed, bottom}, record::colour::kReference, 2.4,
             record::style::kPlanDashes);
  }
}

void draw_trial(SvgDrawing& svg, const record::Plot& plot, const MarginFrame& frame,
                const Json& trial) {
  const std::string verdict = text_in(trial, "verdict");
  const std::string_view colour = verdict_colour(verdict);
  const double x = plot.x_of(number_in(trial, "latency_s").value_or(0.0) * frame.unit.scale);
  // without a fitted growth it stands hollow on an edge: the upper one where it grew to its limits
  const std::optional<double> growth = number_in(trial, "growth_per_s");
  const double y = growth                  ? plot.y_of(bent(*growth, frame))
                   : verdict == "unstable" ? plot.frame.low[1]
                                           : plot.frame.high[1];
  if (const auto error = number_in(trial, "growth_standard_error_per_s"); error && growth) {
    const double low = plot.y_of(bent(*growth - 2.0 * *error, frame));
    const double high = plot.y_of(bent(*growth + 2.0 * *error, frame));
    svg.line({x, std::min(low, plot.frame.high[1])}, {x, std::max(high, plot.frame.low[1])}, colour,
             1.4);
  }
  using Symbol = SvgDrawing::Symbol;
  const Symbol symbol = verdict == "stable"     ? Symbol::kCircle
                        : verdict == "unstable" ? Symbol::kTriangle
                                                : Symbol::kDiamond;
  const bool is_hollow = !growth || verdict == "undecided";
  svg.symbol(symbol, {x, y}, kTrialArea, is_hollow ? record::colour::kPaper : colour, colour);
}

void draw_panel(SvgDrawing& svg, const MarginPanel& panel, const Json& margin,
                const record::PlaneBox& box) {
  const record::Plot plot = plot_of(panel.near, box);
  const double left = box.low[0] - 56.0;
  svg.text({left, box.low[1] - 40.0},
           record::fitting(panel.title, box.high[0] - left, record::style::kTitleText_px),
           {.size_px = record::style::kTitleText_px, .is_bold = true});
  svg.text({left, box.low[1] - 24.0}, panel.found, {.is_bold = true});
  const bool has_closed_form = number_in(margin, "closed_form_s").has_value();
  svg.text({left, box.low[1] - 9.0}, panel.closed_form,
           {.colour = has_closed_form ? record::colour::kReference : record::colour::kSoft,
            .is_bold = has_closed_form});
  draw_axes(svg, plot, panel);
  draw_limits(svg, plot, panel, margin);
  const auto tried = margin.find("tried");
  // the undecided ones lie closest to others and come on top
  for (const bool is_undecided : {false, true}) {
    for (const Json& trial : tried != margin.end() ? *tried : Json::array()) {
      const bool is_shown = number_in(trial, "latency_s").value_or(0.0) <= panel.near.end_s;
      if (is_shown && (text_in(trial, "verdict") == "undecided") == is_undecided) {
        draw_trial(svg, plot, panel.near, trial);
      }
    }
  }
}

}  // namespace

std::string draw_margins(const Report& report, const FigureInfo& figure) {
  const std::size_t panels = std::min(report.margins.size(), kMostPanels);
  const std::size_t columns = std::min<std::size_t>(panels, 3);
  const std::size_t rows = (panels + columns - 1) / columns;
  const double width = (kPageWidth - 2.0 * kMargin) / static_cast<double>(columns);
  const double height = kPanelAbove + kPanelHeight + kPanelBelow;
  SvgDrawing svg = begin_page(report, figure.title, figure.caption,
                              panels < report.margins.size()
                                  ? fmt::format("{} of {} searches", panels, report.margins.size())
                                  : "",
                              kHeadingHeight + static_cast<double>(rows) * height);
  for (std::size_t i = 0; i < panels; ++i) {
    const double x = kMargin + static_cast<double>(i % columns) * width;
    const double y = kHeadingHeight + static_cast<double>(i / columns) * height + kPanelAbove;
    draw_panel(svg, margin_panel(report, report.margins[i]), report.margins[i],
               {{x + kPanelLeft, y}, {x + width - kPanelRight, y + kPanelHeight}});
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
