// SPDX-License-Identifier: Apache-2.0
// Takes from the run folder of a cell what its report shows.
#include <fmt/format.h>

#include "labs/labs.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/plugin.h"
#include "longarm/core/diagnostic.h"
#include "longarm/study/json_values.h"
#include "longarm/study/report/report_data.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Words and units of the figures are the kind's, and some depend on its keys.
StudyFigures figures_of_run(Report& report, const fs::path& folder) {
  try {
    return figures_of(
        cell::load_scenario((folder / "scenario.yaml").string(), {}, labs::built_in_plugins()));
  } catch (const InputError& error) {
    report.about.warnings.push_back(
        fmt::format("no figures, because the scenario cannot be loaded: {}",
                    error.diagnostics().front().message));
    StudyFigures none;
    none.kind = "cell";
    return none;
  }
}

std::vector<std::string> curve_names(const StudyFigures& figures) {
  std::vector<std::string> names;
  for (const cell::CurveInfo& curve : figures.curves) {
    names.push_back(curve.name);
  }
  return names;
}

}  // namespace

Report report_of_cell_run(const fs::path& folder, const Json& metrics) {
  Report report;
  report.kind = "run";
  report.about = describe_run(metrics, folder);
  report.experiment = figures_of_run(report, folder);
  const StudyFigures& figures = *report.experiment;
  report.title = figures.title.empty() ? report.about.scenario : figures.title;
  if (!figures.curves.empty()) {
    if (std::optional<Curves> curves = read_curves(folder / "curves.csv", curve_names(figures))) {
      ReportSeries series;
      series.label = "this run";
      series.verdict = verdict_in(metrics);
      series.ended = text_in(metrics, "ended");
      series.curves = thinned(std::move(*curves), kMostRunSamples);
      report.series.push_back(std::move(series));
    } else {
      report.about.warnings.emplace_back("no curves: curves.csv is missing or damaged");
    }
  }
  const std::vector<MetricColumn> columns = shown_columns(figures);
  set_rows(report, columns, {row_of_run(columns, metrics)});
  return report;
}

}  // namespace longarm::study
