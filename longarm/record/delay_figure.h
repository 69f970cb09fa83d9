// SPDX-License-Identifier: Apache-2.0
// A picture of how long messages took, over time, for one run or several side by side.
#pragma once

#include <string>
#include <vector>

namespace longarm::record {

struct DelayFigureOptions {
  std::vector<std::string> folders;  ///< of runs with trace.mcap; at least one
  std::vector<std::string> labels;   ///< one per folder, or none: the folders' names
  std::string direction = "states";  ///< or commands
};

/// SVG text: above, how long each message took, by when it was sent, on a logarithmic axis; below,
/// how many were under way. Throws InputError if a folder has no such trace.
std::string draw_delay_figure(const DelayFigureOptions& options);

}  // namespace longarm::record
