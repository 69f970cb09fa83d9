// SPDX-License-Identifier: Apache-2.0
// The map of an experiment's outcome: a sign in each cell beside its colour, so that it reads in
// grey.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "longarm/study/report/figures.h"
#include "longarm/study/report/figures_style.h"

namespace longarm::study {
namespace {

using record::SvgDrawing;

constexpr double kTitleLine = 15.0;
constexpr double kBelow = 48.0;  // for its other numbers
constexpr double kGap = 22.0;    // between two
constexpr double kCellHeight = 34.0;
constexpr std::size_t kMostMaps = 64;

constexpr double kFill = 0.2;  // opacity of a cell

std::string_view sign_colour(const OutcomeSign& sign) {
  return sign.colour == "stable"     ? record::colour::kStable
         : sign.colour == "unstable" ? record::colour::kUnstable
         : sign.colour == "soft"     ? record::colour::kSoft
                                     : record::colour::kUndecided;
}

/// Steps of an axis in the order of their numbers, where they are some.
std::vector<std::size_t> ordered_steps(const ReportAxis& axis) {
  std::vector<std::size_t> steps(axis.values.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i] = i;
  }
  if (axis.is_numeric()) {
    std::stable_sort(steps.begin(), steps.end(), [&](std::size_t a, std::size_t b) {
      return *axis.values[a].number < *axis.values[b].number;
    });
  }
  return steps;
}

/// Everything that the maps of a figure share.
struct Maps {
  const Report& report;
  std::size_t column;
  std::size_t across;
  std::optional<std::size_t> up;
  std::vector<std::size_t> columns;
  std::vector<std::size_t> rows;
  double cell_width = 36.0;
  double left = 34.0;   ///< room for the numbers up
  double title = 11.0;  ///< room above a map
  std::map<Point, const SummaryRow*> at{};
  std::vector<OutcomeSign> signs = outcome_signs(report);

  double cells_width() const { return cell_width * static_cast<double>(columns.size()); }
  double width() const { return left + cells_width() + kGap; }
  double height() const { return title + kCellHeight * static_cast<double>(rows.size()) + kBelow; }
  const OutcomeSign& sign(const SummaryRow* row) const { return signs[outcome_of(report, row)]; }
};

/// The words of a map's title, as many to a line as fit above it.
std::vector<std::string> title_lines(const Maps& maps, const Steps& facet) {
  std::vector<std::string> words;
  for (std::size_t axis = 0; axis < facet.size(); ++axis) {
    if (facet[axis]) {
      words.push_back(value_name(maps.report.axes, axis, *facet[axis]));
    }
  }
  return wrapped(words, ", ", maps.cells_width() + kGap / 2.0);
}

/// What stays the same within a map: all combinations of the axes beyond the two.
std::vector<Steps> facets_of(const Maps& maps) {
  const auto& axes = maps.report.axes;
  const Steps& where = maps.report.where;
  std::vector<Steps> facets{Steps(axes.size())};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axis == maps.across || axis == maps.up || axes[axis].values.size() < 2) {
      continue;
    }
    std::vector<Steps> more;
    for (const Steps& facet : facets) {
      for (std::size_t step = 0; step < axes[axis].values.size(); ++step) {
        const bool is_wanted = axis >= where.size() || !where[axis] || *where[axis] == step;
        if (is_wanted) {
          more.push_back(facet);
          more.back()[axis] = step;
        }
      }
    }
    facets = std::move(more);
  }
  return facets;
}

void draw_cell(SvgDrawing& svg, const Maps& maps, const Point& point, double x, double y) {
  const auto found = maps.at.find(point);
  const SummaryRow* row = found == maps.at.end() ? nullptr : found->second;
  const OutcomeSign& sign = maps.sign(row);
  const record::PlaneBox cell{{x + 1.0, y + 1.0},
                              {x + maps.cell_width - 1.0, y + kCellHeight - 1.0}};
  svg.rectangle(cell, row == nullptr ? "none" : sign_colour(sign), record::colour::kLine,
                sign.name == "diverged" ? 0.0 : kFill);
  std::string mark(sign.mark);
  if (sign.name == "mixed") {
    const SummaryCell& value = *row->cells[maps.column];
    mark = fmt::format("{:.0f}/{}", value.mean * static_cast<double>(value.count), row->count);
  }
  svg.text({x + maps.cell_width / 2.0, y + kCellHeight / 2.0 + 4.5}, mark,
           {.size_px = 13.0, .colour = sign_colour(sign), .anchor = "middle", .is_bold = true});
}

void draw_map(SvgDrawing& svg, const Maps& maps, const Steps& facet, double left, double top) {
  const auto& axes = maps.report.axes;
  const double bottom = top + maps.title + kCellHeight * static_cast<double>(maps.rows.size());
  record::TextStyle tick{
      .size_px = record::style::kTickText_px, .colour = record::colour::kSoft, .anchor = "middle"};
  const record::TextStyle name{.colour = record::colour::kSoft, .anchor = "middle"};
  const std::vector<std::string> title = title_lines(maps, facet);
  for (std::size_t i = 0; i < title.size(); ++i) {
    svg.text({left + maps.left,
              top + maps.title - 8.0 - kTitleLine * static_cast<double>(title.size() - 1 - i)},
             title[i], {.size_px = record::style::kTitleText_px, .is_bold = true});
  }
  for (std::size_t i = 0; i < maps.columns.size(); ++i) {
    const double x = left + maps.left + maps.cell_width * static_cast<double>(i);
    for (std::size_t k = 0; k < maps.rows.size(); ++k) {
      Point point(axes.size());
      for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        point[axis] = facet[axis].value_or(0);
      }
      point[maps.across] = maps.columns[i];
      if (maps.up) {
        point[*maps.up] = maps.rows[k];
      }
      draw_cell(svg, maps, point, x, bottom - kCellHeight * static_cast<double>(k + 1));
    }
    svg.text({x + maps.cell_width / 2.0, bottom + 15.0},
             record::fitting(axes[maps.across].values[maps.columns[i]].shown, maps.cell_width),
             tick);
  }
  svg.text({left + maps.left + maps.cell_width * static_cast<double>(maps.columns.size()) / 2.0,
            bottom + 32.0},
           axes[maps.across].title(), name);
  tick.anchor = "end";
  for (std::size_t k = 0; maps.up && k < maps.rows.size(); ++k) {
    svg.text({left + maps.left - 6.0, bottom - kCellHeight * (static_cast<double>(k) + 0.5) + 4.0},
             record::shortened(axes[*maps.up].values[maps.rows[k]].shown, 24), tick);
  }
  if (maps.up) {
    svg.text({left + 16.0, (top + maps.title + bottom) / 2.0}, axes[*maps.up].title(),
             {.colour = record::colour::kSoft, .anchor = "middle", .is_upright = true});
  }
}

/// Nothing if there is no outcome, or nothing that was varied.
std::optional<Maps> maps_of(const Report& report) {
  const std::vector<std::size_t> open = outcome_axes(report);
  if (open.empty()) {
    return std::nullopt;
  }
  Maps maps{report, *outcome_column(report), open[0], {}, ordered_steps(report.axes[open[0]]), {0},
            36.0};
  if (open.size() > 1) {
    maps.up = open[1];
    maps.rows = ordered_steps(report.axes[open[1]]);
    for (const ReportAxis::Value& value : report.axes[open[1]].values) {
      maps.left =
          std::max(maps.left, 34.0 + record::text_width(record::shortened(value.shown, 24)));
    }
  }
  for (const ReportAxis::Value& value : report.axes[maps.across].values) {
    maps.cell_width = std::max(maps.cell_width, record::text_width(value.shown) + 6.0);
  }
  const double room = (kPageWidth - 48.0 - maps.left) / static_cast<double>(maps.columns.size());
  maps.cell_width = std::max(20.0, std::min({maps.cell_width, 110.0, room}));
  for (const SummaryRow& row : report.rows) {
    maps.at.emplace(row.point, &row);
  }
  return maps;
}

}  // namespace

std::string draw_outcome(const Report& report, const FigureInfo& figure) {
  std::optional<Maps> maps = maps_of(report);
  if (!maps) {
    return "";
  }
  std::vector<Steps> facets = facets_of(*maps);
  const std::size_t all = facets.size();
  facets.resize(std::min(all, kMostMaps));
  for (const Steps& facet : facets) {
    const auto title = static_cast<double>(title_lines(*maps, facet).size());
    maps->title = std::max(maps->title, 11.0 + kTitleLine * title);
  }
  const auto per_line = std::clamp<std::size_t>(
      static_cast<std::size_t>((kPageWidth - 24.0) / maps->width()), 1, facets.size());
  const std::size_t lines = (facets.size() + per_line - 1) / per_line;
  const double top = kHeadingHeight - 8.0;
  SvgDrawing svg = begin_page(
      report, figure.title, figure.caption,
      facets.size() < all ? fmt::format("{} of {} combinations are drawn", facets.size(), all) : "",
      top + static_cast<double>(lines) * maps->height() + 4.0);
  for (std::size_t i = 0; i < facets.size(); ++i) {
    draw_map(svg, *maps, facets[i], 12.0 + static_cast<double>(i % per_line) * maps->width(),
             top + static_cast<double>(i / per_line) * maps->height());
  }
  return std::move(svg).finish();
}

}  // namespace longarm::study
