// SPDX-License-Identifier: Apache-2.0
// The communication graph by host: boxes on a grid, two columns of components in each.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "longarm/core/index.h"
#include "longarm/record/figure_panel.h"
#include "longarm/study/place/place_figures.h"

namespace longarm::study {
namespace {

using record::PlanePoint;
using record::SvgDrawing;

constexpr double kHostsTop = 84.0;
constexpr double kComponentRow = 17.0;
constexpr double kBetweenColumns = 90.0;
constexpr double kHostGap = 46.0;
constexpr std::string_view kBetweenHosts = record::colour::kHues[0];
constexpr std::string_view kWithinHost = record::colour::kHues[1];

struct Layout {
  double width = 0.0;
  double height = 0.0;
  std::vector<record::PlaneBox> boxes;  ///< of hosts
  std::vector<PlanePoint> dots;         ///< of components
  std::vector<bool> is_left;            ///< which column they are in
};

Layout lay_out(const PlacementProblem& problem, const Placement& placement) {
  double label = 40.0;
  for (const std::string& name : problem.components) {
    label = std::max(label, record::text_width(name));
  }
  std::vector<int> count(problem.hosts.size(), 0);
  int most = 1;
  for (const int host : placement) {
    most = std::max(most, ++count[index_of(host)]);
  }
  const double rows = std::ceil(most / 2.0);
  const double box_width = 2.0 * (label + 20.0) + kBetweenColumns;
  const double box_height = 34.0 + rows * kComponentRow + 8.0;
  // about as wide as high, hosts in the order of reading
  const std::size_t columns = static_cast<std::size_t>(
      std::max(1.0, std::round(std::sqrt(static_cast<double>(problem.hosts.size()) * box_height /
                                         box_width * 2.5))));
  Layout out;
  for (std::size_t h = 0; h < problem.hosts.size(); ++h) {
    const double x = kHostGap + static_cast<double>(h % columns) * (box_width + kHostGap);
    const double y = kHostsTop + static_cast<double>(h / columns) * (box_height + kHostGap);
    out.boxes.push_back({{x, y}, {x + box_width, y + box_height}});
    out.width = std::max(out.width, x + box_width + kHostGap);
    out.height = std::max(out.height, y + box_height + kHostGap);
  }
  out.width = std::max(out.width, 640.0);
  std::vector<int> used(problem.hosts.size(), 0);
  for (const int host : placement) {
    const record::PlaneBox& box = out.boxes[index_of(host)];
    const int place = used[index_of(host)]++;
    const bool is_left = place % 2 == 0;
    const double middle = (box.low[0] + box.high[0]) / 2.0;
    out.dots.push_back({middle + (is_left ? -0.5 : 0.5) * kBetweenColumns,
                        box.low[1] + 40.0 + (place / 2) * kComponentRow});
    out.is_left.push_back(is_left);
  }
  return out;
}

void draw_edges(SvgDrawing& svg, const Layout& layout, const PlacementProblem& problem,
                const Placement& placement, bool are_between) {
  double most = 1.0;
  for (const PlacementEdge& edge : problem.edges) {
    most = std::max(most, edge.bytes_per_s);
  }
  for (const PlacementEdge& edge : problem.edges) {
    if ((placement[index_of(edge.a)] != placement[index_of(edge.b)]) == are_between) {
      svg.line(layout.dots[index_of(edge.a)], layout.dots[index_of(edge.b)],
               are_between ? kBetweenHosts : kWithinHost,
               0.4 + 3.6 * std::sqrt(edge.bytes_per_s / most));
    }
  }
}

}  // namespace

std::string draw_placement(const PlacementProblem& problem, const Placement& placement,
                           const std::string& title) {
  const Layout layout = lay_out(problem, placement);
  SvgDrawing svg(layout.width, layout.height, title);
  svg.text({24.0, 30.0}, title, {.size_px = 18.0, .colour = record::colour::kInk, .is_bold = true});
  svg.line({24.0, 54.0}, {48.0, 54.0}, kBetweenHosts, 3.0);
  svg.text({55.0, 58.0},
           fmt::format("between hosts, {:.3g} Mbit/s", cut_bytes_per_s(problem, placement) * 8e-6),
           {.colour = record::colour::kInk});
  svg.line({264.0, 54.0}, {288.0, 54.0}, kWithinHost, 3.0);
  svg.text({295.0, 58.0}, "within a host; width proportional to the square root of bytes/s",
           {.colour = record::colour::kInk});
  for (std::size_t h = 0; h < layout.boxes.size(); ++h) {
    svg.rectangle(layout.boxes[h], record::colour::kRaised, record::colour::kLine);
    svg.text({layout.boxes[h].low[0] + 10.0, layout.boxes[h].low[1] + 18.0}, problem.hosts[h],
             {.size_px = 13.0, .colour = record::colour::kInk, .is_bold = true});
  }
  draw_edges(svg, layout, problem, placement, true);
  draw_edges(svg, layout, problem, placement, false);
  for (std::size_t c = 0; c < placement.size(); ++c) {
    const PlanePoint& dot = layout.dots[c];
    svg.circle(dot, 4.0, record::colour::kInk);
    svg.text({dot[0] + (layout.is_left[c] ? -9.0 : 9.0), dot[1] + 4.0}, problem.components[c],
             {.size_px = 11.0,
              .colour = record::colour::kInk,
              .anchor = layout.is_left[c] ? "end" : "start"});
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
