// SPDX-License-Identifier: Apache-2.0
// `longarm oracle`: the closed forms, what was simulated, and whether they agree.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "apps/longarm/commands.h"
#include "labs/oracles/oracles.h"
#include "longarm/study/oracle.h"

namespace longarm::app {
namespace {

struct OracleArguments {
  std::vector<std::string> names;
  bool prints_json = false;
  bool lists = false;
};

int list(const std::vector<study::Oracle>& oracles) {
  std::string group;
  for (const study::Oracle& oracle : oracles) {
    if (oracle.group != group) {
      group = oracle.group;
      fmt::print("{}\n", group);
    }
    fmt::print("  {:<28} {}\n", oracle.name, oracle.what);
  }
  return kDone;
}

int run(const OracleArguments& arguments) {
  const std::vector<study::Oracle> chosen =
      study::choose_oracles(oracles::all_oracles(), arguments.names);
  if (arguments.lists) {
    return list(chosen);
  }
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::vector<study::OracleRow> rows =
      study::run_oracles(chosen, threads, [&](std::size_t done, std::size_t count) {
        if (is_terminal) {
          fmt::print(stderr, "\rsimulating {} of {} oracles ", done, count);
        }
      });
  if (is_terminal) {
    fmt::print(stderr, "\r{:50}\r", "");
  }
  if (arguments.prints_json) {
    fmt::print("{}\n", study::oracles_json(rows).dump(2));
  } else {
    fmt::print("{}", study::format_oracles_table(rows));
  }
  return study::have_all_passed(rows) ? kDone : kCheckFailed;
}

}  // namespace

Command add_oracle_command(CLI::App& word) {
  const auto arguments = std::make_shared<OracleArguments>();
  word.add_option("names", arguments->names, "oracles, groups or name prefixes; default: all")
      ->type_name("NAME");
  word.add_flag("--json", arguments->prints_json, "print only the results, as JSON");
  word.add_flag("--list", arguments->lists, "list names and statements without running them")
      ->excludes("--json");
  word.footer(
      "Each oracle is simulated as by `longarm run` and compared with a closed-form solution.\n"
      "Exit code 0: all agree; 1: at least one does not.");
  return [arguments] { return run(*arguments); };
}

}  // namespace longarm::app
