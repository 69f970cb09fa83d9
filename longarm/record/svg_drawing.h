// SPDX-License-Identifier: Apache-2.0
// A drawing as SVG 1.1 text that needs nothing beside it: no fonts, no style sheet, no script.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/record/figure_style.h"
#include "longarm/record/polyline.h"

namespace longarm::record {

/// A tenth of a pixel or so is all a screen can show: "12.3", "-0.5", "7".
std::string format_pixels(double value);

struct TextStyle {
  double size_px = style::kText_px;
  std::string_view colour = colour::kInk;
  std::string_view anchor = "start";  ///< or "middle", "end"
  bool is_bold = false;
  bool is_upright = false;  ///< turned to read from below to above
};

/// Elements are drawn in the order of the calls; lengths in pixels, y downwards.
class SvgDrawing {
 public:
  /// `title` is what a screen reader says and what a browser shows as the name.
  SvgDrawing(double width, double height, std::string_view title);

  void rectangle(const PlaneBox& box, std::string_view fill, std::string_view stroke = "none",
                 double opacity = 1.0);
  /// `dashes`: lengths of dashes and gaps, e.g. "6 4".
  void line(const PlanePoint& a, const PlanePoint& b, std::string_view stroke, double width,
            std::string_view dashes = {});
  void circle(const PlanePoint& centre, double radius, std::string_view fill,
              std::string_view stroke = "none");
  /// One of about `area` square pixels.
  enum class Symbol { kCircle, kSquare, kTriangle, kDiamond };
  void symbol(Symbol kind, const PlanePoint& at, double area, std::string_view fill,
              std::string_view stroke);
  void text(const PlanePoint& at, std::string_view words, const TextStyle& style);
  /// One element for all runs; `name` becomes its id. Nothing if there are no runs.
  void path(std::string_view name, std::span<const Polyline> runs, std::string_view stroke,
            double width, std::string_view dashes = {}, double opacity = 1.0);

  /// Cuts what is drawn until end_clip() to a box; `name` must be new.
  void begin_clip(std::string_view name, const PlaneBox& box);
  void end_clip();

  std::string finish() &&;

 private:
  std::string text_;
};

/// Round numbers (1, 2 or 5 times a power of ten apart) that divide an axis.
struct Ticks {
  double step = 1.0;
  std::vector<double> values;
};
std::string tick_label(double value);
/// All multiples of the step within [low, high]; `count` says about how many are wanted.
Ticks ticks_between(double low, double high, double count);

}  // namespace longarm::record
