// SPDX-License-Identifier: Apache-2.0
// An error or warning about the value of a key in a user's file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::network {

/// An error or warning about the value of a key; the reader adds file and line.
struct KeyRemark {
  std::string key;
  std::string message;
  std::string hint;
  Severity severity = Severity::kError;
  /// The place, if it is not the key's value but in a file that the key names.
  std::optional<SourceLocation> where{};
  bool is_lint = false;  ///< readable, but physically implausible (`longarm lint`)
};

bool has_errors(const std::vector<KeyRemark>& remarks);

/// Adds diagnostics about a file that `key` names as remarks, with their places in that file.
void blame(const std::string& key, const std::vector<Diagnostic>& diagnostics,
           std::vector<KeyRemark>& remarks);

}  // namespace longarm::network
