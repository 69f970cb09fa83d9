// SPDX-License-Identifier: Apache-2.0
// `longarm run`: one scenario, a progress line, a table.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "apps/longarm/interruption.h"
#include "apps/longarm/progress_line.h"
#include "apps/longarm/run_table.h"
#include "apps/longarm/view_server.h"
#include "labs/labs.h"
#include "longarm/cell/run_folder.h"
#include "longarm/core/alike.h"

namespace longarm::app {
namespace {

struct RunArguments {
  std::string scenario;
  cell::LoadOptions load;
  cell::RunOptions run;
  bool prints_json = false;
  int trace_ticks = 0;
  ViewOptions view;
};

/// Prints the calls of the first ticks, numbered within each.
control::CallTrace call_printer(int ticks, std::FILE* out) {
  struct State {
    int tick = 0;
    int call = 0;
  };
  return [ticks, out, state = std::make_shared<State>()](Time now, std::string_view call) {
    if (call == "update fires") {
      ++state->tick;
      state->call = 0;
    }
    if (state->tick <= ticks) {
      fmt::print(out, "{:.6f} s {:2} {}\n", to_seconds(now.time_since_epoch()), ++state->call,
                 call);
    }
  };
}

/// Simulates with a progress line, which Ctrl-C cuts short. What was `told` before is not repeated.
cell::RunResult with_progress(
    cell::RunOptions options, const std::vector<Diagnostic>& told,
    const std::function<cell::RunResult(const cell::RunOptions&)>& simulate) {
  ProgressLine progress("simulating");
  // the run ends after its present slice and keeps what it has; Ctrl-C just after its end ends the
  // page
  stop_when_interrupted();
  options.progress = [&](Time now, Time end) {
    progress.show(now, end);
    return is_interrupted == 0;
  };
  options.log_sink = [&](LogLevel level, const std::string& line) {
    const bool is_told = std::any_of(told.begin(), told.end(), [&](const Diagnostic& each) {
      return line.ends_with(each.message);
    });
    // an error is the end of the run, of which we tell below
    if (level == LogLevel::kWarning && !is_told) {
      progress.clear();
      fmt::print(stderr, "{}\n", line);
    }
  };
  cell::RunResult result = simulate(options);
  progress.clear();
  if (result.metrics["ended"] == "interrupted") {
    fmt::print(stderr, "interrupted after {:.3f} s; partial results are in {}/\n",
               result.metrics["simulated_s"].get<double>(), result.folder);
  }
  if (!result.failure.empty()) {
    // some know the moment better than to a step
    const std::string when =
        result.failure.starts_with("at ")
            ? ""
            : fmt::format("after {:.6f} s: ", result.metrics["simulated_s"].get<double>());
    fmt::print(stderr,
               "longarm: error: the run ended {}{}\n"
               "  hint: partial results are in {}/\n",
               when, result.failure, result.folder);
  }
  return result;
}

int exit_code(const cell::RunResult& result) {
  if (!result.failure.empty()) {
    return kCheckFailed;
  }
  return result.metrics["ended"] == "interrupted" ? kInterrupted : kDone;
}

void refuse_without_arm(const cell::PreparedScenario& prepared) {
  const std::vector<cell::ActorEntry>& actors = prepared.cell().actors;
  const bool has_arm = std::any_of(actors.begin(), actors.end(), [](const auto& actor) {
    return actor.kind == cell::kShortKind;
  });
  if (!has_arm) {
    refuse({"--trace-ticks"}, fmt::format("'{}' has no arm", prepared.name),
           "only the controller of an arm has ticks");
  }
}

int run(RunArguments& arguments) {
  const cell::PreparedScenario prepared =
      cell::load_scenario(arguments.scenario, arguments.load, labs::built_in_plugins());
  for (const Diagnostic& warning : group_alike(prepared.warnings)) {
    fmt::print(stderr, "{}\n", warning.format());
  }
  if (arguments.trace_ticks > 0) {
    refuse_without_arm(prepared);
    // --json promises that nothing else is on stdout
    arguments.run.call_trace =
        call_printer(arguments.trace_ticks, arguments.prints_json ? stderr : stdout);
  }
  std::optional<LiveView> live;
  if (arguments.view.is_wanted) {
    arguments.run.listener = &live.emplace(prepared, arguments.view).feed();
  }
  const cell::RunResult result =
      with_progress(arguments.run, prepared.warnings,
                    [&](const auto& options) { return run_scenario(prepared, options); });
  if (arguments.prints_json) {
    fmt::print("{}\n", result.metrics.dump(2));
  } else {
    fmt::print("{}", run_text(prepared, result));
  }
  if (live && is_interrupted == 0) {
    live->show_recorded(result.folder);
  }
  return exit_code(result);
}

}  // namespace

Command add_run_command(CLI::App& word) {
  const auto arguments = std::make_shared<RunArguments>();
  word.add_option("scenario", arguments->scenario, "name of a built-in scenario, or a YAML file")
      ->required();
  word.add_option("--set", arguments->load.overrides,
                  "change a key, e.g. --set link.delay=10ms --set cut=effort")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--out", arguments->run.out,
                  "folder for the results; default: next free runs/NAME")
      ->type_name("DIR");
  word.add_option("--reference", arguments->run.reference,
                  "what to compare with: ideal (also simulates the same run without the network), "
                  "or the run folder of an arm in which only link, cut, gain, seed, clocks, "
                  "controller and task.replan may differ")
      ->type_name("ideal|DIR");
  add_plugin_option(word, arguments->load.plugins);
  word.add_option("--allow", arguments->load.allow, "ignore this lint finding")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.add_flag("--json", arguments->prints_json, "print only metrics.json");
  add_view_options(word, arguments->view);
  word.add_option("--trace-ticks", arguments->trace_ticks,
                  "print the calls of the first N control ticks, in order")
      ->type_name("N");
  word.footer(
      "Exit code 0: the run was simulated, even if the robot became unstable or the simulation\n"
      "diverged, which is a result.\n"
      "List all keys with: longarm keys. Example: the effect of 10 ms each way on a UR5:\n"
      "  longarm run ur5-waypoints --set link.delay=10ms --reference ideal");
  return [arguments] { return run(*arguments); };
}

}  // namespace longarm::app
