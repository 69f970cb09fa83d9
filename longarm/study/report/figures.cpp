// SPDX-License-Identifier: Apache-2.0
// Writes those figures that there are.
#include "longarm/study/report/figures.h"

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/study/report/report.h"

namespace longarm::study {

namespace fs = std::filesystem;

std::vector<fs::path> write_figures(const Report& report, const fs::path& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem) {
    throw InputError(
        Diagnostic{{},
                   fmt::format("cannot make folder '{}': {}", folder.string(), problem.message()),
                   "choose another for --svg"});
  }
  std::vector<fs::path> files;
  const auto write = [&](const char* name, const std::string& drawing) {
    if (!drawing.empty()) {
      replace_file(folder / name, drawing);
      files.push_back(folder / name);
    }
  };
  write("paths.svg", draw_paths(report));
  write("velocity-commands.svg", draw_velocity_commands(report));
  write("cumulated-difference.svg", draw_cumulated_difference(report));
  write("metrics.svg", draw_metric(report));
  write("margin.svg", draw_margins(report));
  return files;
}

}  // namespace longarm::study
