// SPDX-License-Identifier: Apache-2.0
// How figures look, in SVG files and on pages: web/build.mjs reads colours, sizes and limits from
// here.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>

namespace longarm::record {

/// Colours that stay apart for the colour-blind. Pages call kWarnLine --warn-line.
namespace colour {

/// On white paper, and on a dark screen; files have the first.
struct Colour {
  std::string_view light;
  std::string_view dark;

  constexpr operator std::string_view() const { return light; }
};

inline constexpr Colour kPaper{"#ffffff", "#14171b"};
inline constexpr Colour kInk{"#1b1f24", "#e4e7eb"};
inline constexpr Colour kSoft{"#57606a", "#a0a8b2"};
inline constexpr Colour kLine{"#d5d9de", "#3a4048"};
inline constexpr Colour kGrid{"#e6e9ec", "#2a2f36"};
inline constexpr Colour kWall{"#eef0f2", "#20242a"};
inline constexpr Colour kRaised{"#f6f7f8", "#1d2126"};
inline constexpr Colour kPlan{"#111111", "#ffffff"};
inline constexpr Colour kReference{"#0095b3", "#30d0ea"};
inline constexpr Colour kStable{"#1f6feb", "#6aa9ff"};
inline constexpr Colour kUnstable{"#b42318", "#ff7b6b"};
inline constexpr Colour kUndecided{"#8a6100", "#e0b040"};
inline constexpr Colour kWarn{"#fff6e0", "#2e2715"};
inline constexpr Colour kWarnLine{"#d9a634", "#a47f24"};

/// Of a list, after M. Okabe and K. Ito, without their sky blue; farther apart where eight of them
/// would look alike to the colour-blind.
inline constexpr Colour kHues[] = {
    {"#de6e55", "#fe922d"}, {"#0376bb", "#58b3ee"}, {"#23714c", "#49a881"}, {"#b75685", "#cf8fbd"},
    {"#84760b", "#f0e245"}, {"#5f41b0", "#938bfe"}, {"#814a02", "#c18449"}, {"#4b4b4b", "#bababa"}};

/// Of ordered values. The further along, the stronger the contrast to the background; steps are
/// about equally large in OKLab (B. Ottosson, 2020), but thin dark lines look more alike, so the
/// last ones change the hue. Cyan is left to the reference.
inline constexpr Colour kRamp[] = {
    {"#dba000", "#6f5be0"}, {"#df8509", "#905bd8"}, {"#e0670e", "#af57d1"}, {"#d74e43", "#c75cbd"},
    {"#cc3161", "#de5fa4"}, {"#b43184", "#ed6d8c"}, {"#9239ad", "#f58071"}, {"#7236c0", "#fa9459"},
    {"#5136b7", "#f9ab4f"}, {"#2f37a2", "#f7c352"}, {"#163d5f", "#f9de86"}, {"#06361c", "#f8f9b4"}};

/// `part` of the way along the ramp, from 0 to 1.
constexpr const Colour& on_ramp(double part) {
  return kRamp[static_cast<std::size_t>(part * (std::size(kRamp) - 1) + 0.5)];
}

}  // namespace colour

namespace style {

inline constexpr double kSeriesWidth_px = 1.5;
inline constexpr double kReferenceWidth_px = 3.0;
inline constexpr double kWildWidth_px = 1.0;  // of what became unstable or diverged
inline constexpr double kWildOpacity = 0.75;
inline constexpr double kPlanWidth_px = 1.3;
inline constexpr std::string_view kPlanDashes = "6 4";
inline constexpr std::string_view kClosedFormDashes = "5 3";
inline constexpr std::string_view kHoldDashes = "1.5 3";

inline constexpr double kText_px = 12.0;
inline constexpr double kTickText_px = 11.5;
inline constexpr double kTitleText_px = 12.5;  // of a panel
inline constexpr double kLetter_px = 6.6;      // about, across

/// Room of a tick with its number.
inline constexpr double kTickAcross_px = 80.0;
inline constexpr double kTickUp_px = 32.0;

/// Above and below what is drawn, as a part of its height.
inline constexpr double kAir = 0.06;
/// What runs away sets the scale if it needs at most so many times the height of the rest.
inline constexpr double kRoomForWild = 3.0;
/// A panel whose curves differ by less, as a part of the largest one's, is drawn as one at rest.
inline constexpr double kAtRest = 1e-6;
/// Series drawn at first, evenly spread over all; lines of a chart of metrics.
inline constexpr double kMostDrawn = 12;

}  // namespace style

}  // namespace longarm::record
