// SPDX-License-Identifier: Apache-2.0
// Takes from a run folder what its report shows.
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include "labs/labs.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/config/text_file.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/version.h"
#include "longarm/record/trace_csv.h"
#include "longarm/study/json_values.h"
#include "longarm/study/report/report_data.h"
#include "longarm/study/report/report_motion.h"

namespace longarm::study {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Json read_metrics(const fs::path& file) {
  Json metrics = Json::parse(config::read_text_file(file), nullptr, false);
  const bool is_known =
      metrics.is_object() && metrics.contains("state_hash") && metrics.contains("format");
  if (!is_known) {
    throw InputError(Diagnostic{
        {file.string()}, "this is not a valid metrics.json of a run", "run the scenario again"});
  }
  if (metrics["format"] != cell::kResultFormat) {
    refuse({file.string()}, "this run was written by another version of Longarm",
           "run the scenario again");
  }
  return metrics;
}

std::optional<Curves> read_arm_curves(const fs::path& file,
                                      const std::vector<std::string>& joints) {
  std::vector<std::string> names{"end_effector.x", "end_effector.y", "end_effector.z"};
  for (const std::string& joint : joints) {
    names.push_back("velocity_command." + joint);
  }
  std::vector<std::string> with_positions = names;
  for (const std::string& joint : joints) {
    with_positions.push_back("position." + joint);
  }
  std::optional<Curves> curves = read_curves(file, with_positions);
  return curves ? std::move(curves) : read_curves(file, names);
}

/// ∫|difference of the velocity commands| dt over all joints, up to where the shorter run ends.
std::vector<float> cumulated_difference(const Curves& curves, const Curves& reference,
                                        const std::vector<std::string>& joints) {
  double sum = 0.0;
  std::vector<float> sums;
  for (std::size_t i = 0; i < curves.samples(); ++i) {
    for (const std::string& joint : joints) {
      const std::vector<float>& commands = *curves.find("velocity_command." + joint);
      const std::vector<float>& others = *reference.find("velocity_command." + joint);
      if (i < others.size()) {
        sum += std::abs(static_cast<double>(commands[i]) - static_cast<double>(others[i])) *
               curves.period_s;
      }
    }
    sums.push_back(static_cast<float>(sum));
  }
  return sums;
}

/// The run it was compared with, if that is still where it was and still the same.
void add_reference(Report& report, ReportSeries& series, const Json& metrics) {
  const fs::path folder = text_in(metrics, "reference");
  if (folder.empty()) {
    return;
  }
  const auto found = metrics.find("cumulated_velocity_command_difference_rad");
  std::optional<Curves> curves = read_arm_curves(folder / "trace.csv", report.joints);
  if (!curves || found == metrics.end() || !found->is_number()) {
    report.about.warnings.push_back(
        fmt::format("its reference run is no longer in {}", folder.string()));
    return;
  }
  std::vector<float> difference = cumulated_difference(series.curves, *curves, report.joints);
  const double recorded = found->get<double>();
  const double last = difference.empty() ? 0.0 : static_cast<double>(difference.back());
  if (std::abs(last - recorded) > 1e-3 * std::max(std::abs(recorded), 1e-3)) {
    report.about.warnings.push_back(
        fmt::format("{} now contains another run than its reference", folder.string()));
    return;
  }
  series.curves.names.emplace_back(kDifferenceCurve);
  series.curves.columns.push_back(std::move(difference));
  series.reference = folder.string();

  ReportSeries reference;
  reference.label = "its reference, " + folder.string();
  reference.is_reference = true;
  reference.identity = folder.string();
  reference.verdict = "undecided";
  std::error_code ignored;
  if (fs::is_regular_file(folder / "metrics.json", ignored)) {
    const Json others = Json::parse(config::read_text_file(folder / "metrics.json"), nullptr,
                                    /*allow_exceptions=*/false);
    reference.verdict = verdict_in(others);
    reference.ended = text_in(others, "ended");
  }
  reference.curves = thinned(std::move(*curves), kMostRunSamples);
  report.series.push_back(std::move(reference));
}

}  // namespace

void add_motion(Report& report, ReportSeries& series, const cell::PreparedScenario& prepared,
                const fs::path& folder, const Json& metrics) {
  // a robot that is not that of the run any more would move otherwise
  if (text_in(metrics, "model_hash") != prepared.model_hash) {
    report.about.warnings.emplace_back(
        "the robot is not shown in motion, because its files have changed since this run");
    return;
  }
  report.motion = usable_motion(motion_document(prepared), joints_in(series.curves));
  if (!report.motion.is_null()) {
    return;
  }
  Json motion = recorded_motion(prepared);
  series.poses = recorded_poses(folder / "trace.mcap", motion);
  if (!series.poses.is_null()) {
    report.motion = std::move(motion);
  }
}

std::optional<Curves> read_curves(const fs::path& file, const std::vector<std::string>& names) {
  auto opened = record::CsvTraceReader::open(file.string());
  if (!opened) {
    return std::nullopt;
  }
  record::CsvTraceReader& reader = *opened.value();
  Curves curves;
  curves.names = names;
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
  return curves;
}

SummaryRow row_of_run(const std::vector<MetricColumn>& columns, const Json& metrics) {
  SummaryRow row;
  row.count = 1;
  row.verdict = verdict_in(metrics);
  row.stable = row.verdict == "stable" ? 1 : 0;
  row.unstable = row.verdict == "unstable" ? 1 : 0;
  row.undecided = row.verdict == "undecided" ? 1 : 0;
  row.unstable_joint = text_in(metrics, "unstable_joint");
  for (const MetricColumn& column : columns) {
    const Json value =
        (column.is_of_machine ? object_in(metrics, "machine") : metrics).value(column.name, Json());
    std::optional<SummaryCell>& cell = row.cells.emplace_back();
    if (value.is_number() || value.is_boolean()) {
      const double number = value.is_number() ? value.get<double>() : value.get<bool>() ? 1.0 : 0.0;
      cell = SummaryCell{1, number, std::nullopt};
    }
  }
  return row;
}

ReportAbout describe_run(const Json& metrics, const fs::path& folder) {
  ReportAbout about;
  about.scenario = text_in(metrics, "scenario");
  about.engine = text_in(metrics, "engine");
  about.cut = text_in(metrics, "cut");
  about.identity = text_in(metrics, "identity");
  about.longarm_version = text_in(object_in(metrics, "machine"), "longarm_version");
  about.command = fmt::format("longarm run {}", (folder / "scenario.yaml").string());
  if (const std::string reference = text_in(metrics, "reference"); !reference.empty()) {
    about.command += " --reference " + reference;
  } else if (metrics.contains("reference_compared_s")) {
    about.command += " --reference DIR (its reference is not recorded)";
  }
  about.runs = 1;
  about.source = "metrics.json";
  about.scenario_yaml = config::read_text_file(folder / "scenario.yaml");
  about.warnings = texts_in(metrics, "warnings");
  return about;
}

Report report_of_run(const fs::path& folder) {
  const Json metrics = read_metrics(folder / "metrics.json");
  // those of an arm by itself stand at the top
  if (!metrics.contains("joints")) {
    return report_of_cell_run(folder, metrics);
  }
  Report report;
  report.kind = "run";
  report.about = describe_run(metrics, folder);
  report.title = report.about.scenario;
  const Json joints = object_in(metrics, "joints");
  for (const auto& [joint, figures] : joints.items()) {
    report.joints.push_back(joint);
  }
  std::optional<cell::PreparedScenario> prepared;
  try {
    prepared =
        cell::load_scenario((folder / "scenario.yaml").string(), {}, labs::built_in_plugins());
    report.plan = actors::plan_geometry(actors::arm_of(*prepared));
    if (!prepared->scenario.title.empty()) {
      report.title = prepared->scenario.title;
    }
  } catch (const InputError& error) {
    report.about.warnings.push_back(
        fmt::format("the planned path is not shown, because the scenario cannot be loaded: {}",
                    error.diagnostics().front().message));
  }
  if (std::optional<Curves> curves = read_arm_curves(folder / "trace.csv", report.joints)) {
    ReportSeries series;
    series.label = "this run";
    series.verdict = verdict_in(metrics);
    series.ended = text_in(metrics, "ended");
    series.link = metrics.contains("link") ? metrics["link"] : Json();
    series.curves = std::move(*curves);
    if (prepared) {
      add_motion(report, series, *prepared, folder, metrics);
    }
    add_reference(report, series, metrics);
    series.curves = thinned(std::move(series.curves), kMostRunSamples);
    report.series.insert(report.series.begin(), std::move(series));
  } else {
    report.about.warnings.emplace_back(
        "no curves: there is no trace.csv; set record.trace and record.csv to write one");
  }
  std::vector<MetricColumn> columns = metric_column_labels();
  for (MetricColumn& column : columns) {
    // it was compared with a run that was named, whatever its link
    const std::string others = "the run without the link";
    if (const std::size_t at = column.label.find(others); at != std::string::npos) {
      column.label.replace(at, others.size(), "the reference run");
    }
  }
  set_rows(report, columns, {row_of_run(columns, metrics)});
  return report;
}

}  // namespace longarm::study
