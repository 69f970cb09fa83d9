// SPDX-License-Identifier: Apache-2.0
// Puts world, doors, sockets and recording together, and writes what came out.
#include "longarm/serve/serve_experiment.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/experiments/frame_trace.h"
#include "longarm/experiments/run_experiment.h"
#include "longarm/scenario/run_folder.h"
#include "longarm/scenario/text_file.h"
#include "longarm/serve/experiment_world.h"
#include "longarm/serve/ignition_bridge.h"
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
      refuse(fmt::format("--port {}={}: there is no door '{}'", name, port, name),
             suggest(name, door_names(doors)));
    }
    if (!(*found)->port()) {
      refuse(fmt::format("--port {}={}: this door has no port", name, port),
             "it is a topic, or calls others and is not called");
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
      problems.error({},
                     fmt::format("{} and {} both have port {}", other->second, door->name(), port),
                     fmt::format("--port {}=N takes another one, --port {}=0 any that is free",
                                 door->name(), door->name()));
    }
  }
  problems.throw_if_errors();
}

void check_doors(const std::string& scenario, const std::vector<Door*>& doors,
                 const ServerConfig& server) {
  if (doors.empty()) {
    refuse(fmt::format("'{}' has no doors: nobody could talk to it", scenario),
           "aprs-live has some; longarm run is for scenarios without");
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
           fmt::format("--port {}=N takes another one, --port {}=0 any that is free", name, name));
  }
  return std::move(server).value();
}

std::unique_ptr<IgnitionBridge> open_topics(const std::vector<Door*>& doors,
                                            const ServerConfig& config, Inbox& inbox) {
  auto bridge = IgnitionBridge::make(doors, config.is_open_to_all, inbox);
  if (!bridge) {
    refuse(bridge.error().message, "is another program in the way? see IGN_PARTITION");
  }
  return std::move(bridge).value();
}

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

/// A served run needs no length; where the experiment has one of its own, who expects more is told.
void end_when_told(experiments::ExperimentRun& run, const ServeOptions& options) {
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

scenario::RunResult serve_experiment(const experiments::PreparedExperiment& prepared,
                                     const ServeOptions& options) {
  std::optional<experiments::ExperimentRun> made(prepared);
  const std::vector<std::string> names = door_names(made->doors());
  check_doors(prepared.name, made->doors(), options.server);
  Inbox inbox;
  ServerConfig door_config = options.server;
  door_config.looks_for_answers = options.speed > 0.0;
  const std::unique_ptr<DoorServer> server = open_doors(made->doors(), door_config, inbox);
  const std::unique_ptr<IgnitionBridge> bridge = open_topics(made->doors(), options.server, inbox);

  const fs::path folder = scenario::make_run_folder(prepared.name, options.out);
  if (prepared.scenario.model->writes_while_running()) {
    made.emplace(prepared, folder);  // anew: the first one has shown that it can be made
  }
  experiments::ExperimentRun& run = *made;
  end_when_told(run, options);
  experiments::write_scenario(prepared, folder);
  RecordingWriter recording = begin_recording(
      folder / kRecordingFile, {prepared.scenario.physics_period, names, prepared.files_hash});
  tell_addresses(options, *server, bridge.get(), names);

  std::optional<experiments::FrameTrace> trace;
  if (options.writes_trace) {
    trace.emplace(folder / "trace.mcap", prepared, run.experiment());
    run.set_observer([&](Time stamp) { trace->step(stamp); });
  }
  ExperimentWorld world(run, prepared.scenario.physics_period);
  LiveConfig config;
  config.speed = options.speed;
  config.log = Log([&](LogLevel, const std::string& line) {
    if (options.warn) {
      options.warn(line);
    }
  });
  LiveRun live(world, config, inbox, carriers_of(names.size(), *server, bridge.get()), recording);
  const auto wall_start = std::chrono::steady_clock::now();
  go_on(live, world, options.length ? std::min(run.end(), Time(*options.length)) : run.end(),
        options);
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - wall_start;

  scenario::RunResult result{folder, run.results()};
  if (trace) {
    if (const Result<bool> closed = trace->close(); !closed) {
      result.metrics["warnings"].push_back("trace.mcap is incomplete: " + closed.error().message);
    }
  }
  if (!run.is_over()) {
    const bool is_time_over = options.length && run.now() >= Time(*options.length);
    result.metrics["ended"] = is_time_over ? "time is over" : "stopped";
  }
  live.finish(result.metrics["ended"].get<std::string>());
  result.failure = run.failure().value_or("");
  if (!recording.problem().empty()) {
    result.metrics["warnings"].push_back(recording.problem() + "; it can be replayed up to there");
  }
  result.metrics["served"] = {{"steps", live.steps()},
                              {"doors", doors_json(live)},
                              {"said_hash", live.conversations().hash()}};
  for (const experiments::ResultFile& file : run.experiment().files()) {
    scenario::write_text_file(folder / file.name, file.content);
  }
  Json& machine = result.metrics["machine"];
  machine = scenario::machine_json(wall.count(), to_seconds(run.now().time_since_epoch()));
  machine["serving"] = pace_json(live.pace(), server->figures(), live.cyclic_left_out());
  scenario::write_text_file(folder / "metrics.json", result.metrics.dump(2) + "\n");
  return result;
}

bool is_served_run(const fs::path& folder) {
  return fs::exists(folder / kRecordingFile);
}

ReplayReport replay_experiment(const fs::path& folder, const scenario::Plugins& plugins,
                               const std::function<void(Time now, Time end)>& progress) {
  const experiments::PreparedExperiment prepared =
      experiments::load_experiment((folder / "scenario.yaml").string(), {}, plugins);
  auto reader = RecordingReader::make(folder / kRecordingFile);
  if (!reader) {
    refuse(reader.error().message, "give the folder of a run of longarm serve");
  }
  RecordingReader recording = std::move(reader).value();
  if (recording.head().files_hash != prepared.files_hash) {
    refuse("files that the scenario names have changed since the run",
           "put the old ones back to replay it");
  }
  experiments::ExperimentRun run(prepared);
  run.lift_length();
  if (recording.head().doors != door_names(run.doors()) ||
      recording.head().period != prepared.scenario.physics_period) {
    refuse(fmt::format("{} does not belong to the scenario.yaml beside it", kRecordingFile),
           "has one of them been edited?");
  }
  ExperimentWorld world(run, prepared.scenario.physics_period);
  return replay(world, recording, [&](Time now) {
    if (progress) {
      progress(now, std::max(now, Time(run.experiment().length())));
    }
  });
}

}  // namespace longarm::serve
