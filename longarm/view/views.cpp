// SPDX-License-Identifier: Apache-2.0
// From a run folder: motion from trace.mcap, bodies from its scenario, marks from both.
#include "longarm/view/views.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "longarm/config/text_file.h"
#include "longarm/core/base64.h"
#include "longarm/core/check.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/text.h"
#include "longarm/core/version.h"
#include "longarm/view/network_graph.h"
#include "longarm/view/packed.h"

namespace longarm::view {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;
constexpr const char* kTraceFile = "trace.mcap";
// of one answer: 32 MB
constexpr std::size_t kMostNumbers = 4'000'000;
constexpr std::size_t kMostBins = 20'000;
constexpr std::size_t kMostMarks = 2000;
constexpr std::string_view kDataElement = "id=\"view-data\">";

WebAnswer refusal(int status, std::string words) {
  return {status, "text/plain; charset=utf-8", std::move(words) + "\n"};
}

WebAnswer binary(const std::vector<double>& numbers, std::string problem) {
  return {
      200, "application/octet-stream",
      std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(double)),
      std::move(problem)};
}

/// What of the file cannot be shown, as far as it is known; empty: nothing.
std::string problem_of(const RecordedTables& tables) {
  if (!tables.problem().empty()) {
    return fmt::format("{} is {}; what comes after is not shown", kTraceFile, tables.problem());
  }
  const std::string damage = tables.damage();
  return damage.empty()
             ? ""
             : fmt::format("{} is {}; what was recorded there is missing", kTraceFile, damage);
}

/// `otherwise` where it is not said; nothing for what is no whole number.
std::optional<std::size_t> whole_number(const WebRequest& request, const std::string& key,
                                        std::optional<std::size_t> otherwise = std::nullopt) {
  const auto found = request.query.find(key);
  std::size_t number = 0;
  if (found == request.query.end()) {
    return otherwise;
  }
  const std::string& text = found->second;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

std::optional<double> real_number(const WebRequest& request, const std::string& key) {
  const auto found = request.query.find(key);
  return found == request.query.end() ? std::nullopt : parse_number(found->second);
}

/// "0,3-5", each below `count`; nothing if it is none.
std::optional<std::vector<std::size_t>> column_list(const std::string& text, std::size_t count) {
  std::vector<std::size_t> columns;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    std::size_t first = 0;
    auto parsed = std::from_chars(at, end, first);
    std::size_t last = first;
    if (parsed.ec == std::errc() && parsed.ptr < end && *parsed.ptr == '-') {
      parsed = std::from_chars(parsed.ptr + 1, end, last);
    }
    if (parsed.ec != std::errc() || last < first || last >= count) {
      return std::nullopt;
    }
    for (; first <= last; ++first) {
      columns.push_back(first);
    }
    at = parsed.ptr;
    if (at < end && (*at != ',' || ++at == end)) {
      return std::nullopt;
    }
  }
  return columns.empty() ? std::nullopt : std::optional(columns);
}

Json read_metrics(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder / "metrics.json", ignored)) {
    return Json::object();
  }
  Json metrics = Json::parse(config::read_text_file(folder / "metrics.json"), nullptr, false);
  return metrics.is_object() ? metrics : Json::object();
}

std::string verdict_of(const Json& metrics) {
  const auto found = metrics.find("stable");
  return found == metrics.end() ? ""
         : found->is_boolean()  ? (found->get<bool>() ? "stable" : "unstable")
                                : "undecided";
}

/// Its numbers, texts and truths at the top, without what is below them.
Json scalars_of(const Json& metrics) {
  Json out = Json::object();
  for (const auto& [key, value] : metrics.items()) {
    if (value.is_primitive() && !value.is_null()) {
      out[key] = value;
    }
  }
  return out;
}

/// A file that somebody edited may have anything there.
Json warnings_in(const Json& metrics) {
  Json out = Json::array();
  for (const Json& each : metrics.value("warnings", Json::array())) {
    if (each.is_string()) {
      out.push_back(each);
    }
  }
  return out;
}

Json marks_in(const cell::PreparedScenario& prepared, const Json& metrics) {
  Json marks = Json::array();
  for (const cell::Failure& failure : prepared.failures) {
    marks.push_back(mark_json(to_seconds(failure.at), "failure", failure.text));
  }
  const auto number = [&](const char* key) {
    const auto found = metrics.find(key);
    return found != metrics.end() && found->is_number() ? std::optional(found->get<double>())
                                                        : std::nullopt;
  };
  if (const auto at_s = number("unstable_at_s")) {
    marks.push_back(mark_json(*at_s, "unstable", "unstable from here on"));
  }
  for (const auto& [at, value, words] :
       {std::tuple{"reference_path_deviation_max_at_s", "reference_path_deviation_max_m",
                   "farthest from the run without the network"},
        {"path_deviation_max_at_s", "path_deviation_max_m", "farthest from the planned path"}}) {
    if (const auto at_s = number(at)) {
      marks.push_back(mark_json(
          *at_s, "worst", fmt::format("{}: {:.3f} mm", words, number(value).value_or(0.0) * 1e3)));
    }
  }
  return marks;
}

/// What actors noted while they ran.
void add_events(Json& marks, const RecordedTables& tables) {
  const auto table = tables.find(kEventsTopic);
  if (!table) {
    return;
  }
  const std::size_t rows = std::min(tables.tables()[*table].rows, kMostMarks);
  const auto times = tables.columns(*table, {0}, 0, rows);
  const auto texts = tables.texts(*table, 0, rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (Json mark = mark_of_event(times[i], texts[i]); !mark.is_null()) {
      marks.push_back(std::move(mark));
    }
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Json& a, const Json& b) {
    return a["t_s"].get<double>() < b["t_s"].get<double>();
  });
}

Json plans_in(Json& scene) {
  Json plans = Json::array();
  Json devices = Json::array();
  for (Json& device : scene["devices"]) {
    (device.value("kind", "") == "plan" ? plans : devices).push_back(std::move(device));
  }
  scene["devices"] = std::move(devices);
  return plans;
}

std::string label_of(const fs::path& folder) {
  fs::path name = folder.lexically_normal();
  return (name.has_filename() ? name : name.parent_path()).filename().string();
}

/// `</script` would end the element that it stands in.
std::string for_script(std::string text) {
  for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    text.replace(at, 1, "\\u003c");
  }
  return text;
}

std::string element(const std::string& id, const std::string& bytes) {
  return fmt::format("<script type=\"text/plain\" id=\"{}\">{}</script>\n", id,
                     base64(deflated(bytes)));
}

}  // namespace

Json empty_document(const std::string& title) {
  return {{"format", kFormat},       {"source", "served"},
          {"title", title},          {"longarm_version", LONGARM_VERSION},
          {"scenes", Json::array()}, {"runs", Json::array()}};
}

Json run_json(const cell::PreparedScenario& prepared, const Json& metrics) {
  return {{"label", prepared.name},
          {"folder", ""},
          {"scene", 0},
          {"role", "run"},
          {"start_s", 0.0},
          {"end_s", to_seconds(prepared.length)},
          {"physics_period_s", to_seconds(prepared.scenario.physics_period)},
          {"verdict", verdict_of(metrics)},
          {"problem", ""},
          {"warnings", warnings_in(metrics)},
          {"tables", Json::array()},
          {"marks", marks_in(prepared, metrics)},
          {"plans", Json::array()},
          {"network", network_graph(prepared)},
          {"metrics", scalars_of(metrics)}};
}

void number_tables(Json& run, Json& scene,
                   const std::function<Json(const std::string& topic)>& number) {
  for (Json& device : scene["devices"]) {
    device["table"] = number(device.value("topic", ""));
  }
  if (run["network"].is_object()) {
    run["network"]["packets"] = number("/network/packets");
  }
}

Json live_document(const cell::PreparedScenario& prepared, Scene& scene) {
  const std::string& title = prepared.scenario.title;
  Json document = empty_document(title.empty() ? prepared.name : title);
  Json run = run_json(prepared, Json::object());
  run["plans"] = plans_in(scene.document);
  run["marks"] = Json::array();  // they come as they happen
  run["end_s"] = 0.0;
  document["scenes"].push_back(scene.document);
  document["runs"].push_back(std::move(run));
  return document;
}

std::unique_ptr<Views> Views::open(const std::vector<fs::path>& folders,
                                   const cell::Plugins& plugins) {
  std::unique_ptr<Views> views(new Views());
  views->document_ = empty_document("");
  for (const fs::path& folder : folders) {
    views->add_run(folder, plugins);
  }
  return views;
}

void Views::add_run(const fs::path& folder, const cell::Plugins& plugins) {
  std::error_code ignored;
  if (!fs::is_regular_file(folder / kTraceFile, ignored)) {
    refuse(fmt::format("{} has no {}", folder.string(), kTraceFile),
           fs::is_directory(folder, ignored)
               ? "only recorded runs can be viewed: run it again without record.trace=false"
               : "give the folder of a run, e.g. runs/ur5-waypoints");
  }
  auto tables = RecordedTables::open((folder / kTraceFile).string());
  if (!tables) {
    refuse(tables.error().message, "run the scenario again");
  }
  RecordedTables& recorded = *runs_.emplace_back(std::move(tables).value());
  if (recorded.tables().empty()) {
    refuse(fmt::format("{} is empty{}{}", (folder / kTraceFile).string(),
                       recorded.problem().empty() ? "" : ": it is ", recorded.problem()),
           "run the scenario again");
  }
  const Json metrics = read_metrics(folder);
  Json run;
  try {
    const cell::PreparedScenario prepared =
        cell::load_scenario((folder / "scenario.yaml").string(), {}, plugins);
    run = run_json(prepared, metrics);
    Scene scene = make_scene(prepared);
    run["plans"] = plans_in(scene.document);
    for (const std::string& warning : scene.warnings) {
      run["warnings"].push_back(warning);
    }
    if (metrics.contains("model_hash") && metrics["model_hash"] != prepared.model_hash) {
      run["warnings"].push_back(
          "the robot's files have changed since this run: shapes are the current ones");
    }
    number_tables(run, scene.document, [&](const std::string& topic) {
      const auto table = recorded.find(topic);
      return table ? Json(*table) : Json();
    });
    run["scene"] = add_scene(std::move(scene));
    if (document_["title"] == "") {
      document_["title"] =
          prepared.scenario.title.empty() ? prepared.name : prepared.scenario.title;
    }
  } catch (const InputError& problem) {
    run = {{"scene", add_scene(empty_scene())},
           {"role", "run"},
           {"marks", Json::array()},
           {"plans", Json::array()},
           {"network", nullptr},
           {"verdict", verdict_of(metrics)},
           {"metrics", scalars_of(metrics)},
           {"warnings",
            {fmt::format("only curves are shown, because the scenario cannot be loaded: {}",
                         problem.diagnostics().front().message)}}};
  }
  run["label"] = label_of(folder);
  run["folder"] = folder.string();
  run["start_s"] = 0.0;
  double end_s = 0.0;
  run["tables"] = Json::array();
  for (std::size_t i = 0; i < recorded.tables().size(); ++i) {
    end_s = std::max(end_s, recorded.tables()[i].last_s);
    run["tables"].push_back(table_json(i, recorded.tables()[i]));
  }
  run["end_s"] = end_s;
  add_events(run["marks"], recorded);
  run["problem"] = problem_of(recorded);
  document_["runs"].push_back(std::move(run));
}

void Views::add_ghost(const fs::path& folder, const std::string& label,
                      const cell::Plugins& plugins) {
  add_run(folder, plugins);
  Json& run = document_["runs"].back();
  run["role"] = "ghost";
  run["label"] = label;
  run["folder"] = "";
  run["warnings"] = Json::array();  // the first run has the same
}

std::size_t Views::add_scene(Scene scene) {
  for (std::size_t i = 0; i < scenes_.size(); ++i) {
    if (scenes_[i].document == scene.document) {
      return i;
    }
  }
  document_["scenes"].push_back(scene.document);
  scenes_.push_back(std::move(scene));
  return scenes_.size() - 1;
}

std::vector<std::string> Views::problems() const {
  std::vector<std::string> out;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (const std::string problem = problem_of(*runs_[r]); !problem.empty()) {
      out.push_back(
          fmt::format("{}: {}", document_["runs"][r]["folder"].get<std::string>(), problem));
    }
  }
  return out;
}

WebAnswer Views::answer(const WebRequest& request) const {
  if (request.path == "/view.json") {
    return {200, "application/json", json_text(document_)};
  }
  if (request.path == "/data") {
    return answer_data(request);
  }
  if (request.path == "/texts") {
    return answer_texts(request);
  }
  if (request.path == "/mesh") {
    const auto scene = whole_number(request, "scene");
    return scene && *scene < scenes_.size() ? answer_mesh(scenes_[*scene].meshes, request)
                                            : refusal(404, "scene not found");
  }
  return refusal(404, "page not found");
}

WebAnswer Views::answer_data(const WebRequest& request) const {
  const auto run = whole_number(request, "run");
  const auto number = whole_number(request, "table");
  if (!run || *run >= runs_.size() || !number || *number >= runs_[*run]->tables().size()) {
    return refusal(404, "table not found");
  }
  const Table& table = runs_[*run]->tables()[*number];
  const auto wanted = request.query.find("columns");
  const auto columns = wanted == request.query.end()
                           ? std::nullopt
                           : column_list(wanted->second, table.columns.size());
  if (!columns) {
    return refusal(400, "columns are numbers and ranges of them, e.g. columns=0,3-5");
  }
  if (request.query.contains("points")) {
    const auto bins = whole_number(request, "points");
    const auto from_s = real_number(request, "from_s");
    const auto to_s = real_number(request, "to_s");
    if (!bins || *bins == 0 || *bins > kMostBins || 2 * *bins * columns->size() > kMostNumbers ||
        !from_s || !to_s || !(*from_s < *to_s)) {
      return refusal(
          400,
          "an overview needs from_s < to_s, points from 1 to 20000, and at most four million "
          "numbers in all");
    }
    std::vector<double> out;
    for (const std::size_t column : *columns) {
      const Overview overview = runs_[*run]->overview(*number, column, *from_s, *to_s, *bins);
      out.insert(out.end(), overview.least.begin(), overview.least.end());
      out.insert(out.end(), overview.most.begin(), overview.most.end());
    }
    return binary(out, problem_of(*runs_[*run]));
  }
  const auto from = whole_number(request, "from", 0);
  const auto to = whole_number(request, "to", table.rows);
  if (!from || !to || *to < *from ||
      (std::min(*to, table.rows) - std::min(*from, table.rows)) * columns->size() > kMostNumbers) {
    return refusal(400,
                   "rows are whole numbers, from ≤ to, at most four million numbers at a time");
  }
  const std::vector<double> numbers = runs_[*run]->columns(*number, *columns, *from, *to);
  return binary(numbers, problem_of(*runs_[*run]));
}

WebAnswer Views::answer_texts(const WebRequest& request) const {
  const auto run = whole_number(request, "run");
  const auto table = whole_number(request, "table");
  if (!run || *run >= runs_.size() || !table || *table >= runs_[*run]->tables().size()) {
    return refusal(404, "table not found");
  }
  const std::size_t rows = runs_[*run]->tables()[*table].rows;
  const auto from = whole_number(request, "from", 0);
  const auto to = whole_number(request, "to", rows);
  if (!from || !to || *to < *from || std::min(*to, rows) - std::min(*from, rows) > kMostNumbers) {
    return refusal(400, "rows are whole numbers, from ≤ to, at most four million at a time");
  }
  const std::string texts = json_text(runs_[*run]->texts(*table, *from, *to));
  return {200, "application/json", texts, problem_of(*runs_[*run])};
}

WebAnswer answer_mesh(const std::vector<SceneMesh>& meshes, const WebRequest& request) {
  const auto number = whole_number(request, "mesh");
  return number && *number < meshes.size()
             ? WebAnswer{200, "application/octet-stream", meshes[*number].bytes()}
             : refusal(404, "mesh not found");
}

std::string page_with(std::string_view page, const Json& data, const std::string& more_elements) {
  if (page.empty()) {
    refuse("this longarm was built without the viewer page", "install npm and rebuild");
  }
  const std::size_t found = page.find(kDataElement);
  check(found != page.npos, "the viewer's page has no place for data");
  const std::size_t begin = found + kDataElement.size();
  const std::string_view closing = "</script>";
  const std::size_t end = page.find(closing, begin);
  check(end != page.npos, "the data of the viewer's page has no end");
  const std::size_t after = end + closing.size();
  return fmt::format("{}{}{}\n{}{}", page.substr(0, begin), for_script(json_text(data)), closing,
                     more_elements, page.substr(after));
}

std::string Views::one_file(std::string_view page) const {
  std::string elements;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    for (std::size_t t = 0; t < runs_[r]->tables().size(); ++t) {
      const Table& table = runs_[r]->tables()[t];
      std::vector<std::size_t> all(table.columns.size());
      for (std::size_t c = 0; c < all.size(); ++c) {
        all[c] = c;
      }
      const std::vector<double> numbers = runs_[r]->columns(t, all, 0, table.rows);
      std::string packed;
      for (std::size_t c = 0; c < all.size(); ++c) {
        const auto column = std::span(numbers).subspan(c * table.rows, table.rows);
        packed += c == 0 ? pack_times(column) : pack_column(column);
      }
      elements += element(fmt::format("blob-{}-{}", r, t), packed);
      if (table.has_texts) {
        const std::string texts = json_text(runs_[r]->texts(t, 0, table.rows));
        elements += element(fmt::format("texts-{}-{}", r, t), texts);
      }
    }
  }
  for (std::size_t s = 0; s < scenes_.size(); ++s) {
    for (std::size_t m = 0; m < scenes_[s].meshes.size(); ++m) {
      elements += element(fmt::format("mesh-{}-{}", s, m), scenes_[s].meshes[m].bytes());
    }
  }
  Json document = document_;
  document["source"] = "file";
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    document["runs"][r]["problem"] = problem_of(*runs_[r]);  // by now all of it was read
  }
  return page_with(page, document, elements);
}

}  // namespace longarm::view
