// SPDX-License-Identifier: Apache-2.0
// `longarm replay`: does a recorded run repeat itself without its controller and its link, or
// without its clients?
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "apps/longarm/progress_line.h"
#include "apps/longarm/study_words.h"
#include "labs/labs.h"
#include "longarm/actors/arm_replay.h"
#include "longarm/cell/plugin.h"
#include "longarm/serve/serve_scenario.h"

namespace longarm::app {
namespace {

struct ReplayArguments {
  std::string folder;
  std::vector<std::string> plugins;
  std::string out;
  bool prints_json = false;
};

void print_json(const actors::ReplayReport& report) {
  nlohmann::ordered_json out;
  out["same"] = report.is_same;
  out["states_compared"] = report.states_compared;
  out["until_s"] = to_seconds(report.end.time_since_epoch());
  out["largest_difference_rad"] = report.largest_difference;
  if (report.differs_at) {
    out["differs_at_s"] = to_seconds(report.differs_at->time_since_epoch());
  }
  out["world_hash"] = report.world_hash;
  out["recorded_hash"] = report.recorded_hash;
  out["trace_problem"] = report.trace_problem;
  fmt::print("{}\n", out.dump(2));
}

void print_words(const std::string& folder, const actors::ReplayReport& report) {
  const double until_s = to_seconds(report.end.time_since_epoch());
  if (!report.trace_problem.empty()) {
    fmt::print("{}/trace.mcap is {}\n", folder, report.trace_problem);
  }
  if (report.is_same && report.states_compared == 0) {
    fmt::print("identical: the cell is bit for bit the same until {:.3f} s\n", until_s);
    return;
  }
  if (report.is_same) {
    fmt::print("identical: {} joint states until {:.3f} s are bit for bit the same\n",
               report.states_compared, until_s);
    return;
  }
  if (!report.differs_at) {
    fmt::print(
        "different: {} joint states until {:.3f} s are bit for bit the same, but the final world "
        "is not: hash {}, recorded {}\n",
        report.states_compared, until_s, report.world_hash, report.recorded_hash);
    return;
  }
  fmt::print("different from {:.3f} s on: largest difference {:.3g} rad until {:.3f} s\n",
             to_seconds(report.differs_at->time_since_epoch()), report.largest_difference, until_s);
}

void print_json(const serve::ReplayReport& report) {
  nlohmann::ordered_json out;
  out["same"] = report.is_same;
  out["events"] = report.events;
  out["checkpoints_compared"] = report.checkpoints;
  out["steps"] = report.steps;
  out["until_s"] = to_seconds(report.end.time_since_epoch());
  if (report.differs_at) {
    out["differs_at_step"] = *report.differs_at;
    out["difference"] = report.difference;
  }
  out["ended"] = report.how_it_ended.empty() ? "killed" : report.how_it_ended;
  out["recording_problem"] = report.problem;
  out["world_hash"] = report.world_hash;
  out["said_hash"] = report.said_hash;
  fmt::print("{}\n", out.dump(2));
}

void print_words(const std::string& folder, const serve::ReplayReport& report) {
  const double until_s = to_seconds(report.end.time_since_epoch());
  if (!report.problem.empty()) {
    fmt::print("{}/{} is {}\n", folder, serve::kRecordingFile, report.problem);
  }
  if (report.how_it_ended.empty()) {
    fmt::print("the run was killed; it is replayed up to the end of the recording\n");
  }
  if (report.checkpoints == 0) {
    fmt::print("nothing to compare: the run was killed within its first second\n");
  }
  if (!report.is_same) {
    fmt::print("different: {} differs before step {}\n", report.difference,
               report.differs_at.value_or(0));
    return;
  }
  fmt::print(
      "identical: {} client events, {} steps until {:.3f} s, bit for bit the same at {} "
      "checkpoints\n",
      report.events, report.steps, until_s, report.checkpoints);
}

/// A run of `longarm serve`: the cell again, without its clients.
int replay_served(const ReplayArguments& arguments) {
  ProgressLine progress("replaying");
  const serve::ReplayReport report = serve::replay_served(
      arguments.folder, cell::plugins_with(labs::built_in_plugins(), arguments.plugins),
      [&](Time now, Time end) { progress.show(now, end); }, arguments.out);
  progress.clear();
  if (arguments.prints_json) {
    print_json(report);
  } else {
    print_words(arguments.folder, report);
  }
  return report.is_same && report.checkpoints > 0 ? kDone : kCheckFailed;
}

int replay(const ReplayArguments& arguments) {
  if (serve::is_served_run(arguments.folder)) {
    return replay_served(arguments);
  }
  const cell::Plugins plugins = cell::plugins_with(labs::built_in_plugins(), arguments.plugins);
  ProgressLine progress("replaying");
  const actors::ReplayReport report = actors::replay_run(
      arguments.folder, plugins, [&](Time now, Time end) { progress.show(now, end); },
      arguments.out);
  progress.clear();
  if (arguments.prints_json) {
    print_json(report);
  } else {
    print_words(arguments.folder, report);
  }
  return report.is_same ? kDone : kCheckFailed;
}

}  // namespace

Command add_replay_command(CLI::App& word) {
  const auto arguments = std::make_shared<ReplayArguments>();
  word.add_option("run", arguments->folder,
                  "folder of a run with trace.mcap, or of a served run with received.jsonl")
      ->required();
  word.add_option("--out", arguments->out,
                  "write a run folder of the replay; controllers and links are simulated again")
      ->type_name("DIR");
  add_plugin_option(word, arguments->plugins);
  word.add_flag("--json", arguments->prints_json, "print only the result, as JSON");
  word.footer(
      "For a run of longarm run: feeds the recorded commands to the same arm, without controller "
      "and\n"
      "link, and compares all joint states; cells with several actors are simulated in full. For a "
      "run\n"
      "of longarm serve: repeats the cell with the recorded client messages and compares every "
      "second.\n"
      "Exit code 0: identical, bit for bit; 1: different.");
  return [arguments] { return replay(*arguments); };
}

}  // namespace longarm::app
