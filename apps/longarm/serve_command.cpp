// SPDX-License-Identifier: Apache-2.0
// `longarm serve`: a cell by the wall clock, with its servers up, until it is told to stop.
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/descriptor_limit.h"
#include "apps/longarm/door_ports.h"
#include "apps/longarm/interruption.h"
#include "apps/longarm/view_server.h"
#include "labs/labs.h"
#include "longarm/core/alike.h"
#include "longarm/core/text.h"
#include "longarm/serve/serve_scenario.h"

namespace longarm::app {
namespace {

struct ServeArguments {
  std::string scenario;
  cell::LoadOptions load;
  std::string out;
  std::string speed = "1";
  std::string length;
  std::vector<std::string> ports;
  bool is_stepped = false;
  bool is_open = false;
  bool prints_json = false;
  bool has_no_trace = false;
  ViewOptions view;
};

void read_speed(const ServeArguments& arguments, Diagnostics& problems, serve::ServeOptions& out) {
  if (arguments.speed == "max") {
    out.speed = 0.0;
    return;
  }
  const std::optional<double> speed = parse_number(arguments.speed);
  if (!speed || !(*speed >= 0.001) || !(*speed <= 1000.0)) {
    problems.error({"--speed"},
                   fmt::format("'{}' is not a speed between 0.001 and 1000", arguments.speed),
                   "1 is real time, max is as fast as possible");
    return;
  }
  out.speed = *speed;
}

void read_length(const ServeArguments& arguments, Diagnostics& problems, serve::ServeOptions& out) {
  if (arguments.length.empty()) {
    return;
  }
  const Result<Duration> length = parse_duration(arguments.length);
  if (!length || *length <= Duration::zero()) {
    problems.error({"--for"}, fmt::format("'{}' is not a duration", arguments.length),
                   "e.g. --for 60s (simulated time)");
    return;
  }
  out.length = *length;
}

serve::ServeOptions options_of(const ServeArguments& arguments) {
  Diagnostics problems;
  serve::ServeOptions options;
  options.out = arguments.out;
  options.writes_trace = !arguments.has_no_trace;
  options.server.is_open_to_all = arguments.is_open;
  read_speed(arguments, problems, options);
  read_length(arguments, problems, options);
  options.server.ports = read_ports(arguments.ports, problems);
  problems.throw_if_errors();
  if (arguments.is_stepped) {
    options.commands = STDIN_FILENO;
  }
  return options;
}

/// Says so when the world falls behind, at most once a second.
class LatenessLine {
 public:
  void look(Time now, const serve::PaceReport& pace) {
    const auto wall = std::chrono::steady_clock::now();
    const bool is_worth_it = pace.behind > std::chrono::milliseconds(100);
    if (!is_worth_it || wall - last_ < std::chrono::seconds(1)) {
      return;
    }
    last_ = wall;
    fmt::print(stderr, "{:.3f} s: {:.3f} s behind, {} late steps so far\n",
               to_seconds(now.time_since_epoch()), to_seconds(pace.behind), pace.late_steps);
  }

 private:
  std::chrono::steady_clock::time_point last_{};
};

void print_words(const cell::RunResult& result) {
  const auto& metrics = result.metrics;
  const auto& serving = metrics["machine"]["serving"];
  fmt::print("{:.3f} s served, {}: {:.2f}x real time\n", metrics["simulated_s"].get<double>(),
             metrics["ended"].get<std::string>(),
             metrics["machine"]["real_time_factor"].get<double>());
  fmt::print(
      "late steps: {}, worst {:.6f} s, total {:.6f} s; schedule shifted {} times by {:.6f} s\n",
      serving["late_steps"].get<std::uint64_t>(), serving["worst_lateness_s"].get<double>(),
      serving["total_lateness_s"].get<double>(), serving["schedule_shifts"].get<std::uint64_t>(),
      serving["schedule_shifted_s"].get<double>());
  const auto skipped = serving["stream_packets_skipped_for_slow_clients"].get<std::uint64_t>();
  const auto left_out = serving["stream_packets_skipped_while_catching_up"].get<std::uint64_t>();
  if (skipped + left_out > 0) {
    fmt::print("stream packets dropped: {} for slow clients, {} while catching up\n", skipped,
               left_out);
  }
  for (const auto& [name, door] : metrics["served"]["doors"].items()) {
    fmt::print("{}: {} clients, {} bytes in, {} bytes out\n", name,
               door["clients"].get<std::uint64_t>(), door["bytes_in"].get<std::uint64_t>(),
               door["bytes_out"].get<std::uint64_t>());
  }
  fmt::print("results in {}/; repeat the run with: longarm replay {}\n", result.folder,
             result.folder);
}

int serve(const ServeArguments& arguments) {
  serve::ServeOptions options = options_of(arguments);
  const cell::PreparedScenario prepared =
      cell::load_scenario(arguments.scenario, arguments.load, labs::built_in_plugins());
  for (const Diagnostic& warning : group_alike(prepared.warnings)) {
    fmt::print(stderr, "{}\n", warning.format());
  }
  allow_many_descriptors();
  // the run ends between two steps and keeps what it has
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  std::signal(SIGTERM, [](int) { is_interrupted = 1; });
  std::FILE* const out = arguments.prints_json ? stderr : stdout;
  options.tell = [&](const std::string& text) {
    fmt::print(out, "{}", text);
    std::fflush(out);
  };
  options.warn = [](const std::string& line) { fmt::print(stderr, "{}\n", line); };
  LatenessLine lateness;
  options.is_asked_to_stop = [&](Time now, const serve::PaceReport& pace) {
    lateness.look(now, pace);
    return is_interrupted != 0;
  };
  std::optional<LiveView> live;
  if (arguments.view.is_wanted) {
    options.listener = &live.emplace(prepared, arguments.view).feed();
  }
  // who reconnects after a reset finds the ports where they were
  options.note_port = [&](const std::string& door, std::uint16_t port) {
    options.server.ports[door] = port;
  };
  cell::RunResult result;
  for (int number = 1;; ++number) {
    result = serve::serve_scenario(prepared, options);
    if (arguments.prints_json) {
      fmt::print("{}\n", result.metrics.dump(2));
    } else {
      print_words(result);
    }
    if (result.metrics["ended"] != serve::kReset) {
      break;
    }
    options.out = arguments.out.empty() ? "" : fmt::format("{}-{}", arguments.out, number + 1);
    fmt::print(out, "the cell begins again\n");
  }
  if (!result.failure.empty()) {
    fmt::print(stderr, "longarm: error: the run ended: {}\n", result.failure);
    return kCheckFailed;
  }
  return kDone;
}

}  // namespace

Command add_serve_command(CLI::App& word) {
  const auto arguments = std::make_shared<ServeArguments>();
  word.add_option("scenario", arguments->scenario,
                  "a scenario that opens ports, e.g. aprs-live, ur5-live")
      ->required();
  word.add_option("--set", arguments->load.overrides, "change a key, as for longarm run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--out", arguments->out, "folder for the results; default: next free runs/NAME")
      ->type_name("DIR");
  word.add_option("--speed", arguments->speed,
                  "simulated seconds per real one: 1 (default), 0.5, 10, or max")
      ->type_name("FACTOR");
  word.add_flag("--stepped", arguments->is_stepped,
                "advance on commands from standard input: step [N], run 2s, quit");
  word.add_option("--for", arguments->length,
                  "how long to serve, in simulated time; default: until Ctrl-C")
      ->type_name("DURATION");
  word.add_option("--port", arguments->ports, "number of a TCP port; 0 picks a free one")
      ->type_name("NAME=PORT")
      ->allow_extra_args(false);
  word.add_flag("--open", arguments->is_open,
                "listen at all addresses of this machine instead of 127.0.0.1 only");
  add_plugin_option(word, arguments->load.plugins);
  word.add_flag("--no-trace", arguments->has_no_trace, "do not record trace.mcap");
  word.add_flag("--json", arguments->prints_json, "print only metrics.json, at the end");
  add_view_options(word, arguments->view);
  word.footer(
      "Prints the address of each port and topic. Ctrl-C ends the run and writes its results.\n"
      "Client messages are recorded in received.jsonl of the run folder; longarm replay repeats\n"
      "the run from them.\n"
      "The protocols have no passwords: use --open only where anyone may move the robots.");
  return [arguments] { return serve(*arguments); };
}

}  // namespace longarm::app
