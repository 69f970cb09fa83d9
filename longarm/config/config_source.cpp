// SPDX-License-Identifier: Apache-2.0
// Follows dotted keys as far as they go.
#include "longarm/config/config_source.h"

namespace longarm::config {
namespace {

/// What is not there stays in `rest`.
const ConfigNode& nearest(const ConfigNode& root, std::string& rest) {
  const ConfigNode* node = &root;
  while (!rest.empty()) {
    const std::size_t dot = rest.find('.');
    const ConfigNode* child = node->find(rest.substr(0, dot));
    if (child == nullptr) {
      break;
    }
    node = child;
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
  }
  return *node;
}

}  // namespace

SourceLocation ConfigSource::where(const std::string& dotted_key) const {
  std::string rest = dotted_key;
  const ConfigNode& node = nearest(root, rest);
  return &node == &root ? SourceLocation{path} : node.where;
}

bool ConfigSource::has(const std::string& dotted_key) const {
  std::string rest = dotted_key;
  nearest(root, rest);
  return rest.empty();
}

}  // namespace longarm::config
