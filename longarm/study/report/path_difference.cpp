// SPDX-License-Identifier: Apache-2.0
// Looks for the farthest sample; neighbours on one path have neighbours on the other.
#include "longarm/study/report/path_difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "longarm/record/figure_panel.h"

namespace longarm::study {
namespace {

using record::Point3;
using Path = std::vector<Point3>;

constexpr double kLeast_m = 5e-5;  // nothing to look at below

Point3 minus(const Point3& a, const Point3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
double dot(const Point3& a, const Point3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
double length(const Point3& a) {
  return std::hypot(a[0], a[1], a[2]);
}
bool is_finite(const Point3& p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

struct Nearest {
  double distance_m = HUGE_VAL;
  Point3 point{};
  std::size_t segment = 0;
};

Nearest nearest_on(const Path& base, std::size_t segment, const Point3& p) {
  const Point3& a = base[segment];
  const Point3 along = minus(base[segment + 1], a);
  const double squared = dot(along, along);
  const double part = squared > 0.0 ? std::clamp(dot(minus(p, a), along) / squared, 0.0, 1.0) : 0.0;
  const Point3 q{a[0] + part * along[0], a[1] + part * along[1], a[2] + part * along[2]};
  return {length(minus(p, q)), q, segment};
}

Nearest nearest_on(const Path& base, const Point3& p) {
  Nearest best;
  for (std::size_t i = 0; i + 1 < base.size(); ++i) {
    const Nearest found = nearest_on(base, i, p);
    best = found.distance_m < best.distance_m ? found : best;
  }
  return best;
}

/// Whether a point is nearer than `limit_m`, looked for outwards from segment `hint`, which moves.
bool is_close(const Path& base, const Point3& p, double limit_m, std::size_t& hint) {
  for (std::size_t away = 0; away + 1 < base.size(); ++away) {
    for (const bool is_after : {true, false}) {
      const std::size_t i = is_after ? hint + away : hint - away;  // wraps below zero
      if (i + 1 < base.size() && nearest_on(base, i, p).distance_m <= limit_m) {
        hint = i;
        return true;
      }
    }
  }
  return false;
}

/// How far the curve may lie off its chords about a sample: a parabola through three samples rises
/// over the chord by an eighth of their second difference, as far as that points across the path.
double sagitta(const Path& path, std::size_t i) {
  if (i < 1 || i + 1 >= path.size()) {
    return 0.0;
  }
  const Point3 bend = minus(minus(path[i - 1], path[i]), minus(path[i], path[i + 1]));
  const Point3 along = minus(path[i + 1], path[i - 1]);
  const double squared = dot(along, along);
  const double part = squared > 0.0 ? dot(bend, along) / squared : 0.0;
  const double rise =
      length(minus(bend, {part * along[0], part * along[1], part * along[2]})) / 8.0;
  return std::isfinite(rise) ? rise : 0.0;
}

/// A base recorded from a little later on is not off the path: samples before its start do not
/// count.
std::size_t first_beside(const Path& path, const Path& base) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (nearest_on(base, path[i]).point != base.front()) {
      return i;
    }
  }
  return 0;
}

std::optional<PathDifference> difference(const Path& path, const Path& base, const Curves& curves) {
  if (path.empty() || base.size() < 2) {
    return std::nullopt;
  }
  PathDifference best;
  best.distance_m = -1.0;
  std::size_t hint = 0;
  for (std::size_t i = first_beside(path, base); i < path.size(); ++i) {
    if (!is_finite(path[i]) || is_close(base, path[i], best.distance_m, hint)) {
      continue;
    }
    const Nearest found = nearest_on(base, path[i]);
    if (found.distance_m <= best.distance_m) {
      continue;
    }
    const Point3& q = found.point;
    best.distance_m = found.distance_m;
    best.centre = {(path[i][0] + q[0]) / 2.0, (path[i][1] + q[1]) / 2.0, (path[i][2] + q[2]) / 2.0};
    best.way = minus(path[i], q);
    best.time_s = curves.start_s + static_cast<double>(i) * curves.period_s;
    best.resolved_m = std::max(
        {sagitta(base, found.segment), sagitta(base, found.segment + 1), sagitta(path, i)});
  }
  return best.distance_m >= 0.0 ? std::optional(best) : std::nullopt;
}

const ReportSeries* reference_of(const Report& report, const ReportSeries& series) {
  for (const ReportSeries& other : report.series) {
    const bool is_of_cell =
        other.identity == series.reference || other.reference == series.reference;
    if (other.is_reference && is_of_cell && !series.reference.empty()) {
      return &other;
    }
  }
  return nullptr;
}

}  // namespace

Path path_of(const ReportSeries& series) {
  const std::vector<float>* x = series.curves.find("end_effector.x");
  const std::vector<float>* y = series.curves.find("end_effector.y");
  const std::vector<float>* z = series.curves.find("end_effector.z");
  Path path;
  for (std::size_t i = 0; x != nullptr && y != nullptr && z != nullptr && i < x->size(); ++i) {
    path.push_back(
        {static_cast<double>((*x)[i]), static_cast<double>((*y)[i]), static_cast<double>((*z)[i])});
  }
  return path;
}

bool PathDifference::is_seen() const {
  return distance_m >= std::max(kLeast_m, resolved_m);
}

std::vector<std::string> PathDifference::words() const {
  if (!is_seen()) {
    return {"the paths coincide",
            "to within " + record::length_text(std::max(kLeast_m, resolved_m))};
  }
  return {fmt::format("largest distance: {},", record::length_text(distance_m)),
          base != nullptr ? "from the reference," : "from the plan,",
          fmt::format("at t = {:.2f} s", time_s)};
}

std::optional<PathDifference> largest_difference(const Report& report, const ReportSeries& series) {
  if (series.is_reference) {
    return std::nullopt;
  }
  const ReportSeries* base = reference_of(report, series);
  const Path plan = report.plan ? report.plan->path_m : Path();
  std::optional<PathDifference> found =
      difference(path_of(series), base != nullptr ? path_of(*base) : plan, series.curves);
  if (found) {
    found->base = base;
  }
  return found;
}

}  // namespace longarm::study
