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

constexpr std::string_view kColours[] = {"#b5460f", "#0059b3", "#3d7a2e", "#7b3fa0"};
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
  const auto note = [&](const record::LinkEventMessage& event) {
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
  const auto contents = record::read_mcap(path, [&](const record::McapMessage& message) {
    if (message.channel.topic == "/link/" + direction) {
      if (const Result<record::LinkEventMessage> event = record::decode_link_event(message.data)) {
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

struct Axes {
  PlaneBox frame;
  double end_s = 1.0;
  double low = 0.0;
  double high = 1.0;
  bool is_logarithmic = false;

  double x_of(double time_s) const {
    return frame.low[0] + time_s / end_s * (frame.high[0] - frame.low[0]);
  }
  double y_of(double value) const {
    const double part = is_logarithmic ? std::log(std::max(value, low) / low) / std::log(high / low)
                                       : (value - low) / (high - low);
    return frame.high[1] - part * (frame.high[1] - frame.low[1]);
  }
};

void draw_lines(record::SvgDrawing& svg, const Axes& axes, const std::vector<Delays>& runs,
                const std::string& name, std::vector<PlanePoint> Delays::*points) {
  svg.begin_clip(name, axes.frame);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    Polyline line;
    for (const PlanePoint& point : runs[i].*points) {
      line.push_back({axes.x_of(point[0]), axes.y_of(point[1])});
    }
    svg.path(fmt::format("{}-{}", name, i), record::runs_in(axes.frame, line),
             kColours[i % std::size(kColours)], 1.4);
  }
  svg.end_clip();
  svg.rectangle(axes.frame, "none", record::colour::kFrame);
}

void draw_delays(record::SvgDrawing& svg, Axes axes, const std::vector<Delays>& runs) {
  double least = 1e9;
  double most = 0.0;
  for (const Delays& run : runs) {
    for (const PlanePoint& point : run.delay_s) {
      least = std::min(least, point[1]);
      most = std::max(most, point[1]);
    }
  }
  axes.is_logarithmic = true;
  axes.low = std::pow(10.0, std::floor(std::log10(std::clamp(least, 1e-6, 1e6))));
  axes.high = std::pow(10.0, std::ceil(std::log10(std::max(most, 2.0 * axes.low))));
  record::Ticks decades;
  for (double value = axes.low; value <= axes.high * 1.001; value *= 10.0) {
    decades.values.push_back(value);
  }
  decades.decimals = std::max(0, static_cast<int>(-std::floor(std::log10(axes.low) + 1e-9)));
  record::draw_panel_title(svg, axes.frame, "Message delay by send time");
  record::draw_up_ticks(
      svg, axes.frame, decades, [&](double value) { return axes.y_of(value); }, "delay in s");
  draw_lines(svg, axes, runs, "delay", &Delays::delay_s);
}

void draw_under_way(record::SvgDrawing& svg, Axes axes, const std::vector<Delays>& runs) {
  double most = 1.0;
  for (const Delays& run : runs) {
    for (const PlanePoint& point : run.under_way) {
      most = std::max(most, point[1]);
    }
  }
  axes.high = 1.08 * most;
  record::draw_panel_title(svg, axes.frame, "Messages in flight: sent, neither arrived nor lost");
  record::draw_up_ticks(
      svg, axes.frame, record::ticks_between(0.0, axes.high, 6.0),
      [&](double value) { return axes.y_of(value); }, "messages");
  record::draw_across_ticks(
      svg, axes.frame, record::ticks_between(0.0, axes.end_s, 10.0),
      [&](double value) { return axes.x_of(value); }, "time in s");
  draw_lines(svg, axes, runs, "under-way", &Delays::under_way);
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
  record::SvgDrawing svg(kWidth, 640.0, "Delays of " + options.direction);
  svg.rectangle({{0.0, 0.0}, {kWidth, 640.0}}, record::colour::kPaper);
  double x = kLeft;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string words =
        fmt::format("{}: {} sent, {} lost", runs[i].label, runs[i].sent, runs[i].lost);
    svg.text({x, 24.0}, words,
             {.size_px = 14.0, .colour = kColours[i % std::size(kColours)], .is_bold = true});
    x += 9.0 * static_cast<double>(words.size());
  }
  const Axes above{{{kLeft, 64.0}, {kWidth - kRight, 330.0}}, end_s, 0.0, 1.0, false};
  const Axes below{{{kLeft, 380.0}, {kWidth - kRight, 590.0}}, end_s, 0.0, 1.0, false};
  draw_delays(svg, above, runs);
  draw_under_way(svg, below, runs);
  return std::move(svg).finish();
}

}  // namespace longarm::record
