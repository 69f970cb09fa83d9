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

namespace {

struct PlaceLabel {
  PlanePoint at{};
  std::string words;
};

/// Beside its place, where it covers the least of what is drawn and of other labels.
void draw_label(SvgDrawing& svg, const PlaceLabel& label, Polyline& busy) {
  const double width = 7.5 * static_cast<double>(label.words.size());
  std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
  PlanePoint best{};  // left end of the words
  bool is_after = true;
  for (const double rise : {-7.0, 16.0}) {
    for (const double side : {7.0, -7.0}) {
      const PlanePoint left{label.at[0] + side - (side < 0.0 ? width : 0.0), label.at[1] + rise};
      const auto covered = std::count_if(busy.begin(), busy.end(), [&](const PlanePoint& p) {
        return p[0] > left[0] - 2.0 && p[0] < left[0] + width + 2.0 && p[1] > left[1] - 12.0 &&
               p[1] < left[1] + 3.0;
      });
      if (covered < least) {
        least = covered;
        best = left;
        is_after = side > 0.0;
      }
    }
  }
  for (int i = 0; i <= 6; ++i) {
    busy.push_back({best[0] + width * i / 6.0, best[1] - 3.0});
  }
  svg.circle(label.at, 3.4, colour::kPaper, colour::kPlan);
  svg.text({is_after ? best[0] : best[0] + width, best[1]}, label.words,
           {.size_px = 13.0, .anchor = is_after ? "start" : "end", .is_bold = true});
}

}  // namespace

void draw_waypoints(SvgDrawing& svg, const std::optional<PlanePoint>& start,
                    const std::vector<PlanePoint>& waypoints, Polyline busy) {
  std::vector<PlaceLabel> labels;
  if (start) {
    labels.push_back({*start, "start"});
  }
  for (std::size_t i = 0; i < waypoints.size(); ++i) {
    const PlanePoint& at = waypoints[i];
    const auto same = std::find_if(labels.begin(), labels.end(), [&](const PlaceLabel& each) {
      return std::hypot(each.at[0] - at[0], each.at[1] - at[1]) < 0.1;
    });
    if (same == labels.end()) {
      labels.push_back({at, std::to_string(i + 1)});
    } else {
      same->words += ", " + std::to_string(i + 1);
    }
  }
  for (const PlaceLabel& label : labels) {
    draw_label(svg, label, busy);
  }
}

void draw_scale_bar(SvgDrawing& svg, const PlaneBox& frame, double pixels_per_m) {
  // 1, 2 or 5 times a power of ten, up to 100 pixels
  const double most_m = 100.0 / pixels_per_m;
  const double power = std::pow(10.0, std::floor(std::log10(most_m)));
  const double length_m = power * (most_m >= 5.0 * power ? 5.0 : most_m >= 2.0 * power ? 2.0 : 1.0);
  const double x = frame.low[0] + 12.0;
  const double y = frame.high[1] - 12.0;
  const double end = x + length_m * pixels_per_m;
  const Polyline bar{{x, y - 4.0}, {x, y}, {end, y}, {end, y - 4.0}};
  svg.path("scale-bar", std::span(&bar, 1), colour::kInk, 1.3);
  svg.text({(x + end) / 2.0, y - 7.0}, length_text(length_m), {.anchor = "middle"});
}

std::string length_text(double length_m) {
  return length_m >= 0.9995      ? fmt::format("{:.3g} m", length_m)
         : length_m >= 0.9995e-3 ? fmt::format("{:.3g} mm", length_m * 1e3)
                                 : fmt::format("{:.3g} µm", length_m * 1e6);
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
