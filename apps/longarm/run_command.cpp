// SPDX-License-Identifier: Apache-2.0
// `longarm run`: one scenario or experiment, a progress line, a table.
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
#include "apps/longarm/experiment_table.h"
#include "apps/longarm/interruption.h"
#include "apps/longarm/progress_line.h"
#include "longarm/experiments/ideal_reference.h"
#include "longarm/experiments/run_experiment.h"
#include "longarm/record/metrics.h"
#include "longarm/scenario/run.h"

namespace longarm::app {
namespace {

struct RunArguments {
  std::string scenario;
  scenario::LoadOptions load;
  scenario::RunOptions run;
  bool prints_json = false;
  int trace_ticks = 0;
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
scenario::RunResult with_progress(
    scenario::RunOptions options, const std::vector<Diagnostic>& told,
    const std::function<scenario::RunResult(const scenario::RunOptions&)>& simulate) {
  ProgressLine progress("simulating");
  // the run ends after its present slice and keeps what it has
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
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
  scenario::RunResult result = simulate(options);
  progress.clear();
  std::signal(SIGINT, SIG_DFL);
  if (result.metrics["ended"] == "interrupted") {
    fmt::print(stderr, "interrupted after {:.3f} s; what there is, is in {}/\n",
               result.metrics["simulated_s"].get<double>(), result.folder);
  }
  if (!result.failure.empty()) {
    // some know the moment better than to a step
    const std::string when =
        result.failure.starts_with("at ")
            ? ""
            : fmt::format("after {:.6f} s: ", result.metrics["simulated_s"].get<double>());
    fmt::print(stderr,
               "longarm: error: the run ended {}{}\n  hint: what there is until then, is in {}/\n",
               when, result.failure, result.folder);
  }
  return result;
}

int exit_code(const scenario::RunResult& result) {
  if (!result.failure.empty()) {
    return kCheckFailed;
  }
  return result.metrics["ended"] == "interrupted" ? kInterrupted : kDone;
}

void print_arm(const scenario::PreparedScenario& prepared, const scenario::RunResult& result) {
  const auto& metrics = result.metrics;
  const scenario::Scenario& s = prepared.scenario;
  const std::string between =
      s.network.is_empty() ? fmt::format("link {} / {}", s.link.states.model, s.link.commands.model)
                           : fmt::format("network {} to {}", s.control.host, s.robot.host);
  fmt::print("{}: {:.3f} s on {}, cut {}, {}{}\n\n", prepared.name,
             metrics["simulated_s"].get<double>(), s.engine, s.cut, between,
             metrics["ended"] == "diverged" ? ", stopped because the arm ran away" : "");
  fmt::print("{}\n", record::format_metrics_table(metrics));
  fmt::print(
      "  state hash {}   {:.0f}x real time\n  results in {}/ (metrics.json, scenario.yaml{}{})\n",
      metrics["state_hash"].get<std::string>(),
      metrics["machine"]["real_time_factor"].get<double>(), result.folder,
      prepared.scenario.record_trace ? ", trace.mcap" : "",
      prepared.scenario.record_trace && prepared.scenario.record_csv ? ", trace.csv, path.svg"
                                                                     : "");
}

int run_arm(RunArguments& arguments, const scenario::Plugins& plugins) {
  const scenario::PreparedScenario prepared =
      scenario::load_scenario(arguments.scenario, arguments.load, plugins);
  if (arguments.trace_ticks > 0) {
    // --json promises that nothing else is on stdout
    arguments.run.call_trace =
        call_printer(arguments.trace_ticks, arguments.prints_json ? stderr : stdout);
  }
  const scenario::RunResult result = with_progress(
      arguments.run, {}, [&](const auto& options) { return run_scenario(prepared, options); });
  if (arguments.prints_json) {
    fmt::print("{}\n", result.metrics.dump(2));
  } else {
    print_arm(prepared, result);
  }
  return exit_code(result);
}

/// What only an arm's controller has.
void refuse_options_of_arms(const RunArguments& arguments) {
  Diagnostics diagnostics;
  const auto refuse = [&](bool is_given, const char* option, const char* hint) {
    if (is_given) {
      diagnostics.error(
          {option},
          fmt::format("'{}' is an experiment, which has no such option", arguments.scenario), hint);
    }
  };
  const std::string& reference = arguments.run.reference;
  refuse(!reference.empty() && reference != scenario::kIdealReference, "--reference",
         "--reference ideal compares a cell with itself without the network");
  refuse(arguments.trace_ticks > 0, "--trace-ticks", "only an arm's controller has ticks");
  refuse(!arguments.load.allow.empty(), "--allow", "no lint finding stops an experiment");
  diagnostics.throw_if_errors();
}

int run_experiment(const RunArguments& arguments, const scenario::Plugins& plugins) {
  refuse_options_of_arms(arguments);
  const experiments::PreparedExperiment prepared =
      experiments::load_experiment(arguments.scenario, arguments.load, plugins);
  for (const Diagnostic& warning : prepared.warnings) {
    fmt::print(stderr, "{}\n", warning.format());
  }
  std::optional<experiments::PreparedExperiment> ideal;
  if (!arguments.run.reference.empty()) {
    ideal = experiments::load_ideal(arguments.scenario, arguments.load, plugins, prepared);
  }
  const scenario::RunResult result =
      with_progress(arguments.run, prepared.warnings, [&](const auto& options) {
        return experiments::run_experiment(prepared, options, ideal ? &*ideal : nullptr);
      });
  if (arguments.prints_json) {
    fmt::print("{}\n", result.metrics.dump(2));
  } else {
    fmt::print("{}", experiment_text(prepared, result));
  }
  return exit_code(result);
}

int run(RunArguments& arguments) {
  const scenario::Plugins plugins = scenario::built_in_plugins();
  return experiments::is_experiment(arguments.scenario) ? run_experiment(arguments, plugins)
                                                        : run_arm(arguments, plugins);
}

}  // namespace

Command add_run_command(CLI::App& word) {
  const auto arguments = std::make_shared<RunArguments>();
  word.add_option("scenario", arguments->scenario,
                  "a ready scenario's or experiment's name, or a YAML file")
      ->required();
  word.add_option("--set", arguments->load.overrides,
                  "change a key, e.g. --set link.delay=10ms --set cut=effort")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--out", arguments->run.out,
                  "folder for the results; default: next free runs/NAME")
      ->type_name("DIR");
  word.add_option(
          "--reference", arguments->run.reference,
          "what to compare with: ideal, the same run without the network, made on the spot; "
          "or a run folder of an arm, where only link, cut, gain, seed, clocks, controller "
          "and task.replan may differ")
      ->type_name("ideal|DIR");
  add_plugin_option(word, arguments->load.plugins);
  word.add_option("--allow", arguments->load.allow, "go on in spite of this lint finding")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.add_flag("--json", arguments->prints_json, "print metrics.json and nothing else");
  word.add_option("--trace-ticks", arguments->trace_ticks,
                  "print the calls of the first N control ticks, in order")
      ->type_name("N");
  word.footer(
      "Exit code 0 means the run was simulated, also if the robot became unstable or the numbers\n"
      "diverged: that is a result.\n"
      "Keys: longarm keys. Example, what 10 ms each way does to a UR5:\n"
      "  longarm run ur5-waypoints --set link.delay=10ms --reference ideal");
  return [arguments] { return run(*arguments); };
}

}  // namespace longarm::app
