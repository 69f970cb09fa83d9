// SPDX-License-Identifier: Apache-2.0
// How long it took the executor to notice what went wrong in the world. Internal to the folder.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/kitting/journal.h"
#include "longarm/workcell/work_cell_config.h"

namespace longarm::experiments {

/// By the failures' texts: seconds to the first setback that is about the same robot, part, camera,
/// belt or cable, each setback counting for one failure only; null where none was noted.
nlohmann::ordered_json times_to_notice(const workcell::WorkCellConfig& cell,
                                       const std::vector<kitting::Setback>& setbacks);

}  // namespace longarm::experiments
