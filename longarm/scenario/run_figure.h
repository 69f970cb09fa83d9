// SPDX-License-Identifier: Apache-2.0
// The figure of a run: planned and executed path, and the distance between them over time.
#pragma once

#include <filesystem>
#include <string>

#include "longarm/scenario/load.h"

namespace longarm::scenario {

/// An SVG document drawn from the trace in `folder` and, if `reference` is not empty, in that run
/// folder. Throws InputError if a trace cannot be read.
std::string draw_run_figure(const std::filesystem::path& folder, const std::string& reference,
                            const PreparedScenario& prepared);

}  // namespace longarm::scenario
