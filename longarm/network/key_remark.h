// SPDX-License-Identifier: Apache-2.0
// What there is to say about the value of a key of a user's file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::network {

/// What is wrong with the value of a key (an error), or worth knowing about it (a warning).
struct KeyRemark {
  std::string key;
  std::string message;
  std::string hint;
  Severity severity = Severity::kError;
  /// Where it is, if it is not the key's value: in a model's file.
  std::optional<SourceLocation> where{};
  bool is_lint = false;  ///< everything could be read, but makes no physical sense
};

bool has_errors(const std::vector<KeyRemark>& remarks);

/// Adds what was found in a file that `key` names, as remarks on its place there.
void blame(const std::string& key, const std::vector<Diagnostic>& diagnostics,
           std::vector<KeyRemark>& remarks);

}  // namespace longarm::network
