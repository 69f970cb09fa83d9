// SPDX-License-Identifier: Apache-2.0
// Draws the header and the two views, and puts the panels together.
#include "longarm/record/path_figure.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "longarm/record/deviation_panel.h"
#include "longarm/record/figure_panel.h"
#include "longarm/record/path_view.h"

namespace longarm::record {
namespace {

// widths that let the line below be seen
constexpr double kPlannedWidth = 1.0;
constexpr double kExecutedWidth = 2.0;
constexpr double kReferenceWidth = 4.5;
constexpr double kHeaderHeight = 92.0;
constexpr double kJump_px = 40.0;  // from one row of the trace to the next

constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

void draw_space_axes(SvgDrawing& svg, const Projection& projection) {
  const PlaneBox& frame = projection.frame;
  const auto [left, right] =
      std::minmax({projection.across_at(frame.low[0]), projection.across_at(frame.high[0])});
  const double across_count = (frame.high[0] - frame.low[0]) / style::kTickAcross_px;
  const double up_count = (frame.high[1] - frame.low[1]) / style::kTickUp_px;
  Point3 p = projection.centre;
  draw_across_ticks(
      svg, frame, ticks_between(left, right, across_count).values,
      [&](double value) {
        p[projection.across] = value;
        return projection(p)[0];
      },
      fmt::format("{} [m]", kAxisNames[projection.across]));
  draw_up_ticks(
      svg, frame,
      ticks_between(projection.up_at(frame.high[1]), projection.up_at(frame.low[1]), up_count)
          .values,
      [&](double value) {
        p[projection.up] = value;
        return projection(p)[1];
      },
      fmt::format("{} [m]", kAxisNames[projection.up]));
}

void draw_markers(SvgDrawing& svg, const PathFigure& figure, const Projection& projection) {
  const auto projected = [&](const std::vector<Point3>& points) {
    Polyline line;
    for (const Point3& p : points) {
      line.push_back(projection(p));
    }
    return line;
  };
  std::optional<PlanePoint> start;
  if (figure.start_m) {
    start = projection(*figure.start_m);
  }
  Polyline busy = projected(figure.planned_m);
  const Polyline executed = projected(figure.executed.path_m);
  busy.insert(busy.end(), executed.begin(), executed.end());
  draw_waypoints(svg, start, projected(figure.waypoints_m), std::move(busy));
}

/// A path from its start, if that is known; where it ran away, only what still looks like a path.
std::vector<Polyline> projected(const Projection& projection, const std::optional<Point3>& start_m,
                                std::span<const Point3> path_m, bool has_left) {
  Polyline points;
  points.reserve(path_m.size() + 1);
  if (start_m) {
    points.push_back(projection(*start_m));
  }
  for (const Point3& p : path_m) {
    points.push_back(projection(p));
  }
  return has_left ? runs_in(projection.frame, points, kJump_px) : runs_in(projection.frame, points);
}

void draw_view(SvgDrawing& svg, const PathFigure& figure, const PathView& view,
               const Projection& projection, const std::string& name) {
  draw_space_axes(svg, projection);
  std::vector<Polyline> reference;
  if (figure.reference) {
    reference =
        projected(projection, figure.start_m, figure.reference->path_m, view.is_left_by_reference);
  }
  const std::vector<Polyline> executed =
      projected(projection, figure.start_m, figure.executed.path_m, view.is_left_by_executed);
  const std::vector<Polyline> planned =
      projected(projection, std::nullopt, figure.planned_m, false);

  // the plan last and thin, so that all three are seen where they agree
  svg.begin_clip(name, projection.frame);
  svg.path(name + "-reference", reference, colour::kReference, kReferenceWidth);
  svg.path(name + "-executed", executed, colour::kHues[0], kExecutedWidth);
  svg.path(name + "-planned", planned, colour::kPlan, kPlannedWidth);
  draw_markers(svg, figure, projection);
  svg.end_clip();
  svg.rectangle(projection.frame, "none", colour::kLine);
}

/// Above the first view: what cannot be seen in it.
void draw_warning(SvgDrawing& svg, const PathFigure& figure, const PathView& view,
                  const PlaneBox& frame) {
  if (!view.is_left_by_executed && !view.is_left_by_reference) {
    return;
  }
  const bool is_executed = view.is_left_by_executed;
  const PathTrace& trace = is_executed ? figure.executed : *figure.reference;
  draw_panel_remark(svg, frame, frame.high[0],
                    fmt::format("{} leaves this view: up to {} from the plan",
                                is_executed ? "executed path" : "reference run",
                                format_millimetres(greatest_deviation_m(trace))),
                    colour::kUnstable);
}

void draw_legend(SvgDrawing& svg, const PathFigure& figure) {
  double x = kPageLeft;
  constexpr double kY = 78.5;
  const auto entry = [&](double room, std::string_view words) {
    svg.text({x + room, kY + 4.0}, words, {.size_px = 13.0, .colour = colour::kInk});
    x += room + 7.2 * static_cast<double>(words.size()) + 28.0;
  };
  const auto line_entry = [&](std::string_view colour, double width, std::string_view words) {
    svg.line({x, kY}, {x + 27.0, kY}, colour, width);
    entry(34.0, words);
  };
  if (figure.planned_m.size() > 1) {
    line_entry(colour::kPlan, kPlannedWidth, "planned");
  }
  line_entry(colour::kHues[0], kExecutedWidth, "executed");
  if (figure.reference) {
    line_entry(colour::kReference, kReferenceWidth, "reference run");
  }
  if (!figure.waypoints_m.empty()) {
    svg.circle({x + 4.0, kY}, 3.4, colour::kPaper, colour::kPlan);
    entry(14.0, figure.waypoints_m.size() > 1 ? "waypoints in order" : "goal");
  }
}

}  // namespace

std::string draw_path_figure(const PathFigure& figure) {
  const PathView view = view_of(figure);
  const PathLayout layout = layout_of(view, kHeaderHeight);
  SvgDrawing svg(layout.width, layout.height, figure.title + ", " + figure.subtitle);
  svg.text({kPageLeft, 34.0}, figure.title,
           {.size_px = 22.0, .colour = colour::kInk, .is_bold = true});
  svg.text({kPageLeft, 56.0}, figure.subtitle, {.size_px = 14.0, .colour = colour::kSoft});
  draw_legend(svg, figure);

  draw_panel_title(svg, layout.top.frame, "Top view");
  draw_warning(svg, figure, view, layout.top.frame);
  draw_view(svg, figure, view, layout.top, "top");
  draw_scale_bar(svg, layout.top.frame, layout.top.pixels_per_m);

  draw_panel_title(svg, layout.side.frame,
                   layout.side.across == 0 ? "Side view, along y" : "Side view, along x");
  draw_view(svg, figure, view, layout.side, "side");

  draw_deviation_panel(svg, figure, layout.deviation);
  return std::move(svg).finish();
}

}  // namespace longarm::record
