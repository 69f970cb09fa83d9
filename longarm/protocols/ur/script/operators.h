// SPDX-License-Identifier: Apache-2.0
// What operators, indices and pure functions of URScript give; private to the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "longarm/protocols/ur/script/code.h"
#include "longarm/protocols/ur/script/value.h"

namespace longarm::protocols::ur::script {

/// Empty: it went well. Otherwise what a runtime exception says.
using Failure = std::string;

/// Integers of URScript have 32 bits.
inline bool fits_integer(std::int64_t value) {
  using Limits = std::numeric_limits<std::int32_t>;
  return value >= Limits::min() && value <= Limits::max();
}

/// left = left ∘ right; an operation between kAdd and kXor.
Failure combine(Operation operation, Value& left, const Value& right);
Failure negate(Value& value);

/// Numbers are the same whatever their kind; values of different kinds are not.
bool are_equal(const Value& one, const Value& other);

/// Of a list or a pose.
Failure get_element(const Value& list, const Value& index, Value& element);
/// list[indices[0]][indices[1]]… = value
Failure set_element(Value& list, std::span<const Value> indices, Value value);

/// Values it takes to hold it: elements of lists and their elements; 64 bytes of text are one.
std::size_t weight(const Value& value);
/// Too long or too deep?
Failure check_size(const Value& value);

/// Numbers from outside: integers beyond 32 bits become floats, what is not finite fails.
Failure take_in(Value& value);

/// A builtin with Effect::kPure, with all of its parameters; numbers it gives are finite.
Failure call_pure(const Builtin& builtin, std::span<const Value> arguments, Value& result);

}  // namespace longarm::protocols::ur::script
