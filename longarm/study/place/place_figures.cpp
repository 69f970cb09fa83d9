// SPDX-License-Identifier: Apache-2.0
// What each step gained, and cuts over the number of hosts.
#include "longarm/study/place/place_figures.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/record/figure_panel.h"

namespace longarm::study {
namespace {

using record::Polyline;
using record::SvgDrawing;

constexpr double kWidth = 960.0;
constexpr std::string_view kSearched = record::colour::kHues[0];
constexpr std::string_view kCut = record::colour::kHues[1];

std::string_view colour_of(const std::string& how) {
  return how == "start"                          ? record::colour::kInk
         : how == "swap" || how == "move"        ? kCut
         : how == "chain" || how == "exhaustive" ? record::colour::kHues[2]
                                                 : record::colour::kLine;
}

record::Plot plot_of(const std::vector<PlacementTrial>& trials, const GainAxis& axis) {
  record::Plot plot;
  plot.frame = {{84.0, 100.0}, {kWidth - 30.0, 420.0}};
  plot.across = {0.0, static_cast<double>(trials.size()) + 1.0};
  double low = *trials.front().value;
  double start = low;
  for (const PlacementTrial& trial : trials) {
    low = std::min(low, trial.value.value_or(low));
  }
  // far worse ones are many and say little: they are drawn at the upper edge
  const double high = start + std::max(0.3 * (start - low), 0.15 * std::abs(start));
  plot.up = {low * axis.scale, high * axis.scale};
  plot.up.widen(0.08);
  return plot;
}

void draw_legend_dots(SvgDrawing& svg) {
  double x = 84.0;
  for (const auto& [how, words] :
       {std::pair{"start", "METIS cut"}, std::pair{"swap", "swap or move"},
        std::pair{"chain", "several at once"}, std::pair{"restart", "restart"}}) {
    svg.circle({x, 76.0}, 4.0, colour_of(how));
    svg.text({x + 9.0, 80.0}, words, {.colour = record::colour::kInk});
    x += 40.0 + record::text_width(words);
  }
}

void draw_lines(SvgDrawing& svg, const record::Plot& plot, const std::vector<HostsPoint>& points,
                double HostsPoint::*start, double HostsPoint::*best, const char* name) {
  Polyline start_line;
  Polyline best_line;
  for (const HostsPoint& point : points) {
    start_line.push_back({plot.x_of(point.hosts), plot.y_of(point.*start)});
    best_line.push_back({plot.x_of(point.hosts), plot.y_of(point.*best)});
  }
  svg.path(fmt::format("{}-start", name), std::span(&start_line, 1), kCut, 4.0);
  for (const record::PlanePoint& each : start_line) {
    svg.circle(each, 5.0, kCut);
  }
  // thinner and on top: both show where they are equal
  svg.path(fmt::format("{}-best", name), std::span(&best_line, 1), kSearched, 1.6,
           record::style::kPlanDashes);
  for (const record::PlanePoint& each : best_line) {
    svg.circle(each, 2.5, kSearched);
  }
}

}  // namespace

std::string draw_gains(const std::vector<PlacementTrial>& trials, const GainAxis& axis,
                       const std::string& title) {
  SvgDrawing svg(kWidth, 480.0, title);
  svg.text({24.0, 30.0}, title, {.size_px = 18.0, .colour = record::colour::kInk, .is_bold = true});
  if (trials.empty() || !trials.front().value) {
    return std::move(svg).finish();
  }
  const record::Plot plot = plot_of(trials, axis);
  plot.draw_axes(svg, "simulation",
                 axis.unit.empty() ? axis.name : axis.name + " [" + axis.unit + "]");
  draw_legend_dots(svg);
  Polyline best_line;
  double best = 0.0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const PlacementTrial& trial = trials[i];
    const double x = plot.x_of(static_cast<double>(i) + 1.0);
    if (!trial.value) {
      continue;
    }
    const double value = std::min(*trial.value * axis.scale, plot.up.high);
    svg.circle({x, plot.y_of(value)}, trial.is_best ? 4.5 : 2.5, colour_of(trial.how));
    if (trial.is_best) {
      if (!best_line.empty()) {
        best_line.push_back({x, plot.y_of(best)});
      }
      best = value;
      best_line.push_back({x, plot.y_of(best)});
    }
  }
  best_line.push_back({plot.x_of(static_cast<double>(trials.size())), plot.y_of(best)});
  svg.path("best", std::span(&best_line, 1), kSearched, 1.6);
  return std::move(svg).finish();
}

std::string draw_over_hosts(const std::vector<HostsPoint>& points, const std::string& title) {
  SvgDrawing svg(kWidth, 420.0, title);
  svg.text({24.0, 30.0}, title, {.size_px = 18.0, .colour = record::colour::kInk, .is_bold = true});
  svg.line({24.0, 58.0}, {48.0, 58.0}, kCut, 4.0);
  svg.text({55.0, 62.0}, "METIS cut", {.colour = record::colour::kInk});
  svg.line({164.0, 58.0}, {188.0, 58.0}, kSearched, 1.6, "6 4");
  svg.text({195.0, 62.0}, "after the search", {.colour = record::colour::kInk});
  if (points.empty()) {
    return std::move(svg).finish();
  }
  record::Plot bandwidth;
  bandwidth.frame = {{84.0, 90.0}, {450.0, 360.0}};
  bandwidth.across = {static_cast<double>(points.front().hosts),
                      static_cast<double>(points.back().hosts)};
  bandwidth.across.widen(0.05);
  bandwidth.up = {0.0, 0.0};
  record::Plot cycle = bandwidth;
  cycle.frame = {{564.0, 90.0}, {kWidth - 30.0, 360.0}};
  for (const HostsPoint& point : points) {
    bandwidth.up.include(std::max(point.start_bandwidth_mbit_s, point.best_bandwidth_mbit_s));
    cycle.up.include(std::max(point.start_cycle_time_ms, point.best_cycle_time_ms));
  }
  bandwidth.up.high = std::max(bandwidth.up.high * 1.08, 1e-3);
  cycle.up.high = std::max(cycle.up.high * 1.08, 1e-3);
  bandwidth.draw_axes(svg, "hosts", "Bandwidth between hosts [Mbit/s]");
  cycle.draw_axes(svg, "hosts", "Cycle time [ms]");
  draw_lines(svg, bandwidth, points, &HostsPoint::start_bandwidth_mbit_s,
             &HostsPoint::best_bandwidth_mbit_s, "bandwidth");
  draw_lines(svg, cycle, points, &HostsPoint::start_cycle_time_ms, &HostsPoint::best_cycle_time_ms,
             "cycle");
  return std::move(svg).finish();
}

}  // namespace longarm::study
