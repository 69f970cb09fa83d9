// SPDX-License-Identifier: Apache-2.0
// The figure of paths in space.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "longarm/study/report/figures.h"
#include "longarm/study/report/figures_space.h"
#include "longarm/study/report/figures_style.h"
#include "longarm/study/report/path_difference.h"

namespace longarm::study {
namespace {

using record::PlanePoint;
using record::Point3;
using record::Polyline;
using record::SvgDrawing;

constexpr double kInsetSide = 280.0;
constexpr double kBodyHeight = 420.0;
constexpr double kWordsLine = 16.0;

struct PathLine {
  const FigureSeries* series = nullptr;
  std::vector<Point3> path_m;
};

/// What the plan and the stable runs need; where there are none, where the others start.
std::optional<SpaceBox> box_of(const Report& report, const std::vector<PathLine>& lines) {
  std::optional<SpaceBox> box;
  const auto include = [&](const Point3& p) {
    if (std::isfinite(p[0] + p[1] + p[2])) {
      box = box.value_or(SpaceBox{p, p});
      box->include(p);
    }
  };
  if (report.plan) {
    std::for_each(report.plan->path_m.begin(), report.plan->path_m.end(), include);
    std::for_each(report.plan->waypoints_m.begin(), report.plan->waypoints_m.end(), include);
    if (report.plan->start_m) {
      include(*report.plan->start_m);
    }
  }
  for (const PathLine& line : lines) {
    if (line.series->sets_scale) {
      std::for_each(line.path_m.begin(), line.path_m.end(), include);
    } else if (!box && !line.path_m.empty()) {
      include(line.path_m.front());
    }
  }
  return box;
}

Polyline projected(const SpaceProjection& projection, std::span<const Point3> path_m) {
  Polyline points;
  points.reserve(path_m.size());
  for (const Point3& p : path_m) {
    points.push_back(projection(p));
  }
  return points;
}

/// What is seen of a path; of one that leaves the box only the parts inside, because a flat picture
/// would show the rest in the wrong place.
std::vector<Polyline> seen(const SpaceProjection& projection, const record::PlaneBox& frame,
                           const SpaceBox& box, const std::vector<Point3>& path_m) {
  std::vector<Polyline> runs;
  for (auto at = path_m.begin(); at != path_m.end();) {
    const auto is_inside = [&](const Point3& p) { return box.contains(p); };
    const auto first = std::find_if(at, path_m.end(), is_inside);
    at = std::find_if_not(first, path_m.end(), is_inside);
    for (Polyline& run : record::runs_in(frame, projected(projection, {first, at}))) {
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

/// What runs away below, then the reference, then the others; the plan on top, so that its dashes
/// are seen where every path follows it.
void draw_lines(SvgDrawing& svg, const Report& report, const std::vector<PathLine>& lines,
                const SpaceProjection& projection, const record::PlaneBox& frame,
                const SpaceBox& box, const std::string& name) {
  svg.begin_clip(name, frame);
  for (const int layer : {0, 1, 2}) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const FigureSeries& series = *lines[i].series;
      const int own = !series.sets_scale ? 0 : series.series->is_reference ? 1 : 2;
      if (own == layer) {
        svg.path(fmt::format("{}-{}", name, i), seen(projection, frame, box, lines[i].path_m),
                 series.colour, series.width_px(), "",
                 series.sets_scale ? 1.0 : record::style::kWildOpacity);
      }
    }
  }
  if (report.plan && report.plan->path_m.size() > 1) {
    svg.path(name + "-planned", record::runs_in(frame, projected(projection, report.plan->path_m)),
             record::colour::kPlan, record::style::kPlanWidth_px, record::style::kPlanDashes);
  }
  svg.end_clip();
}

/// The plan's shadow and the feet of the waypoints on the floor: they tell depth.
void draw_shadow(SvgDrawing& svg, const record::PlanGeometry& plan,
                 const SpaceProjection& projection, const record::PlaneBox& frame, double floor) {
  std::vector<Point3> shadow = plan.path_m;
  for (Point3& p : shadow) {
    p[2] = floor;
  }
  svg.path("shadow", record::runs_in(frame, projected(projection, shadow)), record::colour::kLine,
           1.2);
  for (const Point3& point : plan.waypoints_m) {
    svg.line(projection(point), projection({point[0], point[1], floor}), record::colour::kLine, 1.0,
             "2 3");
  }
}

/// In pixels.
void draw_marks(SvgDrawing& svg, const record::PlanGeometry& plan,
                const SpaceProjection& projection) {
  std::optional<PlanePoint> start;
  if (plan.start_m) {
    start = projection(*plan.start_m);
  }
  record::draw_waypoints(svg, start, projected(projection, plan.waypoints_m),
                         projected(projection, plan.path_m));
}

/// The paths near the place of the largest difference, and where that is.
void draw_inset(SvgDrawing& svg, const Report& report, const std::vector<PathLine>& lines,
                const SpaceProjection& main, const record::PlaneBox& box, const SpaceGrid& grid,
                const PathDifference& found) {
  const double half_m = 1.3 * found.distance_m;
  const SpaceProjection projection{
      main.view,
      kInsetSide / (2.0 * half_m),
      found.centre,
      {(box.low[0] + box.high[0]) / 2.0, (box.low[1] + box.high[1]) / 2.0}};
  const double factor = projection.pixels_per_m / main.pixels_per_m;
  svg.rectangle(box, record::colour::kPaper);
  draw_lines(svg, report, lines, projection, box, grid.box, "inset");
  svg.rectangle(box, "none", record::colour::kSoft);
  record::draw_scale_bar(svg, box, projection.pixels_per_m);
  svg.text({box.low[0], box.high[1] + 18.0},
           fmt::format("magnified ×{:.{}f}", factor, factor >= 10.0 ? 0 : 1),
           {.size_px = record::style::kTitleText_px, .is_bold = true});
  const PlanePoint place = main(found.centre);
  const double half = std::max(4.0, kInsetSide / factor / 2.0);
  const record::PlaneBox mark{{place[0] - half, place[1] - half},
                              {place[0] + half, place[1] + half}};
  svg.rectangle(mark, "none", record::colour::kInk);
  svg.line({mark.high[0], mark.low[1]}, box.low, record::colour::kSoft, 0.8, "1 2.5");
  svg.line(mark.high, {box.low[0], box.high[1]}, record::colour::kSoft, 0.8, "1 2.5");
}

}  // namespace

std::string draw_paths(const Report& report, const FigureInfo& figure) {
  FigureChoice choice = choose_series(report);
  std::vector<PathLine> lines;
  std::optional<PathDifference> largest;
  const FigureSeries* farthest = nullptr;
  for (const FigureSeries& series : choice.series) {
    lines.push_back({&series, path_of(*series.series)});
    // of unstable ones only if there is no other
    const std::optional<PathDifference> found = largest_difference(report, *series.series);
    const bool is_wilder = farthest != nullptr && farthest->sets_scale && !series.sets_scale;
    const bool is_tamer = farthest == nullptr || (series.sets_scale && !farthest->sets_scale);
    if (found && !is_wilder && (is_tamer || found->distance_m > largest->distance_m)) {
      largest = found;
      farthest = &series;
    }
  }
  const std::optional<SpaceBox> box = box_of(report, lines);
  if (!box) {
    return "";
  }
  const bool has_inset = largest && largest->is_seen();
  std::vector<FigureSeries> entries = choice.series;
  if (report.plan) {
    entries.insert(entries.begin(), {nullptr, "planned path", record::colour::kPlan, true,
                                     record::style::kPlanDashes});
  }
  const double top = kHeadingHeight + legend_height(entries, kMargin, kPageWidth - kMargin) + 10.0;
  const record::PlaneBox inset{{kPageWidth - kMargin - kInsetSide, top + 14.0},
                               {kPageWidth - kMargin, top + 14.0 + kInsetSide}};
  const record::PlaneBox frame{{kMargin, top}, {inset.low[0] - 16.0, top + kBodyHeight}};
  SvgDrawing svg =
      begin_page(report, figure.title, figure.caption, choice.remark, top + kBodyHeight + 8.0);
  draw_legend(svg, entries, kMargin, kPageWidth - kMargin, kHeadingHeight);

  const SpaceGrid grid = grid_of(*box);
  const SpaceView view = view_across(has_inset ? std::optional(largest->way) : std::nullopt);
  // room for the words of the axes, most of it on the left
  const double width = frame.high[0] - frame.low[0];
  const SpaceProjection projection{
      view,
      fitting_scale(grid.box, view, width - 104.0, kBodyHeight - 84.0),
      grid.box.middle(),
      {frame.low[0] + width / 2.0 + 14.0, top + kBodyHeight / 2.0 - 8.0}};
  draw_grid(svg, projection, grid);
  if (report.plan) {
    draw_shadow(svg, *report.plan, projection, frame, grid.box.low[2]);
  }
  draw_lines(svg, report, lines, projection, frame, grid.box, "paths");
  if (report.plan) {
    draw_marks(svg, *report.plan, projection);
  }
  double y = inset.low[1];
  if (has_inset) {
    draw_inset(svg, report, lines, projection, inset, grid, *largest);
    y = inset.high[1] + 18.0 + kWordsLine;
  }
  std::vector<std::string> words = largest ? largest->words() : std::vector<std::string>{};
  if (has_inset) {
    words[1] = farthest->label + " " + words[1];
  }
  for (const std::string& line : words) {
    svg.text({inset.low[0], y}, line, {.colour = record::colour::kSoft});
    y += kWordsLine;
  }
  const bool is_left = std::any_of(lines.begin(), lines.end(), [&](const PathLine& line) {
    return std::any_of(line.path_m.begin(), line.path_m.end(),
                       [&](const Point3& p) { return !grid.box.contains(p); });
  });
  if (is_left) {
    svg.text({inset.low[0], y}, "unstable runs leave this view",
             {.colour = record::colour::kUnstable});
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
