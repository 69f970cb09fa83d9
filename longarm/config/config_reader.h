// SPDX-License-Identifier: Apache-2.0
// Reads config structs from a ConfigNode, following their field lists, and reports everything that
// is wrong.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "longarm/config/config_node.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/fields.h"

namespace longarm::config {

/// Visits one map. Keys absent from it leave the struct's defaults. Call finish() after the last
/// field: it reports the keys that nobody asked for.
class ConfigReader final : public Fields {
 public:
  /// `prefix` is the dotted path of the map, for messages. The key `shorthand` goes by the name of
  /// its group.
  ConfigReader(const ConfigNode& map, Diagnostics& diagnostics, std::string prefix = {},
               std::string shorthand = {});

  void section(std::string_view key, std::string_view doc, const std::function<void(Fields&)>& list,
               std::string_view shorthand) override;
  void entries(std::string_view key, std::string_view doc, std::vector<std::string>& names,
               const std::function<void(Fields&, std::size_t index)>& list) override;
  void reject(std::string_view key, std::string message, std::string hint) override;

  void finish();

 private:
  void do_field(const Field& field) override;

  /// What the user calls a key: "link.states.delay", or "engine" for engine.name.
  std::string name(std::string_view key) const;
  const ConfigNode* take(std::string_view key);
  bool is_scalar(const ConfigNode& node, std::string_view key, const char* expected);
  bool is_choice(const ConfigNode& node, const Field& field);

  /// Each leaves the value as it is, and says why, unless the node is one.
  bool read(const ConfigNode& node, std::string_view key, bool& value);
  bool read(const ConfigNode& node, std::string_view key, double& value);
  bool read(const ConfigNode& node, std::string_view key, std::int64_t& value);
  bool read(const ConfigNode& node, std::string_view key, std::string& value);
  bool read(const ConfigNode& node, std::string_view key, Duration& value);
  bool read(const ConfigNode& node, std::string_view key, std::vector<double>& value);
  bool read(const ConfigNode& node, std::string_view key, std::vector<std::vector<double>>& value);
  bool read(const ConfigNode& node, std::string_view key, std::vector<std::string>& value);
  bool read(const ConfigNode& node, std::string_view key,
            std::vector<std::vector<std::string>>& value);
  bool read(const ConfigNode& node, std::string_view key, JointPositions& value);
  bool read(const ConfigNode& node, std::string_view key, std::vector<JointPositions>& value);
  bool read_row(const ConfigNode& node, std::string_view key, std::vector<double>& value);
  template <typename T>
  bool read(const ConfigNode& node, std::string_view key, std::optional<T>& value);

  const ConfigNode& map_;
  Diagnostics& diagnostics_;
  std::string prefix_;
  std::string shorthand_;
  std::vector<std::string> known_;
  std::vector<std::string> misread_;  ///< what is wrong with these was said
};

}  // namespace longarm::config
