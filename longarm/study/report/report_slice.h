// SPDX-License-Identifier: Apache-2.0
// Which part of a grid is looked at: figures run along one axis, the others stay where they are.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "longarm/study/report/report_axis.h"
#include "longarm/study/report/summary.h"

namespace longarm::study {

/// A step of each axis, or nothing where any will do.
using Steps = std::vector<std::optional<std::size_t>>;

bool matches(const Steps& steps, const Point& point);

/// From "gain=30", "link.delay=5ms", …: as the axes are written, or an equal number. Throws
/// InputError for what the axes do not have, with what they have.
Steps parse_where(const std::vector<ReportAxis>& axes, const std::vector<std::string>& texts);

/// Index of the axis that figures run along, of those that `where` leaves open: the first numeric
/// delay, else the first numeric one, else the first of the link, else the first; or nothing.
std::optional<std::size_t> varied_axis(const std::vector<ReportAxis>& axes, const Steps& where);
/// The same for the curves of an experiment, which compare ways of doing something: the first axis
/// of words other than the engine, else as above.
std::optional<std::size_t> compared_axis(const std::vector<ReportAxis>& axes, const Steps& where);

/// The slice along `varied` in which the link does most: where the distance to the run without
/// it, or to the plan, differs most among runs that stay stable; of an experiment the first slice.
Steps widest_slice(const std::vector<ReportAxis>& axes, const std::vector<MetricColumn>& columns,
                   const std::vector<SummaryRow>& rows, const Steps& where,
                   std::optional<std::size_t> varied);

/// Combinations of the axes other than this one.
std::size_t combinations(const std::vector<ReportAxis>& axes, std::optional<std::size_t> varied);

/// "gain 30, cut effort" for what is fixed on axes that have several values.
std::string steps_label(const std::vector<ReportAxis>& axes, const Steps& steps);

/// At most `most` of `size` indices, first and last among them, evenly spread.
std::vector<std::size_t> spread(std::size_t size, std::size_t most);

/// At most `most` of the points, such that every value of every axis gets its share.
std::vector<std::size_t> covering(const std::vector<Point>& points, std::size_t most);

/// At most `most` of the points: every slice along `varied` is thinned out equally, and keeps its
/// first and last; that of `focus` keeps eight in any case. Where even two of each are too many,
/// some slices are left out. Indices, ascending.
std::vector<std::size_t> choose_points(const std::vector<Point>& points,
                                       std::optional<std::size_t> varied, const Steps& focus,
                                       std::size_t most);

}  // namespace longarm::study
