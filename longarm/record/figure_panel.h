// SPDX-License-Identifier: Apache-2.0
// What the panels of a figure have in common: axes, and lines that fit a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/record/figure_style.h"
#include "longarm/record/polyline.h"
#include "longarm/record/svg_drawing.h"

namespace longarm::record {

void draw_panel_title(SvgDrawing& svg, const PlaneBox& frame, std::string_view title);
/// On the line of the panel's title, ending at pixel `right`.
void draw_panel_remark(SvgDrawing& svg, const PlaneBox& frame, double right, std::string_view words,
                       std::string_view colour);

/// Grid lines, numbers and the axis's title; `pixel_of` says where a value is.
void draw_across_ticks(SvgDrawing& svg, const PlaneBox& frame, const std::vector<double>& ticks,
                       const std::function<double(double)>& pixel_of, std::string_view title);
void draw_up_ticks(SvgDrawing& svg, const PlaneBox& frame, const std::vector<double>& ticks,
                   const std::function<double(double)>& pixel_of, std::string_view title);

struct Range {
  double low = 0.0;
  double high = 1.0;

  void include(double value);
  double extent() const { return high - low; }
  /// A little room on both sides, and some extent in any case.
  void widen(double part = style::kAir);
};

/// A frame with two axes: linear, logarithmic, or across words.
struct Plot {
  PlaneBox frame;
  Range across;
  Range up;
  bool is_across_log = false;
  bool is_up_log = false;
  bool has_floor = false;  ///< up is logarithmic, and what is not worth a decade stands below it
  std::vector<std::string> words{};  ///< names of 0, 1, 2, … across; empty: they are numbers

  double x_of(double value) const;
  double y_of(double value) const;
  /// Grid and frame; curves are drawn over it.
  void draw_axes(SvgDrawing& svg, std::string_view across_title, std::string_view up_title) const;
  void draw_across(SvgDrawing& svg, std::string_view title) const;

 private:
  void draw_up(SvgDrawing& svg, std::string_view title) const;
};

/// Places moved apart to at least `gap` within `room`, in the same order.
std::vector<double> spread_labels(const std::vector<double>& wanted, double gap, Range room);

/// At most so many letters; what is cut out of the middle becomes "…".
std::string shortened(const std::string& text, std::size_t most_letters);
/// What has room in so many pixels of text that high.
std::string fitting(const std::string& text, double width, double size_px = style::kText_px);
/// About so many pixels across.
double text_width(std::string_view text, double size_px = style::kText_px);

/// Numbers at waypoints, "start" where a path starts; those at one place share a label, where it
/// covers the least of `busy`.
void draw_waypoints(SvgDrawing& svg, const std::optional<PlanePoint>& start,
                    const std::vector<PlanePoint>& waypoints, Polyline busy);
/// A bar of round length in the lower left corner: "20 mm".
void draw_scale_bar(SvgDrawing& svg, const PlaneBox& frame, double pixels_per_m);
/// "3.21 mm".
std::string length_text(double length_m);

/// What is seen of a line, in pixels, with no more points than it takes to look the same and no
/// more than keep a file small. Segments longer than `longest` are left out.
std::vector<Polyline> runs_in(const PlaneBox& frame, const Polyline& points,
                              double longest = std::numeric_limits<double>::infinity());

}  // namespace longarm::record
