// SPDX-License-Identifier: Apache-2.0
// Tables of functions and methods, and the arithmetic of Python's numbers.
#include "longarm/model/xacro_functions.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/model/xml_source.h"

namespace longarm::model {
namespace {

using Values = std::vector<XacroValue>;

[[noreturn]] void fail(const std::string& message, const std::string& hint = {}) {
  throw XacroProblem{message, hint};
}

XacroValue checked(double number, const std::string& what) {
  if (std::isnan(number)) {
    fail(fmt::format("{} has no value", what), "its argument is out of range");
  }
  return XacroValue(number);
}

const std::map<std::string, double (*)(double)>& functions_of_one() {
  static const std::map<std::string, double (*)(double)> functions{
      {"sin", std::sin},
      {"cos", std::cos},
      {"tan", std::tan},
      {"asin", std::asin},
      {"acos", std::acos},
      {"atan", std::atan},
      {"sqrt", std::sqrt},
      {"exp", std::exp},
      {"log10", std::log10},
      {"log2", std::log2},
      {"fabs", std::fabs},
      {"sinh", std::sinh},
      {"cosh", std::cosh},
      {"tanh", std::tanh},
      {"asinh", std::asinh},
      {"acosh", std::acosh},
      {"atanh", std::atanh},
      {"degrees", [](double x) { return x * (180.0 / M_PI); }},
      {"radians", [](double x) { return x * (M_PI / 180.0); }}};
  return functions;
}

const std::map<std::string, double (*)(double, double)>& functions_of_two() {
  static const std::map<std::string, double (*)(double, double)> functions{
      {"atan2", std::atan2},
      {"hypot", std::hypot},
      {"fmod", std::fmod},
      {"pow", std::pow},
      {"copysign", std::copysign}};
  return functions;
}

std::int64_t to_whole(double number) {
  if (!(std::abs(number) < 9e18)) {
    fail(fmt::format("{} is not a whole number", number));
  }
  return static_cast<std::int64_t>(number);
}

/// A list as such, the keys of a dictionary, the letters of a text.
XacroList items_of(const XacroValue& value) {
  if (const XacroList* list = value.as_list()) {
    return *list;
  }
  XacroList items;
  if (const XacroDict* dict = value.as_dict()) {
    for (const auto& [key, each] : *dict) {
      items.emplace_back(key);
    }
    return items;
  }
  const std::string* text = value.as_text();
  if (text == nullptr) {
    fail(fmt::format("{} is {}, not a list", value.quoted(), value.kind()));
  }
  for (const char letter : *text) {
    items.emplace_back(std::string(1, letter));
  }
  return items;
}

bool is_less(const XacroValue& a, const XacroValue& b) {
  if (a.is_number() && b.is_number()) {
    return a.number() < b.number();
  }
  if (a.as_text() != nullptr && b.as_text() != nullptr) {
    return *a.as_text() < *b.as_text();
  }
  fail(fmt::format("{} and {} cannot be compared", a.quoted(), b.quoted()));
}

XacroValue extreme(const Values& given, bool largest) {
  const XacroList items = given.size() == 1 ? items_of(given[0]) : XacroList(given);
  if (items.empty()) {
    fail("min() and max() need a value");
  }
  return largest ? *std::max_element(items.begin(), items.end(), is_less)
                 : *std::min_element(items.begin(), items.end(), is_less);
}

XacroValue rounded(const Values& given) {
  if (given.size() == 1) {
    // to even, as Python does
    return XacroValue(to_whole(std::nearbyint(given[0].number())));
  }
  // by way of decimal digits, as Python does
  const int digits = static_cast<int>(given[1].whole());
  if (digits < 0 || given[0].is_whole()) {
    return given[0];
  }
  return XacroValue(*parse_number(fmt::format("{:.{}f}", given[0].number(), digits)));
}

XacroValue range_of(const Values& given) {
  const std::int64_t from = given.size() > 1 ? given[0].whole() : 0;
  const std::int64_t to = given[given.size() > 1 ? 1 : 0].whole();
  const std::int64_t step = given.size() > 2 ? given[2].whole() : 1;
  if (step == 0 || std::abs(to - from) > 1'000'000) {
    fail("range() has a step of 0 or is too long");
  }
  XacroList list;
  for (std::int64_t i = from; step > 0 ? i < to : i > to; i += step) {
    list.emplace_back(i);
  }
  return XacroValue(std::move(list));
}

XacroValue to_float(const XacroValue& value) {
  if (const std::string* text = value.as_text()) {
    const std::optional<double> number = parse_number(trimmed(*text));
    if (!number) {
      fail(fmt::format("'{}' is not a number", *text));
    }
    return XacroValue(*number);
  }
  return XacroValue(value.number());
}

XacroValue to_integer(const XacroValue& value) {
  if (value.is_whole()) {
    return XacroValue(value.whole());
  }
  return XacroValue(to_whole(std::trunc(to_float(value).number())));
}

XacroValue dict_of(const XacroArguments& arguments) {
  XacroDict dict;
  if (!arguments.values.empty() && arguments.values[0].as_dict() != nullptr) {
    dict = *arguments.values[0].as_dict();
  }
  for (const auto& [key, value] : arguments.named) {
    set_key(dict, key, value);
  }
  return XacroValue(std::move(dict));
}

XacroValue sum_of(const Values& given) {
  XacroValue sum(std::int64_t{0});
  for (const XacroValue& each : items_of(given[0])) {
    sum = xacro_operation("+", sum, each);
  }
  return sum;
}

struct Function {
  std::size_t fewest;
  std::size_t most;
  std::function<XacroValue(const XacroArguments&)> call;
};

const std::map<std::string, Function>& other_functions() {
  using A = const XacroArguments&;
  constexpr std::size_t kMostValues = 1000;
  static const std::map<std::string, Function> functions{
      {"min", {1, kMostValues, [](A a) { return extreme(a.values, false); }}},
      {"max", {1, kMostValues, [](A a) { return extreme(a.values, true); }}},
      {"round", {1, 2, [](A a) { return rounded(a.values); }}},
      {"range", {1, 3, [](A a) { return range_of(a.values); }}},
      {"sum", {1, 1, [](A a) { return sum_of(a.values); }}},
      {"float", {1, 1, [](A a) { return to_float(a.values[0]); }}},
      {"int", {1, 1, [](A a) { return to_integer(a.values[0]); }}},
      {"bool", {1, 1, [](A a) { return XacroValue(a.values[0].is_true()); }}},
      {"str", {1, 1, [](A a) { return XacroValue(a.values[0].text()); }}},
      {"dict", {0, 1, [](A a) { return dict_of(a); }}},
      {"dotify", {1, 1, [](A a) { return a.values[0]; }}},
      {"list", {1, 1, [](A a) { return XacroValue(items_of(a.values[0])); }}},
      {"tuple", {1, 1, [](A a) { return XacroValue(items_of(a.values[0])); }}},
      {"reversed",
       {1, 1,
        [](A a) {
          XacroList list = items_of(a.values[0]);
          std::reverse(list.begin(), list.end());
          return XacroValue(std::move(list));
        }}},
      {"sorted",
       {1, 1,
        [](A a) {
          XacroList list = items_of(a.values[0]);
          std::stable_sort(list.begin(), list.end(), is_less);
          return XacroValue(std::move(list));
        }}},
      {"len",
       {1, 1,
        [](A a) { return XacroValue(static_cast<std::int64_t>(items_of(a.values[0]).size())); }}},
      {"abs",
       {1, 1,
        [](A a) {
          return a.values[0].is_whole() ? XacroValue(std::abs(a.values[0].whole()))
                                        : XacroValue(std::abs(a.values[0].number()));
        }}},
      {"floor", {1, 1, [](A a) { return XacroValue(to_whole(std::floor(a.values[0].number()))); }}},
      {"ceil", {1, 1, [](A a) { return XacroValue(to_whole(std::ceil(a.values[0].number()))); }}},
      {"trunc", {1, 1, [](A a) { return XacroValue(to_whole(std::trunc(a.values[0].number()))); }}},
      {"isnan", {1, 1, [](A a) { return XacroValue(std::isnan(a.values[0].number())); }}},
      {"isinf", {1, 1, [](A a) { return XacroValue(std::isinf(a.values[0].number())); }}},
      {"log",
       {1, 2,
        [](A a) {
          const double whole = std::log(a.values[0].number());
          return checked(a.values.size() == 2 ? whole / std::log(a.values[1].number()) : whole,
                         "log()");
        }}},
      {"tokenize",
       {1, 1,
        [](A a) {
          XacroList words;
          std::string text = a.values[0].text();
          std::replace_if(
              text.begin(), text.end(), [](char c) { return c == ',' || c == ';'; }, ' ');
          for (const std::string& word : words_of(text)) {
            words.emplace_back(word);
          }
          return XacroValue(std::move(words));
        }}},
  };
  return functions;
}

void check_count(const std::string& name, std::size_t given, std::size_t fewest, std::size_t most) {
  if (given < fewest || given > most) {
    fail(fmt::format("{}() takes {} arguments, not {}", name,
                     fewest == most ? std::to_string(fewest) : fmt::format("{} or more", fewest),
                     given));
  }
}

std::string text_argument(const std::string& method, const Values& given, std::size_t number) {
  if (number >= given.size() || given[number].as_text() == nullptr) {
    fail(fmt::format("{}() needs a string", method));
  }
  return *given[number].as_text();
}

XacroValue split(const std::string& text, const Values& given) {
  XacroList parts;
  if (given.empty() || given[0].is_none()) {
    for (const std::string& word : words_of(text)) {
      parts.emplace_back(word);
    }
    return XacroValue(std::move(parts));
  }
  const std::string separator = text_argument("split", given, 0);
  if (separator.empty()) {
    fail("split() needs a separator that is not empty");
  }
  std::size_t start = 0;
  for (std::size_t at = text.find(separator); at != std::string::npos;
       at = text.find(separator, start)) {
    parts.emplace_back(text.substr(start, at - start));
    start = at + separator.size();
  }
  parts.emplace_back(text.substr(start));
  return XacroValue(std::move(parts));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); !from.empty() && at != std::string::npos;
       at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string stripped(const std::string& text, const Values& given, bool left, bool right) {
  const std::string what = given.empty() ? " \t\r\n" : text_argument("strip", given, 0);
  const std::size_t first = left ? text.find_first_not_of(what) : 0;
  const std::size_t last = right ? text.find_last_not_of(what) : text.size() - 1;
  return first == std::string::npos || last == std::string::npos
             ? ""
             : text.substr(first, last - first + 1);
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

std::string joined(const std::string& separator, const XacroValue& parts) {
  std::vector<std::string> words;
  for (const XacroValue& part : items_of(parts)) {
    words.push_back(part.text());
  }
  return join(words, separator);
}

/// Replaces {} and {0} by the arguments; formats after a colon are not read.
std::string formatted(const std::string& text, const Values& given) {
  std::string result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '{' ? text.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      result += text[i];
      continue;
    }
    const std::string inside = text.substr(i + 1, end - i - 1);
    const std::optional<double> number = parse_number(inside);
    const std::size_t which =
        inside.empty() ? next++ : static_cast<std::size_t>(number.value_or(-1));
    if (which >= given.size()) {
      fail(fmt::format("format(): '{{{}}}' is not one of its arguments", inside));
    }
    result += given[which].text();
    i = end;
  }
  return result;
}

std::optional<XacroValue> text_method(const std::string& text, const std::string& name,
                                      const Values& given) {
  if (name == "split") {
    return split(text, given);
  }
  if (name == "lower") {
    return XacroValue(to_lower(text));
  }
  if (name == "upper") {
    return XacroValue(upper(text));
  }
  if (name == "strip" || name == "lstrip" || name == "rstrip") {
    return XacroValue(stripped(text, given, name != "rstrip", name != "lstrip"));
  }
  if (name == "replace") {
    return XacroValue(replaced(text, text_argument(name, given, 0), text_argument(name, given, 1)));
  }
  if (name == "startswith") {
    return XacroValue(text.starts_with(text_argument(name, given, 0)));
  }
  if (name == "endswith") {
    return XacroValue(text.ends_with(text_argument(name, given, 0)));
  }
  if (name == "find") {
    const std::size_t at = text.find(text_argument(name, given, 0));
    return XacroValue(at == std::string::npos ? std::int64_t{-1} : static_cast<std::int64_t>(at));
  }
  if (name == "join" && given.size() == 1) {
    return XacroValue(joined(text, given[0]));
  }
  if (name == "format") {
    return XacroValue(formatted(text, given));
  }
  return std::nullopt;
}

const XacroValue* find_key(const XacroDict& dict, const std::string& key) {
  const auto found =
      std::find_if(dict.begin(), dict.end(), [&](const auto& each) { return each.first == key; });
  return found == dict.end() ? nullptr : &found->second;
}

std::optional<XacroValue> dict_method(const XacroDict& dict, const std::string& name,
                                      const Values& given) {
  if (name == "get" && !given.empty()) {
    const XacroValue* found = find_key(dict, given[0].text());
    return found != nullptr ? *found : given.size() > 1 ? given[1] : XacroValue();
  }
  if (name != "keys" && name != "values" && name != "items") {
    return std::nullopt;
  }
  XacroList list;
  for (const auto& [key, value] : dict) {
    list.push_back(name == "keys"     ? XacroValue(key)
                   : name == "values" ? value
                                      : XacroValue(XacroList{XacroValue(key), value}));
  }
  return XacroValue(std::move(list));
}

/// Where in something that long; -1 is the last.
std::size_t position(const XacroValue& index, std::size_t size, const XacroValue& self) {
  const std::int64_t count = static_cast<std::int64_t>(size);
  const std::int64_t at = index.whole() < 0 ? index.whole() + count : index.whole();
  if (at < 0 || at >= count) {
    fail(fmt::format("{} has no item {}: it has {}", self.quoted(), index.whole(), size));
  }
  return static_cast<std::size_t>(at);
}

std::size_t clamped(const XacroValue& index, std::size_t size, std::size_t otherwise) {
  if (index.is_none()) {
    return otherwise;
  }
  const std::int64_t count = static_cast<std::int64_t>(size);
  const std::int64_t at = index.whole() < 0 ? index.whole() + count : index.whole();
  return static_cast<std::size_t>(std::clamp<std::int64_t>(at, 0, count));
}

std::int64_t floor_divided(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

XacroValue whole_operation(const std::string& operation, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool is_too_large = false;
  if (operation == "+") {
    is_too_large = __builtin_add_overflow(a, b, &result);
  } else if (operation == "-") {
    is_too_large = __builtin_sub_overflow(a, b, &result);
  } else if (operation == "*") {
    is_too_large = __builtin_mul_overflow(a, b, &result);
  } else if (operation == "//") {
    result = floor_divided(a, b);
  } else if (operation == "%") {
    result = a - floor_divided(a, b) * b;
  } else {  // **
    const double power = std::pow(static_cast<double>(a), static_cast<double>(b));
    if (b < 0) {
      return XacroValue(power);
    }
    result = to_whole(power);
  }
  if (is_too_large) {
    fail(fmt::format("{} {} {} is too large", a, operation, b));
  }
  return XacroValue(result);
}

XacroValue number_operation(const std::string& operation, const XacroValue& a,
                            const XacroValue& b) {
  const bool divides = operation == "/" || operation == "//" || operation == "%";
  if (divides && b.number() == 0.0) {
    fail(fmt::format("{} {} 0 divides by zero", a.text(), operation));
  }
  if (a.is_whole() && b.is_whole() && operation != "/") {
    return whole_operation(operation, a.whole(), b.whole());
  }
  const double x = a.number();
  const double y = b.number();
  return operation == "+"    ? XacroValue(x + y)
         : operation == "-"  ? XacroValue(x - y)
         : operation == "*"  ? XacroValue(x * y)
         : operation == "/"  ? XacroValue(x / y)
         : operation == "//" ? XacroValue(std::floor(x / y))
         : operation == "%"  ? XacroValue(x - std::floor(x / y) * y)
                             : checked(std::pow(x, y), a.text() + " ** " + b.text());
}

}  // namespace

std::optional<XacroValue> xacro_constant(const std::string& name) {
  static const std::map<std::string, XacroValue> constants{
      {"pi", XacroValue(M_PI)},
      {"e", XacroValue(M_E)},
      {"tau", XacroValue(2.0 * M_PI)},
      {"inf", XacroValue(std::numeric_limits<double>::infinity())},
      {"nan", XacroValue(std::numeric_limits<double>::quiet_NaN())},
      {"True", XacroValue(true)},
      {"False", XacroValue(false)},
      {"None", XacroValue()}};
  const auto found = constants.find(name);
  return found == constants.end() ? std::nullopt : std::optional(found->second);
}

bool is_xacro_function(const std::string& name) {
  return functions_of_one().contains(name) || functions_of_two().contains(name) ||
         other_functions().contains(name);
}

XacroValue xacro_function(const std::string& name, const XacroArguments& arguments) {
  const Values& given = arguments.values;
  if (const auto one = functions_of_one().find(name); one != functions_of_one().end()) {
    check_count(name, given.size(), 1, 1);
    return checked(one->second(given[0].number()), name + "()");
  }
  if (const auto two = functions_of_two().find(name); two != functions_of_two().end()) {
    check_count(name, given.size(), 2, 2);
    return checked(two->second(given[0].number(), given[1].number()), name + "()");
  }
  const auto other = other_functions().find(name);
  if (other == other_functions().end()) {
    fail(fmt::format("unknown function '{}'", name));
  }
  check_count(name, given.size(), other->second.fewest, other->second.most);
  return other->second.call(arguments);
}

XacroValue xacro_method(const XacroValue& self, const std::string& name,
                        const XacroArguments& arguments) {
  std::optional<XacroValue> result;
  if (self.as_text() != nullptr) {
    result = text_method(*self.as_text(), name, arguments.values);
  } else if (self.as_dict() != nullptr) {
    result = dict_method(*self.as_dict(), name, arguments.values);
  }
  if (!result) {
    fail(fmt::format("{} has no method {}() that is supported", self.kind(), name));
  }
  return *result;
}

XacroValue xacro_item(const XacroValue& self, const XacroValue& index) {
  if (const XacroDict* dict = self.as_dict()) {
    if (const XacroValue* found = find_key(*dict, index.text())) {
      return *found;
    }
    std::vector<std::string> keys;
    for (const auto& [key, value] : *dict) {
      keys.push_back(key);
    }
    fail(fmt::format("the dictionary has no key '{}'", index.text()), suggest(index.text(), keys));
  }
  if (const XacroList* list = self.as_list()) {
    return (*list)[position(index, list->size(), self)];
  }
  if (const std::string* text = self.as_text()) {
    return XacroValue(std::string(1, (*text)[position(index, text->size(), self)]));
  }
  fail(fmt::format("{} is {} and has no items", self.quoted(), self.kind()));
}

XacroValue xacro_slice(const XacroValue& self, const XacroValue& from, const XacroValue& to) {
  const XacroList* list = self.as_list();
  const std::string* text = self.as_text();
  if (list == nullptr && text == nullptr) {
    fail(fmt::format("{} is {} and has no items", self.quoted(), self.kind()));
  }
  const std::size_t size = list != nullptr ? list->size() : text->size();
  const std::size_t first = clamped(from, size, 0);
  const std::size_t last = std::max(first, clamped(to, size, size));
  if (text != nullptr) {
    return XacroValue(text->substr(first, last - first));
  }
  return XacroValue(XacroList(list->begin() + static_cast<std::ptrdiff_t>(first),
                              list->begin() + static_cast<std::ptrdiff_t>(last)));
}

XacroValue xacro_operation(const std::string& operation, const XacroValue& a, const XacroValue& b) {
  if (operation == "+" && a.as_text() != nullptr && b.as_text() != nullptr) {
    return XacroValue(*a.as_text() + *b.as_text());
  }
  if (operation == "+" && a.as_list() != nullptr && b.as_list() != nullptr) {
    XacroList both = *a.as_list();
    both.insert(both.end(), b.as_list()->begin(), b.as_list()->end());
    return XacroValue(std::move(both));
  }
  if (!a.is_number() || !b.is_number()) {
    fail(fmt::format("{} {} {} is not possible: {} and {}", a.quoted(), operation, b.quoted(),
                     a.kind(), b.kind()),
         "use str() to convert a number to a string, float() to convert a string to a number");
  }
  return number_operation(operation, a, b);
}

bool xacro_comparison(const std::string& operation, const XacroValue& a, const XacroValue& b) {
  if (operation == "==" || operation == "!=") {
    return is_equal(a, b) == (operation == "==");
  }
  if (operation == "in" || operation == "not in") {
    bool is_in = false;
    if (a.as_text() != nullptr && b.as_text() != nullptr) {
      is_in = b.as_text()->find(*a.as_text()) != std::string::npos;
    } else {
      const XacroList items = items_of(b);
      is_in = std::any_of(items.begin(), items.end(),
                          [&](const XacroValue& each) { return is_equal(each, a); });
    }
    return is_in == (operation == "in");
  }
  return operation == "<"    ? is_less(a, b)
         : operation == ">"  ? is_less(b, a)
         : operation == "<=" ? !is_less(b, a)
                             : !is_less(a, b);
}

}  // namespace longarm::model
