// SPDX-License-Identifier: Apache-2.0
// Reads what became of each packet from the traces, and draws it.
#include "longarm/record/delay_figure.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/record/figure_panel.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace longarm::record {
namespace {

namespace fs = std::filesystem;

constexpr double kWidth = 900.0;
constexpr double kLeft = 80.0;
constexpr double kRight = 24.0;

/// Delays by the time of sending, and how many were under way, both in seconds.
struct Delays {
  std::string label;
  std::vector<PlanePoint> delay_s;
  std::vector<PlanePoint> under_way;
  double end_s = 0.0;
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
};

Delays read_delays(const std::string& folder, const std::string& direction) {
  Delays out;
  out.label = fs::path(folder / fs::path(".")).lexically_normal().parent_path().filename();
  std::map<std::uint64_t, double> first;  // delay of each packet's first copy, by index
  std::map<std::uint64_t, double> sent_s;
  double under_way = 0.0;
  const auto note = [&](const LinkEventMessage& event) {
    const double now_s = to_seconds(event.stamp.time_since_epoch());
    out.end_s = std::max(out.end_s, now_s);
    if (event.event == "sent") {
      ++out.sent;
      sent_s[event.index] = now_s;
      under_way += 1.0;
    } else if (sent_s.contains(event.index) && !first.contains(event.index)) {
      const bool has_arrived = event.event == "arrived";
      first[event.index] = has_arrived ? event.delay_s : -1.0;
      out.lost += has_arrived ? 0 : 1;
      under_way -= 1.0;
    }
    out.under_way.push_back({now_s, under_way});
  };
  const std::string path = fs::path(folder) / "trace.mcap";
  const auto contents = read_mcap(path, [&](const McapMessage& message) {
    if (message.channel.topic == "/link/" + direction) {
      if (const Result<LinkEventMessage> event = decode_link_event(message.data)) {
        note(*event);
      }
    }
  });
  if (!contents) {
    refuse(contents.error().message, "give the folder of a run with record.trace: true");
  }
  if (out.sent == 0) {
    refuse(fmt::format("no messages crossed the link in {}", path), "check its cut");
  }
  for (const auto& [index, delay_s] : first) {
    if (delay_s >= 0.0) {
      out.delay_s.push_back({sent_s[index], delay_s});
    }
  }
  return out;
}

void draw_lines(SvgDrawing& svg, const Plot& plot, const std::vector<Delays>& runs,
                const std::string& name, std::vector<PlanePoint> Delays::*points) {
  svg.begin_clip(name, plot.frame);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Polyline line;
    for (const PlanePoint& point : runs[i].*points) {
      line.push_back({plot.x_of(point[0]), plot.y_of(point[1])});
    }
    svg.path(fmt::format("{}-{}", name, i), runs_in(plot.frame, line),
             colour::kHues[i % std::size(colour::kHues)], style::kSeriesWidth_px);
  }
  svg.end_clip();
}

/// The largest and the smallest second coordinate of all points.
Range extent_of(const std::vector<Delays>& runs, std::vector<PlanePoint> Delays::*points) {
  Range range{HUGE_VAL, -HUGE_VAL};
  for (const Delays& run : runs) {
    for (const PlanePoint& point : run.*points) {
      range.include(point[1]);
    }
  }
  return range;
}

}  // namespace

std::string draw_delay_figure(const DelayFigureOptions& options) {
  if (!options.labels.empty() && options.labels.size() != options.folders.size()) {
    refuse(fmt::format("{} labels for {} runs", options.labels.size(), options.folders.size()),
           "give one per run, or none");
  }
  std::vector<Delays> runs;
  double end_s = 0.0;
  for (std::size_t i = 0; i < options.folders.size(); ++i) {
    runs.push_back(read_delays(options.folders[i], options.direction));
    if (!options.labels.empty()) {
      runs.back().label = options.labels[i];
    }
    end_s = std::max(end_s, runs.back().end_s);
  }
  SvgDrawing svg(kWidth, 640.0, "Delays of " + options.direction);
  double x = kLeft;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string words =
        fmt::format("{}: {} sent, {} lost", runs[i].label, runs[i].sent, runs[i].lost);
    svg.text(
        {x, 24.0}, words,
        {.size_px = 14.0, .colour = colour::kHues[i % std::size(colour::kHues)], .is_bold = true});
    x += 9.0 * static_cast<double>(words.size());
  }
  Plot above{{{kLeft, 64.0}, {kWidth - kRight, 320.0}}, {0.0, end_s}, {}};
  const Range delay = extent_of(runs, &Delays::delay_s);
  above.is_up_log = true;
  above.up.low = std::pow(10.0, std::floor(std::log10(std::clamp(delay.low, 1e-6, 1e6))));
  above.up.high = std::pow(10.0, std::ceil(std::log10(std::max(delay.high, 2.0 * above.up.low))));
  draw_panel_title(svg, above.frame, "Message delay by send time");
  above.draw_axes(svg, "", "delay [s]");
  draw_lines(svg, above, runs, "delay", &Delays::delay_s);

  Plot below{{{kLeft, 380.0}, {kWidth - kRight, 590.0}}, above.across, {}};
  below.up = {0.0, 1.08 * std::max(extent_of(runs, &Delays::under_way).high, 1.0)};
  draw_panel_title(svg, below.frame, "Messages in flight: sent, neither arrived nor lost");
  below.draw_axes(svg, "time [s]", "messages");
  draw_lines(svg, below, runs, "under-way", &Delays::under_way);
  return std::move(svg).finish();
}

}  // namespace longarm::record
