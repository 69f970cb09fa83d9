// SPDX-License-Identifier: Apache-2.0
// Times, rates, sizes and percentages as the `tc` command writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/time.h"

namespace longarm::network {

/// The words of a line, at spaces and tabs.
std::vector<std::string> split_words(std::string_view line);

/// "100ms", "250us", "1.5s", "40ns"; a bare number counts microseconds. Never negative.
std::optional<Duration> parse_tc_time(std::string_view word);
std::string format_tc_time(Duration time);

/// Bits per second: "1mbit", "100kbit", "2gibit"; "125kbps" is bytes; a bare number counts bits.
std::optional<std::int64_t> parse_tc_rate(std::string_view word);
std::string format_tc_rate(std::int64_t bits_per_second);

/// Bytes: "1500", "1500b", "10k", "1mb"; as in tc, k is 1024.
std::optional<std::int64_t> parse_tc_size(std::string_view word);

/// "0.3%" or "0.3": the number of percent, between 0 and 100.
std::optional<double> parse_tc_percent(std::string_view word);
std::string format_tc_percent(double percent);

/// A whole number without a unit.
std::optional<std::int64_t> parse_tc_integer(std::string_view word);

}  // namespace longarm::network
