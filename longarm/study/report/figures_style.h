// SPDX-License-Identifier: Apache-2.0
// What the SVG files of a report have in common: which runs they show, in which colours, and a page
// with heading and caption.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/record/figure_panel.h"
#include "longarm/study/report/report_data.h"

namespace longarm::study {

struct FigureSeries {
  const ReportSeries* series = nullptr;
  std::string label;
  record::colour::Colour colour;
  bool sets_scale = true;  ///< false for runs that became unstable
  std::string_view dashes{};

  double width_px() const;
};

/// The runs that a figure shows: one axis is varied, the others stay where the report's focus is.
struct FigureChoice {
  std::vector<FigureSeries> series;  ///< to be drawn in this order; the reference first
  std::string remark;                ///< "cut velocity (1 of 4 values); 8 of 12 values of …"
};
FigureChoice choose_series(const Report& report);

/// "1 of 4 values" of one axis, "1 of 12 combinations" of several; empty if there is only one.
std::string slice_share(const Report& report, std::optional<std::size_t> varied);

/// As many words to a line as fit.
std::vector<std::string> wrapped(const std::vector<std::string>& words,
                                 const std::string& separator, double width);

inline constexpr double kPageWidth = 960.0;
inline constexpr double kMargin = 24.0;
/// Height of title, what was run and what of it is shown, at the top of a page. All of them are
/// shortened to what fits.
inline constexpr double kHeadingHeight = 84.0;
/// A page with its heading, and its caption below what is drawn down to `bottom`.
record::SvgDrawing begin_page(const Report& report, const std::string& title,
                              const std::string& caption, const std::string& remark, double bottom);

/// Height of a legend with one entry per run from `left` on, wrapped before `right`.
double legend_height(std::span<const FigureSeries> series, double left, double right);
void draw_legend(record::SvgDrawing& svg, std::span<const FigureSeries> series, double left,
                 double right, double top);

}  // namespace longarm::study
