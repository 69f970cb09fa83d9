// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparison and indices of URScript. No number ever becomes infinite or undefined.
#include "longarm/protocols/ur/script/operators.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"

namespace longarm::protocols::ur::script {

namespace {

std::string_view sign_of(Operation operation) {
  switch (operation) {
    case Operation::kAdd:
      return "+";
    case Operation::kSubtract:
      return "-";
    case Operation::kMultiply:
      return "*";
    case Operation::kDivide:
      return "/";
    case Operation::kModulo:
      return "%";
    case Operation::kLess:
      return "<";
    case Operation::kLessOrEqual:
      return "<=";
    case Operation::kGreater:
      return ">";
    case Operation::kGreaterOrEqual:
      return ">=";
    default:
      return "xor";
  }
}

Failure no_operation(Operation operation, const Value& left, const Value& right) {
  return fmt::format("'{}' between {} and {}", sign_of(operation), kind_name(left),
                     kind_name(right));
}

/// Integers have 32 bits, so that 64 hold the result of any operation; what is beyond becomes a
/// float.
bool combine_integers(Operation operation, std::int64_t left, std::int64_t right, Value& result) {
  std::int64_t value = 0;
  switch (operation) {
    case Operation::kAdd:
      value = left + right;
      break;
    case Operation::kSubtract:
      value = left - right;
      break;
    case Operation::kMultiply:
      value = left * right;
      break;
    case Operation::kModulo:
      if (right == 0) {
        return false;
      }
      value = left % right;
      break;
    default:
      return false;
  }
  if (!fits_integer(value)) {
    return false;
  }
  result.kind = value;
  return true;
}

Failure combine_numbers(Operation operation, double left, double right, Value& result) {
  switch (operation) {
    case Operation::kAdd:
      result.kind = left + right;
      break;
    case Operation::kSubtract:
      result.kind = left - right;
      break;
    case Operation::kMultiply:
      result.kind = left * right;
      break;
    case Operation::kDivide:
    case Operation::kModulo:
      if (right == 0.0) {
        return "division by zero";
      }
      result.kind = operation == Operation::kDivide ? left / right : std::fmod(left, right);
      break;
    case Operation::kLess:
      result.kind = left < right;
      return {};
    case Operation::kLessOrEqual:
      result.kind = left <= right;
      return {};
    case Operation::kGreater:
      result.kind = left > right;
      return {};
    default:
      result.kind = left >= right;
      return {};
  }
  if (!std::isfinite(std::get<double>(result.kind))) {
    return "a number beyond the range of floats";
  }
  return {};
}

/// Of numbers, whichever kinds they are.
Failure combine_scalars(Operation operation, Value& left, const Value& right) {
  const auto* left_integer = std::get_if<std::int64_t>(&left.kind);
  const auto* right_integer = std::get_if<std::int64_t>(&right.kind);
  if (left_integer != nullptr && right_integer != nullptr &&
      combine_integers(operation, *left_integer, *right_integer, left)) {
    return {};
  }
  const auto left_number = to_number(left);
  const auto right_number = to_number(right);
  if (!left_number || !right_number) {
    return no_operation(operation, left, right);
  }
  return combine_numbers(operation, *left_number, *right_number, left);
}

bool is_list(const Value& value) {
  return std::holds_alternative<List>(value.kind);
}

/// Lists of numbers: sum and difference of two as long as each other, a list times or over a
/// number, a number times a list.
Failure combine_lists(Operation operation, Value& left, const Value& right) {
  const bool is_sum = operation == Operation::kAdd || operation == Operation::kSubtract;
  const bool is_scaled =
      operation == Operation::kMultiply || (operation == Operation::kDivide && !is_list(right));
  const bool has_two = is_list(left) && is_list(right);
  if (has_two ? !is_sum : !is_scaled) {
    return no_operation(operation, left, right);
  }
  // a product is the same either way round
  const Value factor = is_list(left) ? right : left;
  if (!is_list(left)) {
    left = right;
  }
  auto& elements = std::get<List>(left.kind);
  const auto* others = std::get_if<List>(&factor.kind);
  if (others != nullptr && others->size() != elements.size()) {
    return fmt::format("'{}' between lists of {} and {}", sign_of(operation), elements.size(),
                       others->size());
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (is_list(elements[i])) {
      return no_operation(operation, elements[i], factor);
    }
    Failure failure =
        combine_scalars(operation, elements[i], others != nullptr ? (*others)[i] : factor);
    if (!failure.empty()) {
      return failure;
    }
  }
  return {};
}

}  // namespace

bool are_equal(const Value& one, const Value& other) {
  const auto left = to_number(one);
  const auto right = to_number(other);
  if (left && right) {
    return *left == *right;
  }
  if (one.kind.index() != other.kind.index()) {
    return false;
  }
  const auto* left_list = std::get_if<List>(&one.kind);
  if (left_list == nullptr) {
    return std::visit(
        [&other](const auto& held) {
          using Kind = std::decay_t<decltype(held)>;
          if constexpr (std::is_same_v<Kind, List>) {
            return false;
          } else {
            return held == std::get<Kind>(other.kind);
          }
        },
        one.kind);
  }
  const auto& right_list = std::get<List>(other.kind);
  return std::equal(left_list->begin(), left_list->end(), right_list.begin(), right_list.end(),
                    are_equal);
}

Failure combine(Operation operation, Value& left, const Value& right) {
  if (operation == Operation::kEqual || operation == Operation::kUnequal) {
    left.kind = are_equal(left, right) == (operation == Operation::kEqual);
    return {};
  }
  if (operation == Operation::kXor) {
    const auto one = to_truth(left);
    const auto other = to_truth(right);
    if (!one || !other) {
      return no_operation(operation, left, right);
    }
    left.kind = *one != *other;
    return {};
  }
  const bool has_list = is_list(left) || is_list(right);
  return has_list ? combine_lists(operation, left, right) : combine_scalars(operation, left, right);
}

Failure negate(Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.kind)) {
    const std::int64_t negative = -*integer;
    if (fits_integer(negative)) {
      value.kind = negative;
    } else {
      value.kind = static_cast<double>(negative);
    }
    return {};
  }
  if (const auto* number = std::get_if<double>(&value.kind)) {
    value.kind = -*number;
    return {};
  }
  if (is_list(value)) {
    const Value minus_one{std::int64_t{-1}};
    return combine_lists(Operation::kMultiply, value, minus_one);
  }
  return fmt::format("'-' in front of {}", kind_name(value));
}

}  // namespace longarm::protocols::ur::script
