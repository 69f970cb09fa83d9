// SPDX-License-Identifier: Apache-2.0
// One function per type a field may have; each says what it expected when it finds something else.
#include "longarm/config/config_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "longarm/config/renamed.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::config {
namespace {

std::string found(const ConfigNode& node) {
  switch (node.kind) {
    case ConfigNode::Kind::kScalar:
      return "'" + node.text + "'";
    case ConfigNode::Kind::kList:
      return "a list";
    case ConfigNode::Kind::kMap:
      return "a group of keys";
    case ConfigNode::Kind::kNull:
      break;
  }
  return "nothing";
}

constexpr const char* kDurationHint = "write a number and a unit, such as 500us, 2ms or 1.5s";

/// In radians or metres, as the unit has it; without one the number as it is.
std::optional<double> parse_joint_position(const std::string& text) {
  struct Unit {
    std::string_view name;
    double in_si;
  };
  constexpr std::array kUnits{Unit{"deg", std::numbers::pi / 180.0}, Unit{"rad", 1.0},
                              Unit{"mm", 1e-3}, Unit{"m", 1.0}};
  std::string number = text;
  double factor = 1.0;
  for (const Unit& unit : kUnits) {
    if (number.size() > unit.name.size() && number.ends_with(unit.name)) {
      number.resize(number.size() - unit.name.size());
      number.erase(number.find_last_not_of(' ') + 1);
      factor = unit.in_si;
      break;
    }
  }
  const std::optional<double> value = parse_number(number);
  return value && std::isfinite(*value) ? std::optional(*value * factor) : std::nullopt;
}

/// `[a, b]` in place of `{a: {}, b: {}}`; anything else stays as it is.
ConfigNode names_as_map(const ConfigNode& node) {
  const auto is_word = [](const ConfigNode& item) {
    return item.kind == ConfigNode::Kind::kScalar;
  };
  if (node.kind != ConfigNode::Kind::kList ||
      !std::all_of(node.items.begin(), node.items.end(), is_word)) {
    return node;
  }
  ConfigNode map;
  map.kind = ConfigNode::Kind::kMap;
  map.where = node.where;
  for (const ConfigNode& item : node.items) {
    ConfigNode nothing;
    nothing.kind = ConfigNode::Kind::kMap;
    nothing.where = item.where;
    map.set(item.text, item.where, std::move(nothing));
  }
  return map;
}

}  // namespace

ConfigReader::ConfigReader(const ConfigNode& map, Diagnostics& diagnostics, std::string prefix,
                           std::string shorthand)
    : map_(map),
      diagnostics_(diagnostics),
      prefix_(std::move(prefix)),
      shorthand_(std::move(shorthand)) {}

std::string ConfigReader::name(std::string_view key) const {
  const ConfigNode* node = map_.find(std::string(key));
  if (node != nullptr && !node->spoken.empty()) {
    return node->spoken;
  }
  const bool is_short = !shorthand_.empty() && key == shorthand_;
  return is_short ? prefix_.substr(0, prefix_.size() - 1) : prefix_ + std::string(key);
}

const ConfigNode* ConfigReader::take(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) {
    known_.emplace_back(key);
  }
  return map_.find(std::string(key));
}

bool ConfigReader::is_scalar(const ConfigNode& node, std::string_view key, const char* expected) {
  const bool is_one = node.kind == ConfigNode::Kind::kScalar;
  if (!is_one) {
    diagnostics_.error(node.where,
                       "'" + name(key) + "' must be " + expected + ", not " + found(node));
  }
  return is_one;
}

void ConfigReader::do_field(const Field& field) {
  const ConfigNode* node = take(field.key);
  if (node == nullptr) {
    return;
  }
  const bool is_good =
      (field.choices == nullptr || is_choice(*node, field)) &&
      std::visit([&](auto* value) { return read(*node, field.key, *value); }, field.value);
  if (!is_good) {
    misread_.emplace_back(field.key);
  }
}

bool ConfigReader::is_choice(const ConfigNode& node, const Field& field) {
  if (!is_scalar(node, field.key, "a single word")) {
    return false;
  }
  const std::vector<std::string>& choices = *field.choices;
  const bool is_one = std::find(choices.begin(), choices.end(), node.text) != choices.end();
  if (!is_one) {
    const std::string renamed = renamed_value_hint(field.key, node.text);
    diagnostics_.error(node.where, "unknown " + name(field.key) + " '" + node.text + "'",
                       renamed.empty() ? suggest(node.text, choices) : renamed);
  }
  return is_one;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view key, bool& value) {
  if (node.text != "true" && node.text != "false") {
    diagnostics_.error(node.where, "'" + name(key) + "' must be true or false, not " + found(node));
    return false;
  }
  value = node.text == "true";
  return true;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view, double& value) {
  const std::optional<double> number =
      node.kind == ConfigNode::Kind::kScalar ? parse_number(node.text) : std::nullopt;
  if (!number || !std::isfinite(*number)) {
    diagnostics_.error(node.where, "expected a number, found " + found(node),
                       "write a plain number such as 0.5, without a unit");
    return false;
  }
  value = *number;
  return true;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view key, std::int64_t& value) {
  if (!is_scalar(node, key, "a whole number")) {
    return false;
  }
  std::int64_t number = 0;
  const char* end = node.text.data() + node.text.size();
  const auto [after, problem] = std::from_chars(node.text.data(), end, number);
  if (problem != std::errc() || after != end) {
    diagnostics_.error(node.where, "expected a whole number, found " + found(node),
                       "for example: 3");
    return false;
  }
  value = number;
  return true;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view key, std::string& value) {
  if (!is_scalar(node, key, "a text")) {
    return false;
  }
  value = node.text;
  return true;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view, Duration& value) {
  if (node.kind != ConfigNode::Kind::kScalar) {
    diagnostics_.error(node.where, "expected a duration, found " + found(node), kDurationHint);
    return false;
  }
  const Result<Duration> duration = parse_duration(node.text);
  if (!duration) {
    diagnostics_.error(node.where, duration.error().message, kDurationHint);
    return false;
  }
  value = *duration;
  return true;
}

template <typename T>
bool ConfigReader::read(const ConfigNode& node, std::string_view key, std::optional<T>& value) {
  T plain{};
  if (!read(node, key, plain)) {
    return false;
  }
  value = plain;
  return true;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view key, std::vector<double>& value) {
  std::vector<double> numbers(1);
  // one number stands for a list of one
  const bool is_good = node.kind == ConfigNode::Kind::kScalar ? read(node, key, numbers[0])
                                                              : read_row(node, key, numbers);
  if (is_good) {
    value = numbers;
  }
  return is_good;
}

bool ConfigReader::read_row(const ConfigNode& node, std::string_view key,
                            std::vector<double>& value) {
  if (node.kind != ConfigNode::Kind::kList) {
    diagnostics_.error(node.where, "expected a list of numbers, found " + found(node),
                       "for example: [0.1, 0.2]");
    return false;
  }
  bool is_good = true;
  value.resize(node.items.size());
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    is_good = read(node.items[i], key, value[i]) && is_good;
  }
  return is_good;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view key,
                        std::vector<std::vector<double>>& value) {
  if (node.kind != ConfigNode::Kind::kList) {
    diagnostics_.error(node.where, "expected a list of lists of numbers, found " + found(node),
                       "for example: [[0.1, 0.2], [0.3, 0.4]]");
    return false;
  }
  std::vector<std::vector<double>> rows(node.items.size());
  bool is_good = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    is_good = read_row(node.items[i], key, rows[i]) && is_good;
  }
  if (is_good) {
    value = rows;
  }
  return is_good;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view, std::vector<std::string>& value) {
  // one text stands for a list of one
  const bool is_list = node.kind == ConfigNode::Kind::kList;
  const std::vector<ConfigNode> items = is_list ? node.items : std::vector<ConfigNode>{node};
  std::vector<std::string> texts;
  for (const ConfigNode& item : items) {
    if (item.kind != ConfigNode::Kind::kScalar) {
      diagnostics_.error(item.where, "expected a list of strings, found " + found(item) + " in it",
                         "for example: [one, two]");
      return false;
    }
    texts.push_back(item.text);
  }
  value = texts;
  return true;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view key,
                        std::vector<std::vector<std::string>>& value) {
  if (node.kind != ConfigNode::Kind::kList) {
    diagnostics_.error(node.where, "expected a list of lists of strings, found " + found(node),
                       "for example: [[one, two], [three, four]]");
    return false;
  }
  std::vector<std::vector<std::string>> rows(node.items.size());
  bool is_good = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    is_good = read(node.items[i], key, rows[i]) && is_good;
  }
  if (is_good) {
    value = rows;
  }
  return is_good;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view, JointPositions& value) {
  std::vector<const ConfigNode*> items;
  JointPositions read;
  if (node.kind == ConfigNode::Kind::kMap) {
    read.names = node.keys();
    for (const ConfigNode::Entry& entry : node.entries) {
      items.push_back(&entry.value);
    }
  } else if (node.kind == ConfigNode::Kind::kList) {
    for (const ConfigNode& item : node.items) {
      items.push_back(&item);
    }
  } else {
    items.push_back(&node);  // one for all
  }
  bool is_good = true;
  for (const ConfigNode* item : items) {
    const std::optional<double> position =
        item->kind == ConfigNode::Kind::kScalar ? parse_joint_position(item->text) : std::nullopt;
    if (!position) {
      diagnostics_.error(item->where, "expected a joint position, found " + found(*item),
                         "write a number in rad or m, or one with its unit, such as 30deg or 20mm");
      is_good = false;
    }
    read.values.push_back(position.value_or(0.0));
  }
  if (is_good) {
    value = read;
  }
  return is_good;
}

bool ConfigReader::read(const ConfigNode& node, std::string_view key,
                        std::vector<JointPositions>& value) {
  if (node.kind != ConfigNode::Kind::kList) {
    diagnostics_.error(node.where, "expected a list of joint positions, found " + found(node),
                       "for example: [[0.1, 30deg], {elbow: 45deg}]");
    return false;
  }
  std::vector<JointPositions> rows(node.items.size());
  bool is_good = true;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ConfigNode& item = node.items[i];
    if (item.kind == ConfigNode::Kind::kScalar || item.kind == ConfigNode::Kind::kNull) {
      diagnostics_.error(item.where, "expected a list of numbers, found " + found(item),
                         "for example: [0.1, 0.2]");
      is_good = false;
      continue;
    }
    is_good = read(item, key, rows[i]) && is_good;
  }
  if (is_good) {
    value = rows;
  }
  return is_good;
}

void ConfigReader::section(std::string_view key, std::string_view,
                           const std::function<void(Fields&)>& list, std::string_view shorthand) {
  const ConfigNode* node = take(key);
  ConfigNode map;
  map.kind = ConfigNode::Kind::kMap;
  bool is_group = true;
  if (node == nullptr) {
    map.where = map_.where;
  } else if (node->kind == ConfigNode::Kind::kMap || node->kind == ConfigNode::Kind::kNull) {
    map = *node;
  } else if (!shorthand.empty()) {
    map.where = node->where;
    map.set(std::string(shorthand), node->where, *node);
  } else {
    is_group = false;
    map.where = node->where;
  }
  ConfigReader reader(map, diagnostics_, name(key) + ".", std::string(shorthand));
  list(reader);
  reader.finish();
  if (!is_group) {
    diagnostics_.error(node->where,
                       "'" + name(key) + "' must be a group of keys, not " + found(*node),
                       "its keys are: " + join(reader.known_));
  }
}

void ConfigReader::entries(std::string_view key, std::string_view, std::vector<std::string>& names,
                           const std::function<void(Fields&, std::size_t index)>& list) {
  const ConfigNode* node = take(key);
  if (node == nullptr) {
    return;
  }
  names.clear();
  const ConfigNode listed = names_as_map(*node);
  for (auto item = node->items.begin(); item != node->items.end(); ++item) {
    const auto is_same = [&](const ConfigNode& other) { return other.text == item->text; };
    if (std::any_of(node->items.begin(), item, is_same)) {
      diagnostics_.error(item->where, "'" + item->text + "' appears twice in '" + name(key) + "'",
                         "remove one of them");
    }
  }
  if (listed.kind != ConfigNode::Kind::kMap && listed.kind != ConfigNode::Kind::kNull) {
    diagnostics_.error(node->where,
                       "'" + name(key) + "' must be a group of names, not " + found(*node),
                       "write each name as a key, with its own keys below it");
    return;
  }
  names = listed.keys();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ConfigNode& value = listed.entries[i].value;
    const std::string whole = name(key) + "." + names[i];
    ConfigNode nothing;
    nothing.kind = ConfigNode::Kind::kMap;
    nothing.where = value.where;
    const bool is_group =
        value.kind == ConfigNode::Kind::kMap || value.kind == ConfigNode::Kind::kNull;
    ConfigReader reader(is_group ? value : nothing, diagnostics_, whole + ".");
    list(reader, i);
    reader.finish();
    if (!is_group) {
      diagnostics_.error(value.where,
                         "'" + whole + "' must be a group of keys, not " + found(value),
                         "its keys are: " + join(reader.known_));
    }
  }
}

void ConfigReader::reject(std::string_view key, std::string message, std::string hint) {
  if (std::find(misread_.begin(), misread_.end(), key) != misread_.end()) {
    return;  // that follows from what was said already
  }
  const ConfigNode* node = map_.find(std::string(key));
  diagnostics_.error(node == nullptr ? map_.where : node->where, std::move(message),
                     std::move(hint));
}

void ConfigReader::finish() {
  for (const ConfigNode::Entry& entry : map_.entries) {
    if (std::find(known_.begin(), known_.end(), entry.key) == known_.end()) {
      const std::string renamed = renamed_key_hint(prefix_ + entry.key);
      diagnostics_.error(entry.where, "unknown key '" + prefix_ + entry.key + "'",
                         renamed.empty() ? suggest(entry.key, known_) : renamed);
    }
  }
}

}  // namespace longarm::config
