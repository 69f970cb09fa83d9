// SPDX-License-Identifier: Apache-2.0
// Draws the path figure, panel by panel.
#include "longarm/record/path_figure.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include <fmt/format.h>

#include "longarm/record/path_view.h"
#include "longarm/record/polyline.h"
#include "longarm/record/svg_drawing.h"
#include "longarm/record/trace_csv.h"

namespace longarm::record {
namespace {

// colours that stay apart for the colour-blind, and in grey
constexpr std::string_view kPlanned = "#000000";
constexpr std::string_view kExecuted = "#0059b3";
constexpr std::string_view kReference = "#4dd2ec";
constexpr std::string_view kReferenceText = "#0d7f98";  // dark enough to read
constexpr std::string_view kWarning = "#b5460f";
constexpr std::string_view kInk = "#222222";
constexpr std::string_view kFaintInk = "#666666";
constexpr std::string_view kGrid = "#e8e8e8";
constexpr std::string_view kFrame = "#9a9a9a";
constexpr std::string_view kShade = "#eef0f2";

constexpr double kPlannedWidth = 0.9;
constexpr double kExecutedWidth = 2.0;
constexpr double kReferenceWidth = 4.5;
constexpr double kHeaderHeight = 92.0;
constexpr double kLeft = 64.0;
constexpr double kBadgeRadius = 8.5;
constexpr double kBadgeDistance = 19.0;

// the finest detail worth drawing, and what keeps a file small whatever the run did
constexpr double kTolerance_px = 0.1;
constexpr std::size_t kMaxPoints = 1500;
constexpr double kLeastStep_m = 1e-5;

constexpr std::array<const char*, 3> kAxisNames{"x", "y", "z"};

std::vector<Polyline> runs_in(const PlaneBox& frame, const Polyline& points) {
  std::vector<Polyline> runs = visible_runs(points, frame);
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

std::vector<Polyline> projected(const Projection& projection, const std::vector<Point3>& path) {
  Polyline points;
  points.reserve(path.size());
  for (const Point3& p : path) {
    points.push_back(projection(p));
  }
  return runs_in(projection.frame, points);
}

void draw_panel_title(SvgDrawing& svg, const PlaneBox& frame, std::string_view title) {
  svg.text({frame.low[0], frame.low[1] - 8.0}, title,
           {.size_px = 14.0, .colour = kInk, .is_bold = true});
}

void draw_across_ticks(SvgDrawing& svg, const PlaneBox& frame, const Ticks& ticks, auto pixel_of,
                       std::string_view name) {
  for (const double value : ticks.values) {
    const double x = pixel_of(value);
    svg.line({x, frame.low[1]}, {x, frame.high[1]}, kGrid, 1.0);
    svg.text({x, frame.high[1] + 15.0}, ticks.label(value),
             {.colour = kFaintInk, .anchor = "middle"});
  }
  svg.text({(frame.low[0] + frame.high[0]) / 2.0, frame.high[1] + 32.0}, name,
           {.colour = kInk, .anchor = "middle"});
}

void draw_up_ticks(SvgDrawing& svg, const PlaneBox& frame, const Ticks& ticks, auto pixel_of,
                   std::string_view name) {
  for (const double value : ticks.values) {
    const double y = pixel_of(value);
    svg.line({frame.low[0], y}, {frame.high[0], y}, kGrid, 1.0);
    svg.text({frame.low[0] - 7.0, y + 4.0}, ticks.label(value),
             {.colour = kFaintInk, .anchor = "end"});
  }
  svg.text({frame.low[0] - 46.0, (frame.low[1] + frame.high[1]) / 2.0}, name,
           {.colour = kInk, .anchor = "middle", .is_upright = true});
}

void draw_space_axes(SvgDrawing& svg, const Projection& projection) {
  const PlaneBox& frame = projection.frame;
  const auto [left, right] =
      std::minmax({projection.across_at(frame.low[0]), projection.across_at(frame.high[0])});
  const double across_count = (frame.high[0] - frame.low[0]) / 90.0;
  const double up_count = (frame.high[1] - frame.low[1]) / 50.0;
  Point3 p = projection.centre;
  draw_across_ticks(
      svg, frame, ticks_between(left, right, across_count),
      [&](double value) {
        p[projection.across] = value;
        return projection(p)[0];
      },
      fmt::format("{} in m", kAxisNames[projection.across]));
  draw_up_ticks(
      svg, frame,
      ticks_between(projection.up_at(frame.high[1]), projection.up_at(frame.low[1]), up_count),
      [&](double value) {
        p[projection.up] = value;
        return projection(p)[1];
      },
      fmt::format("{} in m", kAxisNames[projection.up]));
}

void draw_scale_bar(SvgDrawing& svg, const Projection& projection) {
  const double most_m = 140.0 / projection.pixels_per_m;
  const Ticks ticks = ticks_between(0.0, most_m, 1.0);
  const double length_m = ticks.step <= most_m ? ticks.step : ticks_between(0.0, most_m, 2.0).step;
  const double length_px = length_m * projection.pixels_per_m;
  const double right = projection.frame.high[0] - 12.0;
  const double y = projection.frame.high[1] - 9.0;
  svg.rectangle({{right - length_px - 6.0, y - 19.0}, {right + 6.0, y + 5.0}}, "#ffffff", "none",
                0.8);
  svg.line({right - length_px, y}, {right, y}, kInk, 2.5);
  const std::string label =
      length_m >= 1.0 ? fmt::format("{:g} m", length_m) : fmt::format("{:g} mm", length_m * 1e3);
  svg.text({right - length_px / 2.0, y - 6.0}, label,
           {.size_px = 11.0, .colour = kInk, .anchor = "middle"});
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
  svg.circle(at, kBadgeRadius, "#ffffff", kInk);
  svg.text({at[0], at[1] + 4.0}, words,
           {.size_px = 11.0, .colour = kInk, .anchor = "middle", .is_bold = true});
}

void draw_start(SvgDrawing& svg, const PlanePoint& at) {
  svg.rectangle({{at[0] - 4.5, at[1] - 4.5}, {at[0] + 4.5, at[1] + 4.5}}, "#ffffff", kInk);
}

void draw_markers(SvgDrawing& svg, const PathFigure& figure, const Projection& projection,
                  std::vector<Polyline> drawn) {
  if (figure.start_m) {
    draw_start(svg, projection(*figure.start_m));
  }
  std::vector<PlanePoint> dots;
  for (const Point3& waypoint : figure.waypoints_m) {
    dots.push_back(projection(waypoint));
    svg.circle(dots.back(), 3.0, kInk);
    drawn.push_back({dots.back()});
  }
  std::vector<PlanePoint> badges;
  for (std::size_t i = 0; i < dots.size(); ++i) {
    badges.push_back(place_badge(dots[i], drawn, badges));
    draw_badge(svg, badges.back(), std::to_string(i + 1));
  }
}

void draw_view(SvgDrawing& svg, const PathFigure& figure, const Projection& projection,
               const std::string& name, std::string_view title) {
  const PlaneBox& frame = projection.frame;
  draw_panel_title(svg, frame, title);
  draw_space_axes(svg, projection);
  svg.begin_clip(name, frame);
  std::vector<Polyline> reference;
  if (figure.reference) {
    reference = projected(projection, figure.reference->path_m);
  }
  std::vector<Polyline> executed = projected(projection, figure.executed.path_m);
  const std::vector<Polyline> planned = projected(projection, figure.planned_m);
  svg.path(name + "-reference", reference, kReference, kReferenceWidth);
  svg.path(name + "-executed", executed, kExecuted, kExecutedWidth);
  svg.path(name + "-planned", planned, kPlanned, kPlannedWidth);
  executed.insert(executed.end(), planned.begin(), planned.end());
  draw_markers(svg, figure, projection, std::move(executed));
  svg.end_clip();
  svg.rectangle(frame, "none", kFrame);
}

double greatest(const PathTrace& trace) {
  double most = 0.0;
  for (const PathTrace::Deviation& sample : trace.deviation) {
    most = std::max(most, sample.distance_m);
  }
  return most;
}

std::string millimetres(double distance_m) {
  return fmt::format("{:.1f} mm", distance_m * 1e3);
}

/// Above a view, on the right: what cannot be seen in it.
void draw_warning(SvgDrawing& svg, const PathFigure& figure, const PathView& view,
                  const PlaneBox& frame) {
  if (!view.is_left_by_executed && !view.is_left_by_reference) {
    return;
  }
  const bool is_executed = view.is_left_by_executed;
  const PathTrace& trace = is_executed ? figure.executed : *figure.reference;
  svg.text(
      {frame.high[0], frame.low[1] - 8.0},
      fmt::format("{} leaves this view, up to {} from the plan",
                  is_executed ? "executed path" : "reference run", millimetres(greatest(trace))),
      {.colour = kWarning, .anchor = "end", .is_bold = true});
}

void draw_deviation(SvgDrawing& svg, const PathFigure& figure, const PlaneBox& frame) {
  draw_panel_title(svg, frame, "Distance to the plan");
  const double end_s =
      figure.executed.deviation.empty() ? 1.0 : figure.executed.deviation.back().time_s;
  double most_m = greatest(figure.executed);
  if (figure.reference) {
    most_m = std::max(most_m, greatest(*figure.reference));
  }
  const double most_mm = most_m > 0.0 ? most_m * 1e3 * 1.08 : 1.0;
  const double width = frame.high[0] - frame.low[0];
  const double height = frame.high[1] - frame.low[1];
  const auto x_of = [&](double time_s) { return frame.low[0] + time_s / end_s * width; };
  const auto y_of = [&](double mm) { return frame.high[1] - mm / most_mm * height; };

  if (figure.hold_start_s && *figure.hold_start_s < end_s) {
    const double x = x_of(std::max(*figure.hold_start_s, 0.0));
    svg.rectangle({{x, frame.low[1]}, frame.high}, kShade);
    svg.text({frame.high[0] - 6.0, frame.low[1] + 16.0}, "hold",
             {.colour = kFaintInk, .anchor = "end"});
  }
  draw_across_ticks(svg, frame, ticks_between(0.0, end_s, width / 90.0), x_of, "time in s");
  draw_up_ticks(svg, frame, ticks_between(0.0, most_mm, height / 38.0), y_of, "distance in mm");

  svg.begin_clip("distance", frame);
  const auto draw = [&](const char* name, const PathTrace& trace, std::string_view colour,
                        double line_width) {
    Polyline points;
    for (const PathTrace::Deviation& sample : trace.deviation) {
      points.push_back({x_of(sample.time_s), y_of(sample.distance_m * 1e3)});
    }
    svg.path(name, runs_in(frame, points), colour, line_width);
  };
  if (figure.reference) {
    draw("distance-reference", *figure.reference, kReference, 3.0);
  }
  draw("distance-executed", figure.executed, kExecuted, 1.4);
  svg.end_clip();
  svg.rectangle(frame, "none", kFrame);

  // the numbers one would otherwise read off
  const double y = frame.low[1] - 8.0;
  svg.text({frame.high[0], y}, "executed: max " + millimetres(greatest(figure.executed)),
           {.colour = kExecuted, .anchor = "end"});
  if (figure.reference) {
    svg.text({frame.high[0] - 180.0, y},
             "reference run: max " + millimetres(greatest(*figure.reference)),
             {.colour = kReferenceText, .anchor = "end"});
  }
}

void draw_legend(SvgDrawing& svg, const PathFigure& figure) {
  double x = kLeft;
  constexpr double kY = 78.0;
  const auto entry = [&](std::string_view words) {
    svg.text({x + 34.0, kY + 4.0}, words, {.size_px = 13.0, .colour = kInk});
    x += 34.0 + 6.6 * static_cast<double>(words.size()) + 28.0;
  };
  const auto line_entry = [&](std::string_view colour, double width, std::string_view words) {
    svg.line({x, kY}, {x + 27.0, kY}, colour, width);
    entry(words);
  };
  line_entry(kPlanned, kPlannedWidth, "planned");
  line_entry(kExecuted, kExecutedWidth, "executed");
  if (figure.reference) {
    line_entry(kReference, kReferenceWidth, "reference run");
  }
  if (figure.start_m) {
    draw_start(svg, {x + 20.0, kY});
    entry("start");
  }
  if (!figure.waypoints_m.empty()) {
    svg.circle({x + 4.0, kY}, 3.0, kInk);
    draw_badge(svg, {x + 20.0, kY}, "1");
    entry("waypoints in order");
  }
}

}  // namespace

Result<PathTrace> read_path_trace(const std::string& path) {
  auto opened = CsvTraceReader::open(path);
  if (!opened) {
    return opened.error();
  }
  CsvTraceReader& reader = *opened.value();
  std::array<std::size_t, 4> columns{};
  const std::array<const char*, 4> names{"end_effector.x", "end_effector.y", "end_effector.z",
                                         "path_deviation.m"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::optional<std::size_t> column = reader.find_column(names[i]);
    if (!column) {
      return Error{fmt::format("{} has no column {}", path, names[i])};
    }
    columns[i] = *column;
  }

  PathTrace trace;
  std::optional<Point3> last;
  while (const std::vector<double>* row = reader.next()) {
    last = Point3{(*row)[columns[0]], (*row)[columns[1]], (*row)[columns[2]]};
    const Point3& kept = trace.path_m.empty() ? *last : trace.path_m.back();
    const double step =
        std::hypot((*last)[0] - kept[0], (*last)[1] - kept[1], (*last)[2] - kept[2]);
    if (trace.path_m.empty() || step > kLeastStep_m) {
      trace.path_m.push_back(*last);
    }
    trace.deviation.push_back({(*row)[0], (*row)[columns[3]]});
  }
  if (last && *last != trace.path_m.back()) {
    trace.path_m.push_back(*last);
  }
  return trace;
}

std::string draw_path_figure(const PathFigure& figure) {
  const PathView view = view_of(figure);
  const PathLayout layout = layout_of(view, kHeaderHeight);
  SvgDrawing svg(layout.width, layout.height, figure.title + ", " + figure.subtitle);
  svg.text({kLeft, 34.0}, figure.title, {.size_px = 22.0, .colour = kInk, .is_bold = true});
  svg.text({kLeft, 56.0}, figure.subtitle, {.size_px = 14.0, .colour = kFaintInk});
  draw_legend(svg, figure);
  draw_view(svg, figure, layout.top, "top", "Top view");
  draw_scale_bar(svg, layout.top);
  draw_warning(svg, figure, view, layout.top.frame);
  draw_view(svg, figure, layout.side, "side", "Side view");
  draw_deviation(svg, figure, layout.deviation);
  return std::move(svg).finish();
}

}  // namespace longarm::record
