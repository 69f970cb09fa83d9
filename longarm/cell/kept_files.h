// SPDX-License-Identifier: Apache-2.0
// Files that a run keeps copies of, so that the keys in its folder find them again.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/input_files.h"

namespace longarm::cell {

class KeptFiles {
 public:
  /// A file that a key names, of which `files_read` were new when it was read: one that names
  /// further files (meshes, includes) cannot be copied by itself, and the key gets its whole path.
  void keep(std::string& name, const std::string& path, std::size_t files_read);
  /// A file that stands by itself, such as a trace of a link.
  void keep(const InputFile& file);
  /// Whether a copy would be found by this name.
  static bool can_keep(const std::string& name);

  const std::vector<InputFile>& all() const { return files_; }

 private:
  std::vector<InputFile> files_;
};

}  // namespace longarm::cell
