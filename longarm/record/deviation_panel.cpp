// SPDX-License-Identifier: Apache-2.0
// Chooses the axes and draws the deviation.
#include "longarm/record/deviation_panel.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/record/figure_panel.h"

namespace longarm::record {
namespace {

// a deviation is at rest below this part of its maximum, and the rest of the run is left out if the
// time before is less than this part of the whole
constexpr double kRestPart = 0.01;
constexpr double kShortPart = 0.2;

/// The last time at which a trace is farther than `distance_m` from the plan.
double last_beyond(const PathTrace& trace, double distance_m) {
  double last_s = 0.0;
  for (const PathTrace::Deviation& sample : trace.deviation) {
    last_s = sample.distance_m > distance_m ? sample.time_s : last_s;
  }
  return last_s;
}

struct Shown {
  double end_s = 1.0;    ///< of the run
  double shown_s = 1.0;  ///< less, if the rest would be a flat line
  double most_m = 0.0;
  double rest_m = 0.0;  ///< nothing after shown_s is farther than this
};

Shown range_of(const PathFigure& figure) {
  Shown range;
  if (!figure.executed.deviation.empty()) {
    range.end_s = figure.executed.deviation.back().time_s;
  }
  range.most_m = greatest_deviation_m(figure.executed);
  if (figure.reference) {
    range.most_m = std::max(range.most_m, greatest_deviation_m(*figure.reference));
  }
  range.rest_m = kRestPart * range.most_m;
  double settled_s = last_beyond(figure.executed, range.rest_m);
  if (figure.reference) {
    settled_s = std::max(settled_s, last_beyond(*figure.reference, range.rest_m));
  }
  const bool is_mostly_flat = settled_s > 0.0 && settled_s < kShortPart * range.end_s;
  range.shown_s = is_mostly_flat ? 2.0 * settled_s : range.end_s;
  return range;
}

/// The numbers one would otherwise read off.
void draw_maxima(SvgDrawing& svg, const PathFigure& figure, const PlaneBox& frame) {
  const auto words = [](const PathTrace& trace) {
    return "max " + format_millimetres(greatest_deviation_m(trace));
  };
  constexpr double kRoom = 180.0;
  draw_panel_remark(svg, frame, frame.high[0], "executed: " + words(figure.executed),
                    colour::kHues[0]);
  if (figure.reference) {
    draw_panel_remark(svg, frame, frame.high[0] - kRoom,
                      "reference run: " + words(*figure.reference), colour::kReference);
  }
}

}  // namespace

double greatest_deviation_m(const PathTrace& trace) {
  double most = 0.0;
  for (const PathTrace::Deviation& sample : trace.deviation) {
    most = std::max(most, sample.distance_m);
  }
  return most;
}

std::string format_millimetres(double distance_m) {
  return fmt::format("{:.{}f} mm", distance_m * 1e3, distance_m < 0.1 ? 1 : 0);
}

void draw_deviation_panel(SvgDrawing& svg, const PathFigure& figure, const PlaneBox& frame) {
  const Shown range = range_of(figure);
  const double most_mm = range.most_m > 0.0 ? range.most_m * 1e3 * 1.08 : 1.0;
  const Plot plot{frame, {0.0, range.shown_s}, {0.0, most_mm}};

  // below everything: the hold, then the grid
  const bool is_hold_shown = figure.hold_start_s && *figure.hold_start_s < range.shown_s;
  if (is_hold_shown) {
    svg.rectangle({{plot.x_of(*figure.hold_start_s), frame.low[1]}, frame.high}, colour::kWall);
  }
  draw_panel_title(svg, frame, "Distance to the plan");
  draw_maxima(svg, figure, frame);
  plot.draw_axes(svg, "time [s]", "distance [mm]");

  svg.begin_clip("distance", frame);
  const auto draw = [&](const char* name, const PathTrace& trace, std::string_view stroke,
                        double stroke_width) {
    Polyline points;
    for (const PathTrace::Deviation& sample : trace.deviation) {
      points.push_back({plot.x_of(sample.time_s), plot.y_of(sample.distance_m * 1e3)});
    }
    svg.path(name, runs_in(frame, points), stroke, stroke_width);
  };
  if (figure.reference) {
    draw("distance-reference", *figure.reference, colour::kReference, style::kReferenceWidth_px);
  }
  draw("distance-executed", figure.executed, colour::kHues[0], style::kSeriesWidth_px);
  svg.end_clip();

  const TextStyle remark{.colour = colour::kSoft, .anchor = "end"};
  if (is_hold_shown) {
    svg.text({frame.high[0] - 6.0, frame.low[1] + 16.0}, "hold", remark);
  }
  if (range.shown_s < range.end_s) {
    svg.text({frame.high[0] - 6.0, frame.high[1] - 12.0},
             fmt::format("stays below {} until the end at {:g} s", format_millimetres(range.rest_m),
                         range.end_s),
             remark);
  }
}

}  // namespace longarm::record
