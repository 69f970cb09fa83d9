// SPDX-License-Identifier: Apache-2.0
// Where a path is farthest from the one that it is compared with, for the magnified inset.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/record/path_figure.h"
#include "longarm/study/report/report_data.h"

namespace longarm::study {

/// Of the end effector; a sample that is no number stays one.
std::vector<record::Point3> path_of(const ReportSeries& series);

struct PathDifference {
  double distance_m = 0.0;
  record::Point3 centre{};  ///< half way between the sample and the nearest point of the other path
  record::Point3 way{};     ///< from that point to the sample
  double time_s = 0.0;
  double resolved_m = 0.0;  ///< below it the chords between samples differ from the curves
  const ReportSeries* base = nullptr;  ///< the reference; null: the plan

  /// Whether there is something to look at.
  bool is_seen() const;
  /// Lines below the inset; the series' name stands before the second.
  std::vector<std::string> words() const;
};
/// Not from a path at equal time: a late path is the same path. Nothing for a reference, and where
/// nothing is there to compare with.
std::optional<PathDifference> largest_difference(const Report& report, const ReportSeries& series);

}  // namespace longarm::study
