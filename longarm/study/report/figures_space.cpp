// SPDX-License-Identifier: Apache-2.0
// Projects points and draws the box around them.
#include "longarm/study/report/figures_space.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "longarm/record/figure_panel.h"

namespace longarm::study {
namespace {

using record::PlanePoint;
using record::Point3;
using record::SvgDrawing;

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr SpaceView kFirstView{-60.0 * kDegree, 25.0 * kDegree};

/// Metres to the right and up on the page.
PlanePoint flat(const SpaceView& view, const Point3& p) {
  const double towards = p[0] * std::cos(view.azimuth_rad) + p[1] * std::sin(view.azimuth_rad);
  return {-p[0] * std::sin(view.azimuth_rad) + p[1] * std::cos(view.azimuth_rad),
          p[2] * std::cos(view.elevation_rad) - towards * std::sin(view.elevation_rad)};
}

/// How much of a length is seen.
double seen(const SpaceView& view, const Point3& way) {
  const PlanePoint across = flat(view, way);
  return std::hypot(across[0], across[1]) / std::hypot(way[0], way[1], way[2]);
}

}  // namespace

void SpaceBox::include(const Point3& p) {
  for (std::size_t i = 0; i < 3; ++i) {
    low[i] = std::min(low[i], p[i]);
    high[i] = std::max(high[i], p[i]);
  }
}

bool SpaceBox::contains(const Point3& p) const {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(p[i] >= low[i] && p[i] <= high[i])) {
      return false;
    }
  }
  return true;
}

Point3 SpaceBox::middle() const {
  return {(low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0, (low[2] + high[2]) / 2.0};
}

double SpaceBox::longest_side() const {
  return std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

SpaceView view_across(const std::optional<Point3>& way) {
  SpaceView best = kFirstView;
  if (!way || !(std::hypot((*way)[0], (*way)[1], (*way)[2]) > 0.0) || seen(best, *way) >= 0.6) {
    return best;
  }
  for (const double turn : {-60.0, -15.0, 15.0, 30.0}) {
    for (const double elevation_rad : {kFirstView.elevation_rad, 40.0 * kDegree}) {
      const SpaceView view{kFirstView.azimuth_rad + turn * kDegree, elevation_rad};
      best = seen(view, *way) > seen(best, *way) ? view : best;
    }
  }
  return best;
}

PlanePoint SpaceProjection::operator()(const Point3& p) const {
  const PlanePoint from = flat(view, {p[0] - centre[0], p[1] - centre[1], p[2] - centre[2]});
  return {at[0] + pixels_per_m * from[0], at[1] - pixels_per_m * from[1]};
}

double fitting_scale(const SpaceBox& box, const SpaceView& view, double width, double height) {
  PlanePoint size{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Point3 side{};
    side[axis] = box.high[axis] - box.low[axis];
    const PlanePoint part = flat(view, side);
    size = {size[0] + std::abs(part[0]), size[1] + std::abs(part[1])};
  }
  return std::min(width / std::max(size[0], 1e-12), height / std::max(size[1], 1e-12));
}

SpaceGrid grid_of(const SpaceBox& box) {
  const double step = record::ticks_between(0.0, std::max(box.longest_side(), 1e-6), 6.0).step;
  SpaceGrid grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // rounding may not push an exact multiple one step out
    auto first = std::lround(std::floor(box.low[axis] / step + 1e-9));
    auto last = std::lround(std::ceil(box.high[axis] / step - 1e-9));
    if (first == last) {
      --first;
      ++last;
    }
    for (long i = first; i <= last; ++i) {
      grid.ticks[axis].push_back(static_cast<double>(i) * step);
    }
    grid.box.low[axis] = grid.ticks[axis].front();
    grid.box.high[axis] = grid.ticks[axis].back();
  }
  return grid;
}

namespace {

/// Lines on the plane axis = value, along both other axes.
void draw_plane(SvgDrawing& svg, const SpaceProjection& projection, const SpaceGrid& grid,
                std::size_t axis, double value) {
  const std::size_t one = axis == 0 ? 1 : 0;
  const std::size_t other = axis == 2 ? 1 : 2;
  for (const auto& [along, across] : {std::pair{one, other}, std::pair{other, one}}) {
    for (const double tick : grid.ticks[along]) {
      Point3 from{};
      from[axis] = value;
      from[along] = tick;
      Point3 to = from;
      from[across] = grid.box.low[across];
      to[across] = grid.box.high[across];
      svg.line(projection(from), projection(to),
               axis == 2 ? record::colour::kGrid : record::colour::kWall, 1.0);
    }
  }
}

/// Ticks on the edge along `axis` through `corner`, on the side away from the middle of the box.
void draw_edge(SvgDrawing& svg, const SpaceProjection& projection, const SpaceGrid& grid,
               std::size_t axis, const Point3& corner, double unlabelled) {
  const auto on = [&](double value) {
    Point3 point = corner;
    point[axis] = value;
    return projection(point);
  };
  const PlanePoint start = on(grid.box.low[axis]);
  const PlanePoint end = on(grid.box.high[axis]);
  svg.line(start, end, record::colour::kSoft, 1.0);
  const double length = std::hypot(end[0] - start[0], end[1] - start[1]);
  if (length < 30.0) {
    return;  // seen end-on
  }
  const PlanePoint centre = projection(grid.box.middle());
  const PlanePoint half{(start[0] + end[0]) / 2.0, (start[1] + end[1]) / 2.0};
  PlanePoint out{(start[1] - end[1]) / length, (end[0] - start[0]) / length};
  if (out[0] * (half[0] - centre[0]) + out[1] * (half[1] - centre[1]) < 0.0) {
    out = {-out[0], -out[1]};
  }
  const std::string_view anchor = out[0] < -0.5 ? "end" : out[0] > 0.5 ? "start" : "middle";
  const std::vector<double>& ticks = grid.ticks[axis];
  const double spacing = length / static_cast<double>(ticks.size() - 1);
  const auto every = static_cast<std::size_t>(std::ceil((axis == 2 ? 18.0 : 38.0) / spacing));
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const PlanePoint p = on(ticks[i]);
    svg.line(p, {p[0] + 5.0 * out[0], p[1] + 5.0 * out[1]}, record::colour::kSoft, 1.0);
    if (i % every == 0 && ticks[i] != unlabelled) {
      svg.text({p[0] + 9.0 * out[0], p[1] + 13.0 * out[1] + 4.0}, record::tick_label(ticks[i]),
               {.size_px = record::style::kTickText_px,
                .colour = record::colour::kSoft,
                .anchor = anchor});
    }
  }
  const double away = anchor == "middle" ? 40.0 : 46.0;
  svg.text({half[0] + away * out[0], half[1] + (away - 8.0) * out[1] + 4.0},
           fmt::format("{} [m]", "xyz"[axis]), {.colour = record::colour::kSoft, .anchor = anchor});
}

}  // namespace

void draw_grid(SvgDrawing& svg, const SpaceProjection& projection, const SpaceGrid& grid) {
  const auto& [low, high] = grid.box;
  const std::array<double, 2> toward{std::cos(projection.view.azimuth_rad),
                                     std::sin(projection.view.azimuth_rad)};
  std::array<double, 2> near{};
  std::array<double, 2> far{};
  for (std::size_t i = 0; i < 2; ++i) {
    near[i] = toward[i] > 0.0 ? high[i] : low[i];
    far[i] = toward[i] > 0.0 ? low[i] : high[i];
  }
  draw_plane(svg, projection, grid, 2, low[2]);
  draw_plane(svg, projection, grid, 0, far[0]);
  draw_plane(svg, projection, grid, 1, far[1]);
  draw_edge(svg, projection, grid, 0, {0.0, near[1], low[2]}, HUGE_VAL);
  // where both meet, one label is enough
  draw_edge(svg, projection, grid, 1, {near[0], 0.0, low[2]}, near[1]);
  // heights stand at the left outline of the box; at its foot is the other axis's label
  const Point3 one{near[0], far[1], 0.0};
  const Point3 other{far[0], near[1], 0.0};
  draw_edge(svg, projection, grid, 2, projection(one)[0] < projection(other)[0] ? one : other,
            low[2]);
}

}  // namespace longarm::study
