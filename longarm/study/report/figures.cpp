// SPDX-License-Identifier: Apache-2.0
// Writes those figures that there are.
#include "longarm/study/report/figures.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/study/report/report.h"

namespace longarm::study {

namespace fs = std::filesystem;

namespace {

/// A closed form is drawn beside what it is the closed form of, the outcome as a map.
std::vector<std::size_t> drawn_columns(const Report& report) {
  std::vector<std::size_t> drawn;
  for (std::size_t i = 0; i < report.columns.size(); ++i) {
    const std::string& name = report.columns[i].name;
    const bool is_closed_form =
        std::any_of(report.columns.begin(), report.columns.end(),
                    [&](const MetricColumn& each) { return each.expected == name; });
    if (!is_closed_form && name != report.experiment->outcome) {
      drawn.push_back(i);
    }
  }
  return drawn;
}

/// What every file system takes.
std::string file_word(std::string name) {
  for (char& c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '-';
    c = is_plain ? c : '-';
  }
  return name;
}

}  // namespace

std::vector<fs::path> write_figures(const Report& report, const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    throw InputError(
        Diagnostic{{},
                   fmt::format("cannot create folder '{}': {}", folder.string(), problem.message()),
                   "choose another folder for --svg"});
  }
  std::vector<fs::path> files;
  const auto write = [&](const std::string& name, const std::string& drawing) {
    if (!drawing.empty()) {
      replace_file(folder / name, drawing);
      files.push_back(folder / name);
    }
  };
  if (report.experiment) {
    const std::vector<std::string> units = curve_units(report);
    for (std::size_t i = 0; i < units.size(); ++i) {
      write(fmt::format("curves-{}.svg", i + 1), draw_curves(report, units[i]));
    }
    for (const std::size_t column : drawn_columns(report)) {
      write("metric-" + file_word(report.columns[column].name) + ".svg",
            draw_metric(report, column));
    }
    write("outcome.svg", draw_outcome(report));
    return files;
  }
  write("paths.svg", draw_paths(report));
  write("velocity-commands.svg", draw_velocity_commands(report));
  write("cumulated-difference.svg", draw_cumulated_difference(report));
  write("metrics.svg", draw_metric(report));
  write("margin.svg", draw_margins(report));
  return files;
}

}  // namespace longarm::study
