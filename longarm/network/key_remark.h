// SPDX-License-Identifier: Apache-2.0
// What there is to say about the value of a key of a user's file.
#pragma once

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
};

bool has_errors(const std::vector<KeyRemark>& remarks);

/// Adds what was found in a file that `key` names: path, line and message, as remarks on the key.
void blame(const std::string& key, const std::vector<Diagnostic>& diagnostics,
           std::vector<KeyRemark>& remarks);

}  // namespace longarm::network
