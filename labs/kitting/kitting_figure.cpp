// SPDX-License-Identifier: Apache-2.0
// Bars on a common axis of time.
#include "labs/kitting/kitting_figure.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "longarm/record/figure_panel.h"

namespace longarm::kitting {
namespace {

constexpr double kChartWidth = 1000.0;
constexpr double kChartLeft = 90.0;
constexpr double kChartRight = 20.0;
constexpr double kChartTop = 60.0;
constexpr double kRow = 44.0;
constexpr double kBar = 28.0;

bool is_tool_change(const kitting::JournalEntry& entry) {
  return entry.what.starts_with("(hang-tool") || entry.what.starts_with("(take-tool");
}

/// "(place fanuc medium_gear_1 …)" is a place.
std::string_view colour_of(const kitting::JournalEntry& entry) {
  if (!entry.is_done) {
    return record::colour::kUnstable;
  }
  if (entry.what.starts_with("(place")) {
    return record::colour::kHues[1];
  }
  if (is_tool_change(entry)) {
    return record::colour::kHues[5];
  }
  return entry.what.starts_with("(bring") ? record::colour::kHues[4] : record::colour::kHues[2];
}

/// The part or tool that an action is about: its second argument.
std::string label_of(const kitting::JournalEntry& entry) {
  std::vector<std::string> words(1);
  for (const char c : entry.what) {
    if (c == ' ') {
      words.emplace_back();
    } else if (c != '(' && c != ')') {
      words.back() += c;
    }
  }
  return words.size() > 2 ? words[2] : words[0];
}

}  // namespace

std::string draw_timeline(const kitting::Journal& journal) {
  std::set<std::string> names;
  double end_s = 1.0;
  for (const kitting::JournalEntry& entry : journal.entries()) {
    names.insert(entry.who);
    end_s = std::max(end_s, to_seconds(entry.end));
  }
  for (const kitting::Setback& setback : journal.setbacks()) {
    end_s = std::max(end_s, to_seconds(setback.noticed));
  }
  const std::vector<std::string> rows(names.begin(), names.end());
  const double bottom = kChartTop + kRow * static_cast<double>(rows.size());
  const record::Plot plot{
      {{kChartLeft, kChartTop}, {kChartWidth - kChartRight, bottom}}, {0.0, end_s}, {}};
  const auto x_of = [&](double time_s) { return plot.x_of(time_s); };
  record::SvgDrawing drawing(kChartWidth, bottom + 50.0, "timeline of actions");
  drawing.text(
      {kChartLeft, 24.0},
      std::string("picks (green), places (blue), belt (olive), ") +
          (std::ranges::any_of(journal.entries(), is_tool_change) ? "tools (purple), " : "") +
          "failed (red); ▼ setbacks",
      {});
  plot.draw_across(drawing, "time [s]");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    drawing.text({kChartLeft - 10.0, kChartTop + kRow * (static_cast<double>(row) + 0.5) + 4.0},
                 rows[row], {.anchor = "end"});
  }
  for (const kitting::JournalEntry& entry : journal.entries()) {
    const auto row = std::ranges::find(rows, entry.who) - rows.begin();
    const double top = kChartTop + kRow * static_cast<double>(row) + (kRow - kBar) / 2.0;
    const double left = x_of(to_seconds(entry.start));
    const double right = std::max(left + 1.0, x_of(to_seconds(entry.end)));
    drawing.rectangle({{left, top}, {right, top + kBar}}, colour_of(entry), record::colour::kPaper);
    const std::string label = label_of(entry);
    if (right - left > 5.0 * static_cast<double>(label.size())) {
      drawing.text({(left + right) / 2.0, top + kBar / 2.0 + 3.0}, label,
                   {.size_px = 9.0, .colour = record::colour::kPaper, .anchor = "middle"});
    }
  }
  for (const kitting::Setback& setback : journal.setbacks()) {
    drawing.text({x_of(to_seconds(setback.noticed)), kChartTop - 6.0}, "▼",
                 {.colour = record::colour::kUnstable, .anchor = "middle"});
  }
  return std::move(drawing).finish();
}

}  // namespace longarm::kitting
