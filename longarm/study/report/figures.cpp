// SPDX-License-Identifier: Apache-2.0
// Writes those figures that there are.
#include "longarm/study/report/figures.h"

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/study/report/report.h"

namespace longarm::study {

namespace fs = std::filesystem;

namespace {

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

std::string draw_figure(const Report& report, const FigureInfo& figure) {
  if (figure.id == "metric") {
    const std::vector<MetricScale> scales = metric_scales(report);
    return scales.empty() ? "" : draw_metric(report, scales[first_metric(report, scales)]);
  }
  return figure.id == "paths"     ? draw_paths(report, figure)
         : figure.id == "outcome" ? draw_outcome(report, figure)
         : figure.id == "margin"  ? draw_margins(report, figure)
         : figure.id == "links"   ? ""
                                  : draw_over_time(report, figure);
}

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
      files.push_back(folder / (name + ".svg"));
      replace_file(files.back(), drawing);
    }
  };
  for (const FigureInfo& figure : figures_of(report)) {
    if (figure.id == "metric" && report.experiment) {
      for (const MetricScale& scale : metric_scales(report)) {
        if (scale.column != outcome_column(report)) {  // which is a map
          write("metric-" + file_word(report.columns[scale.column].name),
                draw_metric(report, scale));
        }
      }
    } else {
      write(figure.file, draw_figure(report, figure));
    }
  }
  return files;
}

}  // namespace longarm::study
