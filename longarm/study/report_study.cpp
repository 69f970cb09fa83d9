// SPDX-License-Identifier: Apache-2.0
// Takes from a study's database what its report shows.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/scenario/ready.h"
#include "longarm/study/report_data.h"
#include "longarm/study/report_plan.h"

namespace longarm::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostReferences = 8;
constexpr std::size_t kMostWarnings = 20;

/// At most `most` of them, first and last among them, evenly spread.
template <typename T>
std::vector<T> spread(const std::vector<T>& all, std::size_t most) {
  if (all.size() <= most) {
    return all;
  }
  std::vector<T> chosen;
  for (std::size_t i = 0; i < most; ++i) {
    chosen.push_back(all[i * (all.size() - 1) / (most - 1)]);
  }
  return chosen;
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
  return metrics.value(key, "");
}

std::optional<Curves> curves_of(const Store& store, const std::string& identity, Report& report) {
  const std::string packed = store.curves(identity);
  if (packed.empty()) {
    return std::nullopt;
  }
  Result<Curves> curves = unpack(packed);
  if (!curves) {
    report.about.warnings.push_back(curves.error().message);
    return std::nullopt;
  }
  return std::move(curves).value();
}

void note_warnings(Report& report, const std::string& label, const Json& metrics) {
  if (!metrics.contains("warnings")) {
    return;
  }
  for (const auto& warning : metrics["warnings"]) {
    if (report.about.warnings.size() < kMostWarnings && warning.is_string()) {
      report.about.warnings.push_back(label + ": " + warning.get<std::string>());
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
  const Json metrics = store.metrics(identity).value_or(Json::object());
  series.link = metrics.value("link", Json());
  note_warnings(report, series.label, metrics);
  report.series.push_back(std::move(series));
}

/// "without the link", and what the runs compared with it have in common that others do not.
std::string reference_label(const Summary& summary, const std::string& reference) {
  std::vector<std::set<std::size_t>> steps(summary.axes.size());
  for (const SummaryRow& row : summary.rows) {
    if (row.reference == reference) {
      for (std::size_t i = 0; i < steps.size(); ++i) {
        steps[i].insert(row.point[i]);
      }
    }
  }
  std::string label = "without the link";
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const ReportAxis& axis = summary.axes[i];
    if (steps[i].size() == 1 && axis.values.size() > 1) {
      label += ", " + axis.key + " " + axis.values[*steps[i].begin()].text;
    }
  }
  return label;
}

/// The runs that others are compared with; one that is a point of the grid, too, is only marked.
void add_references(Report& report, const Store& store, const Summary& summary) {
  std::vector<std::string> references;
  for (const SummaryRow& row : summary.rows) {
    const bool is_new =
        std::find(references.begin(), references.end(), row.reference) == references.end();
    if (!row.reference.empty() && is_new && references.size() <= kMostReferences) {
      references.push_back(row.reference);
    }
  }
  if (references.size() > kMostReferences) {
    return;  // a crowd of them explains nothing
  }
  for (const std::string& reference : references) {
    const Json metrics = store.metrics(reference).value_or(Json::object());
    const std::string hash = metrics.value("state_hash", "");
    const auto same = std::find_if(summary.rows.begin(), summary.rows.end(), [&](const auto& row) {
      return row.reference == reference && !hash.empty() && row.state_hash == hash;
    });
    if (same != summary.rows.end()) {
      const auto shown =
          std::find_if(report.series.begin(), report.series.end(),
                       [&](const ReportSeries& series) { return series.point == same->point; });
      if (shown != report.series.end()) {
        shown->is_reference = true;
        continue;
      }
    }
    ReportSeries series;
    series.label =
        references.size() == 1 ? "without the link" : reference_label(summary, reference);
    series.is_reference = true;
    const Json stable = metrics.value("stable", Json());
    series.verdict = !stable.is_boolean() ? "undecided"
                     : stable.get<bool>() ? "stable"
                                          : "unstable";
    series.ended = metrics.value("ended", "");
    add_series(report, store, reference, std::move(series));
  }
}

void add_all_series(Report& report, const Store& store, const Summary& summary) {
  std::vector<const SummaryRow*> with_curves;
  for (const SummaryRow& row : summary.rows) {
    if (!row.identity.empty() && store.has_curves(row.identity)) {
      with_curves.push_back(&row);
    }
  }
  for (const SummaryRow* row : spread(with_curves, kMostSeries)) {
    ReportSeries series;
    series.label = point_label(summary.axes, row->point);
    series.point = row->point;
    series.verdict = row->verdict;
    series.ended = row->ended;
    series.reference = row->reference;
    add_series(report, store, row->identity, std::move(series));
  }
  if (with_curves.size() > kMostSeries) {
    report.about.warnings.push_back(
        fmt::format("curves of {} points are shown, spread over the grid; {} more are in {}",
                    kMostSeries, with_curves.size() - kMostSeries, report.about.source));
  }
  add_references(report, store, summary);
}

/// Loads the resolved scenario again, for studies that do not have their plan with them.
std::optional<StudyPlan> load_plan(Report& report, const StudyQuestion& question) {
  try {
    std::string path = question.scenario;
    try {
      path = scenario::find_scenario_file(question.scenario);
    } catch (const InputError&) {
      // it may name nothing that is beside it
    }
    const scenario::PreparedScenario prepared = scenario::load_scenario_text(
        report.about.scenario_yaml, path, {}, scenario::built_in_plugins());
    return StudyPlan{prepared.scenario.title, scenario::plan_geometry(prepared)};
  } catch (const InputError& error) {
    report.about.warnings.push_back(fmt::format(
        "the planned path is not shown, because the scenario cannot be loaded again: {}",
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

void warn_about(Report& report, const Summary& summary) {
  if (summary.open > 0) {
    report.about.warnings.push_back(fmt::format("{} of {} runs are not finished yet", summary.open,
                                                summary.open + summary.runs));
  }
  if (summary.versions.size() > 1) {
    report.about.warnings.push_back("runs of several versions of Longarm: " +
                                    join(summary.versions));
  }
}

}  // namespace

Report report_of_study(const Store& store) {
  const StudyQuestion question = store.question().value_or(StudyQuestion{});
  Summary summary = summarise(store);
  Report report;
  report.kind = "study";
  report.title = question.title.empty() ? question.name : question.title;
  report.axes = summary.axes;
  report.repeats = summary.repeats;

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
    const Json metrics = store.metrics(first->identity).value_or(Json::object());
    about.engine = value_or_axis(summary, "engine", metrics);
    about.cut = value_or_axis(summary, "cut", metrics);
    about.scenario_yaml = store.scenario(first->identity);
    const Json joints = metrics.value("joints", Json::object());
    for (const auto& [joint, figures] : joints.items()) {
      report.joints.push_back(joint);
    }
  }
  add_plan(report, store, question);
  add_all_series(report, store, summary);
  set_rows(report, std::move(summary.rows));
  return report;
}

}  // namespace longarm::study
