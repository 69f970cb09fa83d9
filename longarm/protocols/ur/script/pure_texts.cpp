// SPDX-License-Identifier: Apache-2.0
// Functions of strings and lists in URScript.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/protocols/ur/script/pure.h"

namespace longarm::protocols::ur::script {

namespace {

Failure length(std::string_view name, Arguments arguments, Value& result) {
  std::size_t count = 6;
  if (const auto* elements = std::get_if<List>(&arguments[0].kind)) {
    count = elements->size();
  } else if (const auto* text = to_string(arguments[0])) {
    count = text->size();
  } else if (!is_pose(arguments[0])) {
    return wrong_argument(name, "a list, a pose or a string", arguments[0]);
  }
  result = integer(static_cast<std::int64_t>(count));
  return {};
}

// 32 booleans, least significant first
Failure to_bits(Arguments arguments, Value& result) {
  const auto number = to_integer(arguments[0]);
  if (!number) {
    return wrong_argument("integer_to_binary_list", "an integer", arguments[0]);
  }
  List bits;
  for (unsigned bit = 0; bit < 32; ++bit) {
    bits.push_back(boolean(((static_cast<std::uint32_t>(*number) >> bit) & 1U) != 0));
  }
  result.kind = std::move(bits);
  return {};
}

Failure from_bits(Arguments arguments, Value& result) {
  const auto* bits = std::get_if<List>(&arguments[0].kind);
  if (bits == nullptr || bits->size() > 32) {
    return wrong_argument("binary_list_to_integer", "a list of up to 32 booleans", arguments[0]);
  }
  std::uint32_t number = 0;
  for (std::size_t bit = 0; bit < bits->size(); ++bit) {
    const auto is_set = to_boolean((*bits)[bit]);
    if (!is_set) {
      return wrong_argument("binary_list_to_integer", "booleans", (*bits)[bit]);
    }
    if (*is_set) {
      number |= 1U << bit;
    }
  }
  result = integer(static_cast<std::int32_t>(number));
  return {};
}

/// A place in a string; one past the end if `may_be_end`.
std::optional<std::size_t> place_in(const std::string& text, const Value& index, bool may_be_end) {
  const auto number = to_integer(index);
  if (!number || *number < 0) {
    return std::nullopt;
  }
  const auto place = static_cast<std::size_t>(*number);
  const std::size_t size = text.size() + (may_be_end ? 1 : 0);
  return place < size ? std::optional(place) : std::nullopt;
}

Failure no_place(std::string_view name, const std::string& text, const Value& index) {
  return fmt::format("'{}' at {} of a string of {}", name, to_text(index).substr(0, 40),
                     text.size());
}

Failure at(Arguments arguments, Value& result) {
  const auto* source = to_string(arguments[0]);
  if (source == nullptr) {
    return wrong_argument("str_at", "a string", arguments[0]);
  }
  const auto place = place_in(*source, arguments[1], false);
  if (!place) {
    return no_place("str_at", *source, arguments[1]);
  }
  result = text(std::string(1, (*source)[*place]));
  return {};
}

Failure join(Arguments arguments, Value& result) {
  std::string joined = to_text(arguments[0]);
  joined += to_text(arguments[1]);
  result = text(std::move(joined));
  return check_size(result);
}

Failure is_empty(Arguments arguments, Value& result) {
  const auto* source = to_string(arguments[0]);
  if (source == nullptr) {
    return wrong_argument("str_empty", "a string", arguments[0]);
  }
  result = boolean(source->empty());
  return {};
}

/// As std::string::find, but never in more than the sum of both sizes (Knuth, Morris and Pratt).
std::size_t find_in(const std::string& source, const std::string& target, std::size_t from) {
  if (target.empty()) {
    return from;
  }
  // how much of the target is still matched when the byte after it is not
  std::vector<std::size_t> kept(target.size(), 0);
  for (std::size_t i = 1, matched = 0; i < target.size(); ++i) {
    while (matched > 0 && target[i] != target[matched]) {
      matched = kept[matched - 1];
    }
    if (target[i] == target[matched]) {
      ++matched;
    }
    kept[i] = matched;
  }
  for (std::size_t i = from, matched = 0; i < source.size(); ++i) {
    while (matched > 0 && source[i] != target[matched]) {
      matched = kept[matched - 1];
    }
    if (source[i] == target[matched]) {
      ++matched;
    }
    if (matched == target.size()) {
      return i + 1 - matched;
    }
  }
  return std::string::npos;
}

Failure find_text(Arguments arguments, Value& result) {
  const auto* source = to_string(arguments[0]);
  const auto* target = to_string(arguments[1]);
  if (source == nullptr) {
    return wrong_argument("str_find", "a string", arguments[0]);
  }
  if (target == nullptr) {
    return wrong_argument("str_find", "a string", arguments[1]);
  }
  const auto from = place_in(*source, arguments[2], true);
  if (!from) {
    return no_place("str_find", *source, arguments[2]);
  }
  const std::size_t place = find_in(*source, *target, *from);
  result = integer(place == std::string::npos ? -1 : static_cast<std::int64_t>(place));
  return {};
}

Failure part_of(Arguments arguments, Value& result) {
  const auto* source = to_string(arguments[0]);
  if (source == nullptr) {
    return wrong_argument("str_sub", "a string", arguments[0]);
  }
  const auto from = place_in(*source, arguments[1], true);
  if (!from) {
    return no_place("str_sub", *source, arguments[1]);
  }
  std::size_t size = std::string::npos;
  if (!is_nothing(arguments[2])) {
    const auto wanted = to_integer(arguments[2]);
    if (!wanted || *wanted < 0) {
      return wrong_argument("str_sub", "a length", arguments[2]);
    }
    size = static_cast<std::size_t>(*wanted);
  }
  result = text(source->substr(*from, size));
  return {};
}

// integers stay integers
Failure to_numeral(Arguments arguments, Value& result) {
  const auto* source = to_string(arguments[0]);
  if (source == nullptr) {
    return wrong_argument("to_num", "a string", arguments[0]);
  }
  const std::size_t begin = std::min(source->find_first_not_of(" \t+"), source->size());
  const std::size_t end = source->find_last_not_of(" \t\r\n") + 1;
  const char* last = source->data() + std::max(begin, end);
  double value = 0.0;
  const auto [stop, problem] = std::from_chars(source->data() + begin, last, value);
  if (problem != std::errc{} || stop != last || !std::isfinite(value)) {
    return fmt::format("'to_num' of \"{}\"", source->substr(0, 40));
  }
  const bool is_whole = source->find_first_of(".eE") == std::string::npos;
  result = number(value);
  if (const auto whole = to_integer(result); is_whole && whole) {
    result = integer(*whole);
  }
  return {};
}

Failure print(Arguments arguments, Value& result) {
  result = text(to_text(arguments[0]));
  return check_size(result);
}

constexpr auto kTextFunctions = std::to_array<NamedFunction>({
    {"binary_list_to_integer", from_bits},
    {"get_list_length", [](Arguments a, Value& r) { return length("get_list_length", a, r); }},
    {"integer_to_binary_list", to_bits},
    {"length", [](Arguments a, Value& r) { return length("length", a, r); }},
    {"str_at", at},
    {"str_cat", join},
    {"str_empty", is_empty},
    {"str_find", find_text},
    {"str_len", [](Arguments a, Value& r) { return length("str_len", a, r); }},
    {"str_sub", part_of},
    {"to_num", to_numeral},
    {"to_str", print},
});

}  // namespace

std::span<const NamedFunction> functions_of_texts() {
  return kTextFunctions;
}

}  // namespace longarm::protocols::ur::script
