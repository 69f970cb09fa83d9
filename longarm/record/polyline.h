// SPDX-License-Identifier: Apache-2.0
// Polylines in a plane, made small enough to draw: fewer points, and only those in view.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace longarm::record {

using PlanePoint = std::array<double, 2>;
using Polyline = std::vector<PlanePoint>;

struct PlaneBox {
  PlanePoint low{};
  PlanePoint high{};
};

double distance_to_segment(const PlanePoint& p, const PlanePoint& a, const PlanePoint& b);

/// Some of the points, first and last among them, such that every point left out lies within
/// `tolerance` of the segment drawn in its place.
Polyline decimate(std::span<const PlanePoint> points, double tolerance);

/// The same with at most `max_points` (two or more): the tolerance is doubled until they suffice.
Polyline decimate_to(std::span<const PlanePoint> points, double tolerance, std::size_t max_points);

/// Runs without the segments that lie on one drawn before, to the size of a cell: a swing that goes
/// back and forth on one line is drawn once.
std::vector<Polyline> without_repeats(const std::vector<Polyline>& runs, double cell);

/// Of points that follow one another from left to right: the lowest and the highest of each column
/// so wide, which look the same.
Polyline by_columns(std::span<const PlanePoint> points, double width);

/// The parts of a polyline whose segments may touch the box, each reaching outside by one point.
/// Segments longer than `longest` are jumps and left out.
std::vector<Polyline> visible_runs(std::span<const PlanePoint> points, const PlaneBox& box,
                                   double longest = std::numeric_limits<double>::infinity());

}  // namespace longarm::record
