// SPDX-License-Identifier: Apache-2.0
// What the figures of a study have in common: which runs they show, in which colours, and frames
// with two axes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/record/figure_panel.h"
#include "longarm/study/report/report_data.h"

namespace longarm::study {

/// From 0 to 1: dark blue to orange. Lightness rises all the way, so that it reads in grey and for
/// the colour-blind; nothing is too light for white paper.
std::string ramp_colour(double part);

struct FigureSeries {
  const ReportSeries* series = nullptr;
  std::string label;
  std::string colour;
  double width = 1.6;
  bool sets_scale = true;  ///< false for runs that became unstable
};

/// The runs that a figure shows: one axis is varied, the others stay where the report's focus is.
struct FigureChoice {
  std::vector<FigureSeries> series;  ///< to be drawn in this order; the reference first
  std::string remark;                ///< "cut velocity (1 of 4 values); 8 of 12 values of …"
};
FigureChoice choose_series(const Report& report);

/// "1 of 4 values" of one axis, "1 of 12 combinations" of several; empty if there is only one.
std::string slice_share(const Report& report, std::optional<std::size_t> varied);

/// About so many pixels across, of 12 pixels high text.
double text_width(std::string_view text);

/// "Slip time" for "slip time".
std::string capital(std::string text);

inline constexpr double kPageWidth = 960.0;
/// Height of title, what was run and what of it is shown, at the top of a page. All of them are
/// shortened to what fits.
inline constexpr double kHeadingHeight = 84.0;
void draw_heading(record::SvgDrawing& svg, const Report& report, const std::string& title,
                  const std::string& remark);

double legend_height(std::span<const FigureSeries> series, double left, double right);
/// One entry per run from (left, top) on, wrapped before `right`. Returns the height used.
double draw_legend(record::SvgDrawing& svg, std::span<const FigureSeries> series, double left,
                   double right, double top);

struct Range {
  double low = 0.0;
  double high = 1.0;

  void include(double value);
  double extent() const { return high - low; }
  /// A little room on both sides, and some extent in any case.
  void widen(double part);
};

/// A frame with linear axes, or logarithmic ones.
struct Plot {
  record::PlaneBox frame;
  Range across;
  Range up;
  bool is_across_log = false;
  bool is_up_log = false;
  bool has_floor = false;  ///< up is logarithmic, and what is not worth a decade stands below it
  std::vector<std::string> words{};  ///< names of 0, 1, 2, … across; empty: they are numbers

  double x_of(double value) const;
  double y_of(double value) const;
  void draw_axes(record::SvgDrawing& svg, std::string_view across_name,
                 std::string_view up_name) const;
  void draw_across(record::SvgDrawing& svg, std::string_view name) const;
  void draw_up(record::SvgDrawing& svg, std::string_view name) const;
  record::Polyline polyline(const Curves& curves, const std::vector<float>& values,
                            double scale) const;
};

}  // namespace longarm::study
