// SPDX-License-Identifier: Apache-2.0
// Columns of numbers made small enough for a file that is sent around: rounded to a millionth of
// their range, coded by how they differ from a straight line, deflated.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace longarm::view {

/// Steps per range: rounding is off by at most half of one, 5e-7 of the range.
inline constexpr double kPackedSteps = 1 << 20;

/// One column; docs/how-to/viewer.md has the layout. Whole numbers, constants and times at equal
/// distances are kept exactly, or to a nanosecond.
std::string pack_column(std::span<const double> values);

/// Instants that are whole nanoseconds, exactly.
std::string pack_times(std::span<const double> times_s);

/// Raw DEFLATE (RFC 1951), which browsers can undo.
std::string deflated(std::string_view bytes);

}  // namespace longarm::view
