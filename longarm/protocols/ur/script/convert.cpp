// SPDX-License-Identifier: Apache-2.0
// URScript values as numbers, vectors and text of ours, and back.
#include "longarm/protocols/ur/script/convert.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace longarm::protocols::ur::script {

namespace {

template <std::size_t size>
std::optional<std::array<double, size>> to_array(const Value& value) {
  const auto* elements = std::get_if<List>(&value.kind);
  if (elements == nullptr || elements->size() != size) {
    return std::nullopt;
  }
  std::array<double, size> numbers{};
  for (std::size_t i = 0; i < size; ++i) {
    const auto one = to_number((*elements)[i]);
    if (!one) {
      return std::nullopt;
    }
    numbers[i] = *one;
  }
  return numbers;
}

// Appends, so that long lists cost what they have.
void print(const Value& value, std::string& out) {
  if (const auto* flag = std::get_if<bool>(&value.kind)) {
    out += *flag ? "True" : "False";
  } else if (const auto* whole = std::get_if<std::int64_t>(&value.kind)) {
    fmt::format_to(std::back_inserter(out), "{}", *whole);
  } else if (const auto* real = std::get_if<double>(&value.kind)) {
    // six digits, as printf's %g
    fmt::format_to(std::back_inserter(out), "{:g}", *real);
  } else if (const auto* words = std::get_if<std::string>(&value.kind)) {
    out += *words;
  } else if (const auto* six = std::get_if<PoseValue>(&value.kind)) {
    const auto& p = six->numbers;
    fmt::format_to(std::back_inserter(out), "p[{:g}, {:g}, {:g}, {:g}, {:g}, {:g}]", p[0], p[1],
                   p[2], p[3], p[4], p[5]);
  } else if (const auto* thread = std::get_if<ThreadHandle>(&value.kind)) {
    fmt::format_to(std::back_inserter(out), "thread {}", thread->id);
  } else if (const auto* elements = std::get_if<List>(&value.kind)) {
    out += '[';
    for (std::size_t i = 0; i < elements->size(); ++i) {
      if (i > 0) {
        out += ", ";
      }
      print((*elements)[i], out);
    }
    out += ']';
  } else {
    out += "nothing";
  }
}

}  // namespace

std::string_view kind_name(const Value& value) {
  switch (value.kind.index()) {
    case 1:
      return "a boolean";
    case 2:
      return "an integer";
    case 3:
      return "a number";
    case 4:
      return "a string";
    case 5:
      return "a pose";
    case 6:
      return "a thread";
    case 7:
      return "a list";
    default:
      return "nothing";
  }
}

bool is_nothing(const Value& value) {
  return value.kind.index() == 0;
}

std::optional<double> to_number(const Value& value) {
  if (const auto* real = std::get_if<double>(&value.kind)) {
    return *real;
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value.kind)) {
    return static_cast<double>(*whole);
  }
  return std::nullopt;
}

std::optional<std::int32_t> to_integer(const Value& value) {
  using Limits = std::numeric_limits<std::int32_t>;
  const auto real = to_number(value);
  if (!real || !(*real >= Limits::min() && *real <= Limits::max())) {
    return std::nullopt;
  }
  if (std::trunc(*real) != *real) {
    return std::nullopt;
  }
  return static_cast<std::int32_t>(*real);
}

std::optional<bool> to_boolean(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value.kind)) {
    return *flag;
  }
  return std::nullopt;
}

std::optional<bool> to_truth(const Value& value) {
  if (const auto real = to_number(value)) {
    return *real != 0.0;
  }
  return to_boolean(value);
}

std::optional<std::array<double, 6>> to_six(const Value& value) {
  if (const auto* six = std::get_if<PoseValue>(&value.kind)) {
    return six->numbers;
  }
  return to_array<6>(value);
}

std::optional<std::array<double, 3>> to_three(const Value& value) {
  return to_array<3>(value);
}

const std::string* to_string(const Value& value) {
  return std::get_if<std::string>(&value.kind);
}

bool is_pose(const Value& value) {
  return std::holds_alternative<PoseValue>(value.kind);
}

Value number(double value) {
  return {value};
}
Value integer(std::int64_t value) {
  return {value};
}
Value boolean(bool value) {
  return {value};
}
Value text(std::string value) {
  return {std::move(value)};
}

Value list(std::span<const double> numbers) {
  List elements;
  elements.reserve(numbers.size());
  for (const double one : numbers) {
    elements.push_back(number(one));
  }
  return {std::move(elements)};
}

Value pose(const std::array<double, 6>& numbers) {
  return {PoseValue{numbers}};
}

std::string to_text(const Value& value) {
  std::string out;
  print(value, out);
  return out;
}

}  // namespace longarm::protocols::ur::script
