// SPDX-License-Identifier: Apache-2.0
// What the figures of a report show, in words and numbers: SVG files and the page are drawn from
// it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/record/figure_style.h"
#include "longarm/study/report/report_data.h"

namespace longarm::study {

/// A curve over time.
struct TimePanel {
  std::string title;  ///< empty: the only one of its figure
  std::string curve;  ///< name of a column of the series' curves
  double scale = 1.0;
};

struct FigureInfo {
  std::string id;    ///< on the page: "fig-" and this
  std::string file;  ///< without ".svg"
  std::string title;
  std::string caption{};
  // over time only
  std::vector<TimePanel> panels{};
  std::string unit{};
  std::string up_title{};
  double panel_height_px = 0.0;
};

/// Those that there is something to draw of, in reading order. Files have no "links".
std::vector<FigureInfo> figures_of(const Report& report);
/// The one of that id, or null.
const FigureInfo* find_figure(const std::vector<FigureInfo>& figures, const std::string& id);

// --- colours
/// Of each value of the axis that series are compared along: a ramp for numbers, hues for words.
std::vector<record::colour::Colour> value_colours(const Report& report);

// --- a chart of metrics
/// The axis that it runs over at first; nothing if there is no such chart.
std::optional<std::size_t> chart_axis(const Report& report);
bool is_across_log(const Report& report, std::size_t axis);

/// Rows that differ on the chart's axis only, in its order. Lines have the colour of a value or, if
/// they are other combinations, of a hue; a line by itself has those of its points.
struct MetricLine {
  std::string name;
  std::optional<std::size_t> value;  ///< whose colour it has
  std::optional<record::colour::Colour> colour;
  std::size_t index = 0;
  std::vector<std::size_t> rows;
};
std::vector<MetricLine> metric_lines(const Report& report, std::size_t axis);

struct MetricScale {
  std::size_t column = 0;
  std::string title;    ///< "slip [mm]"
  bool is_log = false;  ///< at first
  double floor = 0.0;   ///< up to here a number is zero, or rounding; as shown
  std::string words;    ///< the caption after "Slip [mm] over force [N]"
};
/// Of the columns that a chart offers: a closed form is drawn beside what it is the closed form of.
std::vector<MetricScale> metric_scales(const Report& report);
/// Index of the one that it opens on.
std::size_t first_metric(const Report& report, const std::vector<MetricScale>& scales);
/// Where a number stands on the lower end of a logarithmic axis.
inline constexpr const char* kFloorWords =
    " “≈ 0” at the bottom: zero, or below a millionth of the largest value (rounding).";
/// "Slip [mm] over force [N], one run per point."
std::string metric_caption(const MetricScale& scale, const ReportAxis& axis, bool has_floor);

// --- a map of an outcome
struct OutcomeSign {
  std::string_view name;  ///< "yes", "no", "mixed", "undecided", "diverged" or "open"
  std::string_view mark;
  std::string_view words;
  std::string_view colour;  ///< "stable", "unstable", "undecided" or "soft"
};
/// All there are, of this report's outcome.
std::vector<OutcomeSign> outcome_signs(const Report& report);
/// Index of a row's, or of none.
std::size_t outcome_of(const Report& report, const SummaryRow* row);
std::optional<std::size_t> outcome_column(const Report& report);
/// The axes that are not chosen, the two of the map first: numbers where there are two of them.
std::vector<std::size_t> outcome_axes(const Report& report);

// --- stability over latency
/// A panel of a margin: latency across, growth up, linear to `constant` and logarithmic beyond.
struct MarginFrame {
  double end_s = 0.0;
  Unit unit;
  double constant = 1.0;
  double low = 0.0;  ///< of the growths, in 1/s
  double high = 0.0;
  std::vector<double> ticks{};
};
struct MarginPanel {
  std::string title;
  std::string across_title;
  std::string found;        ///< "simulated 21 ms"
  std::string closed_form;  ///< "closed form 21.2 ms"
  bool is_at_limit = false;
  MarginFrame near;  ///< the border
  MarginFrame all;   ///< whatever was tried
};
MarginPanel margin_panel(const Report& report, const nlohmann::ordered_json& margin);

/// For the page.
nlohmann::ordered_json figures_json(const Report& report);

}  // namespace longarm::study
