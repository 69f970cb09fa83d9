// SPDX-License-Identifier: Apache-2.0
// Parsing and printing of numbers and durations, exact in both directions.
#include "longarm/core/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace longarm {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};
constexpr std::array<Unit, 6> kUnits{{{"min", 60'000'000'000},
                                      {"s", 1'000'000'000},
                                      {"ms", 1'000'000},
                                      {"us", 1'000},
                                      {"µs", 1'000},
                                      {"ns", 1}}};

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const std::string_view whole = trim(text);
  const Error wrong{fmt::format("'{}' is not a duration", whole)};

  // split "1.5 ms" into number and unit
  double number = 0.0;
  const auto [end, problem] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
  if (problem != std::errc() || !std::isfinite(number)) {
    return wrong;
  }
  const auto used = static_cast<std::size_t>(end - whole.data());
  const std::string_view unit = trim(whole.substr(used));
  if (unit.empty() && number == 0.0) {
    return Duration(0);
  }

  // whole nanoseconds only; the tolerance forgives what decimal fractions lose in binary
  for (const Unit& candidate : kUnits) {
    if (unit != candidate.name) {
      continue;
    }
    const double nanoseconds = number * static_cast<double>(candidate.nanoseconds);
    if (std::abs(nanoseconds) > 9e18) {
      return Error{fmt::format("'{}' is longer than 292 years", whole)};
    }
    const double rounded = std::round(nanoseconds);
    if (std::abs(nanoseconds - rounded) > 1e-6 + 1e-15 * std::abs(nanoseconds)) {
      return Error{fmt::format("'{}' is not a whole number of nanoseconds", whole)};
    }
    return Duration(static_cast<std::int64_t>(rounded));
  }
  return wrong;
}

std::string format_duration(Duration duration) {
  const std::int64_t count = duration.count();
  if (count == 0) {
    return "0s";
  }
  for (const Unit& unit : kUnits) {
    if (unit.name != "min" && count % unit.nanoseconds == 0) {
      return fmt::format("{}{}", count / unit.nanoseconds, unit.name);
    }
  }
  return fmt::format("{}ns", count);
}

std::optional<double> parse_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  double number = 0.0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

std::string format_number(double number) {
  std::array<char, 32> buffer{};
  const auto [end, problem] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return problem == std::errc() ? std::string(buffer.data(), end) : fmt::format("{:.17g}", number);
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  while ((at = text.find_first_not_of(" \t", at)) != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::size_t character_count(std::string_view text) {
  // bytes that continue a character do not count
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

}  // namespace longarm
