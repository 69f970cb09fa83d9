// SPDX-License-Identifier: Apache-2.0
// Leaves out what a drawing would not show.
#include "longarm/record/polyline.h"

#include <algorithm>
#include <cmath>
#include <set>
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

/// Points looked at together: what a block costs at worst grows with its square.
constexpr std::size_t kBlock = 128;

/// Keeps the point farthest from the segment that would stand for a stretch, and looks at both
/// sides (Douglas and Peucker).
void mark_kept(std::span<const PlanePoint> points, std::size_t begin, std::size_t end,
               double tolerance, std::vector<bool>& is_kept) {
  std::vector<std::pair<std::size_t, std::size_t>> stretches{{begin, end}};
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
}

/// The ends of every block are kept.
Polyline decimate_blocks(std::span<const PlanePoint> points, double tolerance) {
  if (points.size() < 3) {
    return {points.begin(), points.end()};
  }
  std::vector<bool> is_kept(points.size(), false);
  for (std::size_t begin = 0; begin + 1 < points.size(); begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, points.size() - 1);
    is_kept[begin] = is_kept[end] = true;
    mark_kept(points, begin, end, tolerance, is_kept);
  }
  Polyline kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (is_kept[i]) {
      kept.push_back(points[i]);
    }
  }
  return kept;
}

Polyline every_second(const Polyline& points) {
  Polyline kept;
  for (std::size_t i = 0; i < points.size(); i += 2) {
    kept.push_back(points[i]);
  }
  kept.back() = points.back();
  return kept;
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

Polyline decimate(std::span<const PlanePoint> points, double tolerance) {
  // Looked at block by block, because a swing that goes on and on would be looked at once for each
  // of its turns. Ends of blocks that were not needed are left out in the next round; what a round
  // leaves out adds up to less than the tolerance.
  Polyline kept = decimate_blocks(points, tolerance * 0.75);
  double part = tolerance / 8.0;
  for (std::size_t before = points.size(); 2 * kept.size() < before; part /= 2.0) {
    before = kept.size();
    kept = decimate_blocks(kept, part);
  }
  return kept;
}

Polyline decimate_to(std::span<const PlanePoint> points, double tolerance, std::size_t max_points) {
  Polyline kept = decimate(points, tolerance);
  while (kept.size() > std::max<std::size_t>(max_points, 2)) {
    tolerance *= 2.0;
    Polyline fewer = decimate_blocks(kept, tolerance);
    // a tolerance that leaves out everything leaves two points a block
    kept = fewer.size() < kept.size() ? std::move(fewer) : every_second(kept);
  }
  return kept;
}

std::vector<Polyline> without_repeats(const std::vector<Polyline>& runs, double cell) {
  using Cell = std::pair<long long, long long>;
  const auto cell_of = [&](const PlanePoint& p) {
    return Cell(std::llround(p[0] / cell), std::llround(p[1] / cell));
  };
  std::set<std::pair<Cell, Cell>> drawn;
  std::vector<Polyline> kept;
  for (const Polyline& run : runs) {
    bool is_running = false;
    for (std::size_t i = 1; i < run.size(); ++i) {
      const Cell from = cell_of(run[i - 1]);
      const Cell to = cell_of(run[i]);
      if (!drawn.insert(std::minmax(from, to)).second) {
        is_running = false;
        continue;
      }
      if (!is_running) {
        kept.push_back({run[i - 1]});
        is_running = true;
      }
      kept.back().push_back(run[i]);
    }
  }
  return kept;
}

Polyline by_columns(std::span<const PlanePoint> points, double width) {
  Polyline kept;
  for (std::size_t first = 0; first < points.size();) {
    const double column = std::floor(points[first][0] / width);
    std::size_t end = first;
    std::size_t low = first;
    std::size_t high = first;
    for (; end < points.size() && std::floor(points[end][0] / width) == column; ++end) {
      low = points[end][1] < points[low][1] ? end : low;
      high = points[end][1] > points[high][1] ? end : high;
    }
    kept.push_back(points[std::min(low, high)]);
    if (low != high) {
      kept.push_back(points[std::max(low, high)]);
    }
    first = end;
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
