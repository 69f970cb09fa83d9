// SPDX-License-Identifier: Apache-2.0
// The picture of a run that one looks at first: where the end effector should have gone and where
// it went, from above and from the side, and how far apart the two were over time.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"

namespace longarm::record {

using Point3 = std::array<double, 3>;

/// What a trace says about the end effector.
struct PathTrace {
  struct Deviation {
    double time_s = 0.0;
    double distance_m = 0.0;  ///< to the planned curve
  };
  std::vector<Point3> path_m;
  std::vector<Deviation> deviation;
};

/// Reads the end effector's columns of a trace file. Steps too small to see are left out of the
/// path.
Result<PathTrace> read_path_trace(const std::string& path);

/// Everything in the picture; empty parts are not drawn.
struct PathFigure {
  std::string title;
  std::string subtitle;
  std::vector<Point3> planned_m;
  std::vector<Point3> waypoints_m;  ///< numbered from 1
  std::optional<Point3> start_m;    ///< where the paths began, before the first row of a trace
  PathTrace executed;
  std::optional<PathTrace> reference;
  std::optional<double> hold_start_s;
};

/// The figure as SVG, the same bytes for the same data. Both views have one scale; the wider of x
/// and y runs across. Should a path go far from the plan, the views stay with the plan, leave out
/// jumps, and the figure says so.
std::string draw_path_figure(const PathFigure& figure);

}  // namespace longarm::record
