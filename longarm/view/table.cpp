// SPDX-License-Identifier: Apache-2.0
// As docs/how-to/viewer.md has it.
#include "longarm/view/table.h"

#include <fmt/format.h>

namespace longarm::view {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

nlohmann::ordered_json mark_json(double time_s, const std::string& kind, const std::string& text) {
  return {{"t_s", time_s}, {"kind", kind}, {"text", text}};
}

nlohmann::ordered_json mark_of_event(double time_s, const std::string& message) {
  const auto event = nlohmann::ordered_json::parse(message, nullptr, false);
  const auto text = [&](const char* key) {
    const auto found = event.find(key);
    return found != event.end() && found->is_string() ? found->get<std::string>() : "";
  };
  if (!event.is_object()) {
    return nullptr;
  }
  return mark_json(time_s, text("kind"), fmt::format("{}: {}", text("who"), text("text")));
}

nlohmann::ordered_json table_json(std::size_t id, const Table& table) {
  using Json = nlohmann::ordered_json;
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    columns.push_back({{"name", column.name}, {"unit", column.unit}});
  }
  return {{"id", id},
          {"topic", table.topic},
          {"type", table.type},
          {"rows", table.rows},
          {"first_s", table.first_s},
          {"last_s", table.last_s},
          {"period_s", table.period_s ? Json(*table.period_s) : Json()},
          {"columns", std::move(columns)},
          {"has_texts", table.has_texts}};
}

}  // namespace longarm::view
