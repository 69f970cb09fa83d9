// SPDX-License-Identifier: Apache-2.0
// Draws titles, axes and grids.
#include "longarm/record/figure_panel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::record {
namespace {

// the finest detail worth drawing, and what keeps a file small whatever the run did
constexpr double kTolerance_px = 0.1;
constexpr std::size_t kMaxPoints = 1500;
// how near a line must be to one before to go over its trace, from and to; how wide a column of a
// line over time is
constexpr double kRepeat_px = 0.5;
constexpr double kMostRepeat_px = 4.0;
constexpr double kColumn_px = 1.25;

}  // namespace

void draw_panel_title(SvgDrawing& svg, const PlaneBox& frame, std::string_view title) {
  svg.text({frame.low[0], frame.low[1] - 7.0}, title,
           {.size_px = style::kTitleText_px, .is_bold = true});
}

void draw_panel_remark(SvgDrawing& svg, const PlaneBox& frame, double right, std::string_view words,
                       std::string_view colour) {
  svg.text({right, frame.low[1] - 7.0}, words, {.colour = colour, .anchor = "end"});
}

namespace {

constexpr TextStyle kAcrossTick{
    .size_px = style::kTickText_px, .colour = colour::kSoft, .anchor = "middle"};
constexpr TextStyle kUpTick{
    .size_px = style::kTickText_px, .colour = colour::kSoft, .anchor = "end"};

void draw_across_tick(SvgDrawing& svg, const PlaneBox& frame, double x, std::string_view label) {
  svg.line({x, frame.low[1]}, {x, frame.high[1]}, colour::kGrid, 1.0);
  svg.text({x, frame.high[1] + 16.0}, label, kAcrossTick);
}

void draw_across_title(SvgDrawing& svg, const PlaneBox& frame, std::string_view title) {
  svg.text({(frame.low[0] + frame.high[0]) / 2.0, frame.high[1] + 34.0}, title,
           {.colour = colour::kSoft, .anchor = "middle"});
}

/// From 0 to 1 within the range.
double part_of(double value, const Range& range, bool is_log) {
  if (!is_log) {
    return (value - range.low) / range.extent();
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

void draw_across_ticks(SvgDrawing& svg, const PlaneBox& frame, const std::vector<double>& ticks,
                       const std::function<double(double)>& pixel_of, std::string_view title) {
  for (const double value : ticks) {
    draw_across_tick(svg, frame, pixel_of(value), tick_label(value));
  }
  draw_across_title(svg, frame, title);
}

void draw_up_ticks(SvgDrawing& svg, const PlaneBox& frame, const std::vector<double>& ticks,
                   const std::function<double(double)>& pixel_of, std::string_view title) {
  std::size_t longest = 0;
  for (const double value : ticks) {
    const double y = pixel_of(value);
    const std::string label = tick_label(value);
    longest = std::max(longest, character_count(label));
    svg.line({frame.low[0], y}, {frame.high[0], y}, colour::kGrid, 1.0);
    svg.text({frame.low[0] - 6.0, y + 4.0}, label, kUpTick);
  }
  const double away = std::clamp(15.0 + 6.3 * static_cast<double>(longest), 38.0, 56.0);
  svg.text({frame.low[0] - away, (frame.low[1] + frame.high[1]) / 2.0}, title,
           {.colour = colour::kSoft, .anchor = "middle", .is_upright = true});
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

double Plot::x_of(double value) const {
  return frame.low[0] + part_of(value, across, is_across_log) * (frame.high[0] - frame.low[0]);
}

double Plot::y_of(double value) const {
  return frame.high[1] - part_of(value, up, is_up_log) * (frame.high[1] - frame.low[1]);
}

void Plot::draw_axes(SvgDrawing& svg, std::string_view across_title,
                     std::string_view up_title) const {
  draw_across(svg, across_title);
  draw_up(svg, up_title);
  svg.rectangle(frame, "none", colour::kLine);
}

void Plot::draw_across(SvgDrawing& svg, std::string_view title) const {
  const double width = frame.high[0] - frame.low[0];
  if (words.empty()) {
    const std::vector<double> ticks =
        is_across_log
            ? log_ticks(across)
            : ticks_between(across.low, across.high, width / style::kTickAcross_px).values;
    draw_across_ticks(
        svg, frame, ticks, [&](double value) { return x_of(value); }, title);
    return;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    draw_across_tick(svg, frame, x_of(static_cast<double>(i)),
                     fitting(words[i], width / static_cast<double>(words.size())));
  }
  draw_across_title(svg, frame, title);
}

void Plot::draw_up(SvgDrawing& svg, std::string_view title) const {
  // very small or large numbers as multiples of a power of ten, which has room beside the title
  const double most = std::max(std::abs(up.low), std::abs(up.high));
  const bool has_power = !is_up_log && (most < 1e-2 || most >= 1e5);
  const int power = has_power ? 3 * static_cast<int>(std::floor(std::log10(most) / 3.0)) : 0;
  const double unit = std::pow(10.0, power);
  const double count = (frame.high[1] - frame.low[1]) / style::kTickUp_px;
  draw_up_ticks(
      svg, frame,
      is_up_log ? log_ticks(up) : ticks_between(up.low / unit, up.high / unit, count).values,
      [&](double value) { return y_of(value * unit); },
      has_power ? fmt::format("{}, ×1e{}", title, power) : std::string(title));
  if (has_floor) {
    svg.text({frame.low[0] - 6.0, frame.high[1] + 4.0}, "≈ 0", kUpTick);
  }
}

std::vector<double> spread_labels(const std::vector<double>& wanted, double gap, Range room) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> places(wanted.size());
  double least = room.low;
  for (const std::size_t i : order) {
    places[i] = std::max(std::min(wanted[i], room.high), least);
    least = places[i] + gap;
  }
  double most = room.high;
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    places[*i] = std::min(places[*i], most);
    most = places[*i] - gap;
  }
  return places;
}

std::string shortened(const std::string& text, std::size_t most_letters) {
  // by letters, not by bytes
  std::vector<std::string> letters;
  for (const char c : text) {
    if ((c & 0xc0) == 0x80 && !letters.empty()) {
      letters.back() += c;
    } else {
      letters.emplace_back(1, c);
    }
  }
  if (letters.size() <= most_letters) {
    return text;
  }
  const std::size_t tail = most_letters / 2;
  letters.erase(letters.begin() + static_cast<std::ptrdiff_t>(most_letters - tail - 1),
                letters.end() - static_cast<std::ptrdiff_t>(tail));
  letters.insert(letters.end() - static_cast<std::ptrdiff_t>(tail), "…");
  return join(letters, "");
}

double text_width(std::string_view text, double size_px) {
  return style::kLetter_px * size_px / style::kText_px * static_cast<double>(character_count(text));
}

std::string fitting(const std::string& text, double width, double size_px) {
  return shortened(text, static_cast<std::size_t>(width / text_width("x", size_px)));
}

std::vector<Polyline> runs_in(const PlaneBox& frame, const Polyline& points, double longest) {
  const bool is_over_time =
      std::is_sorted(points.begin(), points.end(),
                     [](const PlanePoint& a, const PlanePoint& b) { return a[0] < b[0]; });
  std::vector<Polyline> runs =
      visible_runs(is_over_time ? by_columns(points, kColumn_px) : points, frame, longest);
  for (Polyline& run : runs) {
    run = decimate(run, kTolerance_px);
  }
  const auto total_of = [](const std::vector<Polyline>& all) {
    std::size_t total = 0;
    for (const Polyline& run : all) {
      total += run.size();
    }
    return total;
  };
  for (double cell = kRepeat_px; total_of(runs) > kMaxPoints && cell <= kMostRepeat_px;
       cell *= 2.0) {
    runs = without_repeats(runs, cell);
  }
  // each run gets its share
  if (const std::size_t total = total_of(runs); total > kMaxPoints) {
    for (Polyline& run : runs) {
      run = decimate_to(run, kTolerance_px, kMaxPoints * run.size() / total);
    }
  }
  return runs;
}

}  // namespace longarm::record
