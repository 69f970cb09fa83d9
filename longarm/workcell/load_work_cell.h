// SPDX-License-Identifier: Apache-2.0
// From the keys of a cell to the cell as data, with everything that is wrong said at its key.
#pragma once

#include <vector>

#include "longarm/core/input_files.h"
#include "longarm/model/cell.h"
#include "longarm/network/link.h"
#include "longarm/workcell/work_cell.h"

namespace longarm::workcell {

/// Reads the world and the files that keys name, puts what stands on the belt upstream, adds the
/// visitor if a failure asks for one, and tries every part once. The cell is good if no remark is
/// an error.
std::vector<network::KeyRemark> load_work_cell(WorkCellConfig& config, model::Cell& cell,
                                               InputFiles& files, const WorkCellContext& context);

}  // namespace longarm::workcell
