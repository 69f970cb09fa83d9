// SPDX-License-Identifier: Apache-2.0
// Values as Python writes and compares them, and those of YAML files.
#include "longarm/model/xacro_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "longarm/core/text.h"
#include "longarm/model/xacro_expression.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

std::string float_text(double number) {
  if (std::isnan(number)) {
    return "nan";
  }
  if (std::isinf(number)) {
    return number < 0.0 ? "-inf" : "inf";
  }
  // Python writes exponents from 1e16 on and below 1e-4, as fmt does
  std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::optional<std::int64_t> parse_whole(const std::string& text) {
  const char* first = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* last = text.data() + text.size();
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(first, last, number);
  return error == std::errc{} && end == last && first != last ? std::optional(number)
                                                              : std::nullopt;
}

std::optional<bool> parse_truth(const std::string& text) {
  if (text == "true" || text == "True") {
    return true;
  }
  if (text == "false" || text == "False") {
    return false;
  }
  return std::nullopt;
}

/// 1.0 for no unit; nothing for a tag that is none.
std::optional<double> unit_of(const std::string& tag) {
  static const std::map<std::string, double> units{{"!radians", 1.0}, {"!degrees", M_PI / 180.0},
                                                   {"!meters", 1.0},  {"!millimeters", 0.001},
                                                   {"!foot", 0.3048}, {"!inches", 0.0254}};
  const auto found = units.find(tag);
  return found == units.end() ? std::nullopt : std::optional(found->second);
}

XacroValue scalar_value(const YAML::Node& node) {
  const std::string& text = node.Scalar();
  if (const std::optional<double> unit = unit_of(node.Tag())) {
    return XacroValue(evaluate_xacro(text, {}).number() * *unit);
  }
  if (node.Tag() == "!") {  // in quotes
    return XacroValue(text);
  }
  if (text.empty() || text == "~" || text == "null") {
    return {};
  }
  for (const char* word : {"yes", "on", "Yes", "On"}) {
    if (text == word) {
      return XacroValue(true);
    }
  }
  for (const char* word : {"no", "off", "No", "Off"}) {
    if (text == word) {
      return XacroValue(false);
    }
  }
  if (const std::optional<bool> truth = parse_truth(text)) {
    return XacroValue(*truth);
  }
  if (const std::optional<std::int64_t> whole = parse_whole(text)) {
    return XacroValue(*whole);
  }
  if (const std::optional<double> number = parse_number(text)) {
    return XacroValue(*number);
  }
  return XacroValue(text);
}

XacroValue node_value(const YAML::Node& node) {
  if (node.IsSequence()) {
    XacroList list;
    for (const YAML::Node& each : node) {
      list.push_back(node_value(each));
    }
    return XacroValue(std::move(list));
  }
  if (node.IsMap()) {
    XacroDict dict;
    for (const auto& each : node) {
      set_key(dict, each.first.Scalar(), node_value(each.second));
    }
    return XacroValue(std::move(dict));
  }
  return node.IsScalar() ? scalar_value(node) : XacroValue();
}

}  // namespace

const XacroList* XacroValue::as_list() const {
  const auto* list = std::get_if<std::shared_ptr<const XacroList>>(&value_);
  return list == nullptr ? nullptr : list->get();
}

const XacroDict* XacroValue::as_dict() const {
  const auto* dict = std::get_if<std::shared_ptr<const XacroDict>>(&value_);
  return dict == nullptr ? nullptr : dict->get();
}

bool XacroValue::is_number() const {
  return is_whole() || std::holds_alternative<double>(value_);
}

double XacroValue::number() const {
  if (const auto* real = std::get_if<double>(&value_)) {
    return *real;
  }
  return static_cast<double>(whole());
}

std::int64_t XacroValue::whole() const {
  if (const std::int64_t* integer = as_integer()) {
    return *integer;
  }
  if (const bool* truth = as_bool()) {
    return *truth ? 1 : 0;
  }
  throw XacroProblem{fmt::format("{} is {}, not a number", quoted(), kind()), ""};
}

bool XacroValue::is_true() const {
  if (is_number()) {
    return number() != 0.0;
  }
  if (const std::string* text = as_text()) {
    return !text->empty();
  }
  if (const XacroList* list = as_list()) {
    return !list->empty();
  }
  const XacroDict* dict = as_dict();
  return dict != nullptr && !dict->empty();
}

std::string XacroValue::text() const {
  if (const std::string* text = as_text()) {
    return *text;
  }
  if (const bool* truth = as_bool()) {
    return *truth ? "True" : "False";
  }
  if (const std::int64_t* integer = as_integer()) {
    return std::to_string(*integer);
  }
  if (is_number()) {
    return float_text(number());
  }
  if (const XacroList* list = as_list()) {
    std::string text;
    for (const XacroValue& each : *list) {
      text += (text.empty() ? "" : ", ") + each.quoted();
    }
    return "[" + text + "]";
  }
  if (const XacroDict* dict = as_dict()) {
    std::string text;
    for (const auto& [key, each] : *dict) {
      text += fmt::format("{}'{}': {}", text.empty() ? "" : ", ", key, each.quoted());
    }
    return "{" + text + "}";
  }
  return "None";
}

std::string XacroValue::quoted() const {
  return as_text() != nullptr ? "'" + text() + "'" : text();
}

std::string XacroValue::kind() const {
  return is_none()              ? "None"
         : as_bool() != nullptr ? "a boolean"
         : is_number()          ? "a number"
         : as_text() != nullptr ? "a text"
         : as_list() != nullptr ? "a list"
                                : "a dictionary";
}

void set_key(XacroDict& dict, const std::string& key, XacroValue value) {
  for (auto& [known, old] : dict) {
    if (known == key) {
      old = std::move(value);
      return;
    }
  }
  dict.emplace_back(key, std::move(value));
}

bool is_equal(const XacroValue& a, const XacroValue& b) {
  if (a.is_number() && b.is_number()) {
    return a.number() == b.number();
  }
  if (a.as_text() != nullptr && b.as_text() != nullptr) {
    return *a.as_text() == *b.as_text();
  }
  if (a.as_list() != nullptr && b.as_list() != nullptr) {
    return std::equal(a.as_list()->begin(), a.as_list()->end(), b.as_list()->begin(),
                      b.as_list()->end(), is_equal);
  }
  if (a.as_dict() != nullptr && b.as_dict() != nullptr) {
    return a.text() == b.text();
  }
  return a.is_none() && b.is_none();
}

XacroValue literal_value(const std::string& text) {
  if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') {
    return XacroValue(text.substr(1, text.size() - 2));
  }
  const std::string word = trimmed(text);
  if (const std::optional<std::int64_t> whole = parse_whole(word)) {
    return XacroValue(*whole);
  }
  if (const std::optional<double> number = parse_number(word)) {
    return XacroValue(*number);
  }
  if (const std::optional<bool> truth = parse_truth(text)) {
    return XacroValue(*truth);
  }
  return XacroValue(text);
}

bool condition_value(const XacroValue& value, const std::string& condition) {
  const std::string* text = value.as_text();
  if (text == nullptr) {
    return value.is_true();
  }
  if (const std::optional<bool> truth = parse_truth(*text)) {
    return *truth;
  }
  if (const std::optional<std::int64_t> whole = parse_whole(trimmed(*text))) {
    return *whole != 0;
  }
  throw XacroProblem{
      fmt::format("the condition '{}' is '{}', which is neither true nor false", condition, *text),
      "write true, false, or a comparison: ${type == 'ur5'}"};
}

XacroValue yaml_value(const std::string& text, const std::string& path) {
  try {
    return node_value(YAML::Load(text));
  } catch (const YAML::Exception& problem) {
    throw XacroProblem{
        fmt::format("'{}' is not YAML: line {}: {}", path, problem.mark.line + 1, problem.msg), ""};
  }
}

}  // namespace longarm::model
