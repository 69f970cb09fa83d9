// SPDX-License-Identifier: Apache-2.0
// Draws how often cycles took how long, as one panel that needs nothing beside it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/actors/component_figures.h"
#include "longarm/record/figure_panel.h"

namespace longarm::actors {
namespace {

namespace colour = record::colour;

constexpr double kHistogramWidth = 640.0;
constexpr double kHistogramHeight = 320.0;
constexpr record::PlaneBox kFrame{{60.0, 40.0}, {kHistogramWidth - 20.0, kHistogramHeight - 50.0}};
constexpr int kBins = 60;

std::vector<double> times_ms(const std::vector<components::LoopCycle>& cycles, Time from) {
  std::vector<double> times;
  for (const components::LoopCycle& cycle : cycles) {
    if (cycle.started >= from && !cycle.has_failed) {
      times.push_back(1e3 * to_seconds(cycle.ended - cycle.started));
    }
  }
  return times;
}

}  // namespace

std::string draw_histogram(const std::vector<components::LoopCycle>& cycles, Time from,
                           const std::string& name) {
  const std::vector<double> times = times_ms(cycles, from);
  if (times.empty()) {
    return "";
  }
  const double longest = *std::max_element(times.begin(), times.end());
  const double right = longest > 0.0 ? 1.05 * longest : 1.0;
  std::vector<int> bins(kBins, 0);
  for (const double time : times) {
    const auto bin = static_cast<std::size_t>(time / right * kBins);
    ++bins[std::min<std::size_t>(bin, kBins - 1)];
  }
  const double top = 1.05 * *std::max_element(bins.begin(), bins.end());

  const std::string title = fmt::format("Cycle times of {}", name);
  record::SvgDrawing svg(kHistogramWidth, kHistogramHeight, title);
  record::draw_panel_title(svg, kFrame, title);
  const record::Plot plot{kFrame, {0.0, right}, {0.0, top}};
  plot.draw_axes(svg, "time from first request to last reply [ms]", "cycles");
  for (int i = 0; i < kBins; ++i) {
    const int count = bins[static_cast<std::size_t>(i)];
    if (count > 0) {
      svg.rectangle({{plot.x_of(right * i / kBins) + 0.5, plot.y_of(count)},
                     {plot.x_of(right * (i + 1) / kBins) - 0.5, kFrame.high[1]}},
                    colour::kHues[0]);
    }
  }
  return std::move(svg).finish();
}

}  // namespace longarm::actors
