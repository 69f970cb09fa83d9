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

/// Beside a point where a label covers the least of the plan and of other labels.
void draw_label(SvgDrawing& svg, const PlanePoint& at, const std::string& words, Polyline& busy) {
  const double width = 7.5 * static_cast<double>(words.size());
  double least = HUGE_VAL;
  double best_left = 0.0;
  PlanePoint best{};
  for (const PlanePoint& corner : {PlanePoint{7.0, -7.0}, PlanePoint{-7.0, -7.0},
                                   PlanePoint{7.0, 16.0}, PlanePoint{-7.0, 16.0}}) {
    const double left = at[0] + corner[0] - (corner[0] < 0.0 ? width : 0.0);
    const double y = at[1] + corner[1];
    const auto covered =
        static_cast<double>(std::count_if(busy.begin(), busy.end(), [&](const PlanePoint& p) {
          return p[0] > left - 2.0 && p[0] < left + width + 2.0 && p[1] > y - 12.0 &&
                 p[1] < y + 3.0;
        }));
    if (covered < least) {
      least = covered;
      best_left = left;
      best = {at[0] + corner[0], y};
    }
  }
  for (int i = 0; i <= 6; ++i) {
    busy.push_back({best_left + width * i / 6.0, best[1] - 3.0});
  }
  svg.circle(at, 3.4, record::colour::kPaper, record::colour::kPlan);
  svg.text(best, words,
           {.size_px = 13.0, .anchor = best[0] > at[0] ? "start" : "end", .is_bold = true});
}

/// Waypoints at one place share a label.
void draw_waypoints(SvgDrawing& svg, const record::PlanGeometry& plan,
                    const SpaceProjection& projection) {
  std::vector<std::pair<Point3, std::string>> labels;
  const auto add = [&](const Point3& point, const std::string& words) {
    const auto same = std::find_if(labels.begin(), labels.end(), [&](const auto& each) {
      const Point3& p = each.first;
      return std::hypot(p[0] - point[0], p[1] - point[1], p[2] - point[2]) < 1e-4;
    });
    if (same == labels.end()) {
      labels.emplace_back(point, words);
    } else {
      same->second += ", " + words;
    }
  };
  if (plan.start_m) {
    add(*plan.start_m, "start");
  }
  for (std::size_t i = 0; i < plan.waypoints_m.size(); ++i) {
    add(plan.waypoints_m[i], std::to_string(i + 1));
  }
  Polyline busy = projected(projection, plan.path_m);
  for (const auto& [point, words] : labels) {
    draw_label(svg, projection(point), words, busy);
  }
}

/// The largest of 1, 2 and 5 times a power of ten that is not above it.
double round_below(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  return power * (value >= 5.0 * power ? 5.0 : value >= 2.0 * power ? 2.0 : 1.0);
}

/// A bar of round length, in the lower left corner.
void draw_bar(SvgDrawing& svg, const record::PlaneBox& box, double pixels_per_m) {
  const double length_m = round_below(0.35 * kInsetSide / pixels_per_m);
  const double x = box.low[0] + 12.0;
  const double y = box.high[1] - 12.0;
  const double end = x + length_m * pixels_per_m;
  const Polyline bar{{x, y - 4.0}, {x, y}, {end, y}, {end, y - 4.0}};
  svg.path("scale-bar", std::span(&bar, 1), record::colour::kInk, 1.3);
  svg.text({(x + end) / 2.0, y - 7.0}, length_text(length_m), {.anchor = "middle"});
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
  draw_bar(svg, box, projection.pixels_per_m);
  svg.text({box.low[0], box.high[1] + 18.0},
           fmt::format("magnified ×{:.{}g}", factor, factor >= 10.0 ? 6 : 2),
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
  std::vector<std::optional<PathDifference>> found;
  std::vector<std::optional<PathDifference>> found_wild;
  for (const FigureSeries& series : choice.series) {
    lines.push_back({&series, path_of(*series.series)});
    (series.sets_scale ? found : found_wild).push_back(largest_difference(report, *series.series));
  }
  const std::optional<SpaceBox> box = box_of(report, lines);
  if (!box) {
    return "";
  }
  const std::optional<PathDifference> largest =
      largest_of(found) ? largest_of(found) : largest_of(found_wild);
  const bool has_inset = largest && largest->is_seen();
  std::vector<FigureSeries> entries = choice.series;
  if (report.plan) {
    entries.insert(entries.begin(), {nullptr, "planned path", std::string(record::colour::kPlan)});
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
    draw_waypoints(svg, *report.plan, projection);
  }
  double y = inset.low[1];
  if (has_inset) {
    draw_inset(svg, report, lines, projection, inset, grid, *largest);
    y = inset.high[1] + 18.0 + kWordsLine;
  }
  for (const std::string& words : largest ? largest->words() : std::vector<std::string>{}) {
    svg.text({inset.low[0], y}, words, {.colour = record::colour::kSoft});
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
