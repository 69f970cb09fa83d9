// SPDX-License-Identifier: Apache-2.0
// One table says which fields each type of line has; reading and writing both follow it.
#include "longarm/components/lockstep/lockstep_message.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/components/names.h"

namespace longarm::components {
namespace {

using Json = nlohmann::json;
using Member = std::variant<std::int64_t LockstepMessage::*, bool LockstepMessage::*,
                            std::string LockstepMessage::*, Bytes LockstepMessage::*>;

struct FieldRule {
  std::string_view key;
  Member member;
  bool is_optional = false;
};

struct TypeRule {
  std::string_view type;
  std::vector<FieldRule> fields;
};

const std::vector<TypeRule>& type_rules() {
  using M = LockstepMessage;
  static const FieldRule id{"id", &M::id};
  static const FieldRule turn{"turn", &M::turn};
  static const FieldRule time{"time_ns", &M::time_ns};
  static const FieldRule data{"data", &M::data, true};
  static const FieldRule topic{"topic", &M::topic};
  static const FieldRule kind{"message_type", &M::message_type, true};
  static const FieldRule transport{"transport", &M::transport, true};
  static const FieldRule method{"method", &M::method};
  static const FieldRule error{"error", &M::error, true};
  static const FieldRule version{"version", &M::version};
  static const FieldRule component{"component", &M::component};
  static const std::vector<TypeRule> rules{
      // from the process
      {"hello", {version, component, {"announces_idle", &M::announces_idle, true}}},
      {"serve", {method}},
      {"call", {id, {"server", &M::server}, method, data, {"timeout_ns", &M::timeout_ns, true}}},
      {"answer", {id, data, {"execution_ns", &M::execution_ns, true}}},
      {"advertise", {topic, kind, transport}},
      {"publish", {topic, data}},
      {"subscribe", {topic, kind, transport}},
      {"sleep_until", {id, time}},
      {"idle", {turn}},
      {"bye", {}},
      // from Longarm
      {"joined", {version, component, {"host", &M::host}, time, turn}},
      {"refused", {error}},
      {"request", {id, method, data, time, turn}},
      {"reply", {id, data, error, time, turn}},
      {"message", {topic, data, time, turn}},
      {"wake", {id, time, turn}},
      {"step", {time, turn}},
      {"end", {time}},
  };
  return rules;
}

const TypeRule* find_rule(std::string_view type) {
  const auto& rules = type_rules();
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const TypeRule& rule) { return rule.type == type; });
  return found == rules.end() ? nullptr : &*found;
}

/// What is wrong with the value, or empty.
std::string read_value(const Json& value, const Member& member, LockstepMessage& message) {
  if (const auto* number = std::get_if<std::int64_t LockstepMessage::*>(&member)) {
    if (!value.is_number_integer()) {
      return "is not a whole number";
    }
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) {
      return "is too large";
    }
    message.*(*number) = value.get<std::int64_t>();
    return message.*(*number) < 0 ? "is negative" : "";
  }
  if (const auto* flag = std::get_if<bool LockstepMessage::*>(&member)) {
    if (!value.is_boolean()) {
      return "is neither true nor false";
    }
    message.*(*flag) = value.get<bool>();
    return "";
  }
  if (!value.is_string()) {
    return "is not a string";
  }
  if (const auto* text = std::get_if<std::string LockstepMessage::*>(&member)) {
    message.*(*text) = value.get<std::string>();
    return "";
  }
  Result<Bytes> bytes = binary_value(Parameter(value.get_ref<const std::string&>()));
  if (!bytes) {
    return "is not base64";
  }
  message.*std::get<Bytes LockstepMessage::*>(member) = std::move(bytes).value();
  return "";
}

Json write_value(const LockstepMessage& message, const Member& member) {
  if (const auto* number = std::get_if<std::int64_t LockstepMessage::*>(&member)) {
    return message.*(*number);
  }
  if (const auto* flag = std::get_if<bool LockstepMessage::*>(&member)) {
    return message.*(*flag);
  }
  if (const auto* text = std::get_if<std::string LockstepMessage::*>(&member)) {
    return message.*(*text);
  }
  return binary_parameter(message.*std::get<Bytes LockstepMessage::*>(member));
}

bool is_default(const Json& value) {
  return value == Json(0) || value == Json("") || value == Json(true);
}

Error no_message(std::string_view line, std::string_view why) {
  constexpr std::size_t kShown = 60;
  const std::string start(line.substr(0, kShown));
  // the line may hold anything: show it as JSON would, invalid bytes replaced
  return Error{fmt::format("the line {}{} {}",
                           Json(start).dump(-1, ' ', true, Json::error_handler_t::replace),
                           line.size() > kShown ? "…" : "", why)};
}

}  // namespace

Result<LockstepMessage> parse_lockstep(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) {
    return no_message(line, "is not a JSON object");
  }
  const auto type = json.find("type");
  if (type == json.end() || !type->is_string()) {
    return no_message(line, "has no type");
  }
  LockstepMessage message;
  message.type = type->get<std::string>();
  const TypeRule* rule = find_rule(message.type);
  if (rule == nullptr) {
    return no_message(line, "has an unknown type");
  }
  for (const FieldRule& field : rule->fields) {
    const auto value = json.find(field.key);
    if (value == json.end()) {
      if (field.is_optional) {
        continue;
      }
      return no_message(line, fmt::format("lacks '{}'", field.key));
    }
    const std::string problem = read_value(*value, field.member, message);
    if (!problem.empty()) {
      return no_message(line, fmt::format("has a '{}' that {}", field.key, problem));
    }
  }
  return message;
}

std::string to_line(const LockstepMessage& message) {
  nlohmann::ordered_json json;
  json["type"] = message.type;
  if (const TypeRule* rule = find_rule(message.type)) {
    for (const FieldRule& field : rule->fields) {
      const Json value = write_value(message, field.member);
      if (!field.is_optional || !is_default(value)) {
        json[std::string(field.key)] = value;
      }
    }
  }
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace longarm::components
