// SPDX-License-Identifier: Apache-2.0
// The programs that a UR controller can load by name.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "longarm/core/result.h"

namespace longarm::robots {

/// Texts of URScript, known by their file names without the ending.
class UrPrograms {
 public:
  /// Reads all *.script files of a folder; none if it is empty. Throws InputError.
  explicit UrPrograms(const std::string& folder);

  /// `file` may have folders before it and .urp or .script behind it; the error names what there
  /// is.
  Result<std::string> find(std::string_view file) const;

 private:
  std::map<std::string, std::string, std::less<>> texts_;
};

}  // namespace longarm::robots
