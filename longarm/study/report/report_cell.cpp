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
StudyFigures figures_of_run(Report& report, const fs::path& folder,
                            std::optional<cell::PreparedScenario>& prepared) {
  try {
    prepared =
        cell::load_scenario((folder / "scenario.yaml").string(), {}, labs::built_in_plugins());
    return figures_of(*prepared);
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
  std::optional<cell::PreparedScenario> prepared;
  report.experiment = figures_of_run(report, folder, prepared);
  const StudyFigures& figures = *report.experiment;
  report.title = figures.title.empty() ? report.about.scenario : figures.title;
  ReportSeries series;
  series.label = "this run";
  series.verdict = verdict_in(metrics);
  series.ended = text_in(metrics, "ended");
  if (prepared) {
    add_motion(report, series, *prepared, folder, metrics);
  }
  bool is_shown = !series.poses.is_null();
  if (!figures.curves.empty()) {
    if (std::optional<Curves> curves = read_curves(folder / "curves.csv", curve_names(figures))) {
      series.curves = thinned(std::move(*curves), kMostRunSamples);
      is_shown = true;
    } else {
      report.about.warnings.emplace_back("no curves: curves.csv is missing or damaged");
    }
  }
  if (is_shown) {
    report.series.push_back(std::move(series));
  }
  const std::vector<MetricColumn> columns = shown_columns(figures);
  set_rows(report, columns, {row_of_run(columns, metrics)});
  return report;
}

}  // namespace longarm::study
