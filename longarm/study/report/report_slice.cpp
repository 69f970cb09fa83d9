// SPDX-License-Identifier: Apache-2.0
// Chooses slices, and points of all slices.
#include "longarm/study/report/report_slice.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::study {
namespace {

constexpr std::size_t kFocusPoints = 8;

[[noreturn]] void refuse_where(const std::string& text, const std::string& message,
                               const std::string& hint) {
  throw InputError(Diagnostic{{"--where " + text}, message, hint});
}

bool is_delay(const ReportAxis& axis) {
  return axis.is_numeric() && (axis.key.find("delay") != std::string::npos ||
                               axis.key.find("latency") != std::string::npos);
}

std::size_t axis_named(const std::vector<ReportAxis>& axes, const std::string& text,
                       const std::string& key) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].key == key) {
      return i;
    }
    keys.push_back(axes[i].key);
  }
  if (keys.empty()) {
    refuse_where(text, "--where needs an axis, and this study has none", "remove --where");
  }
  refuse_where(text, fmt::format("'{}' is not an axis of this study", key), suggest(key, keys));
}

std::size_t step_named(const ReportAxis& axis, const std::string& text, const std::string& value) {
  std::optional<double> number = axis.unit == "s" ? std::nullopt : parse_number(value);
  if (const Result<Duration> duration = parse_duration(value); axis.unit == "s" && duration) {
    number = to_seconds(*duration);
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    if (axis.values[i].text == value || (number && axis.values[i].number == number)) {
      return i;
    }
    texts.push_back(axis.values[i].text);
  }
  refuse_where(text, fmt::format("no run has {} '{}'", axis.key, value), suggest(value, texts));
}

/// The point without its place on the varied axis.
Point slice_of(Point point, std::optional<std::size_t> varied) {
  if (varied && *varied < point.size()) {
    point[*varied] = 0;
  }
  return point;
}

/// The points of each slice, in the order of the grid.
std::map<Point, std::vector<std::size_t>> slices_of(const std::vector<Point>& points,
                                                    std::optional<std::size_t> varied) {
  std::map<Point, std::vector<std::size_t>> slices;
  for (std::size_t i = 0; i < points.size(); ++i) {
    slices[slice_of(points[i], varied)].push_back(i);
  }
  return slices;
}

std::optional<std::size_t> place_of(const std::vector<MetricColumn>& columns,
                                    const std::string& metric) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const auto& column) { return column.name == metric; });
  return found == columns.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(found - columns.begin()));
}

/// How much of a metric the stable runs of a slice differ by; nothing if none has it.
struct Extent {
  std::optional<double> low;
  std::optional<double> high;

  void include(double value) {
    low = std::min(low.value_or(value), value);
    high = std::max(high.value_or(value), value);
  }
  double size() const { return low ? *high - *low : -1.0; }
};

}  // namespace

bool matches(const Steps& steps, const Point& point) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] && (i >= point.size() || point[i] != *steps[i])) {
      return false;
    }
  }
  return true;
}

Steps parse_where(const std::vector<ReportAxis>& axes, const std::vector<std::string>& texts) {
  Steps steps(axes.size());
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      refuse_where(text, "expected KEY=VALUE", "for example: --where gain=30");
    }
    const std::size_t axis = axis_named(axes, text, text.substr(0, equals));
    if (steps[axis]) {
      refuse_where(text, fmt::format("'{}' is given twice", axes[axis].key), "give one value");
    }
    steps[axis] = step_named(axes[axis], text, text.substr(equals + 1));
  }
  return steps;
}

std::optional<std::size_t> varied_axis(const std::vector<ReportAxis>& axes, const Steps& where) {
  const auto find = [&](auto is_it) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      if ((i >= where.size() || !where[i]) && is_it(axes[i])) {
        return i;
      }
    }
    return std::nullopt;
  };
  if (const auto delay = find(is_delay)) {
    return delay;
  }
  if (const auto numeric = find([](const ReportAxis& axis) { return axis.is_numeric(); })) {
    return numeric;
  }
  if (const auto link = find([](const ReportAxis& axis) { return axis.key.starts_with("link"); })) {
    return link;
  }
  return find([](const ReportAxis&) { return true; });
}

std::optional<std::size_t> compared_axis(const std::vector<ReportAxis>& axes, const Steps& where) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool is_open = i >= where.size() || !where[i];
    const bool has_words = axes[i].values.size() > 1 && !axes[i].is_numeric();
    if (is_open && has_words && axes[i].key != "engine") {
      return i;
    }
  }
  return varied_axis(axes, where);
}

Steps widest_slice(const std::vector<ReportAxis>& axes, const std::vector<MetricColumn>& columns,
                   const std::vector<SummaryRow>& rows, const Steps& where,
                   std::optional<std::size_t> varied) {
  Steps best = where;
  best.resize(axes.size());
  for (const char* metric : {"reference_path_deviation_max_m", "path_deviation_max_m"}) {
    const std::optional<std::size_t> place = place_of(columns, metric);
    std::map<Point, Extent> extents;
    for (const SummaryRow& row : rows) {
      if (!matches(where, row.point)) {
        continue;
      }
      Extent& extent = extents[slice_of(row.point, varied)];
      if (place && row.stable == row.count && row.cells.at(*place)) {
        extent.include(row.cells[*place]->mean);
      }
    }
    const auto widest = std::max_element(
        extents.begin(), extents.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    if (widest == extents.end()) {
      break;
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      best[i] = i == varied ? std::nullopt : std::optional(widest->first.at(i));
    }
    if (widest->second.low) {
      break;  // some run has this metric
    }
  }
  return best;
}

std::size_t combinations(const std::vector<ReportAxis>& axes, std::optional<std::size_t> varied) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    count *= i == varied ? 1 : axes[i].values.size();
  }
  return count;
}

std::string steps_label(const std::vector<ReportAxis>& axes, const Steps& steps) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < axes.size() && i < steps.size(); ++i) {
    if (steps[i] && axes[i].values.size() > 1) {
      const std::string label = point_label({axes[i]}, {*steps[i]});
      // the value alone may not say of what
      const bool has_key = label.starts_with(axes[i].key) || label.starts_with(axes[i].short_key());
      words.push_back(has_key ? label : axes[i].key + " " + label);
    }
  }
  return join(words);
}

std::vector<std::size_t> spread(std::size_t size, std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < std::min(size, most); ++i) {
    chosen.push_back(size <= most ? i : most < 2 ? 0 : i * (size - 1) / (most - 1));
  }
  return chosen;
}

std::vector<std::size_t> covering(const std::vector<Point>& points, std::size_t most) {
  std::set<std::size_t> chosen;
  std::vector<std::map<std::size_t, std::size_t>> uses(points.empty() ? 0 : points[0].size());
  for (const Point& point : points) {
    for (std::size_t i = 0; i < uses.size(); ++i) {
      uses[i].emplace(point[i], 0);
    }
  }
  // the next is always the one whose values were taken least, each for the share it should have
  while (chosen.size() < std::min(points.size(), most)) {
    std::size_t best = points.size();
    std::size_t least = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      std::size_t used = 0;
      for (std::size_t i = 0; i < uses.size(); ++i) {
        used += uses[i].size() > 1 ? uses[i].size() * uses[i].at(points[k][i]) : 0;
      }
      if (!chosen.contains(k) && (best == points.size() || used < least)) {
        best = k;
        least = used;
      }
    }
    chosen.insert(best);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      ++uses[i][points[best][i]];
    }
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<std::size_t> choose_points(const std::vector<Point>& points,
                                       std::optional<std::size_t> varied, const Steps& focus,
                                       std::size_t most) {
  std::map<Point, std::vector<std::size_t>> slices = slices_of(points, varied);
  const auto take = [&](const auto& slice, std::size_t share) {
    const bool is_focus = !focus.empty() && matches(focus, slice.first);
    return std::min(slice.second.size(), is_focus ? std::max(share, kFocusPoints) : share);
  };
  const auto total = [&](std::size_t share) {
    std::size_t sum = 0;
    for (const auto& slice : slices) {
      sum += take(slice, share);
    }
    return sum;
  };
  if (total(2) > most) {
    // the slice in focus first, then some of the others
    std::vector<Point> others;
    for (const auto& [slice, members] : slices) {
      if (focus.empty() || !matches(focus, slice)) {
        others.push_back(slice);
      }
    }
    std::size_t longest = 1;
    for (const auto& [slice, members] : slices) {
      longest = std::max(longest, members.size());
    }
    const std::size_t room =
        (most - std::min(most, kFocusPoints)) / std::min<std::size_t>(longest, 2);
    std::set<Point> kept;
    for (const std::size_t i : covering(others, room)) {
      kept.insert(others[i]);
    }
    std::erase_if(slices, [&](const auto& slice) {
      return !kept.contains(slice.first) && (focus.empty() || !matches(focus, slice.first));
    });
  }
  std::size_t share = 2;
  while (share < points.size() && total(share + 1) <= most) {
    ++share;
  }
  std::vector<std::size_t> chosen;
  for (const auto& slice : slices) {
    for (const std::size_t i : spread(slice.second.size(), take(slice, share))) {
      chosen.push_back(slice.second[i]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace longarm::study
