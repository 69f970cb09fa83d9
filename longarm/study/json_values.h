// SPDX-License-Identifier: Apache-2.0
// Values in JSON documents that may be missing.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "longarm/core/time.h"

namespace longarm::study {

/// The number or text of that name; nothing if it is none, as in a file changed by hand.
inline std::optional<double> number_in(const nlohmann::ordered_json& object,
                                       const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? std::optional(found->get<double>())
                                                     : std::nullopt;
}
inline std::string text_in(const nlohmann::ordered_json& object, const std::string& key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Null where there is nothing. Durations are in seconds.
template <typename T>
nlohmann::ordered_json or_null(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json or_null(const std::optional<Duration>& value) {
  return value ? nlohmann::ordered_json(to_seconds(*value)) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace longarm::study
