// SPDX-License-Identifier: Apache-2.0
// The physical side of a scenario: robot and world read, judged, and tried on the engine.
#pragma once

#include <vector>

#include "longarm/core/input_files.h"
#include "longarm/model/lint.h"
#include "longarm/scenario/load.h"
#include "longarm/scenario/validate.h"

namespace longarm::scenario {

/// Reads the robot and the world around it into `prepared.cell`. Throws InputError, or LintError
/// for what can be read but makes no sense. Remembers all files in `files`.
void load_cell(PreparedScenario& prepared, const ConfigSource& source, const LoadOptions& options,
               InputFiles& files);

/// Errors of findings that are not allowed are thrown; everything else becomes a warning.
void judge(const std::vector<model::LintFinding>& findings, const LoadOptions& options,
           PreparedScenario& prepared);

/// Lets the engine say what it thinks of the cell and its options, before anything is written.
void check_on_engine(PreparedScenario& prepared, const ConfigSource& source);

}  // namespace longarm::scenario
