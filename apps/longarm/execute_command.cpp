// SPDX-License-Identifier: Apache-2.0
// `longarm execute`: the kitting executor as a process of its own, over the doors of a served cell.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "apps/longarm/door_ports.h"
#include "apps/longarm/interruption.h"
#include "labs/kitting/outside_executor.h"
#include "labs/labs.h"
#include "longarm/cell/run_folder.h"
#include "longarm/config/text_file.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;

struct ExecuteArguments {
  std::string scenario;
  cell::LoadOptions load;
  std::string at = "127.0.0.1";
  std::vector<std::string> ports;
  std::string speed = "1";
  std::string out;
  bool prints_json = false;
};

double read_speed(const ExecuteArguments& arguments, Diagnostics& problems) {
  const std::optional<double> speed = parse_number(arguments.speed);
  if (!speed || !(*speed >= 0.001) || !(*speed <= 1000.0)) {
    problems.error({"--speed"},
                   fmt::format("'{}' is not a speed between 0.001 and 1000", arguments.speed),
                   "use the speed at which the cell is served; 1 is real time");
    return 1.0;
  }
  return *speed;
}

using Ports = std::map<std::string, std::uint16_t>;

/// Every door of the job must have a port that is known before it is asked for.
void check_ports(const kitting::KittingJob& job, const Ports& ports) {
  std::vector<const protocols::Door*> doors;
  for (const kitting::KittingJob::DoorOf* group : {&job.robots, &job.cameras, &job.curtains}) {
    for (const auto& [name, door] : *group) {
      doors.push_back(door);
    }
  }
  if (job.plc != nullptr) {
    doors.push_back(job.plc);
  }
  Diagnostics problems;
  std::vector<std::string> names;
  for (const protocols::Door* door : doors) {
    names.push_back(door->name());
    const auto given = ports.find(door->name());
    if ((given == ports.end() ? door->port().value_or(0) : given->second) == 0) {
      problems.error({}, fmt::format("the port of {} is not fixed", door->name()),
                     fmt::format("longarm serve prints it: --port {}=N", door->name()));
    }
  }
  for (const auto& [name, port] : ports) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      problems.error({"--port"}, fmt::format("the executor needs no port '{}'", name),
                     suggest(name, names));
    }
  }
  problems.throw_if_errors();
}

void print_words(const nlohmann::ordered_json& results, const std::string& folder) {
  const nlohmann::ordered_json& made = results["kits_made"];
  fmt::print("{} of {} kits made according to the cameras; {} parts placed, {} replans\n",
             made.is_null() ? "?" : made.dump(), results["kits_requested"].dump(),
             results.value("parts_placed", 0), results.value("replans", 0));
  fmt::print("results in {}/\n", folder);
}

int execute(const ExecuteArguments& arguments) {
  Diagnostics problems;
  const Ports ports = read_ports(arguments.ports, problems);
  kitting::OutsideOptions options;
  options.speed = read_speed(arguments, problems);
  problems.throw_if_errors();
  const cell::PreparedScenario prepared =
      cell::load_scenario(arguments.scenario, arguments.load, labs::built_in_plugins());
  // never stepped: it knows what doors there are
  const cell::Run run(prepared);
  const std::optional<kitting::KittingJob> job = kitting::find_outside_job(run);
  if (!job) {
    refuse(fmt::format("'{}' has no kitting actor with an external executor", prepared.name),
           "see aprs-outside: an actor of kind kitting with external_executor: true");
  }
  check_ports(*job, ports);
  options.address_of = [&](const protocols::Door& door) -> system::Address {
    const auto given = ports.find(door.name());
    return {arguments.at, given == ports.end() ? door.port().value_or(0) : given->second};
  };
  std::signal(SIGINT, [](int) { is_interrupted = 1; });
  std::signal(SIGTERM, [](int) { is_interrupted = 1; });
  options.is_asked_to_stop = [] { return is_interrupted != 0; };
  const fs::path folder = cell::make_run_folder(prepared.name + "-executor", arguments.out);
  options.folder = folder;
  if (!arguments.prints_json) {
    options.tell = [](const std::string& line) {
      fmt::print("{}\n", line);
      std::fflush(stdout);
    };
  }
  kitting::OutsideExecutor outside(*job, options);
  const Result<bool> ended = outside.run();
  if (!ended) {
    refuse(ended.error().message,
           fmt::format("start the cell first: longarm serve {}", arguments.scenario));
  }
  nlohmann::ordered_json results = outside.results();
  results["warnings"] = outside.warnings();
  if (outside.executor() != nullptr) {
    for (const cell::ResultFile& file : kitting::files_of(*outside.executor(), job->domain)) {
      config::write_text_file(folder / file.name, file.content);
    }
  }
  config::write_text_file(folder / "results.json", results.dump(2) + "\n");
  for (const std::string& warning : outside.warnings()) {
    fmt::print(stderr, "warning: {}\n", warning);
  }
  if (arguments.prints_json) {
    fmt::print("{}\n", results.dump(2));
  } else {
    print_words(results, folder);
  }
  if (!*ended) {
    return kInterrupted;
  }
  return results["kits_made"] == results["kits_requested"] ? kDone : kCheckFailed;
}

}  // namespace

Command add_execute_command(CLI::App& word) {
  const auto arguments = std::make_shared<ExecuteArguments>();
  word.add_option("scenario", arguments->scenario, "the scenario being served, e.g. aprs-outside")
      ->required();
  word.add_option("--at", arguments->at, "host that serves it; default: 127.0.0.1")
      ->type_name("HOST");
  word.add_option("--port", arguments->ports,
                  "number of a TCP port, if it differs from the scenario")
      ->type_name("NAME=PORT")
      ->allow_extra_args(false);
  word.add_option("--speed", arguments->speed, "speed at which it is served; default: 1")
      ->type_name("FACTOR");
  word.add_option("--set", arguments->load.overrides, "change a key, as for longarm run")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  word.add_option("--out", arguments->out,
                  "folder for the results; default: next free runs/NAME-executor")
      ->type_name("DIR");
  add_plugin_option(word, arguments->load.plugins);
  word.add_flag("--json", arguments->prints_json, "print only the results, at the end");
  word.footer(
      "Start `longarm serve SCENARIO` first, and give both commands the same scenario and --set. "
      "The\n"
      "executor reads JSON lines from the cameras and drives robots by CRCL and the belt by "
      "Modbus,\n"
      "over real sockets. Exit code 0: all kits were made. See docs/how-to/kitting.md.");
  return [arguments] { return execute(*arguments); };
}

}  // namespace longarm::app
