// SPDX-License-Identifier: Apache-2.0
// What a page is told of a table before it asks for rows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/view/message_columns.h"

namespace longarm::view {

struct Table {
  std::string topic;
  std::string type;
  std::size_t rows = 0;
  double first_s = 0.0;
  double last_s = 0.0;
  std::optional<double> period_s{};  ///< if each row follows the one before after just this
  std::vector<Column> columns{};
  bool has_texts = false;
};

/// As text, whatever bytes are in it: names of folders need not be UTF-8.
std::string json_text(const nlohmann::ordered_json& json);

/// Where actors' notes are, which become marks on the time bar.
inline constexpr const char* kEventsTopic = "/events";
nlohmann::ordered_json mark_json(double time_s, const std::string& kind, const std::string& text);
/// Of a message of that topic; null if it is none.
nlohmann::ordered_json mark_of_event(double time_s, const std::string& message);

nlohmann::ordered_json table_json(std::size_t id, const Table& table);

}  // namespace longarm::view
