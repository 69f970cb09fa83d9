// SPDX-License-Identifier: Apache-2.0
// Chooses runs and colours; draws headings, captions and legends.
#include "longarm/study/report/figures_style.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/study/report/figure_list.h"
#include "longarm/study/report/report_slice.h"

namespace longarm::study {
namespace {

using record::SvgDrawing;

constexpr auto kMostShown = static_cast<std::size_t>(record::style::kMostDrawn);
constexpr double kLegendRow = 20.0;
constexpr double kLegendSample = 26.0;
constexpr double kCaptionLine = 17.0;

/// Those of the slice in focus, or of the first run's where a report has none.
std::vector<const ReportSeries*> slice(const Report& report, std::string& remark) {
  std::vector<const ReportSeries*> chosen;
  const std::optional<std::size_t> axis = main_axis(report);
  Steps focus = report.focus;
  for (const ReportSeries& series : report.series) {
    if (series.point.size() != report.axes.size() ||
        (series.point.empty() && series.is_reference)) {
      continue;
    }
    for (std::size_t i = focus.size(); i < series.point.size(); ++i) {
      focus.push_back(i == axis ? std::nullopt : std::optional(series.point[i]));
    }
    if (matches(focus, series.point)) {
      chosen.push_back(&series);
    }
  }
  remark = steps_label(report.axes, focus);
  if (const std::string share = slice_share(report, axis); !remark.empty() && !share.empty()) {
    remark += " (" + share + ")";
  }
  return chosen;
}

std::string label_of(const Report& report, const ReportSeries& series) {
  const std::optional<std::size_t> axis = main_axis(report);
  std::string label = series.label;
  if (axis && *axis < series.point.size()) {
    label = value_name(report.axes, *axis, series.point[*axis]);
  }
  if (series.verdict == "unstable") {
    label += " (unstable)";
  }
  return label;
}

/// Calls `place` with where each entry goes. Returns the height of all.
double lay_out_legend(std::span<const FigureSeries> series, double left, double right, double top,
                      const std::function<void(const FigureSeries&, double, double)>& place) {
  double x = left;
  double y = top;
  for (const FigureSeries& each : series) {
    FigureSeries entry = each;
    entry.label = record::fitting(each.label, right - left - kLegendSample - 8.0);
    const double width = kLegendSample + 8.0 + record::text_width(entry.label);
    if (x > left && x + width > right) {
      x = left;
      y += kLegendRow;
    }
    if (place) {
      place(entry, x, y);
    }
    x += width + 20.0;
  }
  return series.empty() ? 0.0 : y + kLegendRow - top;
}

}  // namespace

double FigureSeries::width_px() const {
  return !sets_scale                                 ? record::style::kWildWidth_px
         : series != nullptr && series->is_reference ? record::style::kReferenceWidth_px
                                                     : record::style::kSeriesWidth_px;
}

std::string slice_share(const Report& report, std::optional<std::size_t> varied) {
  const std::size_t all = combinations(report.axes, varied);
  std::size_t axes = 0;
  for (std::size_t i = 0; i < report.axes.size(); ++i) {
    axes += i != varied && report.axes[i].values.size() > 1 ? 1 : 0;
  }
  return all < 2 ? "" : fmt::format("1 of {} {}", all, axes == 1 ? "values" : "combinations");
}

FigureChoice choose_series(const Report& report) {
  FigureChoice choice;
  std::vector<const ReportSeries*> all = slice(report, choice.remark);
  std::vector<const ReportSeries*> shown;
  for (const std::size_t i : spread(all.size(), kMostShown)) {
    shown.push_back(all[i]);
  }
  // some were not embedded, or are not there yet
  if (const auto axis = main_axis(report);
      axis && shown.size() < report.axes[*axis].values.size()) {
    choice.remark +=
        fmt::format("{}{} of {} values of {}", choice.remark.empty() ? "" : "; ", shown.size(),
                    report.axes[*axis].values.size(), report.axes[*axis].key);
  }
  // the run that those shown were compared with, if it is none of them
  const std::string reference = shown.empty() ? "" : shown.front()->reference;
  const bool is_shown = std::any_of(shown.begin(), shown.end(),
                                    [](const ReportSeries* each) { return each->is_reference; });
  for (const ReportSeries& series : report.series) {
    if (!is_shown && series.is_reference && series.point.empty() &&
        (series.identity == reference || shown.empty())) {
      choice.series.push_back({&series, report.kind == "run" ? series.label : "without the link",
                               record::colour::kReference, series.verdict != "unstable"});
      break;
    }
  }
  const std::optional<std::size_t> axis = main_axis(report);
  const std::vector<record::colour::Colour> colours = value_colours(report);
  for (const ReportSeries* each : shown) {
    const std::size_t value = axis && *axis < each->point.size() ? each->point[*axis] : 0;
    const bool is_stable = each->verdict != "unstable" && each->ended != "diverged";
    choice.series.push_back({each, label_of(report, *each),
                             each->is_reference ? record::colour::kReference : colours[value],
                             is_stable});
  }
  return choice;
}

std::vector<std::string> wrapped(const std::vector<std::string>& words,
                                 const std::string& separator, double width) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    if (!lines.empty() && record::text_width(lines.back() + separator + word) <= width) {
      lines.back() += separator + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

SvgDrawing begin_page(const Report& report, const std::string& title, const std::string& caption,
                      const std::string& remark, double bottom) {
  constexpr double kRoom = kPageWidth - 2.0 * kMargin;
  const std::vector<std::string> lines = wrapped(split_words(caption), " ", kRoom);
  SvgDrawing svg(kPageWidth, bottom + kCaptionLine * static_cast<double>(lines.size()) + 14.0,
                 title);
  svg.text({kMargin, 30.0}, record::fitting(title, kRoom, 20.0),
           {.size_px = 18.0, .is_bold = true});
  std::string more;
  if (!report.about.engine.empty()) {
    more += "  ·  " + report.about.engine;
  }
  const bool is_cut_varied = std::any_of(report.axes.begin(), report.axes.end(),
                                         [](const ReportAxis& axis) { return axis.key == "cut"; });
  if (!report.about.cut.empty() && !is_cut_varied) {
    more += "  ·  cut " + report.about.cut;
  }
  const double left_over = std::max(kRoom - record::text_width(more, 13.0), 200.0);
  const record::TextStyle style{.size_px = 13.0, .colour = record::colour::kSoft};
  svg.text({kMargin, 51.0},
           record::fitting(record::fitting(report.title, left_over, 13.0) + more, kRoom, 13.0),
           style);
  if (!remark.empty()) {
    svg.text({kMargin, 69.0}, record::fitting(remark, kRoom, 13.0), style);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    svg.text({kMargin, bottom + kCaptionLine * static_cast<double>(i) + 12.0}, lines[i],
             {.colour = record::colour::kSoft});
  }
  return svg;
}

double legend_height(std::span<const FigureSeries> series, double left, double right) {
  return lay_out_legend(series, left, right, 0.0, {});
}

void draw_legend(SvgDrawing& svg, std::span<const FigureSeries> series, double left, double right,
                 double top) {
  lay_out_legend(series, left, right, top, [&](const FigureSeries& each, double x, double y) {
    svg.line({x, y + 8.0}, {x + kLegendSample, y + 8.0}, each.colour,
             std::max(each.width_px(), 2.5), each.dashes);
    svg.text({x + kLegendSample + 7.0, y + 12.0}, each.label, {});
  });
}

}  // namespace longarm::study
