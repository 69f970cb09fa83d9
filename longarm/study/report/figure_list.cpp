// SPDX-License-Identifier: Apache-2.0
// Titles, captions and panels; which series a chart of metrics has; signs of outcomes; frames of
// margins.
#include "longarm/study/report/figure_list.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/record/figure_panel.h"
#include "longarm/study/json_values.h"
#include "longarm/study/report/figures_space.h"
#include "longarm/study/report/path_difference.h"
#include "longarm/study/report/report_slice.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kLogFrom = 30.0;  // times apart, and an axis is logarithmic
constexpr double kNoise = 1e-6;    // of the largest: not worth a decade
constexpr std::size_t kLongTitle = 90;

std::string first_seed_words(const Report& report, const char* what) {
  return report.repeats.value_or(1) < 2
             ? ""
             : fmt::format(" {} are those of the first seed of {}.", what, *report.repeats);
}

bool has_several_values(const Report& report) {
  return std::any_of(report.axes.begin(), report.axes.end(),
                     [](const ReportAxis& axis) { return axis.values.size() > 1; });
}

bool has_curve(const Report& report, const std::string& name) {
  return std::any_of(report.series.begin(), report.series.end(), [&](const ReportSeries& series) {
    const std::vector<float>* values = series.curves.find(name);
    return values != nullptr && !values->empty();
  });
}

void add_arm_figures(const Report& report, std::vector<FigureInfo>& figures) {
  const std::string others = report.kind == "run" ? "reference run" : "run without the link";
  const bool is_compared =
      std::any_of(report.columns.begin(), report.columns.end(),
                  [](const auto& each) { return each.name == "reference_path_deviation_max_m"; });
  if (report.plan || has_curve(report, "end_effector.x")) {
    figures.push_back(
        {"paths", "paths", "Paths of the end effector",
         "Where the end effector went, in metres, seen without perspective" +
             std::string(report.plan ? ", with the planned path and its shadow on the floor; "
                                       "numbers are waypoints."
                                     : ".") +
             " The inset magnifies the marked place; its distance is the nearest one between the "
             "paths, whenever the arm was there." +
             (is_compared ? " The metric “distance to the " + others +
                                "” is taken at equal time and is therefore larger."
                          : "") +
             first_seed_words(report, "Curves")});
  }
  FigureInfo velocity{
      "velocity", "velocity-commands", "Velocity commands per joint",
      "Velocity that the position loop commands each joint, over simulated time, in rad/s." +
          std::string(report.plan && report.plan->hold_start_s
                          ? " The dotted line marks the end of the plan and the start of the hold."
                          : "") +
          first_seed_words(report, "Curves")};
  for (const std::string& joint : report.joints) {
    if (has_curve(report, "velocity_command." + joint)) {
      velocity.panels.push_back({joint, "velocity_command." + joint});
    }
  }
  velocity.unit = velocity.up_title = "rad/s";
  velocity.panel_height_px = velocity.panels.size() > 1 ? 132.0 : 260.0;
  if (!velocity.panels.empty()) {
    figures.push_back(std::move(velocity));
  }
  if (has_curve(report, kDifferenceCurve)) {
    figures.push_back({"cumulated",
                       "cumulated-difference",
                       "Cumulated difference of the velocity commands to the reference",
                       "Integral over time of the absolute difference between a run’s velocity "
                       "commands and those of the " +
                           others + ", summed over the joints, in rad." +
                           first_seed_words(report, "Curves"),
                       {{"", kDifferenceCurve}},
                       "rad",
                       "cumulated difference [rad]",
                       330.0});
  }
}

/// One figure for each unit.
void add_curve_figures(const Report& report, std::vector<FigureInfo>& figures) {
  std::vector<FigureInfo> own;
  for (const cell::CurveInfo& curve : report.experiment->curves) {
    auto figure = std::find_if(own.begin(), own.end(),
                               [&](const FigureInfo& each) { return each.unit == curve.unit; });
    if (figure == own.end()) {
      own.push_back({"", "", "", "", {}, curve.unit});
      figure = std::prev(own.end());
    }
    figure->panels.push_back({curve.label, curve.name, curve.scale});
  }
  std::erase_if(own, [&](const FigureInfo& figure) {
    return std::none_of(figure.panels.begin(), figure.panels.end(),
                        [&](const TimePanel& panel) { return has_curve(report, panel.curve); });
  });
  for (std::size_t i = 0; i < own.size(); ++i) {
    FigureInfo& figure = own[i];
    std::vector<std::string> labels;
    for (const TimePanel& panel : figure.panels) {
      labels.push_back(panel.title);
    }
    figure.id = figure.file = fmt::format("curves-{}", i + 1);
    figure.title = capital(join(labels));
    if (figure.title.size() > kLongTitle) {
      figure.title = capital(fmt::format("{} and {} more", labels[0], labels.size() - 1));
    }
    figure.caption =
        fmt::format("Over simulated time{}.{}", figure.unit.empty() ? "" : ", in " + figure.unit,
                    first_seed_words(report, "Curves"));
    figure.up_title = figure.unit;
    figure.panel_height_px = 150.0;
    if (labels.size() == 1) {
      figure.panels[0].title.clear();
      figure.up_title = with_unit(labels[0], figure.unit);
      figure.panel_height_px = 300.0;
    }
    figures.push_back(std::move(figure));
  }
}

void add_outcome(const Report& report, std::vector<FigureInfo>& figures) {
  const std::optional<std::size_t> column = outcome_column(report);
  if (!column || report.rows.size() < 2 || !has_several_values(report)) {
    return;
  }
  const std::vector<OutcomeSign> signs = outcome_signs(report);
  std::vector<std::size_t> counts(signs.size(), 0);
  for (const SummaryRow& row : report.rows) {
    ++counts[outcome_of(report, &row)];
  }
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < signs.size(); ++i) {
    if (counts[i] > 0) {
      kinds.push_back(fmt::format("{} {}", signs[i].mark, signs[i].words));
    }
  }
  const std::string label = capital(report.columns[*column].label);
  figures.push_back(
      {"outcome", "outcome", label + ": a map",
       fmt::format("{}: {}. {} of {} points with yes{}.", label, join(kinds), counts[0],
                   report.rows.size(), report.repeats ? " for every seed" : "")});
}

bool has_link(const Report& report) {
  return std::any_of(report.series.begin(), report.series.end(), [](const ReportSeries& series) {
    return series.link.is_object() &&
           (series.link.contains("states") || series.link.contains("commands"));
  });
}

bool truth_in(const Json& margin, const char* key, bool otherwise) {
  const auto found = margin.find(key);
  return found != margin.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

bool is_at_limit(const Json& margin) {
  const bool is_stable_throughout = number_in(margin, "unstable_s") == std::nullopt;
  return number_in(margin, "critical_s") && truth_in(margin, "is_at_limit", is_stable_throughout);
}

const Json& trials_of(const Json& margin) {
  static const Json kNone = Json::array();
  const auto found = margin.find("tried");
  return found != margin.end() && found->is_array() ? *found : kNone;
}

void add_margin(const Report& report, std::vector<FigureInfo>& figures) {
  bool is_any = false;
  bool has_undecided = false;
  bool has_unfitted = false;
  bool has_limit = false;
  for (const Json& margin : report.margins) {
    has_limit = has_limit || is_at_limit(margin);
    for (const Json& trial : trials_of(margin)) {
      is_any = true;
      has_undecided = has_undecided || text_in(trial, "verdict") == "undecided";
      has_unfitted = has_unfitted || !number_in(trial, "growth_per_s");
    }
  }
  if (!is_any) {
    return;
  }
  figures.push_back(
      {"margin", "margin", "Stability over latency",
       "Fitted exponential growth of the error over latency, in 1/s; bars are 95 % intervals. "
       "● stable, ▲ unstable" +
           std::string(has_undecided ? ", ◇ undecided" : "") +
           (has_unfitted ? "; hollow on an edge: no growth could be fitted (above: it oscillates "
                           "between limits). "
                         : ". ") +
           "The solid line is the largest stable latency found, the band extends to the first "
           "unstable one, the dashed line is the closed form." +
           (has_limit ? " Without a solid line, all searched latencies are stable (≥)." : "")});
}

}  // namespace

std::vector<FigureInfo> figures_of(const Report& report) {
  std::vector<FigureInfo> figures;
  if (!report.experiment) {
    add_arm_figures(report, figures);
  } else {
    add_outcome(report, figures);
    add_curve_figures(report, figures);
  }
  if (const auto axis = chart_axis(report)) {
    figures.push_back({"metric", "metrics",
                       report.experiment ? "Metrics" : "Metrics over " + report.axes[*axis].key});
  }
  if (has_link(report)) {
    figures.push_back({"links", "", "Delays on the link",
                       "Message delays: joint states to the controller and commands to the robot; "
                       "heights are counts, each panel scaled to its own tallest bar." +
                           first_seed_words(report, "They")});
  }
  add_margin(report, figures);
  return figures;
}

const FigureInfo* find_figure(const std::vector<FigureInfo>& figures, const std::string& id) {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const FigureInfo& each) { return each.id == id; });
  return found == figures.end() ? nullptr : &*found;
}

std::vector<record::colour::Colour> value_colours(const Report& report) {
  const std::optional<std::size_t> axis = main_axis(report);
  const std::size_t count = axis ? report.axes[*axis].values.size() : 1;
  const bool is_ramp =
      count > std::size(record::colour::kHues) || (axis && report.axes[*axis].is_numeric());
  std::vector<record::colour::Colour> colours;
  for (std::size_t i = 0; i < count; ++i) {
    colours.push_back(
        is_ramp ? record::colour::on_ramp(static_cast<double>(i) / static_cast<double>(count - 1))
                : record::colour::kHues[i]);
  }
  return colours;
}

// --- a chart of metrics

namespace {

/// Whether numbers are all positive and far apart.
bool spans_decades(const std::vector<double>& numbers) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return numbers.size() > 1 && *low > 0.0 && *high >= kLogFrom * *low;
}

bool has_interval(const SummaryRow& row, std::size_t column) {
  const std::optional<SummaryCell>& cell = row.cells[column];
  return row.unstable == 0 && cell &&
         cell->half_width.value_or(0.0) > 0.5e-9 * std::abs(cell->mean);
}

std::string metric_words(const Report& report, std::size_t column) {
  const MetricColumn& own = report.columns[column];
  bool has_repeats = false;
  bool has_bars = false;
  bool has_wild = false;
  for (const SummaryRow& row : report.rows) {
    if (row.cells[column]) {
      has_repeats = has_repeats || row.count > 1;
      has_bars = has_bars || has_interval(row, column);
      has_wild = has_wild || row.unstable > 0;
    }
  }
  std::string words = ", one run per point.";
  if (has_repeats) {
    words = fmt::format(": means over {} seeds{}.", report.repeats.value_or(1),
                        has_bars ? "; bars are 95 % intervals of the mean" : "");
  }
  if (has_wild) {
    words += report.experiment
                 ? " Hollow markers are points with diverged runs; their values cover the time "
                   "until then."
                 : " Hollow markers are points with unstable runs; their values show how far the "
                   "arm moved, not how accurate it was.";
  }
  if (!own.expected.empty()) {
    words += " Thin dashed lines are the closed form.";
  }
  if (own.is_of_machine) {
    words +=
        " This is the speed of the machine, not a result; parallel runs slow each other down: "
        "measure with --threads 1.";
  }
  return words;
}

}  // namespace

std::optional<std::size_t> chart_axis(const Report& report) {
  const std::optional<std::size_t> axis = varied_axis(report.axes, report.where);
  const bool is_there = axis && report.axes[*axis].values.size() > 1 &&
                        (report.axes[*axis].is_numeric() || report.experiment) &&
                        !report.columns.empty() && report.rows.size() > 1;
  return is_there ? axis : std::nullopt;
}

bool is_across_log(const Report& report, std::size_t axis) {
  std::vector<double> numbers;
  for (const ReportAxis::Value& value : report.axes[axis].values) {
    numbers.push_back(value.number.value_or(0.0));
  }
  // arms are drawn over linear axes
  return report.experiment && report.axes[axis].is_numeric() && spans_decades(numbers);
}

std::vector<MetricLine> metric_lines(const Report& report, std::size_t axis) {
  std::map<Point, MetricLine> lines;
  std::vector<std::size_t> telling;
  for (std::size_t i = 0; i < report.axes.size(); ++i) {
    if (i != axis && report.axes[i].values.size() > 1) {
      telling.push_back(i);
    }
  }
  const std::optional<std::size_t> main = main_axis(report);
  for (std::size_t r = 0; r < report.rows.size(); ++r) {
    const Point& point = report.rows[r].point;
    Point rest = point;
    rest[axis] = 0;
    MetricLine& line = lines[rest];
    line.rows.push_back(r);
    std::vector<std::string> names;
    for (const std::size_t i : telling) {
      names.push_back(value_name(report.axes, i, point[i]));
    }
    line.name = join(names);
    if (telling.size() == 1 && telling[0] == main) {
      line.value = point[*main];
    }
  }
  std::vector<MetricLine> out;
  for (auto& [rest, line] : lines) {
    line.index = out.size();
    if (lines.size() > 1) {
      line.colour = line.value
                        ? value_colours(report)[*line.value]
                        : record::colour::kHues[line.index % std::size(record::colour::kHues)];
    }
    std::stable_sort(line.rows.begin(), line.rows.end(), [&](std::size_t a, std::size_t b) {
      const auto place = [&](std::size_t r) {
        const std::size_t step = report.rows[r].point[axis];
        return report.axes[axis].is_numeric() ? *report.axes[axis].values[step].number
                                              : static_cast<double>(step);
      };
      return place(a) < place(b);
    });
    out.push_back(std::move(line));
  }
  return out;
}

std::vector<MetricScale> metric_scales(const Report& report) {
  std::vector<MetricScale> scales;
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    const MetricColumn& column = report.columns[i];
    if (std::any_of(report.columns.begin(), report.columns.end(),
                    [&](const MetricColumn& each) { return each.expected == column.name; })) {
      continue;
    }
    double largest = 0.0;
    std::vector<double> means;
    for (const SummaryRow& row : report.rows) {
      if (row.cells[i]) {
        means.push_back(row.cells[i]->mean * column.scale);
        largest = std::max(largest, std::abs(means.back()));
      }
    }
    const double floor = kNoise * largest;
    std::erase_if(means, [&](double each) { return std::abs(each) <= floor; });
    // metrics of experiments may be of any size; those of arms have axes from zero
    scales.push_back({i, with_unit(column.label, column.unit),
                      report.experiment && spans_decades(means), floor, metric_words(report, i)});
  }
  return scales;
}

std::size_t first_metric(const Report& report, const std::vector<MetricScale>& scales) {
  const auto place = [&](const auto& is_it) {
    return static_cast<std::size_t>(std::find_if(scales.begin(), scales.end(), is_it) -
                                    scales.begin());
  };
  // to the run without the link, else to the plan
  for (const char* name : {"reference_path_deviation_max_m", "path_deviation_max_m"}) {
    const std::size_t found =
        place([&](const MetricScale& each) { return report.columns[each.column].name == name; });
    if (found < scales.size()) {
      return found;
    }
  }
  // the first that is not the same everywhere; yes and no are seen better on a map
  const std::size_t varying = place([&](const MetricScale& each) {
    const MetricColumn& column = report.columns[each.column];
    std::optional<record::Range> means;
    for (const SummaryRow& row : report.rows) {
      if (const auto& cell = row.cells[each.column]) {
        const double mean = cell->mean * column.scale;
        means = means.value_or(record::Range{mean, mean});
        means->include(mean);
      }
    }
    return !column.is_of_machine && each.column != outcome_column(report) && means &&
           means->extent() > 0.5 * std::pow(10.0, -column.digits);
  });
  const std::size_t other =
      place([&](const MetricScale& each) { return each.column != outcome_column(report); });
  return varying < scales.size() ? varying : other < scales.size() ? other : 0;
}

std::string metric_caption(const MetricScale& scale, const ReportAxis& axis, bool has_floor) {
  return capital(scale.title) + " over " + axis.title() + scale.words +
         (has_floor ? kFloorWords : "");
}

// --- a map of an outcome

std::optional<std::size_t> outcome_column(const Report& report) {
  for (std::size_t i = 0; report.experiment && i < report.columns.size(); ++i) {
    if (report.columns[i].name == report.experiment->outcome) {
      return i;
    }
  }
  return std::nullopt;
}

std::vector<OutcomeSign> outcome_signs(const Report& report) {
  const bool is_good = !report.experiment || report.experiment->outcome_is_good;
  const auto sign = [&](bool is_yes) {
    const bool is_hoped_for = is_yes == is_good;
    return OutcomeSign{is_yes ? "yes" : "no", is_hoped_for ? "●" : "✕", is_yes ? "yes" : "no",
                       is_hoped_for ? "stable" : "unstable"};
  };
  return {sign(true),
          sign(false),
          {"mixed", "◐", "some of the runs", "undecided"},
          {"undecided", "?", "undecided", "undecided"},
          {"diverged", "▲", "the run diverged", "unstable"},
          {"open", "", "not run yet", "soft"}};
}

std::size_t outcome_of(const Report& report, const SummaryRow* row) {
  constexpr std::size_t kMixed = 2;
  if (row == nullptr) {
    return 5;
  }
  if (row->unstable == row->count) {
    return 4;
  }
  const std::optional<SummaryCell>& cell = row->cells[*outcome_column(report)];
  if (!cell) {
    return 3;
  }
  const bool is_whole = cell->count == row->count && (cell->mean == 0.0 || cell->mean == 1.0);
  return is_whole ? (cell->mean == 1.0 ? 0 : 1) : kMixed;
}

std::vector<std::size_t> outcome_axes(const Report& report) {
  std::vector<std::size_t> several;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < report.axes.size(); ++i) {
    const bool is_chosen = i < report.where.size() && report.where[i];
    if (report.axes[i].values.size() > 1 && !is_chosen) {
      several.push_back(i);
      if (report.axes[i].is_numeric()) {
        numbers.push_back(i);
      }
    }
  }
  return numbers.size() > 1 ? numbers : several;
}

// --- stability over latency

namespace {

/// "velocity, both ways", with what else tells the searches of this report apart.
std::string margin_name(const Report& report, const Json& margin) {
  const auto differs = [&](const char* key) {
    return number_in(margin, key) &&
           std::any_of(report.margins.begin(), report.margins.end(), [&](const Json& each) {
             return number_in(each, key) != number_in(margin, key);
           });
  };
  const std::string direction = text_in(margin, "direction");
  std::string name =
      text_in(margin, "cut") + ", " + (direction == "both" ? "both ways" : direction);
  if (differs("gain")) {
    name += ", gain " + short_number(*number_in(margin, "gain"));
  }
  for (const char* part : {"control", "physics"}) {
    if (const std::string key = fmt::format("{}_period_s", part); differs(key.c_str())) {
      name += fmt::format(", {} {}", part, duration_text(*number_in(margin, key)));
    }
  }
  return name;
}

MarginFrame frame_of(const Json& margin, double end_s) {
  MarginFrame frame;
  frame.end_s = end_s;
  frame.unit = unit_of_durations(end_s);
  double least = HUGE_VAL;
  double largest = 0.0;
  for (const Json& trial : trials_of(margin)) {
    const std::optional<double> growth = number_in(trial, "growth_per_s");
    if (!growth || number_in(trial, "latency_s").value_or(0.0) > end_s) {
      continue;
    }
    frame.low = std::min(frame.low, *growth);
    frame.high = std::max(frame.high, *growth);
    if (*growth != 0.0) {
      least = std::min(least, std::abs(*growth));
      largest = std::max(largest, std::abs(*growth));
    }
  }
  least = largest > 0.0 ? least : 1.0;
  largest = largest > 0.0 ? largest : 1.0;
  // nothing below a hundred-thousandth of the largest is worth a decade
  const auto decade = [](double size) {
    return static_cast<int>(std::floor(std::log10(size) + 1e-9));
  };
  const int lowest = decade(std::max(least, 1e-5 * largest));
  const int highest = decade(largest);
  frame.constant = std::pow(10.0, lowest);
  frame.low = std::min(frame.low, -frame.constant);
  frame.high = std::max(frame.high, frame.constant);
  frame.ticks = {0.0};
  const int stride = std::max(1, (highest - lowest) / 3 + 1);
  for (int power = highest; power >= lowest; power -= stride) {
    frame.ticks.insert(frame.ticks.end(), {std::pow(10.0, power), -std::pow(10.0, power)});
  }
  std::sort(frame.ticks.begin(), frame.ticks.end());
  return frame;
}

}  // namespace

MarginPanel margin_panel(const Report& report, const Json& margin) {
  const std::optional<double> critical = number_in(margin, "critical_s");
  const std::optional<double> closed = number_in(margin, "closed_form_s");
  const std::string direction = text_in(margin, "direction");
  MarginPanel panel;
  panel.title = margin_name(report, margin);
  panel.is_at_limit = is_at_limit(margin);
  panel.across_title = direction == "both" ? "latency each way" : "latency of " + direction;
  panel.found = !critical ? "no stable latency found"
                          : fmt::format("simulated {}{}", panel.is_at_limit ? "≥ " : "",
                                        duration_text(*critical));
  const bool has_limit = truth_in(margin, "closed_form_has_limit", true);
  panel.closed_form = closed      ? "closed form " + duration_text(*closed)
                      : has_limit ? "no closed form"
                                  : "closed form: no limit";
  // about twice the border, at most what was tried
  double most = 1e-6;
  for (const Json& trial : trials_of(margin)) {
    most = std::max(most, number_in(trial, "latency_s").value_or(0.0));
  }
  const double border =
      std::max({critical.value_or(0.0), number_in(margin, "unstable_s").value_or(0.0),
                closed.value_or(0.0)});
  panel.near = frame_of(margin, border > 0.0 ? std::min(1.05 * most, 2.2 * border) : 1.05 * most);
  panel.all = frame_of(margin, 1.05 * std::max(most, closed.value_or(0.0)));
  return panel;
}

// --- for the page

namespace {

Json frame_json(const MarginFrame& frame) {
  return {{"end_s", frame.end_s},       {"unit", frame.unit.name}, {"scale", frame.unit.scale},
          {"constant", frame.constant}, {"low", frame.low},        {"high", frame.high},
          {"ticks", frame.ticks}};
}

void add_paths(Json& out, const Report& report) {
  std::optional<PathDifference> largest;
  out["differences"] = Json::array();
  for (const ReportSeries& series : report.series) {
    const std::optional<PathDifference> found = largest_difference(report, series);
    Json& difference = out["differences"].emplace_back(nullptr);
    if (!found) {
      continue;
    }
    difference = {
        {"distance_m", found->distance_m},
        {"is_seen", found->is_seen()},
        {"centre_m", found->centre},
        {"words", found->words()},
        {"base", found->base == nullptr ? Json() : Json(found->base - &report.series[0])}};
    const bool is_larger = !largest || found->distance_m > largest->distance_m;
    if (found->is_seen() && series.verdict != "unstable" && is_larger) {
      largest = found;
    }
  }
  const SpaceView view = view_across(largest ? std::optional(largest->way) : std::nullopt);
  out["view"] = {{"azimuth", view.azimuth_rad}, {"elevation", view.elevation_rad}};
}

void add_metric(Json& out, const Report& report) {
  const std::vector<MetricScale> scales = metric_scales(report);
  out["first"] = first_metric(report, scales);
  out["axis"] = *chart_axis(report);
  out["floor_words"] = kFloorWords;
  out["metrics"] = Json::array();
  for (const MetricScale& scale : scales) {
    out["metrics"].push_back({{"column", scale.column},
                              {"title", scale.title},
                              {"is_log", scale.is_log},
                              {"floor", scale.floor},
                              {"words", scale.words}});
  }
  out["over"] = Json::array();
  for (std::size_t axis = 0; axis < report.axes.size(); ++axis) {
    const bool is_offered = report.experiment && report.axes[axis].values.size() > 1;
    if (!is_offered && axis != chart_axis(report)) {
      continue;
    }
    Json lines = Json::array();
    for (const MetricLine& line : metric_lines(report, axis)) {
      lines.push_back({{"name", line.name}, {"value", or_null(line.value)}, {"rows", line.rows}});
    }
    out["over"].push_back(
        {{"axis", axis}, {"is_log", is_across_log(report, axis)}, {"lines", std::move(lines)}});
  }
}

void add_outcome_json(Json& out, const Report& report) {
  const std::vector<std::size_t> axes = outcome_axes(report);
  out["column"] = *outcome_column(report);
  out["across"] = axes.empty() ? 0 : axes[0];
  out["up"] = axes.size() > 1 ? Json(axes[1]) : Json(nullptr);
  out["signs"] = Json::array();
  for (const OutcomeSign& sign : outcome_signs(report)) {
    out["signs"].push_back(
        {{"name", sign.name}, {"mark", sign.mark}, {"words", sign.words}, {"colour", sign.colour}});
  }
  out["of_rows"] = Json::array();
  for (const SummaryRow& row : report.rows) {
    out["of_rows"].push_back(outcome_of(report, &row));
  }
}

void add_margins(Json& out, const Report& report) {
  out["margins"] = Json::array();
  for (const Json& margin : report.margins) {
    const MarginPanel panel = margin_panel(report, margin);
    out["margins"].push_back({{"title", panel.title},
                              {"across_title", panel.across_title},
                              {"found", panel.found},
                              {"closed_form", panel.closed_form},
                              {"is_at_limit", panel.is_at_limit},
                              {"near", frame_json(panel.near)},
                              {"all", frame_json(panel.all)}});
  }
}

}  // namespace

Json figures_json(const Report& report) {
  Json all = Json::object();
  for (const FigureInfo& figure : figures_of(report)) {
    Json& out = all[figure.id];
    out = {{"file", figure.file.empty() ? figure.id : figure.file},
           {"title", figure.title},
           {"caption", figure.caption}};
    if (!figure.panels.empty()) {
      out["unit"] = figure.unit;
      out["up_title"] = figure.up_title;
      out["panel_height"] = figure.panel_height_px;
      out["panels"] = Json::array();
      for (const TimePanel& panel : figure.panels) {
        out["panels"].push_back({{"title", panel.title}, {"curve", panel.curve}});
      }
    }
    if (figure.id == "paths") {
      add_paths(out, report);
    } else if (figure.id == "metric") {
      add_metric(out, report);
    } else if (figure.id == "outcome") {
      add_outcome_json(out, report);
    } else if (figure.id == "margin") {
      add_margins(out, report);
    }
  }
  return all;
}

}  // namespace longarm::study
