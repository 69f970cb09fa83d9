// SPDX-License-Identifier: Apache-2.0
// Colours of lists and of ordered values are told apart, by people without one kind of cones too.
#include "longarm/record/figure_style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace longarm::record::colour {
namespace {

using Lab = std::array<double, 3>;

double distance(const Lab& a, const Lab& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

Lab linear_rgb(std::string_view hex) {
  Lab rgb{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16) / 255.0;
    rgb[i] = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  }
  return rgb;
}

/// Distances in OKLab are about as large as they look.
Lab to_oklab(std::string_view hex) {
  const auto [r, g, b] = linear_rgb(hex);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s};
}

/// WCAG 2, 1.4.3.
double contrast(std::string_view one, std::string_view other) {
  const auto luminance = [](std::string_view hex) {
    const Lab rgb = linear_rgb(hex);
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
  };
  const auto [low, high] = std::minmax({luminance(one), luminance(other)});
  return (high + 0.05) / (low + 0.05);
}

/// As someone without one kind of cones sees it (G. Machado and others, 2009, severity 1).
using Cones = std::array<Lab, 3>;
constexpr Cones kNoGreen{{{0.367322, 0.860646, -0.227968},
                          {0.280085, 0.672501, 0.047413},
                          {-0.01182, 0.04294, 0.968881}}};
constexpr Cones kNoRed{{{0.152286, 1.052583, -0.204868},
                        {0.114503, 0.786281, 0.099216},
                        {-0.003882, -0.048116, 1.051998}}};
constexpr Cones kNoBlue{{{1.255528, -0.076749, -0.178779},
                         {-0.078411, 0.930809, 0.147602},
                         {0.004733, 0.691367, 0.3039}}};
constexpr Cones kAll{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
std::string seen_with(const Cones& cones, std::string_view hex) {
  const Lab rgb = linear_rgb(hex);
  std::string out = "#";
  for (const Lab& row : cones) {
    const double linear = std::clamp(row[0] * rgb[0] + row[1] * rgb[1] + row[2] * rgb[2], 0.0, 1.0);
    const double value =
        linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1.0 / 2.4) - 0.055;
    out += fmt::format("{:02x}", std::lround(255.0 * value));
  }
  return out;
}

TEST(FigureStyle, WhiteOnBlackIsAContrastOf21) {
  EXPECT_NEAR(contrast("#ffffff", "#000000"), 21.0, 1e-9);
}

TEST(FigureStyle, TwelveColoursOfTheRampDifferGetStrongerSteadilyAndAreSeen) {
  for (const bool is_light : {true, false}) {
    const auto at = [&](int i) {
      const Colour& colour = on_ramp(i / 11.0);
      return is_light ? colour.light : colour.dark;
    };
    for (int i = 0; i < 12; ++i) {
      EXPECT_GT(contrast(at(i), is_light ? kPaper.light : kPaper.dark), 2.3) << at(i);
      if (i > 0) {
        const Lab before = to_oklab(at(i - 1));
        const Lab after = to_oklab(at(i));
        EXPECT_EQ(after[0] < before[0], is_light) << "lightness turns back at " << i;
        // 0.02 in OKLab is about what side by side is just told apart
        EXPECT_GT(distance(before, after), 0.04) << at(i - 1) << " and " << at(i);
      }
    }
  }
}

TEST(FigureStyle, ColoursOfAListAreSeenAndToldApartWithAnyCones) {
  for (const bool is_light : {true, false}) {
    std::vector<std::string_view> colours{is_light ? kReference.light : kReference.dark};
    for (const Colour& hue : kHues) {
      colours.push_back(is_light ? hue.light : hue.dark);
      EXPECT_GT(contrast(colours.back(), is_light ? kPaper.light : kPaper.dark), 3.0);
    }
    for (const Cones& cones : {kAll, kNoRed, kNoGreen, kNoBlue}) {
      for (std::size_t i = 0; i < colours.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          EXPECT_GT(distance(to_oklab(seen_with(cones, colours[i])),
                             to_oklab(seen_with(cones, colours[j]))),
                    0.065)
              << colours[i] << " and " << colours[j];
        }
      }
    }
  }
}

TEST(FigureStyle, SevenColoursOfTheRampAreToldApartWithoutGreenOrRedCones) {
  for (const bool is_light : {true, false}) {
    for (const Cones& cones : {kNoGreen, kNoRed}) {
      const auto seen = [&](int i) {
        const Colour& colour = on_ramp(i / 6.0);
        return to_oklab(seen_with(cones, is_light ? colour.light : colour.dark));
      };
      for (int i = 1; i < 7; ++i) {
        EXPECT_GT(distance(seen(i - 1), seen(i)), 0.03) << i;
      }
    }
  }
}

}  // namespace
}  // namespace longarm::record::colour
