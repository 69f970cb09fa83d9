// SPDX-License-Identifier: Apache-2.0
// What the panels of a figure have in common: colours, axes, and lines that fit a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>
#include <vector>

#include "longarm/record/polyline.h"
#include "longarm/record/svg_drawing.h"

namespace longarm::record {

/// Colours that stay apart for the colour-blind, and in grey.
namespace colour {
inline constexpr std::string_view kPlanned = "#000000";
inline constexpr std::string_view kExecuted = "#0059b3";
inline constexpr std::string_view kReference = "#4dd2ec";
inline constexpr std::string_view kReferenceText = "#0d7f98";  // dark enough to read
inline constexpr std::string_view kWarning = "#b5460f";
inline constexpr std::string_view kInk = "#222222";
inline constexpr std::string_view kFaintInk = "#666666";
inline constexpr std::string_view kGrid = "#e8e8e8";
inline constexpr std::string_view kFrame = "#9a9a9a";
inline constexpr std::string_view kShade = "#e9ecef";
inline constexpr std::string_view kPaper = "#ffffff";
}  // namespace colour

void draw_panel_title(SvgDrawing& svg, const PlaneBox& frame, std::string_view title);
/// On the line of the panel's title, ending at pixel `right`.
void draw_panel_remark(SvgDrawing& svg, const PlaneBox& frame, double right, std::string_view words,
                       std::string_view colour);

/// Grid lines, numbers and the axis's name; `pixel_of` says where a value is.
void draw_across_ticks(SvgDrawing& svg, const PlaneBox& frame, const Ticks& ticks,
                       const std::function<double(double)>& pixel_of, std::string_view name);
void draw_up_ticks(SvgDrawing& svg, const PlaneBox& frame, const Ticks& ticks,
                   const std::function<double(double)>& pixel_of, std::string_view name);

/// What is seen of a line, in pixels, with no more points than it takes to look the same and no
/// more than keep a file small. Segments longer than `longest` are left out.
std::vector<Polyline> runs_in(const PlaneBox& frame, const Polyline& points,
                              double longest = std::numeric_limits<double>::infinity());

}  // namespace longarm::record
