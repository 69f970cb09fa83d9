// SPDX-License-Identifier: Apache-2.0
// Finds out what is to be reported, and the parts that all kinds share.
#include "longarm/study/report/report_data.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "longarm/config/text_file.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/study/json_values.h"

namespace longarm::study {
namespace {

constexpr const char* kNeither = "neither a run nor a study";

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// What a folder has, so that the user sees where they are: "log.txt, notes/, … and 7 more".
std::string contents_of(const fs::path& folder) {
  constexpr std::size_t kMostNames = 6;
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    names.push_back(entry.path().filename().string() + (entry.is_directory(ignored) ? "/" : ""));
  }
  if (names.empty()) {
    return "no files";
  }
  std::sort(names.begin(), names.end());
  const std::size_t more = names.size() - std::min(names.size(), kMostNames);
  names.resize(names.size() - more);
  return join(names) + (more > 0 ? fmt::format(", … and {} more", more) : "");
}

/// `kind` is what it is, or is not.
[[noreturn]] void refuse_path(const fs::path& path, const std::string& kind,
                              const std::string& wanted) {
  if (!fs::exists(path)) {
    throw InputError(Diagnostic{{}, fmt::format("there is no '{}'", path.string()), wanted});
  }
  const std::string found = fs::is_directory(path)
                                ? fmt::format("the folder has {}; ", contents_of(path))
                                : std::string("this is another kind of file; ");
  throw InputError(Diagnostic{{}, fmt::format("'{}' is {}", path.string(), kind), found + wanted});
}

bool looks_like_database(const fs::path& path) {
  return fs::is_regular_file(path) && (path.extension() == ".db" || path.extension() == ".sqlite");
}

/// The database of a folder, by its usual name or as the only one; empty if there is none.
fs::path database_in(const fs::path& folder) {
  if (fs::is_regular_file(folder / "study.db")) {
    return folder / "study.db";
  }
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (looks_like_database(entry.path())) {
      found.push_back(entry.path());
    }
  }
  return found.size() == 1 ? found.front() : fs::path();
}

void add_margins(Report& report, const Json& document) {
  if (const auto margins = document.find("margins");
      margins != document.end() && margins->is_array()) {
    report.margins = *margins;
  }
  report.margin_remarks = texts_in(document, "margin_remarks");
}

Report report_of_database(const fs::path& database, const std::vector<std::string>& where) {
  const Store store(database, Store::Mode::kRead);
  const std::optional<Json> margins = store.document("margin");
  if (margins && !store.question()) {
    parse_where({}, where);  // there are no axes
    return report_of_margins(*margins, database.filename());
  }
  Report report = report_of_study(store, where);
  if (margins) {
    add_margins(report, *margins);
  }
  return report;
}

}  // namespace

std::optional<std::size_t> main_axis(const Report& report) {
  return report.experiment ? compared_axis(report.axes, report.where)
                           : varied_axis(report.axes, report.where);
}

fs::path find_database(const fs::path& study) {
  const fs::path file = fs::is_directory(study) ? database_in(study) : study;
  if (file.empty() || !fs::is_regular_file(file)) {
    const bool is_run = fs::is_regular_file(study / "metrics.json");
    refuse_path(study, is_run ? "a run, not a study" : "not a study",
                "give the folder or study.db written by longarm sweep");
  }
  return file;
}

Report make_report(const fs::path& run_or_study, const std::vector<std::string>& where) {
  const std::string wanted =
      "give a run's folder, or the folder or study.db of a study or a margin search";
  if (!fs::exists(run_or_study)) {
    refuse_path(run_or_study, "", wanted);
  }
  const bool is_file = !fs::is_directory(run_or_study);
  if (is_file && !looks_like_database(run_or_study)) {
    refuse_path(run_or_study, kNeither, wanted);
  }
  // a run may have databases of its own, such as the model of its world
  const bool is_run = !is_file && fs::is_regular_file(run_or_study / "metrics.json") &&
                      !fs::exists(run_or_study / "study.db");
  const fs::path database = is_file  ? run_or_study
                            : is_run ? fs::path()
                                     : database_in(run_or_study);
  const fs::path folder = is_file ? run_or_study.parent_path() : run_or_study;
  try {
    if (!database.empty()) {
      return report_of_database(database, where);
    }
    if (fs::is_regular_file(folder / "metrics.json")) {
      parse_where({}, where);  // there are no axes
      return report_of_run(folder);
    }
  } catch (const Json::exception&) {
    throw InputError(Diagnostic{{},
                                fmt::format("a part of '{}' is damaged", run_or_study.string()),
                                "create it again, or restore it from a copy"});
  }
  if (fs::is_regular_file(folder / "scenario.yaml")) {
    throw InputError(Diagnostic{{},
                                fmt::format("'{}' has no metrics.json", folder.string()),
                                "the run was not finished: run it again"});
  }
  refuse_path(run_or_study, kNeither, wanted);
}

Json object_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : Json::object();
}

std::vector<std::string> texts_in(const Json& object, const char* key) {
  std::vector<std::string> texts;
  const auto found = object.find(key);
  if (found != object.end() && found->is_array()) {
    for (const Json& each : *found) {
      texts.push_back(each.is_string() ? each.get<std::string>() : each.dump());
    }
  }
  return texts;
}

std::string verdict_in(const Json& metrics) {
  const auto stable = metrics.find("stable");
  if (stable == metrics.end()) {
    return text_in(metrics, "ended") == "diverged" ? "unstable" : "stable";
  }
  return !stable->is_boolean() ? "undecided" : stable->get<bool>() ? "stable" : "unstable";
}

Report report_of_margins(const Json& document, const std::string& source) {
  const Json about = object_in(document, "about");
  Report report;
  report.kind = "margin";
  report.title = text_in(document, "title");
  report.about.longarm_version = text_in(about, "longarm_version");
  report.about.scenario = text_in(about, "scenario");
  report.about.engine = text_in(about, "engine");
  report.about.command = text_in(about, "command");
  report.about.identity = text_in(about, "identity");
  report.about.scenario_yaml = text_in(about, "scenario_yaml");
  report.about.source = source;
  if (const auto runs = about.find("runs"); runs != about.end() && runs->is_number_unsigned()) {
    report.about.runs = runs->get<std::size_t>();
  }
  report.about.warnings = texts_in(about, "warnings");
  add_margins(report, document);
  std::vector<std::string> cuts;
  for (const Json& margin : report.margins) {
    const std::string cut = text_in(margin, "cut");
    if (std::find(cuts.begin(), cuts.end(), cut) == cuts.end()) {
      cuts.push_back(cut);
    }
  }
  report.about.cut = join(cuts);
  if (report.title.empty()) {
    report.title = "Latency margins of " + report.about.scenario;
  }
  return report;
}

void set_rows(Report& report, const std::vector<MetricColumn>& columns,
              std::vector<SummaryRow> rows) {
  report.rows_left_out = rows.size() - std::min(rows.size(), kMostRows);
  rows.resize(rows.size() - report.rows_left_out);
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::any_of(rows.begin(), rows.end(),
                    [&](const SummaryRow& row) { return row.cells[i].has_value(); })) {
      used.push_back(i);
      report.columns.push_back(columns[i]);
    }
  }
  for (SummaryRow& row : rows) {
    std::vector<std::optional<SummaryCell>> cells;
    for (const std::size_t i : used) {
      cells.push_back(row.cells[i]);
    }
    row.cells = std::move(cells);
  }
  report.rows = std::move(rows);
}

Curves thinned(Curves curves, std::size_t most_samples) {
  const std::size_t every = (curves.samples() + most_samples - 1) / most_samples;
  if (every <= 1) {
    return curves;
  }
  for (std::vector<float>& column : curves.columns) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < column.size(); i += every) {
      column[kept++] = column[i];
    }
    column.resize(kept);
  }
  curves.period_s *= static_cast<double>(every);
  return curves;
}

}  // namespace longarm::study
