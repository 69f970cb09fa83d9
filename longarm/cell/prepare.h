// SPDX-License-Identifier: Apache-2.0
// From keys to a cell that can be made: files read, wishes judged, bodies placed. Internal to the
// folder.
#pragma once

#include <string>
#include <vector>

#include "longarm/cell/load_scenario.h"

namespace longarm::cell {

/// What is read on the way.
struct CellFiles {
  InputFiles model;                 ///< what stands there
  InputFiles links;                 ///< what links and networks read
  std::vector<std::string> search;  ///< folders that files of keys are looked for in
  std::string folder;               ///< of the scenario
};

enum class Depth {
  kValues,  ///< no plans are made, nothing is tried
  kAll,
};

/// Reads the files that keys name, judges everything, and makes the cell once to see whether it can
/// be. After an error the result means nothing.
void prepare_cell(PreparedScenario& prepared, CellFiles& files,
                  const std::vector<std::string>& allow, Depth depth,
                  std::vector<KeyRemark>& remarks);

}  // namespace longarm::cell
