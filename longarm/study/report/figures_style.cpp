// SPDX-License-Identifier: Apache-2.0
// Chooses runs and colours; draws headings, legends and axes.
#include "longarm/study/report/figures_style.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "longarm/core/text.h"
#include "longarm/study/report/report_slice.h"

namespace longarm::study {
namespace {

using record::SvgDrawing;

constexpr std::size_t kMostShown = 8;
constexpr double kLegendRow = 20.0;
constexpr double kLegendSample = 26.0;
constexpr double kLetter_px = 6.6;  // of 12 pixels high text, about

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
    label = point_label({report.axes[*axis]}, {series.point[*axis]});
  }
  if (series.verdict == "unstable") {
    label += " (unstable)";
  }
  return label;
}

/// Those nearest to places that are evenly spread over the axis, of which some may not be there.
std::vector<std::size_t> evenly_placed(const Report& report,
                                       const std::vector<const ReportSeries*>& all) {
  const std::optional<std::size_t> axis = main_axis(report);
  if (!axis || all.size() <= kMostShown) {
    return spread(all.size(), kMostShown);
  }
  std::vector<std::size_t> chosen;
  for (const std::size_t place : spread(report.axes[*axis].values.size(), kMostShown)) {
    const std::size_t first = chosen.empty() ? 0 : chosen.back() + 1;
    const std::size_t last = all.size() - (kMostShown - chosen.size());
    std::size_t best = first;
    for (std::size_t i = first; i <= last; ++i) {
      const auto distance = [&](std::size_t k) {
        const std::size_t step = all[k]->point[*axis];
        return step > place ? step - place : place - step;
      };
      best = distance(i) < distance(best) ? i : best;
    }
    chosen.push_back(best);
  }
  return chosen;
}

/// What has room in so many pixels.
std::string fitting(const std::string& text, double width, double size_px) {
  return shortened(text, static_cast<std::size_t>(width / (kLetter_px * size_px / 12.0)));
}

/// Calls `place` with where each entry goes. Returns the height of all.
double lay_out_legend(std::span<const FigureSeries> series, double left, double right, double top,
                      const std::function<void(const FigureSeries&, double, double)>& place) {
  double x = left;
  double y = top;
  for (const FigureSeries& each : series) {
    FigureSeries entry = each;
    entry.label = fitting(each.label, right - left - kLegendSample - 8.0, 12.0);
    const double width = kLegendSample + 8.0 + text_width(entry.label);
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

std::string ramp_colour(double part) {
  constexpr std::array<std::array<double, 3>, 5> kStops{{
      {10, 48, 130},
      {110, 40, 160},
      {190, 40, 110},
      {232, 96, 60},
      {240, 165, 40},
  }};
  const double place = std::clamp(part, 0.0, 1.0) * (kStops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
  const double rest = place - static_cast<double>(below);
  const auto channel = [&](std::size_t i) {
    return std::lround(kStops[below][i] + rest * (kStops[below + 1][i] - kStops[below][i]));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(1), channel(2));
}

double text_width(std::string_view text) {
  return kLetter_px * static_cast<double>(character_count(text));
}

std::string capital(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') {
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  }
  return text;
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
  for (const std::size_t i : evenly_placed(report, all)) {
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
                               std::string(record::colour::kReference), 4.0,
                               series.verdict != "unstable"});
      break;
    }
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const double part =
        shown.size() < 2 ? 0.0 : static_cast<double>(i) / static_cast<double>(shown.size() - 1);
    const bool is_stable = shown[i]->verdict != "unstable" && shown[i]->ended != "diverged";
    choice.series.push_back(
        {shown[i], label_of(report, *shown[i]), ramp_colour(part), 1.6, is_stable});
  }
  return choice;
}

void draw_heading(SvgDrawing& svg, const Report& report, const std::string& title,
                  const std::string& remark) {
  constexpr double kRoom = 912.0;
  svg.text({24.0, 30.0}, fitting(title, kRoom, 20.0),
           {.size_px = 18.0, .colour = record::colour::kInk, .is_bold = true});
  std::string more;
  if (!report.about.engine.empty()) {
    more += "  ·  " + report.about.engine;
  }
  const bool is_cut_varied = std::any_of(report.axes.begin(), report.axes.end(),
                                         [](const ReportAxis& axis) { return axis.key == "cut"; });
  if (!report.about.cut.empty() && !is_cut_varied) {
    more += "  ·  cut " + report.about.cut;
  }
  const double left_over = std::max(kRoom - text_width(more) * 13.0 / 12.0, 200.0);
  const record::TextStyle style{.size_px = 13.0, .colour = record::colour::kFaintInk};
  svg.text({24.0, 51.0}, fitting(fitting(report.title, left_over, 13.0) + more, kRoom, 13.0),
           style);
  if (!remark.empty()) {
    svg.text({24.0, 69.0}, fitting(remark, kRoom, 13.0), style);
  }
}

double legend_height(std::span<const FigureSeries> series, double left, double right) {
  return lay_out_legend(series, left, right, 0.0, {});
}

double draw_legend(SvgDrawing& svg, std::span<const FigureSeries> series, double left, double right,
                   double top) {
  return lay_out_legend(
      series, left, right, top, [&](const FigureSeries& each, double x, double y) {
        svg.line({x, y + 8.0}, {x + kLegendSample, y + 8.0}, each.colour, std::max(each.width, 2.5),
                 each.sets_scale ? "" : "5 3");
        svg.text({x + kLegendSample + 7.0, y + 12.0}, each.label, {.colour = record::colour::kInk});
      });
}

void Range::include(double value) {
  low = std::min(low, value);
  high = std::max(high, value);
}

void Range::widen(double part) {
  // what differs in rounding only is flat
  const bool is_flat = extent() <= 1e-9 * std::max(1.0, std::abs(high));
  const double room = is_flat ? std::max(std::abs(high) * part, 0.1) : part * extent();
  low -= room;
  high += room;
}

namespace {

/// From 0 to 1 within the range.
double part_of(double value, const Range& range, bool is_log) {
  if (!is_log) {
    return (value - range.low) / (range.high - range.low);
  }
  // nothing below zero has a logarithm: it is drawn at the lower end, as is rounding noise
  return value <= range.low ? 0.0 : std::log(value / range.low) / std::log(range.high / range.low);
}

/// Powers of ten, with 2 and 5 where there are few of them.
std::vector<double> log_ticks(const Range& range) {
  const bool is_short = range.high / range.low < 1e3;
  const bool is_long = range.high / range.low > 1e9;
  std::vector<double> ticks;
  for (int power = static_cast<int>(std::floor(std::log10(range.low)));
       std::pow(10.0, power) <= range.high; power += is_long ? 3 : 1) {
    for (const double times : {1.0, 2.0, 5.0}) {
      const double tick = times * std::pow(10.0, power);
      if ((times == 1.0 || is_short) && tick >= range.low && tick <= range.high) {
        ticks.push_back(tick);
      }
    }
  }
  return ticks;
}

}  // namespace

double Plot::x_of(double value) const {
  return frame.low[0] + part_of(value, across, is_across_log) * (frame.high[0] - frame.low[0]);
}

double Plot::y_of(double value) const {
  return frame.high[1] - part_of(value, up, is_up_log) * (frame.high[1] - frame.low[1]);
}

void Plot::draw_axes(SvgDrawing& svg, std::string_view across_name,
                     std::string_view up_name) const {
  draw_across(svg, across_name);
  draw_up(svg, up_name);
}

void Plot::draw_across(SvgDrawing& svg, std::string_view name) const {
  const double width = frame.high[0] - frame.low[0];
  if (words.empty() && !is_across_log) {
    record::draw_across_ticks(
        svg, frame, record::ticks_between(across.low, across.high, width / 80.0),
        [&](double value) { return x_of(value); }, name);
    return;
  }
  const auto draw = [&](double value, const std::string& label) {
    const double x = x_of(value);
    svg.line({x, frame.low[1]}, {x, frame.high[1]}, record::colour::kGrid, 1.0);
    svg.text({x, frame.high[1] + 15.0}, label,
             {.colour = record::colour::kFaintInk, .anchor = "middle"});
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    draw(static_cast<double>(i),
         fitting(words[i], width / static_cast<double>(words.size()), 12.0));
  }
  for (const double tick : words.empty() ? log_ticks(across) : std::vector<double>{}) {
    draw(tick, fmt::format("{:.6g}", tick));
  }
  svg.text({(frame.low[0] + frame.high[0]) / 2.0, frame.high[1] + 32.0}, name,
           {.colour = record::colour::kInk, .anchor = "middle"});
}

void Plot::draw_up(SvgDrawing& svg, std::string_view name) const {
  if (is_up_log) {
    for (const double tick : log_ticks(up)) {
      svg.line({frame.low[0], y_of(tick)}, {frame.high[0], y_of(tick)}, record::colour::kGrid, 1.0);
      svg.text({frame.low[0] - 7.0, y_of(tick) + 4.0}, fmt::format("{:.6g}", tick),
               {.colour = record::colour::kFaintInk, .anchor = "end"});
    }
    if (has_floor) {
      svg.text({frame.low[0] - 7.0, frame.high[1] + 4.0}, "≈ 0",
               {.colour = record::colour::kFaintInk, .anchor = "end"});
    }
    svg.text({frame.low[0] - 56.0, (frame.low[1] + frame.high[1]) / 2.0}, name,
             {.colour = record::colour::kInk, .anchor = "middle", .is_upright = true});
    return;
  }
  // very small or large numbers as multiples of a power of ten, which has room beside the name
  const double most = std::max(std::abs(up.low), std::abs(up.high));
  const int power =
      most < 1e-2 || most >= 1e5 ? 3 * static_cast<int>(std::floor(std::log10(most) / 3.0)) : 0;
  const double unit = std::pow(10.0, power);
  const double height = frame.high[1] - frame.low[1];
  record::draw_up_ticks(
      svg, frame, record::ticks_between(up.low / unit, up.high / unit, height / 34.0),
      [&](double value) { return y_of(value * unit); },
      power == 0 ? std::string(name) : fmt::format("{}, ×1e{}", name, power));
}

record::Polyline Plot::polyline(const Curves& curves, const std::vector<float>& values,
                                double scale) const {
  // far beyond the frame is as good as infinite, and can be written down
  constexpr double kFar_px = 1e5;
  record::Polyline points;
  points.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = static_cast<double>(values[i]);
    if (std::isnan(value)) {
      continue;
    }
    const double time_s = curves.start_s + curves.period_s * static_cast<double>(i);
    points.push_back({x_of(time_s), std::clamp(y_of(value * scale), -kFar_px, kFar_px)});
  }
  return points;
}

}  // namespace longarm::study
