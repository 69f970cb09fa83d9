// SPDX-License-Identifier: Apache-2.0
// The words of netem lines: which options there are, how they are used, what looks like a value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace longarm::network {

/// All that tc knows, also those that are refused.
std::vector<std::string> netem_options();

/// The option that `word` stands for, in full; empty if none. tc lets people shorten words.
std::string whole_netem_option(std::string_view word);

/// How an option is written; empty if there is nothing to say.
std::string netem_usage(std::string_view option);

/// Whether a line that begins with this word is a tc command, or a part of one, rather than
/// options.
bool is_command_word(std::string_view word);

bool looks_like_number(std::string_view word);
bool looks_signed(std::string_view word);

/// A time, but one of more than 24 hours: a slip, and sums of such times might overflow.
bool is_time_too_long(std::string_view word);

}  // namespace longarm::network
