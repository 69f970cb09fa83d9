// SPDX-License-Identifier: Apache-2.0
// Functions of numbers in URScript, and how a pure function is found.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/protocols/ur/script/pure.h"

namespace longarm::protocols::ur::script {

namespace {

using Mathematics = double (*)(double);

Failure give(std::string_view name, double value, Value& result) {
  if (!std::isfinite(value)) {
    return fmt::format("'{}' has no value there", name);
  }
  result.kind = value;
  return {};
}

template <Mathematics function>
Failure apply(std::string_view name, Arguments arguments, Value& result) {
  const auto argument = to_number(arguments[0]);
  if (!argument) {
    return wrong_argument(name, "a number", arguments[0]);
  }
  return give(name, function(*argument), result);
}

// floor and ceil give integers where those fit
Failure give_whole(std::string_view name, double value, Value& result) {
  result.kind = value;
  if (const auto whole = to_integer(result)) {
    result.kind = static_cast<std::int64_t>(*whole);
    return {};
  }
  return give(name, value, result);
}

Failure norm(Arguments arguments, Value& result) {
  if (const auto number = to_number(arguments[0])) {
    return give("norm", std::fabs(*number), result);
  }
  double sum = 0.0;
  const auto* elements = std::get_if<List>(&arguments[0].kind);
  if (elements == nullptr) {
    return wrong_argument("norm", "a number or a list", arguments[0]);
  }
  for (const auto& element : *elements) {
    const auto number = to_number(element);
    if (!number) {
      return wrong_argument("norm", "numbers", element);
    }
    sum += *number * *number;
  }
  return give("norm", std::sqrt(sum), result);
}

Failure normalize(Arguments arguments, Value& result) {
  Value length;
  Failure failure = norm(arguments, length);
  if (!failure.empty()) {
    return failure;
  }
  auto* elements = std::get_if<List>(&arguments[0].kind);
  const double divisor = std::get<double>(length.kind);
  if (elements == nullptr) {
    return wrong_argument("normalize", "a list", arguments[0]);
  }
  if (divisor == 0.0) {
    return "'normalize' of a list of zeros";
  }
  List unit;
  for (const auto& element : *elements) {
    unit.push_back(number(*to_number(element) / divisor));
  }
  result.kind = std::move(unit);
  return {};
}

template <double (*function)(double, double)>
Failure apply_two(std::string_view name, Arguments arguments, Value& result) {
  const auto first = to_number(arguments[0]);
  const auto second = to_number(arguments[1]);
  if (!first) {
    return wrong_argument(name, "numbers", arguments[0]);
  }
  if (!second) {
    return wrong_argument(name, "numbers", arguments[1]);
  }
  return give(name, function(*first, *second), result);
}

double logarithm(double base, double argument) {
  return std::log(argument) / std::log(base);
}
double to_radians(double degrees) {
  return degrees * std::numbers::pi / 180.0;
}
double to_degrees(double radians) {
  return radians * 180.0 / std::numbers::pi;
}

Failure round_down(Arguments arguments, Value& result) {
  const auto argument = to_number(arguments[0]);
  if (!argument) {
    return wrong_argument("floor", "a number", arguments[0]);
  }
  return give_whole("floor", std::floor(*argument), result);
}

Failure round_up(Arguments arguments, Value& result) {
  const auto argument = to_number(arguments[0]);
  if (!argument) {
    return wrong_argument("ceil", "a number", arguments[0]);
  }
  return give_whole("ceil", std::ceil(*argument), result);
}

constexpr auto kNumberFunctions = std::to_array<NamedFunction>({
    {"acos", [](Arguments a, Value& r) { return apply<std::acos>("acos", a, r); }},
    {"asin", [](Arguments a, Value& r) { return apply<std::asin>("asin", a, r); }},
    {"atan", [](Arguments a, Value& r) { return apply<std::atan>("atan", a, r); }},
    {"atan2", [](Arguments a, Value& r) { return apply_two<std::atan2>("atan2", a, r); }},
    {"ceil", round_up},
    {"cos", [](Arguments a, Value& r) { return apply<std::cos>("cos", a, r); }},
    {"d2r", [](Arguments a, Value& r) { return apply<to_radians>("d2r", a, r); }},
    {"exp", [](Arguments a, Value& r) { return apply<std::exp>("exp", a, r); }},
    {"fabs", [](Arguments a, Value& r) { return apply<std::fabs>("fabs", a, r); }},
    {"floor", round_down},
    {"log", [](Arguments a, Value& r) { return apply_two<logarithm>("log", a, r); }},
    {"norm", norm},
    {"normalize", normalize},
    {"pow", [](Arguments a, Value& r) { return apply_two<std::pow>("pow", a, r); }},
    {"r2d", [](Arguments a, Value& r) { return apply<to_degrees>("r2d", a, r); }},
    {"sin", [](Arguments a, Value& r) { return apply<std::sin>("sin", a, r); }},
    {"sqrt", [](Arguments a, Value& r) { return apply<std::sqrt>("sqrt", a, r); }},
    {"tan", [](Arguments a, Value& r) { return apply<std::tan>("tan", a, r); }},
});

PureFunction find(std::span<const NamedFunction> functions, std::string_view name) {
  const auto found = std::lower_bound(
      functions.begin(), functions.end(), name,
      [](const NamedFunction& one, std::string_view wanted) { return one.name < wanted; });
  return found != functions.end() && found->name == name ? found->function : nullptr;
}

}  // namespace

std::span<const NamedFunction> functions_of_numbers() {
  return kNumberFunctions;
}

Failure wrong_argument(std::string_view function, std::string_view takes, const Value& given) {
  return fmt::format("'{}' takes {}, not {}", function, takes, kind_name(given));
}

Failure call_pure(const Builtin& builtin, std::span<const Value> arguments, Value& result) {
  for (const auto functions :
       {functions_of_numbers(), functions_of_poses(), functions_of_texts()}) {
    if (const auto function = find(functions, builtin.name)) {
      return function(arguments, result);
    }
  }
  return fmt::format("'{}' is not available", builtin.name);
}

}  // namespace longarm::protocols::ur::script
