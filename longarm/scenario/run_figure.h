// SPDX-License-Identifier: Apache-2.0
// The figure of a run: planned and executed path, and the distance between them over time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "longarm/record/path_figure.h"

namespace longarm::scenario {

struct PreparedScenario;

/// Where the end effector should be, in the robot's base frame.
struct PlanGeometry {
  std::vector<record::Point3> path_m;
  std::vector<record::Point3> waypoints_m;
  std::optional<record::Point3> start_m;  ///< where the arm is at rest before
  std::optional<double> hold_start_s;
};
PlanGeometry plan_geometry(const PreparedScenario& prepared);

/// An SVG document drawn from the trace in `folder` and, if `reference` is not empty, in that run
/// folder. Throws InputError if a trace cannot be read.
std::string draw_run_figure(const std::filesystem::path& folder, const std::string& reference,
                            const PreparedScenario& prepared);

}  // namespace longarm::scenario
