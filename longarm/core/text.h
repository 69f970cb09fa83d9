// SPDX-License-Identifier: Apache-2.0
// Numbers and durations as users write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm {

/// "2ms", "0.5 s", "250us", "10ns", "1.5min". Exact to the nanosecond; a bare number other than 0
/// is an error.
Result<Duration> parse_duration(std::string_view text);

/// The shortest exact spelling: 2ms, 1500us, 12s.
std::string format_duration(Duration duration);

/// The whole of `text` as a number, or nothing.
std::optional<double> parse_number(std::string_view text);

/// The shortest spelling that reads back as the same bits.
std::string format_number(double number);

/// What stands between spaces and tabs.
std::vector<std::string> split_words(std::string_view text);

/// ASCII letters only, whatever the locale.
std::string to_lower(std::string_view text);

/// Characters of UTF-8 text, not bytes: about how wide it is.
std::size_t character_count(std::string_view text);

}  // namespace longarm
