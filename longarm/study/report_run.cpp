// SPDX-License-Identifier: Apache-2.0
// Takes from a run folder what its report shows.
#include <fstream>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/version.h"
#include "longarm/record/trace_csv.h"
#include "longarm/scenario/load.h"
#include "longarm/scenario/text_file.h"
#include "longarm/study/report_data.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json read_metrics(const fs::path& file) {
  Json metrics = Json::parse(scenario::read_text_file(file), nullptr, false);
  if (!metrics.is_object() || !metrics.contains("joints")) {
    throw InputError(Diagnostic{
        {file.string()}, "this is no undamaged metrics.json of a run", "run the scenario again"});
  }
  return metrics;
}

/// A trace knows its own time; its rows are equally spaced.
std::optional<Curves> read_curves(const fs::path& file, const std::vector<std::string>& joints) {
  auto opened = record::CsvTraceReader::open(file.string());
  if (!opened) {
    return std::nullopt;
  }
  record::CsvTraceReader& reader = *opened.value();
  Curves curves;
  curves.names = {"end_effector.x", "end_effector.y", "end_effector.z"};
  for (const std::string& joint : joints) {
    curves.names.push_back("velocity_command." + joint);
  }
  std::vector<std::size_t> places;
  for (const std::string& name : curves.names) {
    const std::optional<std::size_t> place = reader.find_column(name);
    if (!place) {
      return std::nullopt;
    }
    places.push_back(*place);
  }
  curves.columns.resize(curves.names.size());
  double last_s = 0.0;
  while (const std::vector<double>* row = reader.next()) {
    last_s = row->front();
    curves.start_s = curves.samples() == 0 ? last_s : curves.start_s;
    for (std::size_t i = 0; i < places.size(); ++i) {
      curves.columns[i].push_back(static_cast<float>((*row)[places[i]]));
    }
  }
  if (curves.samples() > 1) {
    curves.period_s = (last_s - curves.start_s) / static_cast<double>(curves.samples() - 1);
  }
  return thinned(std::move(curves), kMostRunSamples);
}

std::string verdict_of(const Json& metrics) {
  const Json stable = metrics.value("stable", Json());
  return !stable.is_boolean() ? "undecided" : stable.get<bool>() ? "stable" : "unstable";
}

SummaryRow row_of(const Json& metrics) {
  SummaryRow row;
  row.count = 1;
  row.verdict = verdict_of(metrics);
  row.stable = row.verdict == "stable" ? 1 : 0;
  row.unstable = row.verdict == "unstable" ? 1 : 0;
  row.undecided = row.verdict == "undecided" ? 1 : 0;
  if (const Json joint = metrics.value("unstable_joint", Json()); joint.is_string()) {
    row.unstable_joint = joint;
  }
  for (const std::string& name : metric_columns()) {
    const Json value = metrics.value(name, Json());
    std::optional<SummaryCell>& cell = row.cells.emplace_back();
    if (value.is_number()) {
      cell = SummaryCell{1, value.get<double>(), std::nullopt};
    }
  }
  return row;
}

void describe(ReportAbout& about, const Json& metrics, const fs::path& folder) {
  about.scenario = metrics.value("scenario", "");
  about.engine = metrics.value("engine", "");
  about.cut = metrics.value("cut", "");
  about.identity = metrics.value("identity", "");
  about.longarm_version = metrics.value("machine", Json::object()).value("longarm_version", "");
  about.command = fmt::format("longarm run {}", (folder / "scenario.yaml").string());
  about.runs = 1;
  about.source = "metrics.json";
  about.scenario_yaml = scenario::read_text_file(folder / "scenario.yaml");
  for (const auto& warning : metrics.value("warnings", Json::array())) {
    about.warnings.push_back(warning.is_string() ? warning.get<std::string>() : warning.dump());
  }
}

}  // namespace

Report report_of_run(const fs::path& folder) {
  const Json metrics = read_metrics(folder / "metrics.json");
  Report report;
  report.kind = "run";
  describe(report.about, metrics, folder);
  report.title = report.about.scenario;
  for (const auto& [joint, figures] : metrics["joints"].items()) {
    report.joints.push_back(joint);
  }
  try {
    const scenario::PreparedScenario prepared = scenario::load_scenario(
        (folder / "scenario.yaml").string(), {}, scenario::built_in_plugins());
    report.plan = scenario::plan_geometry(prepared);
    if (!prepared.scenario.title.empty()) {
      report.title = prepared.scenario.title;
    }
  } catch (const InputError& error) {
    report.about.warnings.push_back(fmt::format(
        "the planned path is not shown, because the scenario cannot be loaded again: {}",
        error.diagnostics().front().message));
  }
  if (std::optional<Curves> curves = read_curves(folder / "trace.csv", report.joints)) {
    ReportSeries series;
    series.label = "this run";
    series.verdict = verdict_of(metrics);
    series.ended = metrics.value("ended", "");
    series.link = metrics.value("link", Json());
    series.curves = std::move(*curves);
    report.series.push_back(std::move(series));
  } else {
    report.about.warnings.emplace_back(
        "there is no trace.csv to draw curves from: record.trace and record.csv make one");
  }
  set_rows(report, {row_of(metrics)});
  return report;
}

}  // namespace longarm::study
