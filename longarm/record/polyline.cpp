// SPDX-License-Identifier: Apache-2.0
// Leaves out what a drawing would not show.
#include "longarm/record/polyline.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace longarm::record {
namespace {

bool may_touch(const PlanePoint& a, const PlanePoint& b, const PlaneBox& box) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (std::max(a[i], b[i]) < box.low[i] || std::min(a[i], b[i]) > box.high[i]) {
      return false;
    }
  }
  return true;
}

}  // namespace

double distance_to_segment(const PlanePoint& p, const PlanePoint& a, const PlanePoint& b) {
  const PlanePoint along{b[0] - a[0], b[1] - a[1]};
  const PlanePoint away{p[0] - a[0], p[1] - a[1]};
  const double length_squared = along[0] * along[0] + along[1] * along[1];
  double part = 0.0;
  if (length_squared > 0.0) {
    part = std::clamp((away[0] * along[0] + away[1] * along[1]) / length_squared, 0.0, 1.0);
  }
  return std::hypot(away[0] - part * along[0], away[1] - part * along[1]);
}

double distance_to_polyline(const PlanePoint& p, std::span<const PlanePoint> polyline) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < polyline.size(); ++i) {
    const PlanePoint& before = polyline[i == 0 ? 0 : i - 1];
    nearest = std::min(nearest, distance_to_segment(p, before, polyline[i]));
  }
  return nearest;
}

Polyline decimate(std::span<const PlanePoint> points, double tolerance) {
  if (points.size() < 3) {
    return {points.begin(), points.end()};
  }
  // keep the point farthest from the segment that would stand for a stretch, and look at both sides
  std::vector<bool> is_kept(points.size(), false);
  is_kept.front() = is_kept.back() = true;
  std::vector<std::pair<std::size_t, std::size_t>> stretches{{0, points.size() - 1}};
  while (!stretches.empty()) {
    const auto [first, last] = stretches.back();
    stretches.pop_back();
    double farthest = tolerance;
    std::size_t middle = first;
    for (std::size_t i = first + 1; i < last; ++i) {
      const double distance = distance_to_segment(points[i], points[first], points[last]);
      if (distance > farthest) {
        farthest = distance;
        middle = i;
      }
    }
    if (middle != first) {
      is_kept[middle] = true;
      stretches.emplace_back(first, middle);
      stretches.emplace_back(middle, last);
    }
  }
  Polyline kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_kept[i]) {
      kept.push_back(points[i]);
    }
  }
  return kept;
}

Polyline decimate_to(std::span<const PlanePoint> points, double tolerance, std::size_t max_points) {
  Polyline kept = decimate(points, tolerance);
  while (kept.size() > std::max<std::size_t>(max_points, 2)) {
    tolerance *= 2.0;
    kept = decimate(points, tolerance);
  }
  return kept;
}

std::vector<Polyline> visible_runs(std::span<const PlanePoint> points, const PlaneBox& box,
                                   double longest) {
  std::vector<Polyline> runs;
  bool is_running = false;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const double length =
        std::hypot(points[i][0] - points[i - 1][0], points[i][1] - points[i - 1][1]);
    if (length > longest || !may_touch(points[i - 1], points[i], box)) {
      is_running = false;
      continue;
    }
    if (!is_running) {
      runs.push_back({points[i - 1]});
      is_running = true;
    }
    runs.back().push_back(points[i]);
  }
  return runs;
}

}  // namespace longarm::record
