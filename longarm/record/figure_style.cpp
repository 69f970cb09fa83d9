// SPDX-License-Identifier: Apache-2.0
// Mixes colours where equal steps look equal.
#include "longarm/record/figure_style.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

namespace longarm::record::colour {
namespace {

using Rows = std::array<Lab, 3>;

Lab times(const Rows& rows, const Lab& v) {
  Lab out{};
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = rows[i][0] * v[0] + rows[i][1] * v[1] + rows[i][2] * v[2];
  }
  return out;
}

std::string to_hex(const Lab& lab) {
  constexpr Rows kToCones{{{1.0, 0.3963377774, 0.2158037573},
                           {1.0, -0.1055613458, -0.0638541728},
                           {1.0, -0.0894841775, -1.291485548}}};
  constexpr Rows kToRgb{{{4.0767416621, -3.3077115913, 0.2309699292},
                         {-1.2684380046, 2.6097574011, -0.3413193965},
                         {-0.0041960863, -0.7034186147, 1.707614701}}};
  Lab cones = times(kToCones, lab);
  for (double& each : cones) {
    each = each * each * each;
  }
  std::string hex = "#";
  for (const double linear : times(kToRgb, cones)) {
    const double value = linear <= 0.0031308 ? 12.92 * std::max(linear, 0.0)
                                             : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
    hex += fmt::format("{:02x}", std::lround(255.0 * std::min(value, 1.0)));
  }
  return hex;
}

}  // namespace

Lab to_oklab(std::string_view hex) {
  constexpr Rows kToCones{{{0.4122214708, 0.5363325363, 0.0514459929},
                           {0.2119034982, 0.6806995451, 0.1073969566},
                           {0.0883024619, 0.2817188376, 0.6299787005}}};
  constexpr Rows kToLab{{{0.2104542553, 0.793617785, -0.0040720468},
                         {1.9779984951, -2.428592205, 0.4505937099},
                         {0.0259040371, 0.7827717662, -0.808675766}}};
  Lab rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    rgb[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  Lab cones = times(kToCones, rgb);
  for (double& each : cones) {
    each = std::cbrt(each);
  }
  return times(kToLab, cones);
}

OwnColour on_ramp(double part) {
  const double at = std::clamp(part, 0.0, 1.0) * (std::size(kRamp) - 1);
  const auto from = std::min(static_cast<std::size_t>(at), std::size(kRamp) - 2);
  const auto mixed = [&](std::string_view Colour::*theme) {
    const Lab a = to_oklab(kRamp[from].*theme);
    Lab mix = to_oklab(kRamp[from + 1].*theme);
    for (std::size_t i = 0; i < 3; ++i) {
      mix[i] = a[i] + (at - static_cast<double>(from)) * (mix[i] - a[i]);
    }
    return to_hex(mix);
  };
  return {mixed(&Colour::light), mixed(&Colour::dark)};
}

}  // namespace longarm::record::colour
