// SPDX-License-Identifier: Apache-2.0
// A scenario's text as a tree, to find the places that messages are about.
#pragma once

#include <string>

#include "longarm/config/config_node.h"

namespace longarm::config {

struct ConfigSource {
  ConfigNode root;
  std::string path;

  /// Where `dotted_key`'s value stands; the nearest group around it if it is not there.
  SourceLocation where(const std::string& dotted_key) const;
  bool has(const std::string& dotted_key) const;
};

}  // namespace longarm::config
