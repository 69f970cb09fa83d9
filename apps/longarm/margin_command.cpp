// SPDX-License-Identifier: Apache-2.0
// `longarm margin`: the largest latency that a loop survives, for each cut and direction, beside
// the closed form.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "apps/longarm/progress_text.h"
#include "apps/longarm/study_words.h"
#include "labs/labs.h"
#include "longarm/control/config.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/core/version.h"
#include "longarm/study/axis.h"
#include "longarm/study/margin/margin.h"
#include "longarm/study/margin/store_cache.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using study::Direction;
using study::MarginResult;

struct MarginArguments {
  std::string scenario;
  cell::LoadOptions load;
  std::vector<std::string> axes;
  std::string cuts;
  std::string directions = "both";
  std::string robot;
  std::vector<std::string> links;
  std::string resolution;
  std::string up_to;
  std::string hold_limit;
  int threads = 0;
  std::string out;
  bool prints_json = false;
};

/// The words of a comma-separated option, each of `names`; `all` stands for `everything`.
std::vector<std::string> words_of(const std::string& option, const std::string& text,
                                  std::vector<std::string> names,
                                  const std::vector<std::string>& everything) {
  if (text == "all") {
    return everything;
  }
  names.push_back("all");
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (std::find(names.begin(), names.end(), word) == names.end()) {
      throw InputError(Diagnostic{{option + " " + text},
                                  fmt::format("unknown {} '{}'", option.substr(2), word),
                                  suggest(word, names)});
    }
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(word);
    }
    begin = end + 1;
  }
  return words;
}

/// Cuts that a link can be at; `none` has no link.
std::vector<std::string> cuts_of(const MarginArguments& arguments) {
  if (arguments.cuts.empty()) {
    return {""};
  }
  std::vector<std::string> names = control::cut_names();
  std::erase(names, "none");
  return words_of("--cut", arguments.cuts, names, names);
}

std::vector<Direction> directions_of(const MarginArguments& arguments) {
  const std::vector<std::string>& names = study::direction_names();
  std::vector<Direction> directions;
  for (const std::string& word : words_of("--direction", arguments.directions, names, names)) {
    directions.push_back(Direction(std::find(names.begin(), names.end(), word) - names.begin()));
  }
  return directions;
}

std::optional<Duration> duration_of(const std::string& option, const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const Result<Duration> duration = parse_duration(text);
  if (!duration || *duration <= Duration(0)) {
    throw InputError(
        Diagnostic{{option + " " + text},
                   duration ? "it must be greater than zero" : duration.error().message,
                   "write it with a unit, e.g. " + option + " 1ms"});
  }
  return *duration;
}

study::MarginConfig config_of(const MarginArguments& arguments) {
  study::MarginConfig config;
  config.resolution = duration_of("--resolution", arguments.resolution);
  config.up_to = duration_of("--up-to", arguments.up_to);
  config.hold_limit = duration_of("--hold-limit", arguments.hold_limit).value_or(config.hold_limit);
  config.threads = arguments.threads;
  return config;
}

// --- the document --------------------------------------------------------------------------------

std::string command_of(const MarginArguments& arguments) {
  std::string text = "longarm margin " + quoted(arguments.scenario);
  for (const std::string& each : arguments.load.overrides) {
    text += " --set " + quoted(each);
  }
  for (const std::string& each : arguments.axes) {
    text += " --axis " + quoted(each);
  }
  for (const auto& [option, value] :
       {std::pair{"--cut", &arguments.cuts}, std::pair{"--direction", &arguments.directions},
        std::pair{"--resolution", &arguments.resolution}, std::pair{"--up-to", &arguments.up_to},
        std::pair{"--hold-limit", &arguments.hold_limit}, std::pair{"--robot", &arguments.robot}}) {
    text += value->empty() ? "" : fmt::format(" {} {}", option, *value);
  }
  for (const std::string& link : arguments.links) {
    text += " --link " + quoted(link);
  }
  return text;
}

Json document_of(const MarginArguments& arguments, const cell::PreparedScenario& base,
                 const std::vector<MarginResult>& results) {
  Json about;
  about["longarm_version"] = LONGARM_VERSION;
  about["scenario"] = base.name;
  about["engine"] = base.scenario.engine;
  about["cut"] = results.empty() ? "" : results.front().cut;
  about["command"] = command_of(arguments);
  int runs = 0;
  Json margins = Json::array();
  for (const MarginResult& result : results) {
    margins.push_back(study::to_json(result));
    runs += result.runs();
  }
  about["runs"] = runs;
  about["identity"] = base.identity;
  about["scenario_yaml"] = cell::to_yaml(base.scenario, base.plugins);
  about["warnings"] = Json::array();
  for (const Diagnostic& warning : base.warnings) {
    about["warnings"].push_back(warning.format());
  }
  Json out;
  out["format"] = 1;
  out["kind"] = "margin";
  out["title"] = base.scenario.title;
  out["about"] = std::move(about);
  out["margins"] = std::move(margins);
  out["margin_remarks"] = study::remarks_on(results);
  return out;
}

// --- the search ----------------------------------------------------------------------------------

struct Question {
  study::MarginQuestion question;
  std::vector<std::string> settings;
};

/// Every combination that was asked for; cuts first, then directions, then the axes.
std::vector<Question> questions_of(const MarginArguments& arguments) {
  std::vector<study::Axis> axes;
  for (const std::string& each : arguments.axes) {
    axes.push_back(study::parse_axis(each));
  }
  const study::Grid grid(std::move(axes));
  std::vector<Question> questions;
  for (const std::string& cut : cuts_of(arguments)) {
    for (const Direction direction : directions_of(arguments)) {
      for (std::size_t i = 0; i < grid.size(); ++i) {
        Question each{
            {arguments.scenario, arguments.load, cut, direction, arguments.robot, arguments.links},
            grid.assignments(grid.point(i))};
        std::vector<std::string>& overrides = each.question.load.overrides;
        overrides.insert(overrides.end(), each.settings.begin(), each.settings.end());
        questions.push_back(std::move(each));
      }
    }
  }
  return questions;
}

std::vector<MarginResult> search(const std::vector<Question>& questions,
                                 const study::MarginConfig& config, const cell::Plugins& plugins,
                                 study::Store& store) {
  ProgressText progress;
  study::StoreCache cache(store);
  std::vector<MarginResult> results;
  for (const Question& each : questions) {
    const std::string name =
        fmt::format("{}/{} {} {} {}", results.size() + 1, questions.size(), each.question.cut,
                    study::direction_names()[static_cast<std::size_t>(each.question.direction)],
                    join(each.settings, " "));
    const auto show = [&](const std::string& text) { progress.show(name + ": " + text); };
    results.push_back(study::find_margin(each.question, config, plugins, &cache, show));
    results.back().settings = each.settings;
  }
  return results;
}

int run(const MarginArguments& arguments) {
  const cell::Plugins plugins = labs::built_in_plugins();
  // everything that may be wrong is found before hours of runs, not after
  const study::MarginConfig config = config_of(arguments);
  const std::vector<Question> questions = questions_of(arguments);
  const cell::PreparedScenario base =
      cell::load_scenario(arguments.scenario, arguments.load, plugins);
  for (const Question& each : questions) {
    study::check_margin(each.question, config, plugins);
  }
  const fs::path folder =
      arguments.out.empty() ? fs::path("runs") / (base.name + "-margin") : fs::path(arguments.out);
  study::Store store(folder / "study.db", study::Store::Mode::kWrite);
  const std::vector<MarginResult> results = search(questions, config, plugins, store);
  const Json document = document_of(arguments, base, results);
  store.put_document("margin", document);
  const std::string report = write_report(folder);
  if (arguments.prints_json) {
    fmt::print("{}\n", document.dump(2));
    return kDone;
  }
  fmt::print(
      "{} on {}: largest stable latency per direction (each way for 'both')\n"
      "\n",
      base.name, base.scenario.engine);
  fmt::print("{}", study::format_margin_table(results));
  for (const auto& remark : document["margin_remarks"]) {
    fmt::print("\n  {}", remark.get<std::string>());
  }
  fmt::print("\n  {} runs; results in {}{}\n", document["about"]["runs"].get<int>(),
             store.file().string(), report);
  return kDone;
}

}  // namespace

Command add_margin_command(CLI::App& word) {
  const auto arguments = std::make_shared<MarginArguments>();
  word.add_option("scenario", arguments->scenario, "name of a built-in scenario, or a YAML file")
      ->required();
  word.add_option("--set", arguments->load.overrides, "change a key, e.g. --set gain=40")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--axis", arguments->axes,
                  "repeat the search for each value of a key, e.g. --axis gain=5,10,40,100")
      ->type_name("KEY=V1,V2")
      ->allow_extra_args(false);
  word.add_option("--cut", arguments->cuts,
                  "where the link cuts the loop: velocity, effort, stale-servo, position, "
                  "trajectory, several separated by commas, or all; default: as in the scenario")
      ->type_name("CUTS");
  word.add_option(
          "--direction", arguments->directions,
          "which direction is delayed: states, commands, both, several separated by commas, or all")
      ->type_name("WAYS")
      ->capture_default_str();
  word.add_option("--robot", arguments->robot,
                  "robot whose stability is tested; default: the only one that reports it")
      ->type_name("ACTOR");
  word.add_option("--link", arguments->links,
                  "network link to delay, in addition to its own behaviour; repeat for several; "
                  "default: the arm's own link, or the only link of the network")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.add_option("--resolution", arguments->resolution,
                  "resolution of the latency, in whole physics steps; default: one control period")
      ->type_name("TIME");
  word.add_option("--up-to", arguments->up_to,
                  "largest latency to try; default: four times the closed form but at least 50ms; "
                  "500ms where the closed form has no limit")
      ->type_name("TIME");
  word.add_option("--hold-limit", arguments->hold_limit,
                  "longest hold phase of a run whose stability is undecided; default: 1280s")
      ->type_name("TIME");
  word.add_option("--threads", arguments->threads, "parallel runs; default: one per core")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  add_plugin_option(word, arguments->load.plugins);
  word.add_option("--allow", arguments->load.allow, "ignore this lint finding")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.add_option("--out", arguments->out, "folder for the results; default: runs/NAME-margin")
      ->type_name("DIR");
  word.add_flag("--json", arguments->prints_json, "print only the results, as JSON");
  word.footer(
      "Stability is judged from the simulated motion alone, without knowledge of gains or delays; "
      "see docs/how-to/margin.md.\n"
      "Runs are kept in study.db: run the same command again to continue an interrupted search.\n"
      "Example: longarm margin ur5-waypoints --cut all --direction all");
  return [arguments] { return run(*arguments); };
}

}  // namespace longarm::app
