// SPDX-License-Identifier: Apache-2.0
// Draws titles, axes and grids.
#include "longarm/record/figure_panel.h"

#include <algorithm>

namespace longarm::record {
namespace {

// the finest detail worth drawing, and what keeps a file small whatever the run did
constexpr double kTolerance_px = 0.1;
constexpr std::size_t kMaxPoints = 1500;

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
  std::vector<Polyline> runs = visible_runs(points, frame, longest);
  std::size_t total = 0;
  for (const Polyline& run : runs) {
    total += run.size();
  }
  for (Polyline& run : runs) {
    // each run gets its share
    run = decimate_to(run, kTolerance_px, kMaxPoints * run.size() / total);
  }
  return runs;
}

}  // namespace longarm::record
