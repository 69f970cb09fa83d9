// SPDX-License-Identifier: Apache-2.0
// Figures over time: a panel per joint or curve.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/study/report/figures.h"
#include "longarm/study/report/figures_style.h"

namespace longarm::study {
namespace {

using record::Plot;
using record::Range;
using record::SvgDrawing;

constexpr double kLeft = 64.0;
constexpr double kRight = 10.0;
constexpr double kNameRoom = 150.0;  // at the right ends of the curves
constexpr double kName = 13.0;       // height

Range time_range(const FigureChoice& choice) {
  Range range{0.0, 0.0};
  for (const FigureSeries& each : choice.series) {
    const Curves& curves = each.series->curves;
    const std::size_t steps = std::max<std::size_t>(curves.samples(), 1) - 1;
    range.include(curves.start_s + curves.period_s * static_cast<double>(steps));
  }
  range.high = range.high > 0.0 ? range.high : 1.0;
  return range;
}

/// What the samples of some panels need, of the runs that set the scale or of all.
std::optional<Range> extent_of(const FigureChoice& choice, std::span<const TimePanel> panels,
                               bool is_of_all) {
  std::optional<Range> range;
  for (const FigureSeries& each : choice.series) {
    for (const TimePanel& panel : panels) {
      const std::vector<float>* values = each.series->curves.find(panel.curve);
      if (values == nullptr || !(is_of_all || each.sets_scale)) {
        continue;
      }
      for (const float value : *values) {
        if (std::isfinite(value)) {
          const double shown = static_cast<double>(value) * panel.scale;
          range = range.value_or(Range{shown, shown});
          range->include(shown);
        }
      }
    }
  }
  return range;
}

/// As TimePanels.frame() of the page has it for its first view.
Range up_range(const FigureChoice& choice, const FigureInfo& figure, const TimePanel& panel) {
  const std::optional<Range> all = extent_of(choice, {&panel, 1}, true);
  const std::optional<Range> tame = extent_of(choice, {&panel, 1}, false);
  Range range = tame.value_or(all.value_or(Range{}));
  if (tame && all->extent() <= record::style::kRoomForWild * tame->extent()) {
    range = *all;
  }
  const Range whole = extent_of(choice, figure.panels, false).value_or(range);
  if (figure.panels.size() > 1 && range.extent() < record::style::kAtRest * whole.extent()) {
    return {range.low - 0.01 * whole.extent(), range.high + 0.01 * whole.extent()};
  }
  range.widen();
  return range;
}

record::Polyline polyline(const Plot& plot, const Curves& curves, const std::vector<float>& values,
                          double scale) {
  // far beyond the frame is as good as infinite, and can be written down
  constexpr double kFar_px = 1e5;
  record::Polyline points;
  points.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = static_cast<double>(values[i]) * scale;
    if (!std::isnan(value)) {
      const double time_s = curves.start_s + curves.period_s * static_cast<double>(i);
      points.push_back({plot.x_of(time_s), std::clamp(plot.y_of(value), -kFar_px, kFar_px)});
    }
  }
  return points;
}

/// What runs away below, then the reference. Whether something leaves the frame.
bool draw_panel(SvgDrawing& svg, const Plot& plot, const FigureChoice& choice,
                const TimePanel& panel, const std::string& name) {
  svg.begin_clip(name, plot.frame);
  bool is_cut = false;
  for (const int layer : {0, 1, 2}) {
    for (std::size_t i = 0; i < choice.series.size(); ++i) {
      const FigureSeries& each = choice.series[i];
      const int own = !each.sets_scale ? 0 : each.series->is_reference ? 1 : 2;
      const std::vector<float>* values = each.series->curves.find(panel.curve);
      if (own != layer || values == nullptr) {
        continue;
      }
      const record::Polyline line = polyline(plot, each.series->curves, *values, panel.scale);
      is_cut = is_cut || std::any_of(line.begin(), line.end(), [&](const auto& point) {
                 return point[1] < plot.frame.low[1] || point[1] > plot.frame.high[1];
               });
      svg.path(fmt::format("{}-{}", name, i), record::runs_in(plot.frame, line), each.colour,
               each.width_px(), "", each.sets_scale ? 1.0 : record::style::kWildOpacity);
    }
  }
  svg.end_clip();
  return is_cut;
}

/// Names at the right ends of the curves, for readers who cannot tell the colours.
void draw_names(SvgDrawing& svg, const Plot& plot, const FigureChoice& choice,
                const TimePanel& panel) {
  std::vector<double> wanted;
  std::vector<const FigureSeries*> named;
  for (const FigureSeries& each : choice.series) {
    const std::vector<float>* values = each.series->curves.find(panel.curve);
    if (values != nullptr && !values->empty() && !std::isnan(values->back())) {
      wanted.push_back(plot.y_of(static_cast<double>(values->back()) * panel.scale));
      named.push_back(&each);
    }
  }
  const std::vector<double> places =
      record::spread_labels(wanted, kName, {plot.frame.low[1] + 4.0, plot.frame.high[1] - 4.0});
  for (std::size_t i = 0; i < named.size(); ++i) {
    const char* arrow = wanted[i] < plot.frame.low[1]          ? " ↑"
                        : wanted[i] > plot.frame.high[1] + 1.0 ? " ↓"
                                                               : "";
    svg.text({plot.frame.high[0] + 6.0, places[i] + 4.0},
             record::fitting(named[i]->label, kNameRoom - 20.0) + arrow,
             {.colour = named[i]->colour, .is_bold = true});
  }
}

}  // namespace

std::string draw_over_time(const Report& report, const FigureInfo& figure) {
  FigureChoice choice = choose_series(report);
  std::erase_if(choice.series, [&](const FigureSeries& each) {
    return each.series->curves.find(figure.panels.front().curve) == nullptr;
  });
  if (choice.series.empty()) {
    return "";
  }
  const bool has_names = figure.panels.size() == 1;
  const std::size_t columns = has_names ? 1 : 2;
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  const double column_width = (kPageWidth - 2.0 * kMargin) / static_cast<double>(columns);
  const double row_height = figure.panel_height_px + 68.0;
  const double right = has_names ? kNameRoom : kRight;
  const double legend =
      has_names ? 0.0 : legend_height(choice.series, kMargin, kPageWidth - kMargin) + 10.0;
  const double top = kHeadingHeight + legend + 20.0;
  SvgDrawing svg = begin_page(report, figure.title, figure.caption, choice.remark,
                              top + row_height * static_cast<double>(rows) - 14.0);
  if (!has_names) {
    draw_legend(svg, choice.series, kMargin, kPageWidth - kMargin, kHeadingHeight);
  }
  const Range time = time_range(choice);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const TimePanel& panel = figure.panels[i];
    const double x = kMargin + column_width * static_cast<double>(i % columns);
    const double y = top + static_cast<double>(i / columns) * row_height;
    const Plot plot{{{x + kLeft, y}, {x + column_width - right, y + figure.panel_height_px}},
                    time,
                    up_range(choice, figure, panel)};
    record::draw_panel_title(svg, plot.frame, panel.title);
    plot.draw_axes(svg, "time [s]", figure.up_title);
    if (report.plan && report.plan->hold_start_s && *report.plan->hold_start_s < time.high) {
      const double hold = plot.x_of(*report.plan->hold_start_s);
      svg.line({hold, plot.frame.low[1]}, {hold, plot.frame.high[1]}, record::colour::kSoft, 1.0,
               record::style::kHoldDashes);
    }
    const std::string name = fmt::format("{}{}", figure.id, i + 1);
    if (draw_panel(svg, plot, choice, panel, name)) {
      record::draw_panel_remark(
          svg, plot.frame, plot.frame.high[0],
          report.experiment ? "diverged runs are cut off" : "unstable runs are cut off",
          record::colour::kUnstable);
    }
    if (has_names) {
      draw_names(svg, plot, choice, panel);
    }
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
