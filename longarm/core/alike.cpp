// SPDX-License-Identifier: Apache-2.0
// Compares messages without the name of what they are about.
#include "longarm/core/alike.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace longarm {
namespace {

/// "joint '…': unknown attribute 'k'" for "joint 'elbow': unknown attribute 'k'".
std::string without_owner(const std::string& message) {
  for (const std::string_view kind : {"link '", "joint '", "body '"}) {
    if (message.starts_with(kind)) {
      const std::size_t end = message.find('\'', kind.size());
      return end == std::string::npos ? message : std::string(kind) + message.substr(end);
    }
  }
  return message;
}

}  // namespace

std::vector<Diagnostic> group_alike(const std::vector<Diagnostic>& diagnostics) {
  std::vector<Diagnostic> groups;
  std::vector<std::size_t> others;  // per group
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;
  for (const Diagnostic& diagnostic : diagnostics) {
    // two files may have the same fault
    const std::pair key(diagnostic.where.path, without_owner(diagnostic.message));
    if (diagnostic.severity == Severity::kWarning) {
      const auto [group, is_new] = numbers.try_emplace(key, groups.size());
      if (!is_new) {
        ++others[group->second];
        continue;
      }
    }
    groups.push_back(diagnostic);
    others.push_back(0);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (others[i] > 0) {
      groups[i].message += fmt::format(" (and {} more like it)", others[i]);
    }
  }
  return groups;
}

}  // namespace longarm
