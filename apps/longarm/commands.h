// SPDX-License-Identifier: Apache-2.0
// The words of the command line: each adds its options and returns what to do when it was given.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace longarm::app {

/// Exit codes: the run was simulated; a check asked for failed; bad input; our own fault; Ctrl-C.
enum ExitCode { kDone = 0, kCheckFailed = 1, kBadInput = 2, kOurFault = 3, kInterrupted = 130 };

/// Runs the command and gives its exit code; throws InputError for bad input.
using Command = std::function<int()>;

/// --plugin FILE, as often as one likes.
inline void add_plugin_option(CLI::App& word, std::vector<std::string>& files) {
  word.add_option("--plugin", files,
                  "shared object that adds link models, controllers, engines or actors")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

Command add_run_command(CLI::App& word);
Command add_plan_command(CLI::App& word);
Command add_serve_command(CLI::App& word);
Command add_exec_command(CLI::App& word);
Command add_execute_command(CLI::App& word);
Command add_crcl_command(CLI::App& word);
Command add_proxy_command(CLI::App& word);
Command add_sweep_command(CLI::App& word);
Command add_margin_command(CLI::App& word);
Command add_place_command(CLI::App& word);
Command add_oracle_command(CLI::App& word);
Command add_view_command(CLI::App& word);
Command add_report_command(CLI::App& word);
Command add_export_command(CLI::App& word);
Command add_inspect_command(CLI::App& word);
Command add_new_command(CLI::App& word);
Command add_lint_command(CLI::App& word);
Command add_list_command(CLI::App& word);
Command add_keys_command(CLI::App& word);
Command add_replay_command(CLI::App& word);
Command add_frame_command(CLI::App& word);
Command add_path_command(CLI::App& word);
Command add_delays_command(CLI::App& word);
Command add_bag_command(CLI::App& word);
Command add_node_command(CLI::App& word);
Command add_nodes_command(CLI::App& word);
Command add_calibrate_command(CLI::App& word);

}  // namespace longarm::app
