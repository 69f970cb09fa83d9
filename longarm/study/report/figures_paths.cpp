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

namespace longarm::study {
namespace {

using record::PlanePoint;
using record::Point3;
using record::Polyline;
using record::SvgDrawing;

constexpr double kPageHeight = 618.0;
constexpr double kTop = 94.0;
constexpr record::PlaneBox kMain{{90.0, kTop + 10.0}, {610.0, kPageHeight - 60.0}};
constexpr double kLeastGap_m = 0.05e-3;  // nothing to look at below
constexpr record::PlaneBox kInset{{660.0, kTop + 44.0}, {936.0, kTop + 320.0}};

std::vector<Point3> path_of(const ReportSeries& series) {
  const std::vector<float>* x = series.curves.find("end_effector.x");
  const std::vector<float>* y = series.curves.find("end_effector.y");
  const std::vector<float>* z = series.curves.find("end_effector.z");
  std::vector<Point3> path;
  if (x == nullptr || y == nullptr || z == nullptr) {
    return path;
  }
  for (std::size_t i = 0; i < x->size(); ++i) {
    const Point3 p{static_cast<double>((*x)[i]), static_cast<double>((*y)[i]),
                   static_cast<double>((*z)[i])};
    if (std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2])) {
      path.push_back(p);
    }
  }
  return path;
}

struct PathLine {
  const FigureSeries* series = nullptr;
  std::vector<Point3> path_m;
};

/// What the plan and the stable runs need, and a little of what others do.
std::optional<SpaceBox> box_of(const Report& report, const std::vector<PathLine>& lines) {
  std::optional<SpaceBox> box;
  const auto include = [&](const Point3& p) {
    box = box.value_or(SpaceBox{p, p});
    box->include(p);
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
  if (box) {
    box->widen(std::max(0.04 * box->size(), 1e-3));
    box->deepen(0.3 * box->size());
  }
  return box;
}

Polyline projected(const SpaceView& view, std::span<const Point3> path_m) {
  Polyline points;
  points.reserve(path_m.size());
  for (const Point3& p : path_m) {
    points.push_back(view(p));
  }
  return points;
}

/// What is seen of a path; of one that leaves the box only the parts inside, because a flat picture
/// would show the rest in the wrong place.
std::vector<Polyline> seen(const SpaceView& view, const PathLine& line) {
  if (line.series->sets_scale) {
    return record::runs_in(view.frame(), projected(view, line.path_m));
  }
  std::vector<Polyline> runs;
  const auto end = line.path_m.end();
  for (auto at = line.path_m.begin(); at != end;) {
    const auto is_inside = [&](const Point3& p) { return view.box().contains(p); };
    const auto first = std::find_if(at, end, is_inside);
    at = std::find_if_not(first, end, is_inside);
    for (Polyline& run : record::runs_in(view.frame(), projected(view, {first, at}))) {
      runs.push_back(std::move(run));
    }
  }
  return runs;
}

PlanePoint nearest_point(const PlanePoint& p, const Polyline& base) {
  PlanePoint best = base.front();
  double least = HUGE_VAL;
  for (std::size_t i = 1; i < base.size(); ++i) {
    const PlanePoint& a = base[i - 1];
    const PlanePoint along{base[i][0] - a[0], base[i][1] - a[1]};
    const double length = along[0] * along[0] + along[1] * along[1];
    const double dot = (p[0] - a[0]) * along[0] + (p[1] - a[1]) * along[1];
    const double part = length > 0.0 ? std::clamp(dot / length, 0.0, 1.0) : 0.0;
    const PlanePoint q{a[0] + part * along[0], a[1] + part * along[1]};
    const double distance = std::hypot(p[0] - q[0], p[1] - q[1]);
    if (distance < least) {
      least = distance;
      best = q;
    }
  }
  return best;
}

/// Where on the page two paths are farthest apart, among those that set the scale.
struct Gap {
  PlanePoint middle{};
  double pixels = 0.0;
};
Gap widest_gap(const Report& report, const std::vector<PathLine>& lines, const SpaceView& view) {
  Polyline base;
  for (const PathLine& line : lines) {
    if (line.series->series->is_reference) {
      base = projected(view, line.path_m);
    }
  }
  if (base.empty() && report.plan) {
    base = projected(view, report.plan->path_m);
  }
  Gap gap;
  if (base.size() < 2) {
    return gap;
  }
  for (const PathLine& line : lines) {
    if (!line.series->sets_scale) {
      continue;
    }
    for (const PlanePoint& p : projected(view, line.path_m)) {
      const PlanePoint nearest = nearest_point(p, base);
      const double distance = std::hypot(p[0] - nearest[0], p[1] - nearest[1]);
      if (distance > gap.pixels) {
        gap = {{(p[0] + nearest[0]) / 2.0, (p[1] + nearest[1]) / 2.0}, distance};
      }
    }
  }
  return gap;
}

void draw_lines(SvgDrawing& svg, const Report& report, const std::vector<PathLine>& lines,
                const SpaceView& view, const std::string& name, double width_factor) {
  svg.begin_clip(name, view.frame());
  // unstable ones below, then the reference, then by latency
  for (const bool is_stable : {false, true}) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const FigureSeries& series = *lines[i].series;
      if (series.sets_scale == is_stable) {
        svg.path(fmt::format("{}-{}", name, i), seen(view, lines[i]), series.colour,
                 is_stable ? series.width * width_factor : 0.9, is_stable ? "" : "5 3");
      }
    }
  }
  if (report.plan && report.plan->path_m.size() > 1) {
    svg.path(name + "-planned", record::runs_in(view.frame(), projected(view, report.plan->path_m)),
             record::colour::kPlanned, 1.2, "5 4");
  }
  svg.end_clip();
}

/// A place beside a waypoint that is farthest from the plan and other numbers.
PlanePoint place_number(const PlanePoint& dot, const Polyline& plan,
                        const std::vector<PlanePoint>& taken) {
  constexpr double kDistance = 19.0;
  PlanePoint best = dot;
  double most = -1.0;
  for (int i = 0; i < 16; ++i) {
    const double angle = 0.39269908169872414 * i;
    const PlanePoint place{dot[0] + kDistance * std::cos(angle),
                           dot[1] - kDistance * std::sin(angle)};
    double room = std::min(kDistance, record::distance_to_polyline(place, plan));
    for (const PlanePoint& other : taken) {
      room = std::min(room, std::hypot(place[0] - other[0], place[1] - other[1]) - 8.0);
    }
    if (room > most + 1e-6) {
      most = room;
      best = place;
    }
  }
  return best;
}

void draw_marks(SvgDrawing& svg, const Report& report, const SpaceView& view) {
  if (!report.plan) {
    return;
  }
  const Polyline plan = record::decimate(projected(view, report.plan->path_m), 0.5);
  if (report.plan->start_m) {
    const PlanePoint p = view(*report.plan->start_m);
    svg.rectangle({{p[0] - 4.5, p[1] - 4.5}, {p[0] + 4.5, p[1] + 4.5}}, record::colour::kPaper,
                  record::colour::kInk);
  }
  std::vector<PlanePoint> taken;
  for (std::size_t i = 0; i < report.plan->waypoints_m.size(); ++i) {
    const Point3& waypoint = report.plan->waypoints_m[i];
    const PlanePoint dot = view(waypoint);
    const PlanePoint floor = view({waypoint[0], waypoint[1], view.box().low[2]});
    svg.line(dot, floor, record::colour::kFrame, 0.8, "2 3");
    svg.circle(dot, 3.2, record::colour::kInk);
    taken.push_back(place_number(dot, plan, taken));
    svg.circle(taken.back(), 8.5, record::colour::kPaper, record::colour::kInk);
    svg.text(
        {taken.back()[0], taken.back()[1] + 4.0}, std::to_string(i + 1),
        {.size_px = 11.0, .colour = record::colour::kInk, .anchor = "middle", .is_bold = true});
  }
}

/// The floor under the plan: what a light from above would draw.
void draw_shadow(SvgDrawing& svg, const Report& report, const SpaceView& view) {
  if (!report.plan) {
    return;
  }
  std::vector<Point3> shadow = report.plan->path_m;
  for (Point3& p : shadow) {
    p[2] = view.box().low[2];
  }
  svg.path("shadow", record::runs_in(view.frame(), projected(view, shadow)), "#dcdcdc", 2.0);
}

/// The largest of 1, 2 and 5 times a power of ten that is not above it.
double round_below(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  return power * (value >= 5.0 * power ? 5.0 : value >= 2.0 * power ? 2.0 : 1.0);
}

void draw_inset(SvgDrawing& svg, const Report& report, const std::vector<PathLine>& lines,
                const SpaceView& view, const Gap& gap) {
  // the gap takes about a third of the inset, at a round scale
  const double side = kInset.high[0] - kInset.low[0];
  const double factor = round_below(std::max(side / 2.5 / gap.pixels, 2.0));
  const SpaceView inset = view.magnified(gap.middle, kInset, factor);
  svg.rectangle(kInset, record::colour::kPaper, "none");
  draw_lines(svg, report, lines, inset, "inset", 1.3);
  svg.rectangle(kInset, "none", record::colour::kInk);
  record::draw_panel_title(svg, kInset, fmt::format("magnified {:.0f} times", factor));

  const double length_m = record::ticks_between(0.0, 120.0 / inset.pixels_per_m(), 2.5).step;
  const double right = kInset.high[0] - 12.0;
  const double left = right - length_m * inset.pixels_per_m();
  const double y = kInset.high[1] - 10.0;
  svg.rectangle({{left - 6.0, y - 20.0}, {right + 6.0, y + 6.0}}, record::colour::kPaper, "none",
                0.8);
  svg.line({left, y}, {right, y}, record::colour::kInk, 2.5);
  svg.text({(left + right) / 2.0, y - 6.0}, fmt::format("{:g} mm", length_m * 1e3),
           {.size_px = 11.0, .colour = record::colour::kInk, .anchor = "middle"});

  // where that is
  const double half = std::max(side / factor / 2.0, 6.0);
  const record::PlaneBox place{{gap.middle[0] - half, gap.middle[1] - half},
                               {gap.middle[0] + half, gap.middle[1] + half}};
  svg.rectangle(place, "none", record::colour::kInk);
  svg.line({place.high[0], place.low[1]}, {kInset.low[0], kInset.low[1]}, record::colour::kFrame,
           0.8);
  svg.line({place.high[0], place.high[1]}, {kInset.low[0], kInset.high[1]}, record::colour::kFrame,
           0.8);
}

}  // namespace

std::string draw_paths(const Report& report) {
  const FigureChoice choice = choose_series(report);
  std::vector<PathLine> lines;
  for (const FigureSeries& series : choice.series) {
    lines.push_back({&series, path_of(*series.series)});
  }
  const std::optional<SpaceBox> box = box_of(report, lines);
  if (!box || lines.empty()) {
    return "";
  }
  const SpaceView view(*box, kMain);
  const Gap gap = widest_gap(report, lines, view);
  const bool has_inset = gap.pixels / view.pixels_per_m() >= kLeastGap_m;
  const double legend_top = has_inset ? kInset.high[1] + 18.0 : kInset.low[1] - 20.0;
  const double legend = legend_height(choice.series, kInset.low[0], kInset.high[0]);
  SvgDrawing svg(kPageWidth, std::max(kPageHeight, legend_top + legend + 54.0),
                 "End-effector paths");
  draw_heading(svg, report, "End-effector paths", choice.remark);
  view.draw_box(svg);
  draw_shadow(svg, report, view);
  draw_lines(svg, report, lines, view, "paths", 1.0);
  draw_marks(svg, report, view);
  if (has_inset) {
    draw_inset(svg, report, lines, view, gap);
  }

  double y =
      legend_top + draw_legend(svg, choice.series, kInset.low[0], kInset.high[0], legend_top);
  if (report.plan) {
    svg.line({kInset.low[0], y + 8.0}, {kInset.low[0] + 26.0, y + 8.0}, record::colour::kPlanned,
             1.2, "5 4");
    svg.text({kInset.low[0] + 33.0, y + 12.0}, "planned", {.colour = record::colour::kInk});
    y += 20.0;
  }
  if (!has_inset && lines.size() > 1) {
    svg.text({kInset.low[0], y + 12.0}, "stable paths lie within 0.05 mm",
             {.colour = record::colour::kInk});
    y += 20.0;
  }
  const bool is_left = std::any_of(lines.begin(), lines.end(), [&](const PathLine& line) {
    return std::any_of(line.path_m.begin(), line.path_m.end(),
                       [&](const Point3& p) { return !box->contains(p); });
  });
  if (is_left) {
    svg.text({kInset.low[0], y + 12.0}, "unstable runs leave this view",
             {.colour = record::colour::kWarning});
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
