// SPDX-License-Identifier: Apache-2.0
// Where our ready models and scenarios are.
#pragma once

#include <filesystem>
#include <vector>

namespace longarm::scenario {

/// Folders that hold models/ and scenarios/, the first match wins: $LONGARM_DATA, the source tree
/// this was built from, the installed data folder.
std::vector<std::filesystem::path> data_folders();

}  // namespace longarm::scenario
