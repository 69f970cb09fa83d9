// SPDX-License-Identifier: Apache-2.0
// A user's YAML as a tree that remembers where everything stood, and what --set changed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::config {

/// A scalar, a list or a map, with its place in the file. Maps keep the order of the file.
struct ConfigNode {
  enum class Kind { kNull, kScalar, kList, kMap };
  struct Entry;

  Kind kind = Kind::kNull;
  SourceLocation where;
  std::string text;    ///< of a scalar
  std::string spoken;  ///< what messages call it, if it was moved from where the user wrote it
  std::vector<ConfigNode> items;
  std::vector<Entry> entries;

  const ConfigNode* find(const std::string& key) const;
  ConfigNode* find(const std::string& key);
  /// Adds the key, or replaces its value.
  void set(const std::string& key, SourceLocation key_where, ConfigNode value);
  void erase(const std::string& key);
  std::vector<std::string> keys() const;
};

struct ConfigNode::Entry {
  std::string key;
  SourceLocation where;  ///< of the key
  ConfigNode value;
};

/// Parses YAML. Syntax errors and duplicate keys go to `diagnostics`. The top must be a map (or
/// empty).
ConfigNode parse_config(const std::string& text, const std::string& path, Diagnostics& diagnostics);

/// One `--set a.b=value`; the value is YAML, so lists work too.
struct Override {
  std::vector<std::string> keys;
  ConfigNode value;
  SourceLocation where;
};
/// `option` is what messages call it by.
Override parse_override(const std::string& text, Diagnostics& diagnostics,
                        const std::string& option = "--set");

/// Says that the value stands in a file after all.
void move_to(Override& change, const SourceLocation& where);

/// Sets a value in the tree, making maps on the way. A scalar in the way (a shorthand such as
/// `servo: pid`) becomes a map with that scalar under `shorthand_of(key)`; a shorthand given for a
/// map changes that one key of it.
void apply_override(ConfigNode& root, const Override& change,
                    std::string (*shorthand_of)(const std::string& key));

}  // namespace longarm::config
