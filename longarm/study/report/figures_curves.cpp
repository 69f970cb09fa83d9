// SPDX-License-Identifier: Apache-2.0
// Figures over time: velocity commands per joint, and how far they come apart.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/study/report/figures.h"
#include "longarm/study/report/figures_style.h"

namespace longarm::study {
namespace {

using record::PlaneBox;
using record::SvgDrawing;

constexpr double kLeft = 76.0;
constexpr double kRight = 22.0;
constexpr double kLeastPart = 0.1;  // of the widest panel's range

double end_s(const Curves& curves) {
  return curves.start_s +
         curves.period_s * static_cast<double>(std::max<std::size_t>(curves.samples(), 1) - 1);
}

Range time_range(const FigureChoice& choice) {
  Range range{0.0, 0.0};
  for (const FigureSeries& each : choice.series) {
    range.include(end_s(each.series->curves));
  }
  range.high = range.high > 0.0 ? range.high : 1.0;
  return range;
}

/// What the stable runs need, of a column; where none is stable, of what is usual among the rest.
struct CutRange {
  Range range{0.0, 0.0};
  bool is_cut = false;  ///< others are beyond it
};
CutRange cut_to_stable(const FigureChoice& choice, const std::string& column, double scale = 1.0) {
  std::vector<float> others;
  CutRange cut;
  Range& range = cut.range;
  for (const FigureSeries& each : choice.series) {
    const std::vector<float>* values = each.series->curves.find(column);
    for (const float value : values != nullptr ? *values : std::vector<float>{}) {
      if (each.sets_scale && std::isfinite(value)) {
        range.include(static_cast<double>(value) * scale);
      } else {
        others.push_back(std::isfinite(value) ? std::abs(value * static_cast<float>(scale))
                                              : HUGE_VALF);
      }
    }
  }
  if (range.high == range.low && !others.empty()) {
    const auto usual = others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2);
    std::nth_element(others.begin(), usual, others.end());
    const double size = std::isfinite(*usual) ? 2.0 * static_cast<double>(*usual) : 1.0;
    range = {-size, size};
  }
  range.widen(0.06);
  cut.is_cut = std::any_of(others.begin(), others.end(), [&](float value) {
    return static_cast<double>(value) > std::max(range.high, -range.low);
  });
  return cut;
}

void shade_hold(SvgDrawing& svg, const Plot& plot, const Report& report) {
  if (report.plan && report.plan->hold_start_s && *report.plan->hold_start_s < plot.across.high) {
    svg.rectangle({{plot.x_of(*report.plan->hold_start_s), plot.frame.low[1]}, plot.frame.high},
                  record::colour::kShade);
  }
}

/// Longest latency first, so that the others are seen on top of what swings.
void draw_columns(SvgDrawing& svg, const Plot& plot, const FigureChoice& choice,
                  const std::string& column, const std::string& name, double scale = 1.0) {
  svg.begin_clip(name, plot.frame);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < choice.series.size(); ++i) {
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto layer = [&](std::size_t i) {
      return !choice.series[i].sets_scale ? 0 : choice.series[i].width > 3.0 ? 1 : 2;
    };
    return layer(a) < layer(b);
  });
  for (const std::size_t i : order) {
    const FigureSeries& each = choice.series[i];
    if (const std::vector<float>* values = each.series->curves.find(column)) {
      svg.path(fmt::format("{}-{}", name, i),
               record::runs_in(plot.frame, plot.polyline(each.series->curves, *values, scale)),
               each.colour, each.sets_scale ? each.width : 1.0, each.sets_scale ? "" : "5 3");
    }
  }
  svg.end_clip();
  svg.rectangle(plot.frame, "none", record::colour::kFrame);
}

/// One panel of a figure over time.
struct TimePanel {
  std::string title;
  std::string column;
  double scale = 1.0;
};

/// What all figures over time with panels of one unit share.
struct TimeFigure {
  std::string title;
  std::string unit;
  std::string name;  ///< of the panels' elements, with a number after it
  std::vector<TimePanel> panels;
};

std::string draw_panels(const Report& report, const TimeFigure& figure) {
  const FigureChoice choice = choose_series(report);
  if (choice.series.empty() || figure.panels.empty()) {
    return "";
  }
  constexpr double kPanelHeight = 150.0;
  constexpr double kRow = kPanelHeight + 68.0;
  const std::size_t columns = figure.panels.size() > 1 ? 2 : 1;
  const std::size_t rows = (figure.panels.size() + columns - 1) / columns;
  const double width =
      (kPageWidth - static_cast<double>(columns) * (kLeft + kRight)) / static_cast<double>(columns);
  const double top = kHeadingHeight + legend_height(choice.series, 24.0, kPageWidth - 24.0) + 36.0;
  SvgDrawing svg(kPageWidth, top + static_cast<double>(rows) * kRow - 12.0, figure.title);
  draw_heading(svg, report, figure.title, choice.remark);
  draw_legend(svg, choice.series, 24.0, kPageWidth - 24.0, kHeadingHeight);

  std::vector<CutRange> cuts;
  double widest = 0.0;
  for (const TimePanel& panel : figure.panels) {
    cuts.push_back(cut_to_stable(choice, panel.column, panel.scale));
    widest = std::max(widest, cuts.back().range.extent());
  }
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const double x = kLeft + static_cast<double>(i % columns) * (width + kLeft + kRight);
    const double y = top + static_cast<double>(i / columns) * kRow;
    Plot plot{{{x, y}, {x + width, y + kPanelHeight}}, time_range(choice), {}};
    plot.up = cuts[i].range;
    if (plot.up.extent() < kLeastPart * widest) {
      // what does not move: show that, not its rounding errors
      plot.up = {plot.up.low - kLeastPart * widest, plot.up.high + kLeastPart * widest};
    }
    shade_hold(svg, plot, report);
    record::draw_panel_title(svg, plot.frame, figure.panels[i].title);
    if (cuts[i].is_cut) {
      record::draw_panel_remark(
          svg, plot.frame, plot.frame.high[0],
          report.experiment ? "diverged runs are cut off" : "unstable runs are cut off",
          record::colour::kWarning);
    }
    plot.draw_axes(svg, "time in s", figure.unit);
    draw_columns(svg, plot, choice, figure.panels[i].column,
                 fmt::format("{}{}", figure.name, i + 1), figure.panels[i].scale);
  }
  return std::move(svg).finish();
}

}  // namespace

std::string draw_velocity_commands(const Report& report) {
  TimeFigure figure{"Velocity commands", "rad/s", "joint", {}};
  for (const std::string& joint : report.joints) {
    figure.panels.push_back({joint, "velocity_command." + joint, 1.0});
  }
  return draw_panels(report, figure);
}

std::vector<std::string> curve_units(const Report& report) {
  std::vector<std::string> units;
  if (report.experiment && !report.series.empty()) {
    for (const cell::CurveInfo& curve : report.experiment->curves) {
      if (std::find(units.begin(), units.end(), curve.unit) == units.end()) {
        units.push_back(curve.unit);
      }
    }
  }
  return units;
}

std::string draw_curves(const Report& report, const std::string& unit) {
  TimeFigure figure{"", unit, "curve", {}};
  for (const cell::CurveInfo& curve : report.experiment->curves) {
    if (curve.unit == unit) {
      figure.panels.push_back({curve.label, curve.name, curve.scale});
      figure.title += (figure.title.empty() ? "" : ", ") + curve.label;
    }
  }
  figure.title = capital(figure.title);
  return draw_panels(report, figure);
}

std::string draw_cumulated_difference(const Report& report) {
  FigureChoice choice = choose_series(report);
  std::erase_if(choice.series, [](const FigureSeries& each) {
    return each.series->curves.find(kDifferenceCurve) == nullptr;
  });
  if (choice.series.empty()) {
    return "";
  }
  const double height = 360.0;
  const double top = kHeadingHeight + legend_height(choice.series, 24.0, kPageWidth - 24.0) + 30.0;
  const double label_room = 96.0;
  SvgDrawing svg(kPageWidth, top + height + 52.0, "Cumulated velocity-command difference");
  draw_heading(svg, report,
               std::string("Cumulated velocity-command difference to ") +
                   (report.kind == "run" ? "its reference" : "the run without the link"),
               choice.remark);
  draw_legend(svg, choice.series, 24.0, kPageWidth - 24.0, kHeadingHeight);
  Plot plot{
      {{kLeft, top}, {kPageWidth - kRight - label_room, top + height}}, time_range(choice), {}};
  const CutRange cut = cut_to_stable(choice, kDifferenceCurve);
  plot.up = {0.0, cut.range.high};
  shade_hold(svg, plot, report);
  if (cut.is_cut) {
    record::draw_panel_remark(svg, plot.frame, plot.frame.high[0], "unstable runs are cut off",
                              record::colour::kWarning);
  }
  plot.draw_axes(svg, "time in s", "∫|difference| dt, all joints, in rad");
  draw_columns(svg, plot, choice, kDifferenceCurve, "difference");

  // where each ends, unless that is where another one does
  double last_y = -1e9;
  for (auto each = choice.series.rbegin(); each != choice.series.rend(); ++each) {
    const std::vector<float>& values = *each->series->curves.find(kDifferenceCurve);
    const double y = values.empty() ? -1.0 : plot.y_of(static_cast<double>(values.back()));
    if (y < plot.frame.low[1] || std::abs(y - last_y) < 13.0) {
      continue;
    }
    svg.text({plot.frame.high[0] + 6.0, y + 4.0},
             fmt::format("{:.4g} rad", static_cast<double>(values.back())),
             {.colour = each->colour});
    last_y = y;
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
