// SPDX-License-Identifier: Apache-2.0
// Decides between a copy and a whole path.
#include "longarm/cell/kept_files.h"

#include <algorithm>
#include <filesystem>

namespace longarm::cell {

namespace fs = std::filesystem;

bool KeptFiles::can_keep(const std::string& name) {
  const fs::path path(name);
  return path.is_relative() && std::find(path.begin(), path.end(), "..") == path.end();
}

void KeptFiles::keep(std::string& name, const std::string& path, std::size_t files_read) {
  const bool is_kept = std::any_of(files_.begin(), files_.end(),
                                   [&](const InputFile& file) { return file.path == path; });
  if (can_keep(name) && (files_read == 1 || is_kept)) {
    files_.push_back({name, path});
    return;
  }
  name = fs::absolute(path).lexically_normal();
}

void KeptFiles::keep(const InputFile& file) {
  if (can_keep(file.name)) {
    files_.push_back(file);
  }
}

}  // namespace longarm::cell
