// SPDX-License-Identifier: Apache-2.0
// rtde_set_watchdog: an input that must be written often enough, or the program is held up.
#pragma once

#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/protocols/ur/controller_port.h"

namespace longarm::robots {

enum class UrWatchdogAction : std::uint8_t { kIgnore, kPause, kStop };

/// Time is given. The watches end with the program that set them.
class UrWatchdogs {
 public:
  static constexpr std::size_t kMost = 16;

  /// `variable` is an RTDE input, e.g. "input_int_register_0" or "speed_slider_fraction". A
  /// frequency of zero or less ends the watch.
  Result<bool> set(const std::string& variable, double min_frequency_Hz, const std::string& action,
                   Time now);
  void written(const protocols::ur::RtdeInputs& inputs, Time now);
  void clear() { watches_.clear(); }

  struct Trip {
    std::string variable;
    UrWatchdogAction action = UrWatchdogAction::kIgnore;
  };
  /// Those that were not fed in time; each is told once until it is fed again.
  std::vector<Trip> trips(Time now);

 private:
  enum class Kind : std::uint8_t { kSlider, kDigital, kAnalog, kBit, kInteger, kDouble };
  struct Watch {
    std::string variable;
    Kind kind = Kind::kSlider;
    std::size_t first = 0;
    std::size_t count = 1;  ///< of bits
    Duration longest{0};
    UrWatchdogAction action = UrWatchdogAction::kIgnore;
    Time fed{};
    bool has_tripped = false;
  };
  static Result<Watch> parse(const std::string& variable);
  static bool is_fed(const Watch& watch, const protocols::ur::RtdeInputs& inputs);

  std::vector<Watch> watches_;
};

}  // namespace longarm::robots
