// SPDX-License-Identifier: Apache-2.0
// Looks for errors among remarks; makes remarks of diagnostics.
#include "longarm/network/key_remark.h"

#include <algorithm>

namespace longarm::network {

bool has_errors(const std::vector<KeyRemark>& remarks) {
  return std::any_of(remarks.begin(), remarks.end(),
                     [](const KeyRemark& remark) { return remark.severity == Severity::kError; });
}

void blame(const std::string& key, const std::vector<Diagnostic>& diagnostics,
           std::vector<KeyRemark>& remarks) {
  for (const Diagnostic& diagnostic : diagnostics) {
    KeyRemark remark{key, diagnostic.message, diagnostic.hint, diagnostic.severity};
    if (!diagnostic.where.path.empty()) {
      remark.where = diagnostic.where;
    }
    remarks.push_back(std::move(remark));
  }
}

}  // namespace longarm::network
