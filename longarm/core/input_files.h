// SPDX-License-Identifier: Apache-2.0
// The files that a user's input names: found, read, and remembered, because results depend on them.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/hash.h"
#include "longarm/core/result.h"

namespace longarm {

/// A file that was read on the user's behalf.
struct InputFile {
  std::string name;  ///< as the user wrote it
  std::string path;  ///< where it was found
};

/// Looks beside the file that names them, then in `search` folders, in order.
class InputFiles {
 public:
  /// `beside` is the file that names others; empty means the current folder.
  explicit InputFiles(std::string beside = {}, std::vector<std::string> search = {});

  /// Where `name` is; the error says every place that was looked at.
  Result<std::string> find(const std::string& name) const;
  /// The whole content, and remembers it.
  Result<std::string> read(const std::string& name);
  /// For what was read by others, e.g. a mesh.
  void remember(const std::string& name, const std::string& path, std::string_view content);

  const std::vector<InputFile>& all() const { return files_; }
  /// Of all contents read so far, in that order.
  const Hash& hash() const { return hash_; }

 private:
  std::string beside_;
  std::vector<std::string> search_;
  std::vector<InputFile> files_;
  Hash hash_;
};

/// The content of a file, or why it cannot be had. A folder is no file.
Result<std::string> read_file(const std::string& path);

}  // namespace longarm
