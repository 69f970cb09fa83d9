// SPDX-License-Identifier: Apache-2.0
// `longarm node`: components of a scenario as a process of its own, over real sockets.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "apps/longarm/real_components.h"
#include "longarm/components/real/real_process.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"

namespace longarm::app {
namespace {

struct NodeArguments {
  std::string scenario;
  cell::LoadOptions load;
  std::vector<std::string> components;
  std::string listen = "127.0.0.1";
  std::string names;
  bool serves_names = false;
  double seconds = 0.0;
  std::int64_t epoch_ns = 0;
  std::string out;
};

const components::LoopConfig& find_loop(const RealComponents& all, const std::string& name) {
  std::vector<std::string> names;
  for (const components::LoopConfig& loop : all.loops) {
    if (loop.name == name) {
      return loop;
    }
    names.push_back(loop.name);
  }
  if (std::find(all.others.begin(), all.others.end(), name) != all.others.end()) {
    refuse(fmt::format("the program of '{}' runs only in a simulation", name),
           "choose components with program: loop");
  }
  refuse(fmt::format("the scenario has no component '{}'", name), suggest(name, names));
}

components::RealProcessConfig make_config(const NodeArguments& arguments,
                                          const RealComponents& all) {
  components::RealProcessConfig config;
  const Result<components::Address> names = system::parse_address(arguments.names);
  if (!names) {
    refuse("--names: " + names.error().message,
           "start one process with --serve-names, and pass its address to the others");
  }
  config.listen_host = arguments.listen;
  config.name_service = *names;
  config.serves_names = arguments.serves_names;
  config.calls = all.flows;
  config.seed = all.seed;
  config.epoch_ns = arguments.epoch_ns;
  return config;
}

int run_node(const NodeArguments& arguments) {
  if (arguments.components.empty() && !arguments.serves_names) {
    refuse("there is nothing to run", "name a --component, or use --serve-names");
  }
  const RealComponents all = load_real_components(arguments.scenario, arguments.load);
  std::vector<components::LoopConfig> loops;
  for (const std::string& name : arguments.components) {
    loops.push_back(find_loop(all, name));
  }
  const auto process = components::RealProcess::make(make_config(arguments, all));
  if (!process) {
    refuse(process.error().message,
           "check that the address belongs to this machine and that the port is free");
  }
  for (const components::LoopConfig& loop : loops) {
    if (const Result<bool> added = (*process)->add(loop); !added) {
      refuse(added.error().message, "check that the address belongs to this machine");
    }
  }
  fmt::print("ready {}\n", system::to_text((*process)->name_service()));
  std::fflush(stdout);
  const Duration length = arguments.seconds > 0.0
                              ? Duration(static_cast<std::int64_t>(arguments.seconds * 1e9))
                              : all.length;
  const Result<Time> reached = (*process)->run(length);
  if (!reached) {
    fmt::print(stderr, "longarm node: {}\n", reached.error().message);
    return kCheckFailed;
  }
  if (!arguments.out.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(arguments.out, ignored);
    if (const Result<bool> written = (*process)->write(arguments.out); !written) {
      refuse(written.error().message, "choose another --out");
    }
  }
  for (const std::string& complaint : (*process)->complaints()) {
    fmt::print(stderr, "longarm node: {}\n", complaint);
  }
  return kDone;
}

}  // namespace

Command add_node_command(CLI::App& word) {
  const auto arguments = std::make_shared<NodeArguments>();
  word.add_option("scenario", arguments->scenario, "a scenario with components")->required();
  word.add_option("--component", arguments->components,
                  "component to run in this process; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  word.add_option("--names", arguments->names, "address of the name service")
      ->type_name("HOST:PORT")
      ->required();
  word.add_flag("--serve-names", arguments->serves_names, "run the name service at this address");
  word.add_option("--listen", arguments->listen, "this machine's address")->type_name("HOST");
  word.add_option("--seconds", arguments->seconds, "how long to run; 0: the scenario's length")
      ->check(CLI::Range(0.0, 1e6));
  word.add_option("--epoch", arguments->epoch_ns, "start time in ns of CLOCK_MONOTONIC; 0: now");
  word.add_option("--out", arguments->out, "folder for CSV files of cycles and calls")
      ->type_name("DIR");
  word.add_option("--set", arguments->load.overrides, "override a key of the scenario")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.footer(
      "Runs the component code that `longarm run` simulates over real TCP and on real cores.\n"
      "Prints `ready HOST:PORT` once it listens. See docs/how-to/processes.md for a complete "
      "system.");
  return [arguments] { return run_node(*arguments); };
}

}  // namespace longarm::app
