// SPDX-License-Identifier: Apache-2.0
// Panels below each other, one per unit, with the curves' names where they do not cover them.
#include "longarm/cell/curves_figure.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "longarm/record/figure_panel.h"

namespace longarm::cell {
namespace {

using record::PlaneBox;
using record::Polyline;
using record::SvgDrawing;

constexpr double kWidth = 900.0;
constexpr double kPanelHeight = 220.0;
constexpr double kGap = 70.0;
constexpr double kLeft = 80.0;
constexpr double kRight = 30.0;
constexpr double kTop = 60.0;
constexpr double kNameGap = 24.0;
constexpr double kNameLine = 16.0;

struct Panel {
  std::string unit;
  std::vector<std::size_t> curves;
};

std::vector<Panel> panels_of(const CurveTable& table) {
  std::vector<Panel> panels;
  for (std::size_t c = 0; c < table.curves.size(); ++c) {
    const std::string& unit = table.curves[c].unit;
    const auto same = std::find_if(panels.begin(), panels.end(),
                                   [&](const Panel& panel) { return panel.unit == unit; });
    Panel& panel = same != panels.end() ? *same : panels.emplace_back(Panel{unit, {}});
    panel.curves.push_back(c);
  }
  return panels;
}

/// The names of a panel's curves, in lines that fit above it; the last one is next to it.
std::vector<std::vector<std::size_t>> name_lines(const CurveTable& table, const Panel& panel) {
  std::vector<std::vector<std::size_t>> lines(1);
  double used = 0.0;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const double width = record::text_width(table.curves[panel.curves[i]].label) + kNameGap;
    if (!lines.back().empty() && used + width > kWidth - kLeft - kRight) {
      lines.emplace_back();
      used = 0.0;
    }
    lines.back().push_back(i);
    used += width;
  }
  return lines;
}

/// Zero is always in it, and it is never empty.
record::Range range_of(const CurveTable& table, const Panel& panel) {
  record::Range range{0.0, 0.0};
  for (const std::size_t c : panel.curves) {
    for (const double value : table.values[c]) {
      if (const double shown = value * table.curves[c].scale; std::isfinite(shown)) {
        range.include(shown);
      }
    }
  }
  const bool is_from_zero = range.low == 0.0;
  range.widen();
  range.low = is_from_zero ? 0.0 : range.low;
  return range;
}

/// Right-aligned, the first curve on the left.
void draw_names(SvgDrawing& svg, const CurveTable& table, const Panel& panel,
                const PlaneBox& frame) {
  const std::vector<std::vector<std::size_t>> lines = name_lines(table, panel);
  for (std::size_t line = 0; line < lines.size(); ++line) {
    PlaneBox above = frame;
    above.low[1] -= kNameLine * static_cast<double>(lines.size() - 1 - line);
    double right = frame.high[0];
    for (auto i = lines[line].rbegin(); i != lines[line].rend(); ++i) {
      const std::string& label = table.curves[panel.curves[*i]].label;
      record::draw_panel_remark(svg, above, right, label,
                                record::colour::kHues[*i % std::size(record::colour::kHues)]);
      right -= record::text_width(label) + kNameGap;
    }
  }
}

void draw_panel(SvgDrawing& svg, const CurveTable& table, const Panel& panel,
                const PlaneBox& frame) {
  const double end_s = table.time_s.back() > 0.0 ? table.time_s.back() : 1.0;
  const record::Plot plot{frame, {0.0, end_s}, range_of(table, panel)};
  plot.draw_axes(svg, "time [s]", panel.unit.empty() ? "" : "[" + panel.unit + "]");
  svg.begin_clip(fmt::format("panel-{}", panel.curves.front()), frame);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const std::size_t c = panel.curves[i];
    Polyline points;
    for (std::size_t k = 0; k < table.time_s.size(); ++k) {
      points.push_back(
          {plot.x_of(table.time_s[k]), plot.y_of(table.values[c][k] * table.curves[c].scale)});
    }
    svg.path(table.curves[c].name, record::runs_in(frame, points),
             record::colour::kHues[i % std::size(record::colour::kHues)],
             record::style::kSeriesWidth_px);
  }
  svg.end_clip();
  draw_names(svg, table, panel, frame);
}

}  // namespace

std::string CurveTable::csv() const {
  std::string text = "time_s";
  for (const CurveInfo& curve : curves) {
    text += "," + curve.name;
  }
  text += "\n";
  for (std::size_t k = 0; k < time_s.size(); ++k) {
    fmt::format_to(std::back_inserter(text), "{}", time_s[k]);
    for (const std::vector<double>& column : values) {
      fmt::format_to(std::back_inserter(text), ",{}", column[k]);
    }
    text += "\n";
  }
  return text;
}

std::string draw_curves(const CurveTable& table, const std::string& title) {
  if (table.curves.empty() || table.time_s.empty()) {
    return "";
  }
  const std::vector<Panel> panels = panels_of(table);
  double height = kTop;
  std::vector<double> tops;
  for (const Panel& panel : panels) {
    tops.push_back(height + kNameLine * static_cast<double>(name_lines(table, panel).size() - 1));
    height = tops.back() + kPanelHeight + kGap;
  }
  SvgDrawing svg(kWidth, height, title);
  svg.text({kLeft, 24.0}, title, {.size_px = 15.0, .is_bold = true});
  for (std::size_t i = 0; i < panels.size(); ++i) {
    draw_panel(svg, table, panels[i],
               {{kLeft, tops[i]}, {kWidth - kRight, tops[i] + kPanelHeight}});
  }
  return std::move(svg).finish();
}

}  // namespace longarm::cell
