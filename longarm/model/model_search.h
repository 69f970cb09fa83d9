// SPDX-License-Identifier: Apache-2.0
// Where the files are that model files refer to: package://, model://, file:// and plain paths.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/result.h"

namespace longarm::model {

/// Folders that hold packages and models, each in a folder of its own name; searched in order.
struct ModelSearch {
  std::vector<std::string> folders;
  std::map<std::string, std::string> xacro_arguments{};  ///< of xacro files, in place of defaults
};

/// "prefix:=left_" as a pair; nothing for what is none.
std::optional<std::pair<std::string, std::string>> parse_xacro_argument(const std::string& text);

/// The value of an environment variable, empty if it is not set.
using Environment = std::function<std::string(const std::string& name)>;

/// `first`, then what LONGARM_MODEL_PATH, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH (its share folders),
/// GAZEBO_MODEL_PATH, GZ_SIM_RESOURCE_PATH, IGN_GAZEBO_RESOURCE_PATH and SDF_PATH list, separated
/// by colons.
ModelSearch search_from_environment(const std::vector<std::string>& first,
                                    const Environment& environment);

/// The first file or folder that `uri` can mean in the model file `model_path`; the error says
/// every place that was looked at. `kind`, for messages, is what it should be: "mesh". A plain
/// path, and one after file://, is relative to the model file. What follows package:// or model://
/// is looked for
///   - in the folder of that package or model that holds the model file: one of its name, or one
///     whose package.xml has it,
///   - beside the folders that hold the model file, up to four levels up,
///   - in the search folders, in one that is the package itself, and as ROS does in packages up to
///     three levels below one.
/// A mesh that is in none of these places is looked for by the end of its path, a folder and a file
/// at least, in the folders around the model file.
Result<std::string> find_resource(const std::string& kind, const std::string& uri,
                                  const std::string& model_path, const ModelSearch& search);

/// For a mesh that find_resource() does not find: files whose path has the same end as the URI's, a
/// folder and a file at least, anywhere in the model file's folder or, failing that, in its package
/// (without one: in the folder that holds `urdf`). Of several ends the longest counts; sorted.
/// Folders with very many files are not searched.
std::vector<std::string> find_by_end(const std::string& uri, const std::string& model_path);

}  // namespace longarm::model
