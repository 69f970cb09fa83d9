// SPDX-License-Identifier: Apache-2.0
// The figures of a report as plain SVG files, for papers.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "longarm/study/report/report_data.h"

namespace longarm::study {

// Each gives an SVG document, the same bytes for the same report, or nothing if the report has
// nothing to draw. Runs that became unstable never set the scale; the figure says what is cut off.

/// The end effector's paths in space by latency, with the plan and a magnified inset.
std::string draw_paths(const Report& report);
/// Velocity commands over time, a panel per joint.
std::string draw_velocity_commands(const Report& report);
/// How far the velocity commands have come apart from those without the link, over time.
std::string draw_cumulated_difference(const Report& report);
/// The distance to the run without the link over the study's first numeric axis.
std::string draw_metric(const Report& report);
/// A column of the report over its first numeric axis; of an experiment over words, too.
std::string draw_metric(const Report& report, std::size_t column);
/// How fast the error grows over latency, for each cut and direction.
std::string draw_margins(const Report& report);

// --- of experiments
/// The units of its curves; those of one unit make a figure.
std::vector<std::string> curve_units(const Report& report);
std::string draw_curves(const Report& report, const std::string& unit);
/// Where the outcome is yes: two axes as a grid of cells, a grid for each combination of the
/// others.
std::string draw_outcome(const Report& report);

/// Makes the folder and writes paths.svg, velocity-commands.svg, cumulated-difference.svg,
/// metrics.svg and margin.svg, those that there are; of an experiment curves-1.svg, …,
/// metric-NAME.svg, … and outcome.svg. Throws InputError.
std::vector<std::filesystem::path> write_figures(const Report& report,
                                                 const std::filesystem::path& folder);

}  // namespace longarm::study
