// SPDX-License-Identifier: Apache-2.0
// Takes an answer apart without trusting it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "longarm/core/result.h"

namespace longarm::network::external {

/// The object, if it is an answer of one of these kinds.
Result<nlohmann::json> read_reply(std::string_view line,
                                  std::initializer_list<std::string_view> kinds);

/// Says which member of that line makes no sense.
Error malformed(const std::string& key, std::string_view line);

/// Reads members, and notes the first that is missing or of another type.
class Members {
 public:
  explicit Members(const nlohmann::json& object) : object_(object) {}

  std::int64_t integer(const char* key, std::int64_t least = INT64_MIN);
  std::uint64_t count(const char* key);
  /// Absent: zero.
  std::uint64_t optional_count(const char* key) { return find(key) == nullptr ? 0 : count(key); }
  std::string text(const char* key);
  /// Null if it is no list.
  const nlohmann::json* list(const char* key);

  void note(const std::string& key);
  const std::string& wrong() const { return wrong_; }

 private:
  const nlohmann::json* find(const char* key) const;

  const nlohmann::json& object_;
  std::string wrong_;
};

}  // namespace longarm::network::external
