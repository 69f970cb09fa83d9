// SPDX-License-Identifier: Apache-2.0
// A scenario with doors, from its first client to its run folder; and the replay of such a folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run_folder.h"
#include "longarm/serve/door_server.h"
#include "longarm/serve/live_run.h"
#include "longarm/serve/replay_run.h"

namespace longarm::serve {

/// How a run ended that a client wants to begin again; in its metrics.
inline constexpr const char* kReset = "reset";

struct ServeOptions {
  std::string out;  ///< folder to make; empty: the next free runs/NAME
  ServerConfig server;
  double speed = 1.0;              ///< 0: as fast as possible
  std::optional<Duration> length;  ///< absent: until it is asked to stop, if the scenario can
  bool writes_trace = true;        ///< trace.mcap: where everything was
  record::TraceListener* listener = nullptr;  ///< hears what is recorded while it is served
  std::optional<int> commands;  ///< descriptor to read `step` and `run` from; absent: just run
  std::function<void(const std::string& text)> tell;  ///< addresses, prompts
  std::function<void(const std::string& line)> warn;  ///< calls that failed, an end before time
  std::function<void(const std::string& door, std::uint16_t port)> note_port;  ///< of each
  /// Between steps; true ends the run.
  std::function<bool(Time now, const PaceReport& pace)> is_asked_to_stop;
};

/// Writes scenario.yaml, received.jsonl and trace.mcap as it goes and, last, metrics.json. Throws
/// InputError before anything runs: no doors, the port of a door that does not listen, a port that
/// is taken.
cell::RunResult serve_scenario(const cell::PreparedScenario& prepared, const ServeOptions& options);

/// Whether the folder is that of a served run.
bool is_served_run(const std::filesystem::path& folder);

/// Throws InputError if the folder cannot be replayed, or if files have changed since. `out`, if
/// not empty, is a folder to make: it then has the results of the replay, as those of a run.
ReplayReport replay_served(const std::filesystem::path& folder, const cell::Plugins& plugins,
                           const std::function<void(Time now, Time end)>& progress = {},
                           const std::string& out = {});

}  // namespace longarm::serve
