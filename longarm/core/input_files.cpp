// SPDX-License-Identifier: Apache-2.0
// Looking, reading and remembering.
#include "longarm/core/input_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "longarm/core/suggest.h"

namespace longarm {
namespace {

namespace fs = std::filesystem;

}  // namespace

InputFiles::InputFiles(std::string beside, std::vector<std::string> search)
    : beside_(std::move(beside)), search_(std::move(search)) {}

Result<std::string> InputFiles::find(const std::string& name) const {
  std::vector<fs::path> places{fs::path(beside_).parent_path() / name};
  if (!fs::path(name).is_absolute()) {
    for (const std::string& folder : search_) {
      places.push_back(fs::path(folder) / name);
    }
  }
  std::vector<std::string> looked_at;
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored)) {
      return place.string();
    }
    looked_at.push_back(place.string());
  }
  return Error{"file not found: '" + name + "'; looked for " + join(looked_at)};
}

Result<std::string> InputFiles::read(const std::string& name) {
  const Result<std::string> path = find(name);
  if (!path) {
    return path.error();
  }
  Result<std::string> content = read_file(*path);
  if (content) {
    remember(name, *path, *content);
  }
  return content;
}

void InputFiles::remember(const std::string& name, const std::string& path,
                          std::string_view content) {
  const bool is_known = std::any_of(files_.begin(), files_.end(),
                                    [&](const InputFile& file) { return file.path == path; });
  if (!is_known) {
    files_.push_back({name, path});
    hash_.add(content);
  }
}

Result<std::string> read_file(const std::string& path) {
  std::error_code ignored;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  // an empty file leaves nothing to copy, which the stream calls a failure
  const bool is_empty = file && file.peek() == std::ifstream::traits_type::eof();
  if (!file || fs::is_directory(path, ignored) || (!is_empty && !(content << file.rdbuf()))) {
    return Error{"cannot read the file '" + path + "'"};
  }
  return content.str();
}

}  // namespace longarm
