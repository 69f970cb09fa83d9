// SPDX-License-Identifier: Apache-2.0
// Where ready models and scenarios are, and what models refer to.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "longarm/core/input_files.h"
#include "longarm/model/model_search.h"

namespace longarm::config {

/// Folders that hold models/ and scenarios/, the first match wins: $LONGARM_DATA, ../share/longarm
/// as seen from the program, the source tree this was built from, the installed data folder.
std::vector<std::filesystem::path> data_folders();

/// Where a run folder keeps copies of the files that its scenario names.
inline constexpr const char* kInputsFolder = "inputs";

/// The files that the scenario at `path` names: beside it (in the folder of a run, first among the
/// copies it kept), then in `search`, then where the user is, for those that --set names.
InputFiles files_of(const std::string& path, std::vector<std::string> search = {});

/// The folders in which files_of() looks, in order.
std::vector<std::string> folders_of(const std::string& path, std::vector<std::string> search = {});

/// Where models' meshes and includes are looked for: `first`, then the folders that the environment
/// names.
model::ModelSearch model_search(const std::vector<std::string>& first = {});

}  // namespace longarm::config
