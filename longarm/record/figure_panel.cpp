// SPDX-License-Identifier: Apache-2.0
// Draws titles, axes and grids.
#include "longarm/record/figure_panel.h"

#include <algorithm>

namespace longarm::record {
namespace {

// the finest detail worth drawing, and what keeps a file small whatever the run did
constexpr double kTolerance_px = 0.1;
constexpr std::size_t kMaxPoints = 1500;
// how near a line must be to one before to go over its trace, from and to; how wide a column of a
// line over time is
constexpr double kRepeat_px = 0.5;
constexpr double kMostRepeat_px = 4.0;
constexpr double kColumn_px = 1.25;

}  // namespace

void draw_panel_title(SvgDrawing& svg, const PlaneBox& frame, std::string_view title) {
  svg.text({frame.low[0], frame.low[1] - 8.0}, title,
           {.size_px = 14.0, .colour = colour::kInk, .is_bold = true});
}

void draw_panel_remark(SvgDrawing& svg, const PlaneBox& frame, double right, std::string_view words,
                       std::string_view colour) {
  svg.text({right, frame.low[1] - 8.0}, words, {.colour = colour, .anchor = "end"});
}

void draw_across_ticks(SvgDrawing& svg, const PlaneBox& frame, const Ticks& ticks,
                       const std::function<double(double)>& pixel_of, std::string_view name) {
  for (const double value : ticks.values) {
    const double x = pixel_of(value);
    svg.line({x, frame.low[1]}, {x, frame.high[1]}, colour::kGrid, 1.0);
    svg.text({x, frame.high[1] + 15.0}, ticks.label(value),
             {.colour = colour::kFaintInk, .anchor = "middle"});
  }
  svg.text({(frame.low[0] + frame.high[0]) / 2.0, frame.high[1] + 32.0}, name,
           {.colour = colour::kInk, .anchor = "middle"});
}

void draw_up_ticks(SvgDrawing& svg, const PlaneBox& frame, const Ticks& ticks,
                   const std::function<double(double)>& pixel_of, std::string_view name) {
  for (const double value : ticks.values) {
    const double y = pixel_of(value);
    svg.line({frame.low[0], y}, {frame.high[0], y}, colour::kGrid, 1.0);
    svg.text({frame.low[0] - 7.0, y + 4.0}, ticks.label(value),
             {.colour = colour::kFaintInk, .anchor = "end"});
  }
  svg.text({frame.low[0] - 56.0, (frame.low[1] + frame.high[1]) / 2.0}, name,
           {.colour = colour::kInk, .anchor = "middle", .is_upright = true});
}

std::vector<Polyline> runs_in(const PlaneBox& frame, const Polyline& points, double longest) {
  const bool is_over_time =
      std::is_sorted(points.begin(), points.end(),
                     [](const PlanePoint& a, const PlanePoint& b) { return a[0] < b[0]; });
  std::vector<Polyline> runs =
      visible_runs(is_over_time ? by_columns(points, kColumn_px) : points, frame, longest);
  for (Polyline& run : runs) {
    run = decimate(run, kTolerance_px);
  }
  const auto total_of = [](const std::vector<Polyline>& all) {
    std::size_t total = 0;
    for (const Polyline& run : all) {
      total += run.size();
    }
    return total;
  };
  for (double cell = kRepeat_px; total_of(runs) > kMaxPoints && cell <= kMostRepeat_px;
       cell *= 2.0) {
    runs = without_repeats(runs, cell);
  }
  // each run gets its share
  if (const std::size_t total = total_of(runs); total > kMaxPoints) {
    for (Polyline& run : runs) {
      run = decimate_to(run, kTolerance_px, kMaxPoints * run.size() / total);
    }
  }
  return runs;
}

}  // namespace longarm::record
