// SPDX-License-Identifier: Apache-2.0
// The units of tc(8), upper or lower case, as one table per kind of value.
#include "longarm/network/netem/tc_units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "longarm/core/text.h"

namespace longarm::network {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 14> kTimeUnits{{{"", 1e3},
                                           {"s", 1e9},
                                           {"sec", 1e9},
                                           {"secs", 1e9},
                                           {"ms", 1e6},
                                           {"msec", 1e6},
                                           {"msecs", 1e6},
                                           {"us", 1e3},
                                           {"usec", 1e3},
                                           {"usecs", 1e3},
                                           {"µs", 1e3},
                                           {"ns", 1},
                                           {"nsec", 1},
                                           {"nsecs", 1}}};

constexpr std::array<Unit, 19> kRateUnits{{{"", 1},
                                           {"bit", 1},
                                           {"kbit", 1e3},
                                           {"mbit", 1e6},
                                           {"gbit", 1e9},
                                           {"tbit", 1e12},
                                           {"kibit", 1024.0},
                                           {"mibit", 1048576.0},
                                           {"gibit", 1073741824.0},
                                           {"tibit", 1099511627776.0},
                                           {"bps", 8},
                                           {"kbps", 8e3},
                                           {"mbps", 8e6},
                                           {"gbps", 8e9},
                                           {"tbps", 8e12},
                                           {"kibps", 8192.0},
                                           {"mibps", 8388608.0},
                                           {"gibps", 8589934592.0},
                                           {"tibps", 8796093022208.0}}};

constexpr std::array<Unit, 11> kSizeUnits{{{"", 1},
                                           {"b", 1},
                                           {"k", 1024.0},
                                           {"kb", 1024.0},
                                           {"m", 1048576.0},
                                           {"mb", 1048576.0},
                                           {"g", 1073741824.0},
                                           {"gb", 1073741824.0},
                                           {"kbit", 128.0},
                                           {"mbit", 131072.0},
                                           {"gbit", 134217728.0}}};

constexpr double kLargestWhole = 9e18;  // what still fits into int64

/// Number and unit of "1.5ms" in the table's base unit, rounded to a whole one.
std::optional<std::int64_t> parse(std::string_view word, std::span<const Unit> units) {
  double number = 0.0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (problem != std::errc() || !std::isfinite(number) || number < 0.0) {
    return std::nullopt;
  }
  const std::string unit = to_lower(word.substr(static_cast<std::size_t>(end - word.data())));
  for (const Unit& candidate : units) {
    if (candidate.name == unit && number * candidate.factor <= kLargestWhole) {
      return std::llround(number * candidate.factor);
    }
  }
  return std::nullopt;
}

/// The largest unit that leaves a whole number.
std::string format(std::int64_t value,
                   std::span<const std::pair<std::int64_t, std::string_view>> units) {
  for (const auto& [factor, name] : units) {
    if (value % factor == 0) {
      return std::to_string(value / factor).append(name);
    }
  }
  return std::to_string(value);
}

}  // namespace

std::vector<std::string> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    const bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_space) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) {
    words.push_back(std::move(word));
  }
  return words;
}

std::optional<Duration> parse_tc_time(std::string_view word) {
  const std::optional<std::int64_t> nanoseconds = parse(word, kTimeUnits);
  return nanoseconds ? std::optional(Duration(*nanoseconds)) : std::nullopt;
}

std::string format_tc_time(Duration time) {
  static constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> kUnits{
      {{1'000'000'000, "s"}, {1'000'000, "ms"}, {1'000, "us"}, {1, "ns"}}};
  return time == Duration(0) ? "0ms" : format(time.count(), kUnits);
}

std::optional<std::int64_t> parse_tc_rate(std::string_view word) {
  return parse(word, kRateUnits);
}

std::string format_tc_rate(std::int64_t bits_per_second) {
  static constexpr std::array<std::pair<std::int64_t, std::string_view>, 4> kUnits{
      {{1'000'000'000, "gbit"}, {1'000'000, "mbit"}, {1'000, "kbit"}, {1, "bit"}}};
  return bits_per_second == 0 ? "0bit" : format(bits_per_second, kUnits);
}

std::optional<std::int64_t> parse_tc_size(std::string_view word) {
  return parse(word, kSizeUnits);
}

std::optional<double> parse_tc_percent(std::string_view word) {
  if (!word.empty() && word.back() == '%') {
    word.remove_suffix(1);
  }
  const std::optional<double> number = parse_number(word);
  // written so that not-a-number is refused too
  return number && *number >= 0.0 && *number <= 100.0 ? number : std::nullopt;
}

std::string format_tc_percent(double percent) {
  return format_number(percent) + "%";
}

std::optional<std::int64_t> parse_tc_integer(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (problem != std::errc() || end != word.data() + word.size()) {
    return std::nullopt;
  }
  return number;
}

}  // namespace longarm::network
