// SPDX-License-Identifier: Apache-2.0
// URScript values as numbers, vectors and text of ours; what does not fit gives nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "longarm/protocols/ur/script/value.h"

namespace longarm::protocols::ur::script {

/// "a number", "a list", …: for messages.
std::string_view kind_name(const Value& value);

bool is_nothing(const Value& value);
/// Integers and floats.
std::optional<double> to_number(const Value& value);
/// Integers, and floats without a fraction that fit in 32 bits.
std::optional<std::int32_t> to_integer(const Value& value);
std::optional<bool> to_boolean(const Value& value);
/// What a condition takes: booleans, and numbers, of which zero is False.
std::optional<bool> to_truth(const Value& value);
/// A list of six numbers, or a pose.
std::optional<std::array<double, 6>> to_six(const Value& value);
/// A list of three numbers.
std::optional<std::array<double, 3>> to_three(const Value& value);
/// Null unless it is one; borrowed from the value.
const std::string* to_string(const Value& value);
bool is_pose(const Value& value);

Value number(double value);
Value integer(std::int64_t value);
Value boolean(bool value);
Value text(std::string value);
Value list(std::span<const double> numbers);
Value pose(const std::array<double, 6>& numbers);

/// As textmsg() and to_str() print it: True, 3, 0.5, [1, 2.5], p[0, 0, 0.1, 0, 0, 0].
std::string to_text(const Value& value);

}  // namespace longarm::protocols::ur::script
