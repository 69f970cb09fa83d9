// SPDX-License-Identifier: Apache-2.0
// Checks values against declarations and keeps them.
#include "longarm/components/parameters.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/core/time.h"

namespace longarm::components {
namespace {

bool is_array(ParameterType type) {
  return type >= ParameterType::kBoolArray;
}

ParameterType element_of(ParameterType type) {
  constexpr auto kArrays = static_cast<std::uint8_t>(ParameterType::kBoolArray);
  return static_cast<ParameterType>(static_cast<std::uint8_t>(type) % kArrays);
}

const char* with_article(ParameterType type) {
  switch (element_of(type)) {
    case ParameterType::kBool:
      return "true or false";
    case ParameterType::kInteger:
      return "a whole number";
    case ParameterType::kDouble:
      return "a number";
    default:
      return "a text";
  }
}

bool is_of(ParameterType type, const Parameter& value) {
  switch (type) {
    case ParameterType::kBool:
      return value.is_boolean();
    case ParameterType::kInteger:
      return value.is_number_integer();
    case ParameterType::kDouble:
      return value.is_number() && std::isfinite(value.get<double>());
    default:
      return value.is_string();
  }
}

Result<Parameter> checked_element(const ParameterDeclaration& declaration, const Parameter& value) {
  const ParameterType type = element_of(declaration.type);
  if (!is_of(type, value)) {
    return Error{fmt::format("expected {}, found {}", with_article(type), json_text(value))};
  }
  if (value.is_number()) {
    const auto number = value.get<double>();
    const bool is_low = declaration.least && number < *declaration.least;
    if (is_low || (declaration.most && number > *declaration.most)) {
      return Error{fmt::format("{} is {}", json_text(value),
                               is_low ? fmt::format("less than {}", *declaration.least)
                                      : fmt::format("more than {}", *declaration.most))};
    }
  }
  // by name: a parameter can be made of anything, of a Result, too
  return Result<Parameter>(type == ParameterType::kDouble ? Parameter(value.get<double>()) : value);
}

std::optional<Parameter> parse_element(const ParameterDeclaration& declaration,
                                       const std::string& word) {
  const ParameterType type = element_of(declaration.type);
  if (type == ParameterType::kString) {
    return Parameter(word);
  }
  if (type == ParameterType::kDouble) {
    if (const std::optional<double> number = parse_number(word)) {
      return Parameter(*number);
    }
    const Result<Duration> time =
        declaration.unit == "s" ? parse_duration(word) : Result<Duration>(Error{});
    return time ? std::optional<Parameter>(to_seconds(*time)) : std::nullopt;
  }
  Parameter value = Parameter::parse(word, nullptr, false);
  return value.is_discarded() ? std::nullopt : std::optional<Parameter>(std::move(value));
}

}  // namespace

const std::vector<std::string>& parameter_type_names() {
  static const std::vector<std::string> names{"bool",         "integer",     "double",
                                              "string",       "bool_array",  "integer_array",
                                              "double_array", "string_array"};
  return names;
}

const std::string& name_of(ParameterType type) {
  return parameter_type_names()[static_cast<std::size_t>(type)];
}

ParameterType parameter_type(std::string_view name) {
  const std::vector<std::string>& names = parameter_type_names();
  const auto found = std::find(names.begin(), names.end(), name);
  check(found != names.end(), "a type of parameters that there is");
  return static_cast<ParameterType>(found - names.begin());
}

Result<Parameter> checked_parameter(const ParameterDeclaration& declaration,
                                    const Parameter& value) {
  if (!is_array(declaration.type)) {
    return checked_element(declaration, value);
  }
  if (!value.is_array()) {
    return Error{fmt::format("expected a list, found {}", json_text(value))};
  }
  Parameter list = Parameter::array();
  for (const Parameter& each : value) {
    Result<Parameter> element = checked_element(declaration, each);
    if (!element) {
      return element;
    }
    list.push_back(std::move(element).value());
  }
  return Result<Parameter>(std::move(list));
}

Result<Parameter> parse_parameter(const ParameterDeclaration& declaration,
                                  const std::vector<std::string>& words) {
  if (!is_array(declaration.type) && words.size() != 1) {
    return Error{fmt::format("expected {}, found a list", with_article(declaration.type))};
  }
  Parameter list = Parameter::array();
  for (const std::string& word : words) {
    std::optional<Parameter> value = parse_element(declaration, word);
    if (!value) {
      return Error{fmt::format("expected {}, found '{}'", with_article(declaration.type), word)};
    }
    list.push_back(*std::move(value));
  }
  return checked_parameter(declaration, is_array(declaration.type) ? list : list.front());
}

std::string json_text(const Parameter& value) {
  return value.dump(-1, ' ', false, Parameter::error_handler_t::replace);
}

Parameter guess_parameter(const std::string& text) {
  Parameter value = Parameter::parse(text, nullptr, false);
  return value.is_discarded() ? Parameter(text) : value;
}

void NodeParameters::declare(ParameterDeclaration declaration) {
  const Result<Parameter> value = checked_parameter(declaration, declaration.value);
  check(value.has_value(), "the default of a parameter is of its type");
  declaration.value = *value;
  if (ParameterDeclaration* known = find_own(declaration.name)) {
    *known = std::move(declaration);
    return;
  }
  all_.push_back(std::move(declaration));
}

const ParameterDeclaration* NodeParameters::find(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &ParameterDeclaration::name);
  return found == all_.end() ? nullptr : &*found;
}

ParameterDeclaration* NodeParameters::find_own(std::string_view name) {
  const auto found = std::ranges::find(all_, name, &ParameterDeclaration::name);
  return found == all_.end() ? nullptr : &*found;
}

Result<bool> NodeParameters::set(const std::vector<std::pair<std::string, Parameter>>& values) {
  std::vector<std::pair<ParameterDeclaration*, Parameter>> good;
  for (const auto& [name, value] : values) {
    ParameterDeclaration* const known = find_own(name);
    if (known == nullptr) {
      return unknown(name);
    }
    Result<Parameter> fit = checked_parameter(*known, value);
    if (!fit) {
      return Error{fmt::format("parameter '{}': {}", name, fit.error().message)};
    }
    good.emplace_back(known, std::move(fit).value());
  }
  for (auto& [parameter, value] : good) {
    parameter->value = std::move(value);
    const auto hears = followers_.find(parameter->name);
    if (hears != followers_.end()) {
      for (std::size_t i = 0; i < hears->second.size(); ++i) {
        hears->second[i](parameter->value);
      }
    }
  }
  return true;
}

void NodeParameters::follow(std::string_view name, Changed changed) {
  followers_[std::string(name)].push_back(std::move(changed));
}

Error NodeParameters::unknown(std::string_view name) const {
  return {fmt::format("'{}' has no parameter '{}'; {}", node_, name,
                      all_.empty() ? "it has none" : suggest(name, names_of(all_)))};
}

}  // namespace longarm::components
