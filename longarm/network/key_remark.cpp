// SPDX-License-Identifier: Apache-2.0
// Looks for errors among remarks; makes remarks of diagnostics.
#include "longarm/network/key_remark.h"

#include <algorithm>

#include <fmt/format.h>

namespace longarm::network {

bool has_errors(const std::vector<KeyRemark>& remarks) {
  return std::any_of(remarks.begin(), remarks.end(),
                     [](const KeyRemark& remark) { return remark.severity == Severity::kError; });
}

void blame(const std::string& key, const std::vector<Diagnostic>& diagnostics,
           std::vector<KeyRemark>& remarks) {
  for (const Diagnostic& diagnostic : diagnostics) {
    const bool has_place = !diagnostic.where.path.empty();
    const std::string message = has_place ? fmt::format("{}:{}: {}", diagnostic.where.path,
                                                        diagnostic.where.line, diagnostic.message)
                                          : diagnostic.message;
    remarks.push_back({key, message, diagnostic.hint, diagnostic.severity});
  }
}

}  // namespace longarm::network
