// SPDX-License-Identifier: Apache-2.0
// Puts world, doors, sockets and recording together, and writes what came out.
#include "longarm/serve/serve_scenario.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "longarm/cell/run_folder.h"
#include "longarm/cell/unrepeatable.h"
#include "longarm/config/text_file.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/serve/ignition_bridge.h"
#include "longarm/serve/run_world.h"
#include "longarm/serve/stepped.h"

namespace longarm::serve {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::vector<std::string> door_names(const std::vector<Door*>& doors) {
  std::vector<std::string> names;
  for (const Door* door : doors) {
    names.push_back(door->name());
  }
  return names;
}

/// Ports that were asked for must be those of doors that listen.
void check_ports(const std::vector<Door*>& doors, const ServerConfig& server) {
  for (const auto& [name, port] : server.ports) {
    const auto found = std::find_if(doors.begin(), doors.end(),
                                    [&](const Door* door) { return door->name() == name; });
    if (found == doors.end()) {
      refuse(fmt::format("--port {}={}: there is no port called '{}'", name, port, name),
             suggest(name, door_names(doors)));
    }
    if (!(*found)->port()) {
      refuse(fmt::format("--port {}={}: this is not a TCP port", name, port),
             "it is a topic, or makes outgoing connections only");
    }
  }
}

/// Doors of several robots may have the same ports until somebody is to find them there.
void check_clashes(const std::vector<Door*>& doors, const ServerConfig& server) {
  Diagnostics problems;
  std::map<std::uint16_t, std::string> taken;
  for (const Door* door : doors) {
    const auto asked = server.ports.find(door->name());
    const std::uint16_t port =
        asked != server.ports.end() ? asked->second : door->port().value_or(0);
    const auto [other, is_new] = taken.emplace(port, door->name());
    if (port != 0 && !is_new) {
      problems.error(
          {}, fmt::format("{} and {} both have port {}", other->second, door->name(), port),
          fmt::format("choose another port with --port {}=N, or a free one with --port {}=0",
                      door->name(), door->name()));
    }
  }
  problems.throw_if_errors();
}

void check_doors(const std::string& scenario, const std::vector<Door*>& doors,
                 const ServerConfig& server) {
  if (doors.empty()) {
    refuse(fmt::format("'{}' opens no ports, so no client could connect", scenario),
           "try aprs-live, or use longarm run for this scenario");
  }
  check_ports(doors, server);
  check_clashes(doors, server);
}

std::unique_ptr<DoorServer> open_doors(const std::vector<Door*>& doors, const ServerConfig& config,
                                       Inbox& inbox) {
  auto server = DoorServer::make(doors, config, inbox);
  if (!server) {
    const std::string name = server.error().message.substr(0, server.error().message.find(':'));
    refuse(server.error().message,
           fmt::format("choose another port with --port {}=N, or a free one with --port {}=0", name,
                       name));
  }
  return std::move(server).value();
}

std::unique_ptr<IgnitionBridge> open_topics(const std::vector<Door*>& doors,
                                            const ServerConfig& config, Inbox& inbox) {
  auto bridge = IgnitionBridge::make(doors, config.is_open_to_all, inbox);
  if (!bridge) {
    refuse(bridge.error().message,
           "check whether another program uses this topic; see IGN_PARTITION");
  }
  return std::move(bridge).value();
}

/// Goes away again if nobody could be served.
class UnusedFolder {
 public:
  UnusedFolder(fs::path folder, bool is_next) : folder_(std::move(folder)), is_next_(is_next) {}
  ~UnusedFolder() {
    if (!folder_.empty()) {
      std::error_code ignored;
      fs::remove_all(folder_, ignored);
      if (is_next_) {
        fs::remove(folder_.parent_path(), ignored);  // runs/, unless there are others in it
      }
    }
  }
  UnusedFolder(const UnusedFolder&) = delete;
  UnusedFolder& operator=(const UnusedFolder&) = delete;
  void keep() { folder_.clear(); }

 private:
  fs::path folder_;
  bool is_next_;  ///< the next free one, in a folder for all runs
};

RecordingWriter begin_recording(const fs::path& file, const RecordingHead& head) {
  auto made = RecordingWriter::make(file, head);
  if (!made) {
    refuse(made.error().message, "choose another --out");
  }
  return std::move(made).value();
}

Json doors_json(const LiveRun& run) {
  Json out = Json::object();
  const Conversations& talks = run.conversations();
  for (std::size_t i = 0; i < talks.doors().size(); ++i) {
    const DoorFigures& figures = talks.figures(i);
    out[talks.doors()[i]->name()] = {
        {"clients", figures.opened},      {"most_clients_at_once", figures.most_open},
        {"pieces_in", figures.pieces_in}, {"bytes_in", figures.bytes_in},
        {"bytes_out", figures.bytes_out},
    };
    if (figures.calls > 0) {
      out[talks.doors()[i]->name()]["calls"] = figures.calls;
      out[talks.doors()[i]->name()]["failed_calls"] = figures.failed_calls;
    }
  }
  return out;
}

/// How well the wall clock was kept up with, and who was sent away: outside of comparisons.
Json pace_json(const PaceReport& pace, const ServerFigures& server, std::uint64_t left_out) {
  return {{"late_steps", pace.late_steps},
          {"worst_lateness_s", to_seconds(pace.worst)},
          {"total_lateness_s", to_seconds(pace.total)},
          {"schedule_shifts", pace.shifts},
          {"schedule_shifted_s", to_seconds(pace.shifted)},
          {"behind_at_end_s", to_seconds(pace.behind)},
          {"clients_refused", server.refused},
          {"clients_dropped", server.dropped},
          {"clients_broken", server.broken},
          {"most_bytes_waiting_for_clients", server.most_output},
          {"stream_packets_sent", server.cyclic_sent},
          {"stream_packets_skipped_for_slow_clients", server.cyclic_skipped},
          {"stream_packets_skipped_while_catching_up", left_out}};
}

void tell_addresses(const ServeOptions& options, const DoorServer& server,
                    const IgnitionBridge* bridge, const std::vector<std::string>& names) {
  if (!options.tell) {
    return;
  }
  for (const DoorServer::Address& address : server.addresses()) {
    options.tell(fmt::format("{} at {}:{}\n", names[address.door], address.host, address.port));
  }
  if (bridge != nullptr) {
    for (const IgnitionBridge::Topic& topic : bridge->topics()) {
      options.tell(fmt::format("{} at topic {}\n", names[topic.door], topic.name));
    }
  }
}

std::vector<Carrier*> carriers_of(std::size_t doors, DoorServer& server, IgnitionBridge* bridge) {
  // also of doors without a port: they may call out
  std::vector<Carrier*> carriers(doors, &server);
  if (bridge != nullptr) {
    for (const IgnitionBridge::Topic& topic : bridge->topics()) {
      carriers[topic.door] = bridge;
    }
  }
  return carriers;
}

/// A served run needs no length; where the scenario has one of its own, who expects more is told.
void end_when_told(cell::Run& run, const ServeOptions& options) {
  if (!run.lift_length() && options.length && Time(*options.length) > run.end() && options.warn) {
    options.warn(fmt::format("the run ends at {} s, the length of its scenario",
                             to_seconds(run.end().time_since_epoch())));
  }
}

/// Until the end, quit, or a wish to stop.
void go_on(LiveRun& live, const World& world, Time end, const ServeOptions& options) {
  const auto is_asked = [&] {
    return options.is_asked_to_stop && options.is_asked_to_stop(live.now(), live.pace());
  };
  if (!options.commands) {
    live.run_until(end, is_asked);
    return;
  }
  const auto tell = [&](const std::string& text) {
    if (options.tell) {
      options.tell(text);
    }
  };
  run_stepped(live, world, end, *options.commands, tell, is_asked);
}

}  // namespace

cell::RunResult serve_scenario(const cell::PreparedScenario& prepared,
                               const ServeOptions& options) {
  Inbox inbox;
  ServerConfig door_config = options.server;
  door_config.looks_for_answers = options.speed > 0.0;
  const fs::path folder = cell::make_run_folder(prepared.name, options.out);
  UnusedFolder unused(folder, options.out.empty());
  cell::RunSetup setup;
  setup.folder = folder;
  setup.trace = options.writes_trace ? folder / "trace.mcap" : fs::path();
  setup.listener = options.listener;
  setup.log = Log([&](LogLevel, const std::string& line) {
    if (options.warn) {
      options.warn(line);
    }
  });
  const Log log = setup.log;
  cell::Run run(prepared, std::move(setup));
  const std::vector<Door*>& doors = run.world().doors();
  const std::vector<std::string> names = door_names(doors);
  check_doors(prepared.name, doors, options.server);
  const std::unique_ptr<DoorServer> server = open_doors(doors, door_config, inbox);
  const std::unique_ptr<IgnitionBridge> bridge = open_topics(doors, options.server, inbox);
  unused.keep();
  end_when_told(run, options);
  cell::write_scenario(prepared, folder);
  RecordingWriter recording = begin_recording(
      folder / kRecordingFile, {prepared.scenario.physics_period, names, prepared.files_hash});
  tell_addresses(options, *server, bridge.get(), names);
  if (options.note_port) {
    for (const DoorServer::Address& address : server->addresses()) {
      options.note_port(names[address.door], address.port);
    }
  }

  RunWorld world(run, prepared.scenario.physics_period);
  LiveConfig config;
  config.speed = options.speed;
  config.log = log;
  LiveRun live(world, config, inbox, carriers_of(names.size(), *server, bridge.get()), recording);
  const auto wall_start = std::chrono::steady_clock::now();
  go_on(live, world, options.length ? std::min(run.end(), Time(*options.length)) : run.end(),
        options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;

  cell::RunResult result{folder, run.results(), run.failure().value_or("")};
  if (const Result<bool> closed = run.close_files(); !closed) {
    result.metrics["warnings"].push_back("trace.mcap is incomplete: " + closed.error().message);
  }
  if (!run.is_over()) {
    const bool is_time_over = options.length && run.now() >= Time(*options.length);
    result.metrics["ended"] = world.is_reset_asked() ? kReset
                              : is_time_over         ? "time is over"
                                                     : "stopped";
  }
  live.finish(result.metrics["ended"].get<std::string>());
  if (!recording.problem().empty()) {
    result.metrics["warnings"].push_back(recording.problem() + "; it can be replayed up to there");
  }
  result.metrics["served"] = {{"steps", live.steps()},
                              {"doors", doors_json(live)},
                              {"said_hash", live.conversations().hash()}};
  const Json serving = pace_json(live.pace(), server->figures(), live.cyclic_left_out());
  cell::write_results(folder, run, result.metrics, wall.count(), {{"serving", serving}});
  return result;
}

bool is_served_run(const fs::path& folder) {
  return fs::exists(folder / kRecordingFile);
}

ReplayReport replay_served(const fs::path& folder, const cell::Plugins& plugins,
                           const std::function<void(Time now, Time end)>& progress,
                           const std::string& out) {
  const cell::PreparedScenario prepared =
      cell::load_scenario((folder / "scenario.yaml").string(), {}, plugins);
  cell::refuse_unrepeatable(prepared);
  auto reader = RecordingReader::make(folder / kRecordingFile);
  if (!reader) {
    refuse(reader.error().message, "give the folder of a run of longarm serve");
  }
  RecordingReader recording = std::move(reader).value();
  if (recording.head().files_hash != prepared.files_hash) {
    refuse("files that the scenario names have changed since the run",
           "restore them to replay the run");
  }
  cell::RunSetup setup;
  if (!out.empty()) {
    setup.folder = cell::make_run_folder(prepared.name, out);
    setup.trace = fs::path(out) / "trace.mcap";
  }
  cell::Run run(prepared, std::move(setup));
  run.lift_length();
  if (recording.head().doors != door_names(run.world().doors()) ||
      recording.head().period != prepared.scenario.physics_period) {
    refuse(fmt::format("{} does not belong to the scenario.yaml beside it", kRecordingFile),
           "check whether one of them was edited");
  }
  RunWorld world(run, prepared.scenario.physics_period);
  const auto wall_start = std::chrono::steady_clock::now();
  ReplayReport report = replay(world, recording, [&](Time now) {
    if (progress) {
      progress(now, std::max(now, Time(prepared.length)));
    }
  });
  if (!out.empty()) {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;
    cell::write_scenario(prepared, out);
    Json metrics = run.results();
    metrics["ended"] = report.how_it_ended.empty() ? "killed" : report.how_it_ended;
    metrics["replay_of"] = folder.string();
    if (const Result<bool> closed = run.close_files(); !closed) {
      refuse(closed.error().message, "check that the disk is not full");
    }
    cell::write_results(out, run, metrics, wall.count());
  }
  return report;
}

}  // namespace longarm::serve
