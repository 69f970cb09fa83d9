// SPDX-License-Identifier: Apache-2.0
// Which part of space a path figure shows, and where on the page it lands.
#pragma once

#include <cstddef>

#include "longarm/record/path_figure.h"
#include "longarm/record/polyline.h"

namespace longarm::record {

/// Room for a vertical axis on the left of a frame, in pixels.
inline constexpr double kPageLeft = 72.0;

/// A box in space around the plan and what is near it.
struct PathView {
  Point3 low{};
  Point3 high{};
  bool is_left_by_executed = false;
  bool is_left_by_reference = false;

  double extent(std::size_t axis) const { return high[axis] - low[axis]; }
};

/// The plan with its start and waypoints, widened for paths that stay near.
PathView view_of(const PathFigure& figure);

/// Space seen along an axis, to scale, in pixels.
struct Projection {
  std::size_t across = 0;    ///< axis that runs across the page
  std::size_t up = 1;        ///< axis that runs up the page
  double across_sign = 1.0;  ///< -1: to the left
  double pixels_per_m = 1.0;
  Point3 centre{};  ///< shown in the middle of the frame
  PlaneBox frame;

  PlanePoint operator()(const Point3& p) const;
  /// Coordinate along the page at a pixel, in metres.
  double across_at(double pixel) const;
  double up_at(double pixel) const;
};

/// The page: two views at one scale and the deviation below, all frames in pixels.
struct PathLayout {
  Projection top;
  Projection side;
  PlaneBox deviation;
  double width = 0.0;
  double height = 0.0;
};

PathLayout layout_of(const PathView& view, double header_height);

}  // namespace longarm::record
