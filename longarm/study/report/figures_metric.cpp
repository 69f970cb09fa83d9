// SPDX-License-Identifier: Apache-2.0
// A metric over one of the study's axes, with confidence intervals and its closed form.
#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/study/report/figures.h"
#include "longarm/study/report/figures_style.h"

namespace longarm::study {
namespace {

using record::SvgDrawing;

using Symbol = SvgDrawing::Symbol;

constexpr double kDotArea = 58.0;  // square pixels
constexpr auto kMostLines = static_cast<std::size_t>(record::style::kMostDrawn);

/// Of those that were chosen, as many as can be told apart.
std::vector<MetricLine> lines_of(const Report& report, std::size_t axis, std::size_t& all) {
  std::vector<MetricLine> lines = metric_lines(report, axis);
  std::vector<Point> points;
  std::erase_if(lines, [&](const MetricLine& line) {
    points.push_back(report.rows[line.rows.front()].point);
    points.back()[axis] = 0;
    const bool is_chosen = matches(report.where, points.back());
    points.resize(points.size() - (is_chosen ? 0 : 1));
    return !is_chosen;
  });
  all = lines.size();
  std::vector<MetricLine> chosen;
  for (const std::size_t i : covering(points, kMostLines)) {
    chosen.push_back(lines[i]);
  }
  return chosen;
}

struct Drawn {
  const Report& report;
  std::size_t axis;
  const MetricScale& metric;
  std::size_t column = metric.column;
  std::vector<record::colour::Colour> colours = value_colours(report);

  /// Of one point of a line.
  record::colour::Colour colour(const MetricLine& line, const SummaryRow& row) const {
    const bool is_reference =
        std::any_of(report.series.begin(), report.series.end(), [&](const ReportSeries& series) {
          return series.is_reference && series.point == row.point;
        });
    return line.colour    ? *line.colour
           : is_reference ? record::colour::kReference
                          : colours[row.point[main_axis(report).value_or(axis)]];
  }

  /// Where it is drawn: words stand side by side.
  double number(const SummaryRow& row) const {
    if (!report.axes[axis].is_numeric()) {
      return static_cast<double>(row.point[axis]);
    }
    return *report.axes[axis].values[row.point[axis]].number * report.axes[axis].shown_in.scale;
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

void draw_dot(SvgDrawing& svg, const Drawn& drawn, const record::Plot& plot, const MetricLine& line,
              const SummaryRow& row) {
  constexpr std::array<Symbol, 4> kSymbols{Symbol::kCircle, Symbol::kSquare, Symbol::kTriangle,
                                           Symbol::kDiamond};
  const SummaryCell& cell = *drawn.cell(row);
  const record::colour::Colour colour = drawn.colour(line, row);
  const double x = plot.x_of(drawn.number(row));
  const double value = cell.mean * drawn.scale();
  if (value > plot.up.high) {
    svg.text({x, plot.frame.low[1] + 13.0}, "△", {.colour = colour, .anchor = "middle"});
    return;
  }
  if (cell.half_width && row.unstable == 0) {
    const double low = plot.y_of((cell.mean - *cell.half_width) * drawn.scale());
    const double high = plot.y_of((cell.mean + *cell.half_width) * drawn.scale());
    svg.line({x, low}, {x, high}, colour, 1.4);
    svg.line({x - 4.0, low}, {x + 4.0, low}, colour, 1.4);
    svg.line({x - 4.0, high}, {x + 4.0, high}, colour, 1.4);
  }
  // a run that became unstable is no point of the line: its figure is of the time until it ended
  svg.symbol(kSymbols[line.index % kSymbols.size()], {x, plot.y_of(std::max(value, plot.up.low))},
             kDotArea, row.unstable > 0 ? record::colour::kPaper : colour, colour);
}

void draw_line(SvgDrawing& svg, const Drawn& drawn, const record::Plot& plot,
               const MetricLine& line) {
  const bool has_words = !plot.words.empty();  // there is nothing between two of them
  std::vector<record::Polyline> runs(1);
  std::vector<record::Polyline> closed_form(1);
  for (const std::size_t r : line.rows) {
    const SummaryRow* row = &drawn.report.rows[r];
    const double x = plot.x_of(drawn.number(*row));
    if (drawn.cell(*row) && row->unstable == 0 && !has_words) {
      runs.back().push_back({x, plot.y_of(drawn.cell(*row)->mean * drawn.scale())});
    } else {
      runs.emplace_back();
    }
    if (const std::optional<double> expected = drawn.expected(*row); expected && has_words) {
      closed_form.push_back({{x - 12.0, plot.y_of(*expected)}, {x + 12.0, plot.y_of(*expected)}});
    } else if (expected) {
      closed_form.back().push_back({x, plot.y_of(*expected)});
    }
  }
  for (auto* each : {&runs, &closed_form}) {
    std::erase_if(*each, [](const record::Polyline& run) { return run.size() < 2; });
  }
  const std::string name = fmt::format("line-{}", line.index);
  svg.path(name, runs, line.colour.value_or(record::colour::kSoft), 1.3);
  svg.path(name + "-closed-form", closed_form, line.colour.value_or(record::colour::kInk), 1.0,
           record::style::kClosedFormDashes);
  for (const std::size_t r : line.rows) {
    if (drawn.cell(drawn.report.rows[r])) {
      draw_dot(svg, drawn, plot, line, drawn.report.rows[r]);
    }
  }
}

/// What there is to see: of stable runs, or of all where there are no others. As metricFrame() of
/// the page has it.
void set_up_range(record::Plot& plot, const Drawn& drawn, const std::vector<MetricLine>& lines) {
  std::optional<record::Range> range;
  const auto include = [&](bool is_stable) {
    for (const MetricLine& line : lines) {
      for (const std::size_t r : line.rows) {
        const SummaryRow* row = &drawn.report.rows[r];
        const std::optional<SummaryCell>& cell = drawn.cell(*row);
        if (!cell || (!plot.is_up_log && (row->unstable == 0) != is_stable)) {
          continue;
        }
        const double half = row->unstable == 0 ? cell->half_width.value_or(0.0) : 0.0;
        for (const double value :
             {(cell->mean - half) * drawn.scale(), (cell->mean + half) * drawn.scale(),
              drawn.expected(*row).value_or(cell->mean * drawn.scale())}) {
          const bool is_seen = !plot.is_up_log || value > drawn.metric.floor;
          plot.has_floor = plot.has_floor || !is_seen;
          if (is_seen) {
            range = range.value_or(record::Range{value, value});
            range->include(value);
          }
        }
      }
    }
  };
  include(true);
  if (!range) {
    include(false);
  }
  plot.up = range.value_or(record::Range{});
  if (plot.is_up_log) {
    // noise stands apart from the least of the others
    plot.up = {plot.up.low * (plot.has_floor ? 0.4 : 0.8), plot.up.high * 1.25};
  } else if (plot.up.low >= 0.0 && plot.up.low < 0.5 * plot.up.high) {
    // from zero where that costs little of the height
    plot.up = {0.0, plot.up.high * (1.0 + record::style::kAir)};
  } else {
    plot.up.widen();
  }
}

void set_across_range(record::Plot& plot, const ReportAxis& axis) {
  if (!axis.is_numeric()) {
    for (const ReportAxis::Value& value : axis.values) {
      plot.words.push_back(value.shown);
    }
    plot.across = {-0.5, static_cast<double>(axis.values.size()) - 0.5};
    return;
  }
  const double first = *axis.values.front().number;
  plot.across = {first, first};
  for (const ReportAxis::Value& value : axis.values) {
    plot.across.include(*value.number);
  }
  plot.across = {plot.across.low * axis.shown_in.scale, plot.across.high * axis.shown_in.scale};
  if (plot.is_across_log) {
    plot.across = {plot.across.low / 1.15, plot.across.high * 1.15};
  } else {
    plot.across.widen(0.04);
  }
}

}  // namespace

std::string draw_metric(const Report& report, const MetricScale& metric) {
  const std::optional<std::size_t> axis = chart_axis(report);
  if (!axis) {
    return "";
  }
  std::size_t all = 0;
  const Drawn drawn{report, *axis, metric};
  const std::vector<MetricLine> lines = lines_of(report, *axis, all);
  std::vector<FigureSeries> entries;
  for (const MetricLine& line : lines) {
    if (line.colour) {
      entries.push_back({nullptr, line.name, *line.colour});
    }
  }
  std::string remark = steps_label(report.axes, report.where);
  if (lines.size() < all) {
    remark += fmt::format("{}{} of {} combinations", remark.empty() ? "" : "; ", lines.size(), all);
  }
  const double top = kHeadingHeight + legend_height(entries, kMargin, kPageWidth - kMargin) + 24.0;
  record::Plot plot{{{kMargin + 70.0, top}, {kPageWidth - kMargin, top + 320.0}}, {}, {}};
  plot.is_up_log = metric.is_log;
  plot.is_across_log = is_across_log(report, *axis);
  set_across_range(plot, report.axes[*axis]);
  set_up_range(plot, drawn, lines);
  SvgDrawing svg =
      begin_page(report, capital(metric.title),
                 metric_caption(metric, report.axes[*axis], plot.has_floor), remark, top + 378.0);
  draw_legend(svg, entries, kMargin, kPageWidth - kMargin, kHeadingHeight);
  plot.draw_axes(svg, report.axes[*axis].title(), metric.title);
  bool is_beyond = false;
  for (const MetricLine& line : lines) {
    draw_line(svg, drawn, plot, line);
    is_beyond = is_beyond || std::any_of(line.rows.begin(), line.rows.end(), [&](std::size_t r) {
                  const auto& cell = drawn.cell(report.rows[r]);
                  return cell && cell->mean * drawn.scale() > plot.up.high;
                });
  }
  if (is_beyond) {
    record::draw_panel_remark(svg, plot.frame, plot.frame.high[0], "△ off the scale",
                              record::colour::kUnstable);
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
