// SPDX-License-Identifier: Apache-2.0
// No member is there until it has been found, and of the right type.
#include "longarm/network/external/reply_members.h"

#include <algorithm>

#include <fmt/format.h>

namespace longarm::network::external {

using nlohmann::json;

namespace {

constexpr std::size_t kQuoted = 80;  // as much of what makes no sense is worth showing

std::string quote(std::string_view line) {
  std::string text(line.substr(0, kQuoted));
  for (char& c : text) {
    c = c < ' ' || c > '~' ? '?' : c;
  }
  return "'" + text + (line.size() > kQuoted ? "…'" : "'");
}

}  // namespace

Result<json> read_reply(std::string_view line, std::initializer_list<std::string_view> kinds) {
  const json value = json::parse(line, nullptr, false);
  const auto reply = value.is_object() ? value.find("reply") : value.end();
  if (!value.is_object() || reply == value.end() || !reply->is_string()) {
    return Error{"sent an invalid answer: " + quote(line)};
  }
  const auto kind = reply->get<std::string>();
  if (kind == "error") {
    const auto message = value.find("message");
    const bool has_message = message != value.end() && message->is_string();
    return Error{"reports: " + (has_message ? message->get<std::string>() : quote(line))};
  }
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    return Error{fmt::format("answered out of order: '{}' instead of '{}'", kind, *kinds.begin())};
  }
  return value;
}

Error malformed(const std::string& key, std::string_view line) {
  return Error{
      fmt::format("sent an answer in which '{}' is missing or wrong: {}", key, quote(line))};
}

const json* Members::find(const char* key) const {
  if (!object_.is_object()) {
    return nullptr;
  }
  const auto found = object_.find(key);
  return found == object_.end() ? nullptr : &*found;
}

std::int64_t Members::integer(const char* key, std::int64_t least) {
  const json* const found = find(key);
  const bool is_integer = found != nullptr && found->is_number_integer() &&
                          !(found->is_number_unsigned() &&
                            found->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
  if (!is_integer || found->get<std::int64_t>() < least) {
    note(key);
    return 0;
  }
  return found->get<std::int64_t>();
}

std::uint64_t Members::count(const char* key) {
  const json* const found = find(key);
  if (found == nullptr || !found->is_number_unsigned()) {
    note(key);
    return 0;
  }
  return found->get<std::uint64_t>();
}

std::string Members::text(const char* key) {
  const json* const found = find(key);
  if (found == nullptr || !found->is_string()) {
    note(key);
    return {};
  }
  return found->get<std::string>();
}

const json* Members::list(const char* key) {
  const json* const found = find(key);
  if (found == nullptr || !found->is_array()) {
    note(key);
    return nullptr;
  }
  return found;
}

void Members::note(const std::string& key) {
  if (wrong_.empty()) {
    wrong_ = key;
  }
}

}  // namespace longarm::network::external
