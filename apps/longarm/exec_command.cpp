// SPDX-License-Identifier: Apache-2.0
// `longarm exec`: one program in simulated time, without a scenario.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/interruption.h"
#include "longarm/core/diagnostic.h"
#include "longarm/network/config/network_config.h"
#include "longarm/programs/programs.h"

namespace longarm::app {
namespace {

constexpr int kSignalled = 128;  // and the signal's number, as shells have it
// so that Ctrl-C is noticed in long runs
constexpr Duration kSlice = std::chrono::hours(1);

struct ExecArguments {
  std::vector<std::string> command;
  std::vector<std::string> environment;
  std::string folder;
  std::string host = "localhost";
  std::int64_t seed = 1;
  double until_s = 0.0;
  bool has_times = false;
  bool has_summary = false;
};

/// Hands on what the program writes, with the time in front of each line if that is wanted.
class Output {
 public:
  Output(const sim::Kernel& clock, bool has_times) : clock_(clock), has_times_(has_times) {}

  void write(int stream, std::string_view bytes) {
    std::FILE* const out = stream == 1 ? stdout : stderr;
    for (const char c : bytes) {
      if (has_times_ && std::exchange(is_new_[stream - 1], false)) {
        fmt::print(out, "{:14.9f} ", to_seconds(clock_.now()));
      }
      std::fputc(c, out);
      is_new_[stream - 1] = is_new_[stream - 1] || c == '\n';
    }
    std::fflush(out);
  }

 private:
  const sim::Kernel& clock_;
  bool has_times_;
  bool is_new_[2] = {true, true};
};

int execute(const ExecArguments& arguments) {
  network::NetworkConfig config;
  config.hosts.emplace_back().name = arguments.host;
  const network::Topology topology = network::make_topology(config);
  sim::Kernel clock;
  network::Network network(clock, network::make_backend(config, topology, {}),
                           network::make_hosts(config), static_cast<std::uint64_t>(arguments.seed));
  const Log log([](LogLevel level, const std::string& line) {
    if (level != LogLevel::kInfo) {
      fmt::print(stderr, "longarm: {}\n", line);
    }
  });
  Result<std::unique_ptr<programs::Programs>> programs = programs::Programs::make(
      clock, network, 1, static_cast<std::uint64_t>(arguments.seed), config.flows.tcp, log);
  if (!programs) {
    refuse(programs.error().message, "");
  }

  Output output(clock, arguments.has_times);
  std::optional<int> status;
  programs::Program program;
  program.name = arguments.command.front();
  program.command = arguments.command;
  program.environment = arguments.environment;
  program.folder = arguments.folder;
  program.written = [&](int stream, std::string_view bytes) { output.write(stream, bytes); };
  program.ended = [&](int how) {
    status = how;
    clock.stop();
  };
  const auto began = std::chrono::steady_clock::now();
  const Result<programs::Process*> process =
      (*programs)->start(network::NodeId{0}, std::move(program));
  if (!process) {
    refuse(process.error().message, "give the program's path, or check PATH");
  }

  stop_when_interrupted();
  const Time end = arguments.until_s > 0.0 ? Time(to_duration(arguments.until_s)) : Time::max();
  while (!status && clock.now() < end && is_interrupted == 0) {
    const Time next = std::max(clock.next_time(), clock.now());
    if (clock.next_time() == Time::max() && network.backend().next_event() == Time::max()) {
      break;  // nothing will ever happen again
    }
    const Result<Time> reached =
        clock.run_until(next > end - kSlice ? end : std::min(end, next + kSlice));
    if (!reached) {
      fmt::print(stderr, "error: {}\n", reached.error().message);
      return kCheckFailed;
    }
  }
  if (arguments.has_summary) {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
    fmt::print(stderr, "longarm: {:.9f} s simulated in {:.3f} s, {} system calls, digest {:016x}\n",
               to_seconds(clock.now()), wall.count(), (*programs)->call_count(),
               (*programs)->digest());
  }
  if (is_interrupted != 0) {
    return kInterrupted;
  }
  if (!status) {
    fmt::print(stderr, "longarm: {} still {} at {:.6f} s\n", arguments.command.front(),
               clock.now() < end ? "waits for what will never come" : "runs",
               to_seconds(clock.now()));
    return kCheckFailed;
  }
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : kSignalled + WTERMSIG(*status);
}

}  // namespace

Command add_exec_command(CLI::App& word) {
  const auto arguments = std::make_shared<ExecArguments>();
  word.add_option("command", arguments->command, "the program and its arguments, after --")
      ->required()
      ->type_name("PROGRAM [ARGS]");
  word.add_option("--env", arguments->environment, "an environment variable, NAME=value")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  word.add_option("--folder", arguments->folder, "working folder; default: this one")
      ->type_name("DIR");
  word.add_option("--host", arguments->host, "host name that the program sees")
      ->type_name("NAME")
      ->capture_default_str();
  word.add_option("--seed", arguments->seed, "random seed")->capture_default_str();
  word.add_option("--until", arguments->until_s, "stop at this simulated time")
      ->type_name("SECONDS");
  word.add_flag("--times", arguments->has_times, "print the simulated time before each line");
  word.add_flag("--summary", arguments->has_summary,
                "print simulated time, wall time and a digest of all system calls at the end");
  word.footer(
      "The program runs unmodified. Its clock is the simulation's: sleeping and waiting take no "
      "real\n"
      "time, and each run with the same seed is the same. The exit code is the program's.\n"
      "For several programs and a network between them: actors of kind program in a scenario.\n\n"
      "  longarm exec --times -- sh -c 'date; sleep 3600; date'");
  return [arguments] { return execute(*arguments); };
}

}  // namespace longarm::app
