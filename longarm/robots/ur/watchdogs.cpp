// SPDX-License-Identifier: Apache-2.0
// Knows the names of RTDE inputs, and when each was written last.
#include "longarm/robots/ur/watchdogs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace longarm::robots {
namespace {

using protocols::ur::Registers;
using protocols::ur::RtdeInputs;

/// The number behind `prefix`, if `name` is that and a number below `end`.
std::optional<std::size_t> number_of(std::string_view name, std::string_view prefix,
                                     std::size_t end) {
  if (!name.starts_with(prefix)) {
    return std::nullopt;
  }
  name.remove_prefix(prefix.size());
  std::size_t number = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || rest != name.data() + name.size() || number >= end) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

Result<UrWatchdogs::Watch> UrWatchdogs::parse(const std::string& variable) {
  Watch watch;
  watch.variable = variable;
  if (variable == "speed_slider_mask" || variable == "speed_slider_fraction") {
    return watch;
  }
  if (variable.find("digital_output") != std::string::npos) {
    watch.kind = Kind::kDigital;
    return watch;
  }
  if (variable.starts_with("standard_analog_output")) {
    watch.kind = Kind::kAnalog;
    return watch;
  }
  watch.kind = Kind::kBit;
  if (variable == "input_bit_registers0_to_31" || variable == "input_bit_registers32_to_63") {
    watch.first = variable.ends_with("31") ? 0 : 32;
    watch.count = 32;
    return watch;
  }
  if (const auto bit = number_of(variable, "input_bit_register_", Registers::kBits)) {
    watch.first = *bit;
    return watch;
  }
  if (const auto index = number_of(variable, "input_int_register_", Registers::kNumbers)) {
    watch.kind = Kind::kInteger;
    watch.first = *index;
    return watch;
  }
  if (const auto index = number_of(variable, "input_double_register_", Registers::kNumbers)) {
    watch.kind = Kind::kDouble;
    watch.first = *index;
    return watch;
  }
  return Error{fmt::format("there is no RTDE input '{}'", variable)};
}

Result<bool> UrWatchdogs::set(const std::string& variable, double min_frequency_Hz,
                              const std::string& action, Time now) {
  Result<Watch> parsed = parse(variable);
  if (!parsed) {
    return parsed.error();
  }
  Watch watch = std::move(parsed).value();
  std::string lower = action;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
    return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  if (lower != "ignore" && lower != "pause" && lower != "stop") {
    return Error{fmt::format("'{}' is not a watchdog action: use ignore, pause or stop", action)};
  }
  watch.action = lower == "pause"  ? UrWatchdogAction::kPause
                 : lower == "stop" ? UrWatchdogAction::kStop
                                   : UrWatchdogAction::kIgnore;
  std::erase_if(watches_, [&](const Watch& each) { return each.variable == variable; });
  if (!(min_frequency_Hz > 0.0)) {
    return true;
  }
  if (watches_.size() >= kMost) {
    return Error{"there are too many watchdogs"};
  }
  // an hour is as good as never
  const double longest_s = std::min(1.0 / min_frequency_Hz, 3600.0);
  watch.longest = Duration(static_cast<Duration::rep>(std::llround(longest_s * 1e9)));
  watch.fed = now;
  watches_.push_back(std::move(watch));
  return true;
}

bool UrWatchdogs::is_fed(const Watch& watch, const RtdeInputs& inputs) {
  switch (watch.kind) {
    case Kind::kSlider:
      return inputs.speed_slider.has_value();
    case Kind::kDigital:
      return inputs.digital_output_mask != 0;
    case Kind::kAnalog:
      return inputs.analog_output_mask != 0;
    case Kind::kBit: {
      const auto* begin = inputs.has_bit.data() + watch.first;
      return std::any_of(begin, begin + watch.count, [](bool has) { return has; });
    }
    case Kind::kInteger:
      return (inputs.has_integer >> watch.first & 1U) != 0;
    case Kind::kDouble:
      return (inputs.has_double >> watch.first & 1U) != 0;
  }
  return false;
}

void UrWatchdogs::written(const RtdeInputs& inputs, Time now) {
  for (Watch& each : watches_) {
    if (is_fed(each, inputs)) {
      each.fed = now;
      each.has_tripped = false;
    }
  }
}

std::vector<UrWatchdogs::Trip> UrWatchdogs::trips(Time now) {
  std::vector<Trip> out;
  for (Watch& each : watches_) {
    if (!each.has_tripped && now - each.fed > each.longest) {
      each.has_tripped = true;
      out.push_back({each.variable, each.action});
    }
  }
  return out;
}

}  // namespace longarm::robots
