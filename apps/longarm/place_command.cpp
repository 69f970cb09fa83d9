// SPDX-License-Identifier: Apache-2.0
// `longarm place`: which component belongs on which host.
#include <cmath>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "apps/longarm/interruption.h"
#include "apps/longarm/progress_text.h"
#include "apps/longarm/study_words.h"
#include "labs/labs.h"
#include "longarm/cell/run_folder.h"
#include "longarm/core/text.h"
#include "longarm/core/version.h"
#include "longarm/study/place/place.h"
#include "longarm/study/place/place_figures.h"
#include "longarm/study/report/report.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using study::PlaceResult;

struct PlaceArguments {
  study::PlaceQuestion question;
  std::string hosts;
  std::string out;
  bool prints_json = false;
};

/// "5", or "2..12" for each number from two to twelve.
std::vector<int> counts_of(const std::string& text) {
  const std::size_t dots = text.find("..");
  const auto whole = [](const std::string& word) -> std::optional<int> {
    const std::optional<double> number = parse_number(word);
    const bool is_whole = number && std::abs(*number) <= 1e9 && *number == std::floor(*number);
    return is_whole ? std::optional(static_cast<int>(*number)) : std::nullopt;
  };
  const std::optional<int> first = whole(text.substr(0, dots));
  const std::optional<int> last = dots == std::string::npos ? first : whole(text.substr(dots + 2));
  if (first && last && *first >= 1 && *last < *first) {
    throw InputError(Diagnostic{{"--hosts " + text},
                                "the end of the range is below its start",
                                fmt::format("--hosts {}..{}", *last, *first)});
  }
  if (!first || !last || *first < 1) {
    throw InputError(Diagnostic{{"--hosts " + text},
                                "expected a number of hosts, 1 or more",
                                "e.g. --hosts 5, or --hosts 2..12 to try each number"});
  }
  if (*last > 10000) {
    return {*last};  // no scenario has so many components, and that is what it will hear
  }
  std::vector<int> counts;
  for (int count = *first; count <= *last; ++count) {
    counts.push_back(count);
  }
  return counts;
}

std::string command_of(const PlaceArguments& arguments) {
  const study::PlaceQuestion& question = arguments.question;
  std::string text = fmt::format("longarm place {} --hosts {} --minimise {} --budget {} --seed {}",
                                 quoted(question.scenario), arguments.hosts, question.minimise,
                                 question.budget, question.seed);
  text +=
      question.cuts == study::PlaceQuestion{}.cuts ? "" : fmt::format(" --cuts {}", question.cuts);
  const auto add = [&](const char* option, const std::vector<std::string>& values) {
    for (const std::string& each : values) {
      text += fmt::format(" {} {}", option, quoted(each));
    }
  };
  add("--set", question.load.overrides);
  add("--pin", question.words.pins);
  add("--together", question.words.together);
  add("--apart", question.words.apart);
  add("--capacity", question.words.capacities);
  return text + (question.words.is_balanced ? " --balanced" : "");
}

std::string shown(const PlaceResult& result, const study::PlaceFigures& figures) {
  return fmt::format("{:.4g} {}", figures.trial.value.value_or(0.0) * result.objective.scale,
                     result.objective.unit);
}

Json document_of(const PlaceArguments& arguments, const PlaceResult& result) {
  Json out;
  out["format"] = 1;
  out["kind"] = "placement";
  out["longarm_version"] = LONGARM_VERSION;
  out["command"] = command_of(arguments);
  out.update(study::to_json(result));
  return out;
}

/// All there is by now; an older state of the folder is replaced file by file.
void write_folder(const fs::path& folder, const PlaceArguments& arguments,
                  const PlaceResult& result) {
  const std::string title =
      fmt::format("{} on {} hosts", result.scenario, result.problem.hosts.size());
  const study::Placement& start = result.start().trial.placement;
  const study::Placement& best = result.winner().trial.placement;
  std::vector<study::PlacementTrial> trials;
  for (const study::PlaceFigures& each : result.history) {
    trials.push_back(each.trial);
  }
  study::replace_file(folder / "start.yaml", result.start_yaml);
  study::replace_file(folder / "best.yaml", result.best_yaml);
  study::replace_file(folder / "history.csv", study::history_csv(result));
  study::replace_file(folder / "start.svg",
                      study::draw_placement(result.problem, start, title + ", METIS cut"));
  study::replace_file(folder / "best.svg", study::draw_placement(result.problem, best,
                                                                 title + ", best placement found"));
  study::replace_file(folder / "gains.svg",
                      study::draw_gains(trials,
                                        {study::capital(result.objective.label),
                                         result.objective.unit, result.objective.scale},
                                        title + ": gain of each step"));
  study::replace_file(folder / "place.json", document_of(arguments, result).dump(2) + "\n");
}

/// How far METIS's cut, and the best, can be trusted.
void print_remarks(const PlaceResult& result) {
  const study::MetisCuts& cuts = result.cuts;
  fmt::print(
      "\n"
      "  the METIS cut is the cheapest of {} attempts ({} different, {} discarded; {}",
      cuts.attempts, cuts.different.size(), cuts.discarded,
      cuts.best().repaired_violations == 0
          ? "no repairs needed)\n"
          : fmt::format("{} repaired)\n", cuts.best().repaired_violations));
  for (const study::PlaceFigures& each : result.history) {
    if (each.trial.how == "metis") {
      fmt::print("    other METIS cut:        {:>12} {:>10.4g} Mbit/s\n", shown(result, each),
                 each.metrics.value("bandwidth_mbit_s", 0.0));
    }
  }
  const int used = study::hosts_used(result.winner().trial.placement);
  if (used < static_cast<int>(result.problem.hosts.size())) {
    fmt::print("  the best placement uses {} of {} hosts\n", used, result.problem.hosts.size());
  }
  if (result.winner().trial.failures > 0.0) {
    fmt::print(
        "  warning: even with the best placement, {:.0f} calls or cycles fail or are missing\n",
        result.winner().trial.failures);
  }
}

void print_summary(const PlaceResult& result, const fs::path& folder) {
  fmt::print("{} on {} hosts{}: {} components, {}\n\n", result.scenario,
             result.problem.hosts.size(), result.problem.is_balanced ? ", balanced" : "",
             result.problem.components.size(), result.objective.label);
  const auto row = [&](const char* name, const study::PlaceFigures& figures) {
    const Json& metrics = figures.metrics;
    fmt::print("  {:<14}{:>14}", name, shown(result, figures));
    for (const auto& [key, unit] :
         {std::pair{"cycle_time_mean_ms", "ms cycle"}, std::pair{"bandwidth_mbit_s", "Mbit/s"}}) {
      if (metrics.contains(key)) {
        fmt::print("{:>12.4g} {}", metrics[key].get<double>(), unit);
      }
    }
    fmt::print("\n");
  };
  row("METIS cut", result.start());
  row("best found", result.winner());
  print_remarks(result);
  fmt::print(
      "\n"
      "  {:.1f} % less than the METIS cut, after {} simulations ({})\n",
      100.0 * result.gain(), result.history.size(),
      result.ended == "exhausted" ? "all possible placements" : result.ended);
  for (const study::PlaceFigures& each : result.history) {
    if (each.trial.is_best && each.trial.how != "start") {
      fmt::print("    {:>12} {:>10.4g} Mbit/s  {}\n", shown(result, each),
                 each.metrics.value("bandwidth_mbit_s", 0.0),
                 each.trial.change.empty() ? each.trial.how : each.trial.change);
    }
  }
  fmt::print("  run the best placement with: longarm run {}; results in {}/\n",
             quoted((folder / "best.yaml").string()), folder.string());
}

/// One number of hosts, with its own folder.
PlaceResult place_on(const PlaceArguments& arguments, int hosts,
                     const study::PlacementProfile& profile, const cell::Plugins& plugins,
                     const fs::path& folder) {
  study::PlaceQuestion question = arguments.question;
  question.hosts = hosts;
  ProgressText progress;
  study::PlaceOptions options;
  options.is_interrupted = [] { return is_interrupted != 0; };
  options.progress = [&](const PlaceResult& result) {
    fs::create_directories(folder);
    write_folder(folder, arguments, result);
    progress.show(fmt::format("{} hosts: {} / {} simulations, best {} ({:.1f} % less than METIS)",
                              hosts, result.history.size(), question.budget,
                              shown(result, result.winner()), 100.0 * result.gain()));
  };
  const PlaceResult result = study::place(question, profile, plugins, options);
  if (!result.is_empty()) {
    write_folder(folder, arguments, result);
  }
  return result;
}

Json over_hosts_json(const PlaceArguments& arguments, const std::vector<PlaceResult>& results) {
  Json out;
  out["format"] = 1;
  out["kind"] = "placements";
  out["longarm_version"] = LONGARM_VERSION;
  out["command"] = command_of(arguments);
  out["counts"] = Json::array();
  for (const PlaceResult& result : results) {
    out["counts"].push_back(study::to_json(result));
  }
  return out;
}

/// A table and a figure of cuts over numbers of hosts.
void finish_range(const PlaceArguments& arguments, const std::vector<PlaceResult>& results,
                  const fs::path& folder) {
  std::vector<study::HostsPoint> points;
  const auto number = [](const study::PlaceFigures& figures, const char* key) {
    return figures.metrics.value(key, 0.0);
  };
  std::string table =
      "hosts,start_bandwidth_mbit_s,start_cycle_time_ms,best_bandwidth_mbit_s,best_cycle_time_ms\n";
  for (const PlaceResult& result : results) {
    points.push_back(
        {static_cast<int>(result.problem.hosts.size()), number(result.start(), "bandwidth_mbit_s"),
         number(result.start(), "cycle_time_mean_ms"), number(result.winner(), "bandwidth_mbit_s"),
         number(result.winner(), "cycle_time_mean_ms")});
    const study::HostsPoint& p = points.back();
    table += fmt::format("{},{},{},{},{}\n", p.hosts, p.start_bandwidth_mbit_s,
                         p.start_cycle_time_ms, p.best_bandwidth_mbit_s, p.best_cycle_time_ms);
  }
  study::replace_file(folder / "hosts.csv", table);
  study::replace_file(
      folder / "hosts.svg",
      study::draw_over_hosts(points, results.front().scenario + ": placements by number of hosts"));
  study::replace_file(folder / "place.json", over_hosts_json(arguments, results).dump(2) + "\n");
  if (arguments.prints_json) {
    return;
  }
  fmt::print("  hosts   METIS Mbit/s   cycle ms    best Mbit/s   cycle ms\n");
  for (const study::HostsPoint& p : points) {
    fmt::print("  {:5}   {:12.3f} {:10.4f}   {:12.3f} {:10.4f}\n", p.hosts,
               p.start_bandwidth_mbit_s, p.start_cycle_time_ms, p.best_bandwidth_mbit_s,
               p.best_cycle_time_ms);
  }
  fmt::print("  results in {}/ (hosts.csv, hosts.svg, place.json)\n", folder.string());
}

int stopped_with_nothing() {
  fmt::print(stderr, "interrupted before any placement was simulated\n");
  return kInterrupted;
}

int run(const PlaceArguments& arguments) {
  const std::vector<int> counts = counts_of(arguments.hosts);
  const cell::Plugins plugins = labs::built_in_plugins();
  const study::PlaceQuestion& question = arguments.question;
  // the best until then is kept
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  // everything that may be wrong is found before the first of many runs
  const study::PlacementProfile profile = study::profile_scenario(
      question.scenario, question.load, plugins, [] { return is_interrupted != 0; });
  if (profile.is_interrupted) {
    return stopped_with_nothing();
  }
  for (const int hosts : counts) {
    study::PlaceQuestion each = question;
    each.hosts = hosts;
    study::check_question(each, profile, plugins);
  }
  const fs::path folder = cell::make_run_folder(profile.name + "-place", arguments.out);
  std::vector<PlaceResult> results;
  for (const int hosts : counts) {
    const bool is_alone = counts.size() == 1;
    results.push_back(place_on(arguments, hosts, profile, plugins,
                               is_alone ? folder : folder / fmt::format("hosts-{}", hosts)));
    if (results.back().is_empty()) {
      results.pop_back();
    }
    if (is_interrupted != 0) {
      break;
    }
  }
  std::signal(SIGINT, SIG_DFL);
  if (results.empty()) {
    return stopped_with_nothing();
  }
  if (counts.size() > 1) {
    finish_range(arguments, results, folder);
  } else if (!arguments.prints_json) {
    print_summary(results.front(), folder);
  }
  if (arguments.prints_json) {
    fmt::print("{}\n", (counts.size() > 1 ? over_hosts_json(arguments, results)
                                          : document_of(arguments, results.front()))
                           .dump(2));
  }
  if (is_interrupted != 0) {
    fmt::print(stderr, "interrupted; the best placement so far is in {}/\n", folder.string());
    return kInterrupted;
  }
  return kDone;
}

void add_constraint_options(CLI::App& word, study::PlacementWords& words) {
  word.add_flag("--balanced", words.is_balanced,
                "numbers of components per host differ by at most one");
  word.add_option("--pin", words.pins, "put this component on this host (pc1, pc2, … of a star)")
      ->type_name("NAME=HOST")
      ->allow_extra_args(false);
  word.add_option("--together", words.together, "put these components on one host")
      ->type_name("A,B,…")
      ->allow_extra_args(false);
  word.add_option("--apart", words.apart, "put each of these components on a different host")
      ->type_name("A,B,…")
      ->allow_extra_args(false);
  word.add_option("--capacity", words.capacities, "largest number of components on this host")
      ->type_name("HOST=COUNT")
      ->allow_extra_args(false);
}

}  // namespace

Command add_place_command(CLI::App& word) {
  const auto arguments = std::make_shared<PlaceArguments>();
  study::PlaceQuestion& question = arguments->question;
  word.add_option("scenario", question.scenario,
                  "a scenario with components: name of a built-in one, or a YAML file")
      ->required();
  word.add_option("--hosts", arguments->hosts, "number of hosts, or a range such as 2..12")
      ->type_name("N")
      ->required();
  word.add_option("--minimise", question.minimise,
                  "what to minimise: cycle-time, bandwidth, path-deviation, or another number of "
                  "metrics.json")
      ->type_name("WHAT")
      ->capture_default_str();
  word.add_option("--budget", question.budget, "number of simulations, including the METIS cut")
      ->type_name("RUNS")
      ->capture_default_str();
  word.add_option("--seed", question.seed,
                  "random seed of the search, independent of the scenario's seed")
      ->type_name("S")
      ->capture_default_str();
  word.add_option("--cuts", question.cuts, "how many of the cheapest METIS cuts to simulate first")
      ->type_name("COUNT")
      ->check(CLI::Range(1, 40))
      ->capture_default_str();
  word.add_option("--threads", question.threads, "parallel simulations; default: one per core")
      ->type_name("T")
      ->check(CLI::Range(1, 4096));
  add_constraint_options(word, question.words);
  word.add_option("--set", question.load.overrides, "change a key for every run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_plugin_option(word, question.load.plugins);
  word.add_option("--out", arguments->out,
                  "folder for the results; default: next free runs/NAME-place")
      ->type_name("DIR");
  word.add_flag("--json", arguments->prints_json, "print only the results, as JSON");
  word.footer(
      "A first run of the scenario records the communication between components. METIS cuts that "
      "graph\n"
      "into one part per host. The search then simulates placements, each chosen from the results "
      "so\n"
      "far. Ctrl-C keeps the best placement found. See docs/how-to/placement.md.\n"
      "Examples:\n"
      "  longarm place armar-rectangle --hosts 5 --balanced --minimise cycle-time\n"
      "  longarm place armar-rectangle --hosts 2..12 --balanced --minimise bandwidth --budget 1");
  return [arguments] { return run(*arguments); };
}

}  // namespace longarm::app
