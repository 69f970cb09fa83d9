// SPDX-License-Identifier: Apache-2.0
// The command line: picks a word, runs it, turns errors into exit codes.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "apps/longarm/commands.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/version.h"

namespace longarm::app {
namespace {

std::vector<std::string> option_names(const CLI::App& word) {
  std::vector<std::string> names;
  for (const CLI::Option* option : word.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

/// "unknown word 'runn'" or "unknown option '--sett'" with a suggestion, where that is the problem.
std::optional<Diagnostic> find_unknown(const CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words;
  for (const CLI::App* each : app.get_subcommands({})) {
    words.push_back(each->get_name());
  }
  const CLI::App* word = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string whole = argv[i];
    const std::string argument = whole.substr(0, whole.find('='));
    const CLI::App& owner = word == nullptr ? app : *word;
    if (argument.starts_with("--") && owner.get_option_no_throw(argument) == nullptr) {
      return Diagnostic{
          {}, "unknown option '" + argument + "'", suggest(argument, option_names(owner))};
    }
    if (word != nullptr || argument.starts_with("-")) {
      continue;
    }
    if (std::find(words.begin(), words.end(), argument) == words.end()) {
      return Diagnostic{{}, "unknown subcommand '" + argument + "'", suggest(argument, words)};
    }
    word = app.get_subcommand(argument);
  }
  if (word == nullptr) {
    return Diagnostic{{}, "missing subcommand", "choose one of: " + join(words)};
  }
  return std::nullopt;
}

int run_app(int argc, char** argv) {
  CLI::App app(
      "Longarm simulates robot cells whose controllers sit at the far end of a network.\n"
      "Start with: longarm run ur5-waypoints --set link.delay=10ms");
  app.name("longarm");
  app.set_version_flag("--version", LONGARM_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);

  std::vector<std::pair<CLI::App*, Command>> words;
  const auto add = [&](const char* name, const char* help, Command (*make)(CLI::App&)) {
    CLI::App* word = app.add_subcommand(name, help);
    words.emplace_back(word, make(*word));
  };
  add("run", "simulate one scenario and write its results", add_run_command);
  add("plan", "plan a PDDL problem or a kitting request", add_plan_command);
  add("serve", "run a cell in real time behind real network ports", add_serve_command);
  add("exec", "run an existing program in simulated time", add_exec_command);
  add("execute", "run the kitting executor as a separate process", add_execute_command);
  add("crcl", "run CRCL programs on a robot, or show its status", add_crcl_command);
  add("proxy", "put a simulated link between a real client and server", add_proxy_command);
  add("sweep", "simulate a scenario for many values of its keys", add_sweep_command);
  add("margin", "find the largest latency at which a control loop is stable", add_margin_command);
  add("place", "find the best assignment of components to hosts", add_place_command);
  add("view", "show recorded runs in a browser", add_view_command);
  add("report", "write an HTML report of a run or study", add_report_command);
  add("export", "export the runs of a study as CSV", add_export_command);
  add("oracle", "compare the simulator with closed-form solutions", add_oracle_command);
  add("replay", "repeat a recorded run and compare the results", add_replay_command);
  add("frame", "print the pose of a frame at one time of a run", add_frame_command);
  add("path", "print the path of a frame over a run", add_path_command);
  add("bag", "write a run as a ROS bag; take links and plans from bags", add_bag_command);
  add("delays", "plot the message delays of runs", add_delays_command);
  add("node", "run components of a scenario as a real process", add_node_command);
  add("nodes", "show the nodes of a scenario: topics, services, actions, parameters",
      add_nodes_command);
  add("calibrate", "measure the delays of real hosts and components", add_calibrate_command);
  add("inspect", "show the joints, limits and masses of a robot model", add_inspect_command);
  add("new", "write a first scenario for a robot", add_new_command);
  add("lint", "check a model or a scenario without running it", add_lint_command);
  add("list", "show scenarios, engines, link models and controllers", add_list_command);
  add("keys", "show every scenario key with its default and meaning", add_keys_command);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& problem) {
    throw InputError(
        find_unknown(app, argc, argv)
            .value_or(Diagnostic{
                {},
                problem.what(),
                "longarm --help lists the subcommands, longarm SUBCOMMAND --help their options"}));
  }
  for (const auto& [word, command] : words) {
    if (word->parsed()) {
      return command();
    }
  }
  return kBadInput;
}

/// Whether all that was written to stdout got there.
bool has_printed() {
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int fail_to_print() {
  std::fprintf(stderr,
               "error: cannot write to standard output\n"
               "  hint: check that it is open and that the disk is not full\n");
  return kBadInput;
}

}  // namespace
}  // namespace longarm::app

int main(int argc, char** argv) {
  // a file opened later would get a closed stdout's number, and our words in it
  if (fcntl(STDOUT_FILENO, F_GETFD) == -1) {
    return longarm::app::fail_to_print();
  }
  try {
    const int code = longarm::app::run_app(argc, argv);
    return longarm::app::has_printed() ? code : longarm::app::fail_to_print();
  } catch (const longarm::InputError& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return longarm::app::kBadInput;
  } catch (const std::filesystem::filesystem_error& problem) {
    const longarm::Diagnostic told{{problem.path1().string()},
                                   problem.code().message(),
                                   "check the permissions, or choose another folder"};
    std::fprintf(stderr, "%s\n", told.format().c_str());
    return longarm::app::kBadInput;
  } catch (const std::exception& problem) {
    if (!longarm::app::has_printed()) {
      return longarm::app::fail_to_print();
    }
    std::fprintf(stderr, "longarm: internal error: %s\n", problem.what());
    return longarm::app::kOurFault;
  }
}
