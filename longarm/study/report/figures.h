// SPDX-License-Identifier: Apache-2.0
// The figures of a report as plain SVG files, for papers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "longarm/study/report/figure_list.h"

namespace longarm::study {

// Each gives an SVG document, the same bytes for the same report, or nothing if the report has
// nothing to draw. Runs that became unstable never set the scale; the figure says what is cut off.

/// The end effector's paths in space by latency, with the plan and a magnified inset.
std::string draw_paths(const Report& report, const FigureInfo& figure);
/// A panel for each curve.
std::string draw_over_time(const Report& report, const FigureInfo& figure);
/// A metric over an axis of the study, with intervals and its closed form.
std::string draw_metric(const Report& report, const MetricScale& scale);
/// How fast the error grows over latency, for each cut and direction.
std::string draw_margins(const Report& report, const FigureInfo& figure);
/// Where the outcome is yes: two axes as a grid of cells, a grid for each combination of the
/// others.
std::string draw_outcome(const Report& report, const FigureInfo& figure);

/// One of them; of the metrics the first. Nothing for "links", which only pages have.
std::string draw_figure(const Report& report, const FigureInfo& figure);

/// Makes the folder and writes paths.svg, velocity-commands.svg, cumulated-difference.svg,
/// metrics.svg and margin.svg, those that there are; of an experiment curves-1.svg, …,
/// metric-NAME.svg, … and outcome.svg. Throws InputError.
std::vector<std::filesystem::path> write_figures(const Report& report,
                                                 const std::filesystem::path& folder);

}  // namespace longarm::study
