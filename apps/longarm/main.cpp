// SPDX-License-Identifier: Apache-2.0
// The command line: picks a word, runs it, turns errors into exit codes.
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/longarm/commands.h"
#include "longarm/core/diagnostic.h"

namespace longarm::app {
namespace {

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
  add("run", "simulate one scenario and write its figures", add_run_command);
  add("lint", "check a model or a scenario without running it", add_lint_command);
  add("list", "show scenarios, engines, link models and controllers", add_list_command);
  add("keys", "show every scenario key with its default and meaning", add_keys_command);

  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& problem) {
    std::fprintf(
        stderr,
        "error: %s\n  hint: longarm --help shows the words, longarm WORD --help their options\n",
        problem.what());
    return kBadInput;
  }
  for (const auto& [word, command] : words) {
    if (word->parsed()) {
      return command();
    }
  }
  return kBadInput;
}

}  // namespace
}  // namespace longarm::app

int main(int argc, char** argv) {
  try {
    return longarm::app::run_app(argc, argv);
  } catch (const longarm::InputError& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return longarm::app::kBadInput;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "longarm: internal error: %s\n", problem.what());
    return longarm::app::kOurFault;
  }
}
