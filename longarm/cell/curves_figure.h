// SPDX-License-Identifier: Apache-2.0
// The figure of one experiment: its curves over time, those of one unit in one panel.
#pragma once

#include <string>
#include <vector>

#include "longarm/cell/figures.h"

namespace longarm::cell {

/// The curves of a run as they were sampled.
struct CurveTable {
  std::vector<CurveInfo> curves;
  std::vector<double> time_s;
  std::vector<std::vector<double>> values;  ///< by curve

  /// As comma-separated values, a column each, every bit kept.
  std::string csv() const;
};

/// An SVG document; empty if there is nothing to draw.
std::string draw_curves(const CurveTable& table, const std::string& title);

}  // namespace longarm::cell
