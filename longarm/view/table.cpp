// SPDX-License-Identifier: Apache-2.0
// As docs/viewer.md has it.
#include "longarm/view/table.h"

namespace longarm::view {

std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
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
