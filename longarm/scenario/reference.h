// SPDX-License-Identifier: Apache-2.0
// The run another run is compared with, and whether the comparison means anything.
#pragma once

#include <memory>
#include <string>

#include "longarm/record/trace_csv.h"
#include "longarm/scenario/load.h"

namespace longarm::scenario {

/// Opens a run folder's trace. Throws InputError unless only link.*, cut, gain or seed (and what
/// the cut implies for the servo) differ from `prepared`, naming what else does.
std::unique_ptr<record::CsvTraceReader> open_reference(const std::string& folder,
                                                       const PreparedScenario& prepared);

}  // namespace longarm::scenario
