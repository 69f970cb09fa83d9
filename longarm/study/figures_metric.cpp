// SPDX-License-Identifier: Apache-2.0
// A metric over the study's main axis, with confidence intervals.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longarm/study/figures.h"
#include "longarm/study/figures_style.h"

namespace longarm::study {
namespace {

using record::SvgDrawing;

constexpr std::size_t kMostLines = 8;

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

std::vector<Line> lines_of(const Report& report, std::size_t axis) {
  std::map<Point, Line> lines;
  for (const SummaryRow& row : report.rows) {
    Point rest = row.point;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis));
    Line& line = lines[rest];
    line.rows.push_back(&row);
    std::vector<ReportAxis> axes = report.axes;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
    line.label = point_label(axes, rest);
  }
  std::vector<Line> list;
  for (auto& [rest, line] : lines) {
    list.push_back(std::move(line));
  }
  std::vector<Line> shown;
  for (std::size_t i = 0; i < std::min(list.size(), kMostLines); ++i) {
    shown.push_back(list.size() <= kMostLines ? list[i]
                                              : list[i * (list.size() - 1) / (kMostLines - 1)]);
  }
  for (std::size_t i = 0; i < shown.size(); ++i) {
    shown[i].colour = ramp_colour(
        shown.size() < 2 ? 0.0 : static_cast<double>(i) / static_cast<double>(shown.size() - 1));
  }
  return shown;
}

struct Drawn {
  const Report& report;
  std::size_t axis;
  std::size_t column;

  double number(const SummaryRow& row) const {
    return *report.axes[axis].values[row.point[axis]].number *
           (report.axes[axis].unit == "s" ? 1e3 : 1.0);
  }
  const std::optional<SummaryCell>& cell(const SummaryRow& row) const { return row.cells[column]; }
  double scale() const { return report.columns[column].scale; }
};

void draw_line(SvgDrawing& svg, const Drawn& drawn, const Plot& plot, const Line& line,
               const std::string& name) {
  record::Polyline points;
  for (const SummaryRow* row : line.rows) {
    if (const std::optional<SummaryCell>& cell = drawn.cell(*row); cell && row->unstable == 0) {
      points.push_back({plot.x_of(drawn.number(*row)), plot.y_of(cell->mean * drawn.scale())});
    }
  }
  if (points.size() > 1) {
    svg.path(name, std::vector<record::Polyline>{points}, line.colour, 1.6);
  }
  for (const SummaryRow* row : line.rows) {
    const std::optional<SummaryCell>& cell = drawn.cell(*row);
    if (!cell) {
      continue;
    }
    const double x = plot.x_of(drawn.number(*row));
    if (row->unstable > 0) {
      // at the upper edge: whatever the number is, it only says how long the run went on
      svg.text({x, plot.frame.low[1] + 15.0}, "×",
               {.size_px = 17.0, .colour = line.colour, .anchor = "middle", .is_bold = true});
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

}  // namespace

std::string draw_metric(const Report& report) {
  const std::optional<std::size_t> axis = main_axis(report);
  const std::optional<std::size_t> column = column_of(report);
  if (!axis || !column || !report.axes[*axis].is_numeric()) {
    return "";
  }
  const Drawn drawn{report, *axis, *column};
  const std::vector<Line> lines = lines_of(report, *axis);
  std::vector<FigureSeries> entries;
  for (const Line& line : lines) {
    if (report.axes.size() > 1) {
      entries.push_back({nullptr, line.label, line.colour, 1.6, true});
    }
  }
  const double top = kHeadingHeight + legend_height(entries, 24.0, 936.0) + 24.0;
  Plot plot{{{84.0, top}, {936.0, top + 330.0}}, {}, {0.0, 0.0}};
  bool is_first = true;
  bool has_unstable = false;
  for (const Line& line : lines) {
    for (const SummaryRow* row : line.rows) {
      const double number = drawn.number(*row);
      plot.across = is_first ? Range{number, number} : plot.across;
      is_first = false;
      plot.across.include(number);
      has_unstable = has_unstable || row->unstable > 0;
      if (const std::optional<SummaryCell>& cell = drawn.cell(*row); cell && row->unstable == 0) {
        plot.up.include((cell->mean + cell->half_width.value_or(0.0)) * drawn.scale());
        plot.up.include((cell->mean - cell->half_width.value_or(0.0)) * drawn.scale());
      }
    }
  }
  if (is_first) {
    return "";
  }
  plot.across.widen(0.03);
  const bool is_from_zero = plot.up.low >= 0.0;
  plot.up.widen(0.08);
  plot.up.low = is_from_zero ? 0.0 : plot.up.low;

  const MetricColumn& metric = report.columns[*column];
  std::string heading = metric.label;
  heading.front() = heading.front() == 'd' ? 'D' : heading.front() == 'p' ? 'P' : heading.front();
  SvgDrawing svg(960.0, top + 384.0, heading);
  const std::string remark =
      report.repeats ? fmt::format("mean of {} seeds with 95 % interval", *report.repeats) : "";
  draw_heading(svg, report, heading, remark);
  draw_legend(svg, entries, 24.0, 936.0, kHeadingHeight);
  const ReportAxis& main = report.axes[*axis];
  plot.draw_axes(svg, main.key + (main.unit == "s" ? " in ms" : ""),
                 fmt::format("{}, {}", metric.label, metric.unit));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    draw_line(svg, drawn, plot, lines[i], fmt::format("line-{}", i));
  }
  svg.rectangle(plot.frame, "none", record::colour::kFrame);
  if (has_unstable) {
    record::draw_panel_remark(svg, plot.frame, plot.frame.high[0], "× unstable, not to scale",
                              record::colour::kWarning);
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
