// SPDX-License-Identifier: Apache-2.0
// Answers as CBOR, which keeps every bit of a number.
#include "longarm/study/point_answer.h"

#include <cstdint>
#include <vector>

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::optional<RunRow>& row) {
  if (!row) {
    return nullptr;
  }
  return {
      {"identity", row->identity},
      {"reference", row->reference},
      {"scenario", row->scenario},
      {"metrics", row->metrics},
      {"curves", Json::binary(std::vector<std::uint8_t>(row->curves.begin(), row->curves.end()))},
      {"wall_s", row->wall_s}};
}

std::optional<RunRow> row_of(const Json& json) {
  if (json.is_null()) {
    return std::nullopt;
  }
  const auto& curves = json.at("curves").get_binary();
  return RunRow{json.at("identity"),
                json.at("reference"),
                json.at("scenario"),
                json.at("metrics"),
                std::string(curves.begin(), curves.end()),
                json.at("wall_s")};
}

}  // namespace

std::string PointAnswer::to_bytes() const {
  const Json json{{"index", index},
                  {"row", to_json(row)},
                  {"reference", to_json(reference)},
                  {"error", error},
                  {"warnings", warnings}};
  const std::vector<std::uint8_t> bytes = Json::to_cbor(json);
  return std::string(bytes.begin(), bytes.end());
}

PointAnswer PointAnswer::from_bytes(const std::string& bytes) {
  const Json json = Json::from_cbor(bytes);
  return {json.at("index"), row_of(json.at("row")), row_of(json.at("reference")), json.at("error"),
          json.at("warnings")};
}

}  // namespace longarm::study
