// SPDX-License-Identifier: Apache-2.0
// The summary as a person reads it at the end of a sweep.
#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/record/figure_panel.h"
#include "longarm/study/report/summary.h"

namespace longarm::study {
namespace {

/// A heading has two lines of so many letters.
constexpr std::size_t kHeadingLetters = 24;

/// The columns of an arm that fit on a line.
std::vector<MetricColumn> arm_columns() {
  return {
      {"path_deviation_max_m", "from the plan", "max mm", 1e3, 3},
      {"reference_path_deviation_max_m", "from no link", "max mm", 1e3, 3},
      {"cumulated_velocity_command_difference_rad", "commands", "rad", 1.0, 4},
      {"settling_time_s", "settling", "s", 1.0, 3},
  };
}

/// The first ones of an experiment, with what the machine did.
std::vector<MetricColumn> experiment_columns(const StudyFigures& figures) {
  std::vector<MetricColumn> columns;
  for (const MetricColumn& column : figures.columns) {
    // a closed form is for whoever looks closer: the report and the export have it
    const bool is_closed_form =
        std::any_of(figures.columns.begin(), figures.columns.end(),
                    [&](const MetricColumn& other) { return other.expected == column.name; });
    if (columns.size() < figures.headline && !is_closed_form) {
      columns.push_back(column);
      columns.back().label = record::shortened(column.label, kHeadingLetters);
    }
  }
  columns.push_back(real_time_factor_column());
  columns.back().unit = "× †";
  return columns;
}

using TableLine = std::vector<std::string>;

std::string number_text(double value, int digits) {
  // a run that ran away is far beyond what digits after the point could say
  if (!(std::abs(value) < 1e6)) {
    return fmt::format("{:.2e}", value);
  }
  // no minus before what is rounded to nothing
  const bool is_nothing = std::abs(value) < 0.5 * std::pow(10.0, -digits);
  return fmt::format("{:.{}f}", is_nothing ? 0.0 : value, digits);
}

/// A mean over some of the runs is not one over all: it says over how many.
std::string cell_text(const SummaryRow& row, const std::optional<SummaryCell>& cell,
                      const MetricColumn& column, bool is_outcome) {
  if (!cell) {
    return "-";
  }
  std::string text = is_outcome ? outcome_text(cell->mean, cell->count)
                                : number_text(cell->mean * column.scale, column.digits);
  text += row.unstable > 0 ? "*" : "";
  if (cell->count < row.count) {
    text += fmt::format(" ({} of {})", cell->count, row.count);
  } else if (cell->half_width) {
    text += " ± " + number_text(*cell->half_width * column.scale, column.digits);
  }
  return text;
}

std::string aligned(const std::vector<TableLine>& lines, std::size_t left_columns) {
  std::vector<std::size_t> widths(lines.front().size(), 0);
  for (const TableLine& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      widths[i] = std::max(widths[i], character_count(line[i]));
    }
  }
  std::string text;
  for (const TableLine& line : lines) {
    std::string row;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string room(widths[i] - character_count(line[i]), ' ');
      const bool is_left = i < left_columns || i + 1 == line.size();
      row += "  " + (is_left ? line[i] + room : room + line[i]);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  }
  return text;
}

/// What the marks above mean, for the rows that are there.
std::string notes(std::span<const SummaryRow> rows, bool is_experiment) {
  const auto is_same = [](const SummaryRow& row) { return row.is_same_run; };
  std::string text;
  if (std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.unstable > 0; })) {
    text += is_experiment ? "  * diverged: figures cover the time until the run ended\n"
                          : "  * unstable: figures cover the time until the run ended\n";
  }
  if (is_experiment) {
    text += "  † of this machine; parallel runs slow each other down: use --threads 1 to compare\n";
  }
  if (std::all_of(rows.begin(), rows.end(), is_same)) {
    text += "  all seeds gave the same run: the scenario has no randomness\n";
  } else if (std::any_of(rows.begin(), rows.end(), is_same)) {
    text += "  no ± where all seeds gave the same run: the scenario has no randomness there\n";
  }
  return text;
}

}  // namespace

std::string verdict_text(const SummaryRow& row, bool is_experiment) {
  if (is_experiment) {
    return row.unstable == 0           ? "completed"
           : row.unstable == row.count ? "DIVERGED"
                                       : fmt::format("{} of {} DIVERGED", row.unstable, row.count);
  }
  const std::string joint = row.unstable_joint.empty() ? "" : " (" + row.unstable_joint + ")";
  if (row.stable == row.count) {
    return "stable";
  }
  if (row.unstable == row.count) {
    return "UNSTABLE" + joint;
  }
  if (row.undecided == row.count) {
    return "undecided";
  }
  std::string text = fmt::format("{} of {} stable", row.stable, row.count);
  if (row.unstable > 0) {
    text += fmt::format(", {} UNSTABLE{}", row.unstable, joint);
  }
  return text + (row.undecided > 0 ? fmt::format(", {} undecided", row.undecided) : "");
}

std::string format_summary_table(const Summary& summary, std::size_t most_lines) {
  if (summary.rows.empty()) {
    return "  no run is finished yet\n";
  }
  const std::vector<std::string> names = names_of(summary.columns);
  const bool is_experiment = summary.figures.has_value();
  std::vector<TableLine> lines(2);
  for (const ReportAxis& axis : summary.axes) {
    lines[0].push_back(axis.key);
    lines[1].emplace_back();
  }
  const std::vector<MetricColumn> columns =
      is_experiment ? experiment_columns(*summary.figures) : arm_columns();
  std::vector<std::pair<std::size_t, const MetricColumn*>> shown;
  for (const MetricColumn& column : columns) {
    const auto place = static_cast<std::size_t>(std::find(names.begin(), names.end(), column.name) -
                                                names.begin());
    const bool is_there =
        std::any_of(summary.rows.begin(), summary.rows.end(), [&](const SummaryRow& row) {
          return place < row.cells.size() && row.cells[place].has_value();
        });
    if (is_there) {
      shown.emplace_back(place, &column);
      lines[0].emplace_back(column.label);
      lines[1].emplace_back(column.unit);
    }
  }
  lines[0].emplace_back(is_experiment ? "ended" : "verdict");
  lines[1].emplace_back();

  for (const SummaryRow& row : summary.rows) {
    if (lines.size() == most_lines + 2) {
      break;
    }
    TableLine& line = lines.emplace_back();
    for (std::size_t i = 0; i < summary.axes.size(); ++i) {
      line.push_back(summary.axes[i].values.at(row.point.at(i)).text);
    }
    for (const auto& [place, column] : shown) {
      const bool is_outcome = is_experiment && summary.figures->outcome == column->name;
      line.push_back(cell_text(row, row.cells[place], *column, is_outcome));
    }
    line.push_back(verdict_text(row, is_experiment));
  }
  const std::size_t shown_rows = std::min(summary.rows.size(), most_lines);
  std::string text = aligned(lines, summary.axes.size()) +
                     notes(std::span(summary.rows).first(shown_rows), is_experiment);
  if (summary.rows.size() > most_lines) {
    text += fmt::format("  … and {} more: longarm export\n", summary.rows.size() - most_lines);
  }
  return text;
}

}  // namespace longarm::study
