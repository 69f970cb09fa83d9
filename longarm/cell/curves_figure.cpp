// SPDX-License-Identifier: Apache-2.0
// Panels below each other, one per unit, with the curves' names where they do not cover them.
#include "longarm/cell/curves_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "longarm/core/text.h"
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
constexpr double kLetter = 7.0;  // about, across
constexpr double kNameGap = 24.0;
constexpr double kNameLine = 16.0;
// apart for the colour-blind, too
constexpr std::array<std::string_view, 6> kColours{"#0059b3", "#b5460f", "#0d7f98",
                                                   "#7a3e9d", "#5c6b00", "#333333"};

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

double width_of(const std::string& label) {
  return kLetter * static_cast<double>(character_count(label));
}

/// The names of a panel's curves, in lines that fit above it; the last one is next to it.
std::vector<std::vector<std::size_t>> name_lines(const CurveTable& table, const Panel& panel) {
  std::vector<std::vector<std::size_t>> lines(1);
  double used = 0.0;
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const double width = width_of(table.curves[panel.curves[i]].label) + kNameGap;
    if (!lines.back().empty() && used + width > kWidth - kLeft - kRight) {
      lines.emplace_back();
      used = 0.0;
    }
    lines.back().push_back(i);
    used += width;
  }
  return lines;
}

struct Range {
  double low = 0.0;
  double high = 0.0;
};

/// Zero is always in it, and it is never empty.
Range range_of(const CurveTable& table, const Panel& panel) {
  Range range;
  for (const std::size_t c : panel.curves) {
    for (const double value : table.values[c]) {
      const double shown = value * table.curves[c].scale;
      if (std::isfinite(shown)) {
        range = {std::min(range.low, shown), std::max(range.high, shown)};
      }
    }
  }
  if (range.high - range.low <= 0.0) {
    range.high = range.low + 1.0;
  }
  const double margin = 0.06 * (range.high - range.low);
  return {range.low < 0.0 ? range.low - margin : 0.0, range.high + margin};
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
      record::draw_panel_remark(svg, above, right, label, kColours[*i % kColours.size()]);
      right -= width_of(label) + kNameGap;
    }
  }
}

void draw_panel(SvgDrawing& svg, const CurveTable& table, const Panel& panel,
                const PlaneBox& frame) {
  const Range range = range_of(table, panel);
  const double end_s = table.time_s.back() > 0.0 ? table.time_s.back() : 1.0;
  const double width = frame.high[0] - frame.low[0];
  const double height = frame.high[1] - frame.low[1];
  const auto x_of = [&](double time_s) { return frame.low[0] + time_s / end_s * width; };
  const auto y_of = [&](double value) {
    return frame.high[1] - (value - range.low) / (range.high - range.low) * height;
  };
  draw_across_ticks(svg, frame, record::ticks_between(0.0, end_s, width / 90.0), x_of, "time in s");
  draw_up_ticks(svg, frame, record::ticks_between(range.low, range.high, height / 30.0), y_of,
                panel.unit.empty() ? "" : "in " + panel.unit);
  svg.begin_clip(fmt::format("panel-{}", panel.curves.front()), frame);
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    const std::size_t c = panel.curves[i];
    Polyline points;
    for (std::size_t k = 0; k < table.time_s.size(); ++k) {
      points.push_back({x_of(table.time_s[k]), y_of(table.values[c][k] * table.curves[c].scale)});
    }
    svg.path(table.curves[c].name, record::runs_in(frame, points), kColours[i % kColours.size()],
             1.6);
  }
  svg.end_clip();
  svg.rectangle(frame, "none", record::colour::kFrame);
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
  svg.rectangle({{0.0, 0.0}, {kWidth, height}}, record::colour::kPaper);
  svg.text({kLeft, 24.0}, title, {.size_px = 15.0, .is_bold = true});
  for (std::size_t i = 0; i < panels.size(); ++i) {
    draw_panel(svg, table, panels[i],
               {{kLeft, tops[i]}, {kWidth - kRight, tops[i] + kPanelHeight}});
  }
  return std::move(svg).finish();
}

}  // namespace longarm::cell
