// SPDX-License-Identifier: Apache-2.0
// A metric over one of the study's axes, with confidence intervals and its closed form.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/study/report/figures.h"
#include "longarm/study/report/figures_style.h"

namespace longarm::study {
namespace {

using record::SvgDrawing;

constexpr std::size_t kMostLines = 8;
constexpr double kLogFrom = 30.0;  // times apart, and an axis is logarithmic
constexpr double kNoise = 1e-6;    // of the largest: not worth a decade

/// Index of the column to draw: to the run without the link, else to the plan.
std::optional<std::size_t> column_of(const Report& report) {
  for (const char* name : {"reference_path_deviation_max_m", "path_deviation_max_m"}) {
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
      if (report.columns[i].name == name) {
        return i;
      }
    }
  }
  return std::nullopt;
}

/// Rows that differ on the main axis only.
struct Line {
  std::string label;
  std::string colour;
  std::vector<const SummaryRow*> rows;
};

struct Lines {
  std::vector<Line> shown;
  std::size_t all = 0;
};
Lines lines_of(const Report& report, std::size_t axis) {
  std::map<Point, std::vector<const SummaryRow*>> rows;
  for (const SummaryRow& row : report.rows) {
    if (matches(report.where, row.point)) {
      Point rest = row.point;
      rest[axis] = 0;
      rows[rest].push_back(&row);
    }
  }
  std::vector<Point> points;
  for (const auto& [rest, members] : rows) {
    points.push_back(rest);
  }
  // an axis with one value, or one that was chosen, tells no line from another
  std::vector<std::size_t> telling;
  for (std::size_t i = 0; i < report.axes.size(); ++i) {
    const bool is_chosen = i < report.where.size() && report.where[i];
    if (i != axis && report.axes[i].values.size() > 1 && !is_chosen) {
      telling.push_back(i);
    }
  }
  Lines lines;
  lines.all = points.size();
  const std::vector<std::size_t> chosen = covering(points, kMostLines);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    std::vector<ReportAxis> axes;
    Point rest;
    for (const std::size_t i : telling) {
      axes.push_back(report.axes[i]);
      rest.push_back(points[chosen[k]][i]);
    }
    const double part =
        chosen.size() < 2 ? 0.0 : static_cast<double>(k) / static_cast<double>(chosen.size() - 1);
    lines.shown.push_back({point_label(axes, rest), ramp_colour(part), rows[points[chosen[k]]]});
  }
  return lines;
}

struct Drawn {
  const Report& report;
  std::size_t axis;
  std::size_t column;

  /// Where it is drawn: words stand side by side.
  double number(const SummaryRow& row) const {
    if (!report.axes[axis].is_numeric()) {
      return static_cast<double>(row.point[axis]);
    }
    return *report.axes[axis].values[row.point[axis]].number *
           (report.axes[axis].unit == "s" ? 1e3 : 1.0);
  }
  const std::optional<SummaryCell>& cell(const SummaryRow& row) const { return row.cells[column]; }
  double scale() const { return report.columns[column].scale; }
  /// What the closed form says, in the metric's unit.
  std::optional<double> expected(const SummaryRow& row) const {
    for (std::size_t i = 0; i < report.columns.size(); ++i) {
      if (report.columns[i].name == report.columns[column].expected && row.cells[i]) {
        return row.cells[i]->mean * scale();
      }
    }
    return std::nullopt;
  }
};

/// Whether numbers are all positive and far apart.
bool spans_decades(const std::vector<double>& numbers) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return numbers.size() > 1 && *low > 0.0 && *high >= kLogFrom * *low;
}

/// What is left of numbers without those that are zero or rounding.
std::vector<double> without_noise(std::vector<double> numbers) {
  double largest = 0.0;
  for (const double each : numbers) {
    largest = std::max(largest, std::abs(each));
  }
  std::erase_if(numbers, [&](double each) { return std::abs(each) <= kNoise * largest; });
  return numbers;
}

/// Metrics of experiments may be of any size; those of arms have axes from zero.
void choose_scales(Plot& plot, const Drawn& drawn) {
  if (!drawn.report.experiment) {
    return;
  }
  std::vector<double> means;
  std::vector<double> places;
  for (const SummaryRow& row : drawn.report.rows) {
    places.push_back(drawn.number(row));
    if (drawn.cell(row)) {
      means.push_back(drawn.cell(row)->mean * drawn.scale());
    }
  }
  const ReportAxis& axis = drawn.report.axes[drawn.axis];
  const std::vector<double> clear = without_noise(means);
  plot.is_up_log = spans_decades(clear);
  plot.has_floor = plot.is_up_log && clear.size() < means.size();
  plot.is_across_log = axis.is_numeric() && spans_decades(places);
  for (std::size_t i = 0; i < axis.values.size() && !axis.is_numeric(); ++i) {
    plot.words.push_back(axis.values[i].text);
  }
}

/// How far apart markers of equal place are drawn, so that none hides another; not where a place is
/// a quantity that someone may read off.
double dodge_px(const Drawn& drawn, const Plot& plot, const std::vector<Line>& lines) {
  if (drawn.report.experiment && plot.words.empty()) {
    return 0.0;
  }
  std::set<double> places;
  for (const Line& line : lines) {
    for (const SummaryRow* row : line.rows) {
      places.insert(plot.x_of(drawn.number(*row)));
    }
  }
  double least = plot.frame.high[0] - plot.frame.low[0];
  for (auto at = places.begin(); at != places.end() && std::next(at) != places.end(); ++at) {
    least = std::min(least, *std::next(at) - *at);
  }
  return lines.size() < 2 ? 0.0 : std::min(7.0, 0.6 * least / static_cast<double>(lines.size()));
}

/// A run that became unstable is no point of the line: its figure is of the time until it ended.
void draw_unstable(SvgDrawing& svg, const Plot& plot, double x, double value,
                   const std::string& colour) {
  if (value > plot.up.high) {
    svg.text({x, plot.frame.low[1] + 13.0}, "△",
             {.size_px = 12.0, .colour = colour, .anchor = "middle"});
    return;
  }
  svg.circle({x, plot.y_of(std::max(value, plot.up.low))}, 4.0, record::colour::kPaper, colour);
}

void draw_line(SvgDrawing& svg, const Drawn& drawn, const Plot& plot, const Line& line,
               double shift_px, const std::string& name) {
  const auto x_of = [&](const SummaryRow& row) { return plot.x_of(drawn.number(row)) + shift_px; };
  const bool has_words = !plot.words.empty();  // there is nothing between two of them
  std::vector<record::Polyline> runs(1);
  for (const SummaryRow* row : line.rows) {
    const std::optional<SummaryCell>& cell = drawn.cell(*row);
    if (cell && row->unstable == 0 && !has_words) {
      runs.back().push_back({x_of(*row), plot.y_of(cell->mean * drawn.scale())});
    } else if (!runs.back().empty()) {
      runs.emplace_back();
    }
  }
  std::erase_if(runs, [](const record::Polyline& run) { return run.size() < 2; });
  svg.path(name, runs, line.colour, 1.6);
  std::vector<record::Polyline> closed_form(1);
  for (const SummaryRow* row : line.rows) {
    const std::optional<double> expected = drawn.expected(*row);
    if (!expected) {
      continue;
    }
    const double y = plot.y_of(*expected);
    if (has_words) {
      closed_form.push_back({{x_of(*row) - 12.0, y}, {x_of(*row) + 12.0, y}});
    } else {
      closed_form.back().push_back({x_of(*row), y});
    }
  }
  std::erase_if(closed_form, [](const record::Polyline& run) { return run.size() < 2; });
  if (!closed_form.empty()) {
    svg.path(name + "-closed-form", closed_form, line.colour, 0.9, "5 3");
  }
  for (const SummaryRow* row : line.rows) {
    const std::optional<SummaryCell>& cell = drawn.cell(*row);
    if (!cell) {
      continue;
    }
    const double x = x_of(*row);
    if (row->unstable > 0) {
      draw_unstable(svg, plot, x, cell->mean * drawn.scale(), line.colour);
      continue;
    }
    const double y = plot.y_of(cell->mean * drawn.scale());
    if (cell->half_width) {
      const double low = plot.y_of((cell->mean - *cell->half_width) * drawn.scale());
      const double high = plot.y_of((cell->mean + *cell->half_width) * drawn.scale());
      svg.line({x, low}, {x, high}, line.colour, 1.2);
      svg.line({x - 4.0, low}, {x + 4.0, low}, line.colour, 1.2);
      svg.line({x - 4.0, high}, {x + 4.0, high}, line.colour, 1.2);
    }
    svg.circle({x, y}, 3.5, line.colour);
  }
}

/// What there is to see; false if there is no row.
bool set_ranges(Plot& plot, const Drawn& drawn, const std::vector<Line>& lines) {
  std::optional<Range> across;
  std::optional<Range> positive;
  double largest = 0.0;
  for (const SummaryRow& row : drawn.report.rows) {
    largest = std::max(largest, drawn.cell(row) ? drawn.cell(row)->mean * drawn.scale() : 0.0);
  }
  const auto include_up = [&](double value) {
    plot.up.include(value);
    if (value > kNoise * largest) {
      positive = positive.value_or(Range{value, value});
      positive->include(value);
    }
  };
  const auto include = [&](bool is_stable) {
    bool is_any = false;
    for (const Line& line : lines) {
      for (const SummaryRow* row : line.rows) {
        const double number = drawn.number(*row);
        across = across.value_or(Range{number, number});
        across->include(number);
        const std::optional<SummaryCell>& cell = drawn.cell(*row);
        if (cell && (row->unstable == 0) == is_stable) {
          is_any = true;
          include_up((cell->mean + cell->half_width.value_or(0.0)) * drawn.scale());
          include_up((cell->mean - cell->half_width.value_or(0.0)) * drawn.scale());
          include_up(drawn.expected(*row).value_or(cell->mean * drawn.scale()));
        }
      }
    }
    return is_any;
  };
  if (!include(true)) {
    include(false);
  }
  if (!across) {
    return false;
  }
  plot.across = *across;
  if (plot.is_across_log) {
    plot.across = {across->low / 1.15, across->high * 1.15};
  } else if (!plot.words.empty()) {
    plot.across = {-0.5, static_cast<double>(plot.words.size()) - 0.5};
  } else {
    plot.across.widen(0.03);
  }
  if (plot.is_up_log && positive) {
    // noise stands apart from the least of the others
    plot.up = {positive->low * (plot.has_floor ? 0.4 : 0.8), positive->high * 1.25};
    return true;
  }
  const bool is_from_zero = plot.up.low >= 0.0;
  plot.up.widen(0.08);
  plot.up.low = is_from_zero ? 0.0 : plot.up.low;
  return true;
}

/// Over what was averaged, and which part of the grid this is.
std::string remark_of(const Report& report, const Lines& lines) {
  std::vector<std::string> parts;
  if (const std::string chosen = steps_label(report.axes, report.where); !chosen.empty()) {
    parts.push_back(chosen);
  }
  if (lines.shown.size() < lines.all) {
    parts.push_back(fmt::format("{} of {} combinations", lines.shown.size(), lines.all));
  }
  if (std::any_of(report.columns.begin(), report.columns.end(),
                  [](const MetricColumn& each) { return !each.expected.empty(); })) {
    parts.emplace_back("dashed: the closed form");
  }
  const bool has_interval =
      std::any_of(report.rows.begin(), report.rows.end(), [](const SummaryRow& row) {
        return std::any_of(row.cells.begin(), row.cells.end(),
                           [](const auto& cell) { return cell && cell->half_width; });
      });
  if (has_interval) {
    parts.push_back(fmt::format("mean of {} seeds with 95 % interval", report.repeats.value_or(1)));
  }
  return join(parts, "; ");
}

}  // namespace

std::string draw_metric(const Report& report) {
  const std::optional<std::size_t> column = column_of(report);
  return column ? draw_metric(report, *column) : "";
}

std::string draw_metric(const Report& report, std::size_t column) {
  const std::optional<std::size_t> axis = varied_axis(report.axes, report.where);
  const bool has_axis = axis && report.axes[*axis].values.size() > 1 &&
                        (report.axes[*axis].is_numeric() || report.experiment);
  if (!has_axis || column >= report.columns.size()) {
    return "";
  }
  const Drawn drawn{report, *axis, column};
  const Lines lines = lines_of(report, *axis);
  std::vector<FigureSeries> entries;
  for (const Line& line : lines.shown) {
    if (!line.label.empty()) {
      entries.push_back({nullptr, line.label, line.colour, 1.6, true});
    }
  }
  const double top = kHeadingHeight + legend_height(entries, 24.0, 936.0) + 24.0;
  Plot plot{{{84.0, top}, {936.0, top + 330.0}}, {}, {0.0, 0.0}};
  choose_scales(plot, drawn);
  if (!set_ranges(plot, drawn, lines.shown)) {
    return "";
  }
  const MetricColumn& metric = report.columns[column];
  const std::string heading = capital(metric.label);
  SvgDrawing svg(960.0, top + 384.0, heading);
  draw_heading(svg, report, heading, remark_of(report, lines));
  draw_legend(svg, entries, 24.0, 936.0, kHeadingHeight);
  const ReportAxis& main = report.axes[*axis];
  plot.draw_axes(
      svg, main.unit == "s" ? main.key + " in ms" : key_in_unit(main.key),
      metric.unit.empty() ? metric.label : fmt::format("{}, {}", metric.label, metric.unit));
  const double dodge = dodge_px(drawn, plot, lines.shown);
  bool has_unstable = false;
  for (std::size_t i = 0; i < lines.shown.size(); ++i) {
    const Line& line = lines.shown[i];
    const double place = static_cast<double>(i) - static_cast<double>(lines.shown.size() - 1) / 2.0;
    draw_line(svg, drawn, plot, line, dodge * place, fmt::format("line-{}", i));
    has_unstable = has_unstable || std::any_of(line.rows.begin(), line.rows.end(),
                                               [](const auto* row) { return row->unstable > 0; });
  }
  svg.rectangle(plot.frame, "none", record::colour::kFrame);
  if (has_unstable) {
    record::draw_panel_remark(svg, plot.frame, plot.frame.high[0],
                              report.experiment
                                  ? "○ diverged: until the run ended; △ off the scale"
                                  : "○ unstable: until the run ended; △ off the scale",
                              record::colour::kWarning);
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
