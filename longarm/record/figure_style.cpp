// SPDX-License-Identifier: Apache-2.0
// Mixes neighbouring colours of the ramp.
#include "longarm/record/figure_style.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace longarm::record::colour {

OwnColour on_ramp(double part) {
  const double at = std::clamp(part, 0.0, 1.0) * (std::size(kRamp) - 1);
  const auto from = std::min(static_cast<std::size_t>(at), std::size(kRamp) - 2);
  const auto mixed = [&](std::string_view Colour::*theme) {
    std::string hex = "#";
    for (const std::size_t digits : {1, 3, 5}) {
      const auto channel = [&](std::size_t stop) {
        const std::string text((kRamp[stop].*theme).substr(digits, 2));
        return static_cast<double>(std::stoi(text, nullptr, 16));
      };
      hex += fmt::format("{:02x}", std::lround(std::lerp(channel(from), channel(from + 1),
                                                         at - static_cast<double>(from))));
    }
    return hex;
  };
  return {mixed(&Colour::light), mixed(&Colour::dark)};
}

}  // namespace longarm::record::colour
