// SPDX-License-Identifier: Apache-2.0
// Takes from a study's database what its report shows.
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "labs/labs.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/config/ready.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/study/json_values.h"
#include "longarm/study/report/report_data.h"
#include "longarm/study/report/report_motion.h"
#include "longarm/study/report/report_plan.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostWarnings = 20;

/// Metrics of a run; where they cannot be read nothing, and the report says so.
Json metrics_of(const Store& store, const std::string& identity, Report& report) {
  try {
    Json metrics = store.metrics(identity).value_or(Json::object());
    if (metrics.is_object()) {
      return metrics;
    }
  } catch (const InputError&) {
  } catch (const Json::exception&) {
  }
  report.about.warnings.push_back(
      fmt::format("run {}: its metrics in {} are damaged", identity, report.about.source));
  return Json::object();
}

/// "velocity", or all values where the study varies it.
std::string value_or_axis(const Summary& summary, const std::string& key, const Json& metrics) {
  for (const ReportAxis& axis : summary.axes) {
    if (axis.key == key) {
      std::vector<std::string> texts;
      for (const ReportAxis::Value& value : axis.values) {
        texts.push_back(value.text);
      }
      return join(texts);
    }
  }
  return text_in(metrics, key);
}

std::optional<Curves> curves_of(const Store& store, const std::string& identity, Report& report) {
  const std::string packed = store.curves(identity);
  if (packed.empty()) {
    return std::nullopt;
  }
  Result<Curves> curves = unpack(packed);
  if (!curves) {
    report.about.warnings.push_back(
        fmt::format("run {}: its curves are omitted: {}", identity, curves.error().message));
    return std::nullopt;
  }
  return std::move(curves).value();
}

void note_warnings(Report& report, const std::string& label, const Json& metrics) {
  for (const std::string& warning : texts_in(metrics, "warnings")) {
    if (report.about.warnings.size() < kMostWarnings) {
      report.about.warnings.push_back(label + ": " + warning);
    }
  }
}

void add_series(Report& report, const Store& store, const std::string& identity,
                ReportSeries series) {
  std::optional<Curves> curves = curves_of(store, identity, report);
  if (!curves) {
    return;
  }
  series.curves = std::move(*curves);
  series.identity = identity;
  const Json metrics = metrics_of(store, identity, report);
  const auto link = metrics.find("link");
  series.link = link != metrics.end() ? *link : Json();
  note_warnings(report, series.label, metrics);
  report.series.push_back(std::move(series));
}

/// The axes on which the runs compared with a reference have one step in common.
Steps compared_with(const Summary& summary, const std::string& reference) {
  std::vector<std::set<std::size_t>> steps(summary.axes.size());
  for (const SummaryRow& row : summary.rows) {
    if (row.reference == reference) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i].insert(row.point[i]);
      }
    }
  }
  Steps common(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].size() == 1 && summary.axes[i].values.size() > 1) {
      common[i] = *steps[i].begin();
    }
  }
  return common;
}

/// Marks the point that did the same as a reference, if it is among those shown.
bool mark_reference(Report& report, const Summary& summary, const std::string& reference,
                    const std::string& hash) {
  for (ReportSeries& series : report.series) {
    const bool is_same =
        series.reference == reference &&
        std::any_of(summary.rows.begin(), summary.rows.end(), [&](const SummaryRow& row) {
          return row.point == series.point && row.reference == reference && row.state_hash == hash;
        });
    if (is_same && !hash.empty()) {
      series.is_reference = true;
      return true;
    }
  }
  return false;
}

/// The runs that those shown are compared with, one for each slice; one that is a point of the
/// grid, too, is only marked.
void add_references(Report& report, const Store& store, const Summary& summary,
                    std::optional<std::size_t> varied) {
  std::set<Point> slices;
  std::vector<std::string> references;
  for (const ReportSeries& series : report.series) {
    Point slice = series.point;
    if (varied) {
      slice[*varied] = 0;
    }
    const bool is_new =
        std::find(references.begin(), references.end(), series.reference) == references.end();
    if (!series.reference.empty() && slices.insert(slice).second && is_new) {
      references.push_back(series.reference);
    }
  }
  for (const std::string& reference : references) {
    const Json metrics = metrics_of(store, reference, report);
    if (mark_reference(report, summary, reference, text_in(metrics, "state_hash"))) {
      continue;
    }
    ReportSeries series;
    series.slice_of = compared_with(summary, reference);
    const std::string slice = steps_label(summary.axes, series.slice_of);
    series.label = slice.empty() ? "without the link" : "without the link, " + slice;
    series.is_reference = true;
    series.verdict = verdict_in(metrics);
    series.ended = text_in(metrics, "ended");
    add_series(report, store, reference, std::move(series));
  }
}

void add_all_series(Report& report, const Store& store, const Summary& summary) {
  std::vector<const SummaryRow*> with_curves;
  std::vector<Point> points;
  for (const SummaryRow& row : summary.rows) {
    if (!row.identity.empty() && store.has_curves(row.identity)) {
      with_curves.push_back(&row);
      points.push_back(row.point);
    }
  }
  const std::optional<std::size_t> varied = main_axis(report);
  const std::vector<std::size_t> chosen = choose_points(points, varied, report.focus, kMostSeries);
  for (const std::size_t i : chosen) {
    const SummaryRow& row = *with_curves[i];
    ReportSeries series;
    series.label = point_label(summary.axes, row.point);
    series.point = row.point;
    series.ended = row.ended;
    series.verdict = !row.verdict.empty()      ? row.verdict
                     : row.ended == "diverged" ? "unstable"
                                               : "stable";
    series.reference = row.reference;
    add_series(report, store, row.identity, std::move(series));
  }
  if (chosen.size() < points.size()) {
    report.about.warnings.push_back(fmt::format(
        "curves of {} of {} points are shown, thinned out along {}; all are in {}", chosen.size(),
        points.size(), summary.axes.at(varied.value_or(0)).key, report.about.source));
  }
  add_references(report, store, summary, varied);
}

/// Loads the resolved scenario again, for studies that do not have their plan with them.
std::optional<StudyPlan> load_plan(Report& report, const StudyQuestion& question) {
  try {
    std::string path = question.scenario;
    try {
      path = config::find_scenario_file(question.scenario);
    } catch (const InputError&) {
      // it may name nothing that is beside it
    }
    const cell::PreparedScenario prepared =
        cell::load_scenario_text(report.about.scenario_yaml, path, {}, labs::built_in_plugins());
    return StudyPlan{prepared.scenario.title, actors::plan_geometry(actors::arm_of(prepared))};
  } catch (const InputError& error) {
    report.about.warnings.push_back(
        fmt::format("the planned path is not shown, because the scenario cannot be loaded: {}",
                    error.diagnostics().front().message));
    return std::nullopt;
  }
}

void add_plan(Report& report, const Store& store, const StudyQuestion& question) {
  std::optional<StudyPlan> plan =
      read_plan_document(store.document(kPlanDocument).value_or(Json::object()));
  if (!plan && !report.about.scenario_yaml.empty()) {
    plan = load_plan(report, question);
  }
  if (!plan) {
    return;
  }
  report.plan = std::move(plan->geometry);
  if (question.title.empty() && !plan->title.empty()) {
    report.title = plan->title;
  }
  for (const ReportAxis& axis : report.axes) {
    if (axis.values.size() > 1 &&
        (axis.key.starts_with("task.") || axis.key.starts_with("robot."))) {
      report.about.warnings.push_back("the plan may depend on " + axis.key +
                                      "; the one of the first run is shown");
    }
  }
}

/// A belt by itself is not worth a look, and what lies on it is loose.
bool has_robot(const Json& motion) {
  const Json& models = motion.at("scene").at("models");
  return std::any_of(models.begin(), models.end(),
                     [](const Json& model) { return model.at("is_robot") == true; });
}

/// Runs of earlier versions have no positions of joints.
void add_motion(Report& report, const Store& store) {
  for (const ReportSeries& series : report.series) {
    if (const std::vector<std::string> joints = joints_in(series.curves); !joints.empty()) {
      report.motion =
          usable_motion(store.document(kMotionDocument).value_or(Json::object()), joints);
      if (report.experiment && !report.motion.is_null() && !has_robot(report.motion)) {
        report.motion = nullptr;
      }
      return;
    }
  }
}

void describe_experiment(Report& report, const StudyFigures& figures,
                         const StudyQuestion& question) {
  if (question.title.empty() && !figures.title.empty()) {
    report.title = figures.title;
  }
}

void warn_about(Report& report, const Summary& summary) {
  if (summary.open > 0) {
    report.about.warnings.push_back(
        fmt::format("{} of {} runs are not finished", summary.open, summary.open + summary.runs));
  }
  if (summary.versions.size() > 1) {
    report.about.warnings.push_back("runs were written by several versions of Longarm: " +
                                    join(summary.versions));
  }
}

}  // namespace

Report report_of_study(const Store& store, const std::vector<std::string>& where) {
  const StudyQuestion question = store.question().value_or(StudyQuestion{});
  Summary summary = summarise(store);
  Report report;
  report.kind = "study";
  report.title = question.title.empty() ? question.name : question.title;
  report.axes = summary.axes;
  report.repeats = summary.repeats;
  report.experiment = summary.figures;
  report.where = parse_where(summary.axes, where);
  report.focus =
      widest_slice(summary.axes, summary.columns, summary.rows, report.where, main_axis(report));

  ReportAbout& about = report.about;
  about.longarm_version = join(summary.versions);
  about.scenario = question.scenario;
  about.command = question.command;
  about.runs = summary.runs;
  about.seeds = summary.repeats.value_or(1);
  about.source = store.file().filename();
  about.identity = summary.identity;
  warn_about(report, summary);

  // any run tells the joints, the first one the scenario
  const auto first = std::find_if(summary.rows.begin(), summary.rows.end(),
                                  [](const SummaryRow& row) { return !row.identity.empty(); });
  if (first != summary.rows.end()) {
    const Json metrics = metrics_of(store, first->identity, report);
    about.engine = value_or_axis(summary, "engine", metrics);
    about.cut = value_or_axis(summary, "cut", metrics);
    about.scenario_yaml = store.scenario(first->identity);
    const Json joints = object_in(metrics, "joints");
    for (const auto& [joint, figures] : joints.items()) {
      report.joints.push_back(joint);
    }
  }
  if (summary.figures) {
    describe_experiment(report, *summary.figures, question);
  } else {
    add_plan(report, store, question);
  }
  add_all_series(report, store, summary);
  if (!report.experiment && report.joints.empty() && !report.series.empty()) {
    // curves tell them, too
    const std::string prefix = "velocity_command.";
    for (const std::string& name : report.series.front().curves.names) {
      if (name.starts_with(prefix)) {
        report.joints.push_back(name.substr(prefix.size()));
      }
    }
  }
  add_motion(report, store);
  set_rows(report, summary.columns, std::move(summary.rows));
  return report;
}

}  // namespace longarm::study
