// SPDX-License-Identifier: Apache-2.0
// Writes config structs as YAML, following their field lists; and lists every key with what it
// means.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/fields.h"

namespace longarm::config {

/// Collects "key: value" lines, indented by section, that read back as the same struct.
class ConfigWriter final : public Fields {
 public:
  void section(std::string_view key, std::string_view doc, const std::function<void(Fields&)>& list,
               std::string_view shorthand) override;
  void entries(std::string_view key, std::string_view doc, std::vector<std::string>& names,
               const std::function<void(Fields&, std::size_t index)>& list) override;
  void reject(std::string_view, std::string, std::string) override {}

  /// One key of the whole list.
  struct Line {
    std::string key;    ///< dotted: "link.states.delay"
    std::string value;  ///< as YAML; empty for an optional that is not set
    std::string doc;
    std::string choices;  ///< "a, b, c" or empty
  };
  const std::vector<Line>& lines() const { return lines_; }
  const std::string& yaml() const { return yaml_; }

 private:
  void do_field(const Field& field) override;
  void group(const std::string& key, const std::function<void(Fields&)>& list);

  std::string prefix_;
  std::string indent_;
  std::string yaml_;
  std::vector<Line> lines_;
};

}  // namespace longarm::config
