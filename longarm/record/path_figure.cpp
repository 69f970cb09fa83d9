// SPDX-License-Identifier: Apache-2.0
// Draws the header and the two views, and puts the panels together.
#include "longarm/record/path_figure.h"

#include <algorithm>
#include <cmath>
#include <numbers>
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
constexpr double kBadgeRadius = 8.5;
constexpr double kBadgeDistance = 19.0;
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

void draw_scale_bar(SvgDrawing& svg, const Projection& projection) {
  // a round length of about 48 pixels, 34 to 76
  const double length_m = ticks_between(0.0, 120.0 / projection.pixels_per_m, 2.5).step;
  const double length_px = length_m * projection.pixels_per_m;
  const double right = projection.frame.high[0] - 12.0;
  const double y = projection.frame.high[1] - 9.0;
  svg.rectangle({{right - length_px - 6.0, y - 19.0}, {right + 6.0, y + 5.0}}, colour::kPaper,
                "none", 0.8);
  svg.line({right - length_px, y}, {right, y}, colour::kInk, 2.5);
  const std::string label =
      length_m >= 1.0 ? fmt::format("{:g} m", length_m) : fmt::format("{:g} mm", length_m * 1e3);
  svg.text({right - length_px / 2.0, y - 6.0}, label,
           {.size_px = 11.0, .colour = colour::kInk, .anchor = "middle"});
}

/// A place beside `dot` that is farthest from everything drawn so far.
PlanePoint place_badge(const PlanePoint& dot, const std::vector<Polyline>& drawn,
                       const std::vector<PlanePoint>& badges) {
  constexpr int kDirections = 24;
  PlanePoint best = dot;
  double best_room = -1.0;
  for (int i = 0; i < kDirections; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kDirections;
    const PlanePoint place{dot[0] + kBadgeDistance * std::cos(angle),
                           dot[1] - kBadgeDistance * std::sin(angle)};
    double room = kBadgeDistance;
    for (const Polyline& run : drawn) {
      room = std::min(room, distance_to_polyline(place, run));
    }
    for (const PlanePoint& badge : badges) {
      // two badges need the room of both
      room = std::min(room, std::hypot(place[0] - badge[0], place[1] - badge[1]) - kBadgeRadius);
    }
    if (room > best_room + 1e-6) {
      best_room = room;
      best = place;
    }
  }
  return best;
}

void draw_badge(SvgDrawing& svg, const PlanePoint& at, std::string_view words) {
  svg.circle(at, kBadgeRadius, colour::kPaper, colour::kInk);
  svg.text({at[0], at[1] + 4.0}, words,
           {.size_px = 11.0, .colour = colour::kInk, .anchor = "middle", .is_bold = true});
}

void draw_start(SvgDrawing& svg, const PlanePoint& at) {
  svg.rectangle({{at[0] - 4.5, at[1] - 4.5}, {at[0] + 4.5, at[1] + 4.5}}, colour::kPaper,
                colour::kInk);
}

void draw_markers(SvgDrawing& svg, const PathFigure& figure, const Projection& projection,
                  std::vector<Polyline> drawn) {
  if (figure.start_m) {
    draw_start(svg, projection(*figure.start_m));
  }
  std::vector<PlanePoint> dots;
  for (const Point3& waypoint : figure.waypoints_m) {
    dots.push_back(projection(waypoint));
    svg.circle(dots.back(), 3.0, colour::kInk);
    drawn.push_back({dots.back()});
  }
  std::vector<PlanePoint> badges;
  for (std::size_t i = 0; i < dots.size(); ++i) {
    badges.push_back(place_badge(dots[i], drawn, badges));
    draw_badge(svg, badges.back(), std::to_string(i + 1));
  }
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
  std::vector<Polyline> executed =
      projected(projection, figure.start_m, figure.executed.path_m, view.is_left_by_executed);
  const std::vector<Polyline> planned =
      projected(projection, std::nullopt, figure.planned_m, false);

  // the plan last and thin, so that all three are seen where they agree
  svg.begin_clip(name, projection.frame);
  svg.path(name + "-reference", reference, colour::kReference, kReferenceWidth);
  svg.path(name + "-executed", executed, colour::kHues[0], kExecutedWidth);
  svg.path(name + "-planned", planned, colour::kPlan, kPlannedWidth);
  executed.insert(executed.end(), planned.begin(), planned.end());
  draw_markers(svg, figure, projection, std::move(executed));
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
  if (figure.start_m) {
    draw_start(svg, {x + 5.0, kY});
    entry(16.0, "start");
  }
  if (!figure.waypoints_m.empty()) {
    svg.circle({x + 4.0, kY}, 3.0, colour::kInk);
    draw_badge(svg, {x + 20.0, kY}, "1");
    entry(35.0, figure.waypoints_m.size() > 1 ? "waypoints in order" : "goal");
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
  draw_scale_bar(svg, layout.top);

  draw_panel_title(svg, layout.side.frame,
                   layout.side.across == 0 ? "Side view, along y" : "Side view, along x");
  draw_view(svg, figure, view, layout.side, "side");

  draw_deviation_panel(svg, figure, layout.deviation);
  return std::move(svg).finish();
}

}  // namespace longarm::record
