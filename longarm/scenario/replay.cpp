// SPDX-License-Identifier: Apache-2.0
// From trace.mcap back to messages, from messages to motion, and from that to a comparison.
#include "longarm/scenario/replay.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include <nlohmann/json.hpp>

#include "longarm/core/diagnostic.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"
#include "longarm/scenario/load.h"
#include "longarm/scenario/simulation.h"
#include "longarm/scenario/text_file.h"

namespace longarm::scenario {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// What a replay needs of a trace.
struct Recorded {
  control::LoopRecording arrived;
  std::vector<control::JointStates> states;  ///< sampled at the robot, to compare with
  record::McapContents contents;
};

control::JointStates states_of(record::JointStateMessage message) {
  return {message.stamp, std::move(message.positions), std::move(message.velocities),
          std::move(message.efforts)};
}

/// A command's kind is told by which arrays it has.
control::JointCommand command_of(record::JointStateMessage message) {
  if (!message.positions.empty()) {
    return {message.stamp, control::CommandKind::kPosition, std::move(message.positions),
            std::move(message.velocities)};
  }
  if (!message.velocities.empty()) {
    return {message.stamp, control::CommandKind::kVelocity, std::move(message.velocities), {}};
  }
  return {message.stamp, control::CommandKind::kEffort, std::move(message.efforts), {}};
}

void take(const record::McapMessage& message, std::size_t joints, Recorded& recorded) {
  const std::string& topic = message.channel.topic;
  const bool is_sampled = topic == "/joint_states";
  const bool is_states = topic == "/controller/joint_states";
  const bool is_command = topic == "/joint_commands";
  if (!is_sampled && !is_states && !is_command) {
    return;
  }
  Result<record::JointStateMessage> decoded = record::decode_joint_state(message.data);
  if (!decoded || decoded->names.size() != joints) {
    refuse({topic}, decoded ? "it is about another number of joints" : decoded.error().message,
           "the trace was not written by this version, or for another robot");
  }
  if (is_command) {
    recorded.arrived.commands.push_back({message.log_time, command_of(std::move(decoded).value())});
  } else if (is_states) {
    recorded.arrived.states.push_back({message.log_time, states_of(std::move(decoded).value())});
  } else {
    recorded.states.push_back(states_of(std::move(decoded).value()));
  }
}

Recorded read_trace(const std::string& path, std::size_t joints) {
  Recorded recorded;
  Result<record::McapContents> contents = record::read_mcap(
      path, [&](const record::McapMessage& message) { take(message, joints, recorded); });
  if (!contents) {
    refuse({path}, contents.error().message,
           fs::exists(path) ? "only what comes before the damage could be replayed"
                            : "runs write it unless record.trace is false");
  }
  recorded.contents = std::move(contents).value();
  if (recorded.states.empty()) {
    refuse({path}, "there are no joint states in it",
           recorded.contents.problem.empty() ? "was it written by longarm run?"
                                             : "it is " + recorded.contents.problem);
  }
  return recorded;
}

/// Whether every number is the same one; a NaN is the same as itself.
bool is_same(std::span<const double> a, std::span<const double> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

/// Holds what the replay does against what was recorded, state by state.
class Comparison {
 public:
  Comparison(const std::vector<control::JointStates>& recorded, ReplayReport& report)
      : recorded_(recorded), report_(report) {}

  void compare(Time now, std::span<const double> positions, std::span<const double> velocities) {
    while (next_ < recorded_.size() && recorded_[next_].stamp < now) {
      ++next_;
    }
    if (next_ == recorded_.size() || recorded_[next_].stamp != now) {
      return;
    }
    const control::JointStates& states = recorded_[next_];
    ++report_.states_compared;
    for (std::size_t i = 0; i < positions.size(); ++i) {
      report_.largest_difference =
          std::max(report_.largest_difference, std::abs(positions[i] - states.positions[i]));
    }
    if (!is_same(positions, states.positions) || !is_same(velocities, states.velocities)) {
      report_.is_same = false;
      report_.differs_at = report_.differs_at.value_or(now);
    }
  }

 private:
  const std::vector<control::JointStates>& recorded_;
  ReplayReport& report_;
  std::size_t next_ = 0;
};

/// The resolved scenario that a trace keeps; empty if it was cut off.
std::string scenario_in(const record::McapContents& contents) {
  for (const record::McapAttachment& attachment : contents.attachments) {
    if (attachment.name == "scenario.yaml") {
      return attachment.content;
    }
  }
  return {};
}

/// Of the finished run; null if it did not finish.
nlohmann::json metrics_of(const fs::path& folder) {
  const fs::path file = folder / "metrics.json";
  return fs::is_regular_file(file)
             ? nlohmann::json::parse(read_text_file(file), nullptr, /*allow_exceptions=*/false)
             : nlohmann::json();
}

}  // namespace

ReplayReport replay_run(const std::string& folder, const Plugins& plugins,
                        const std::function<void(Time now, Time end)>& progress) {
  const fs::path scenario = fs::path(folder) / "scenario.yaml";
  if (!fs::is_regular_file(scenario)) {
    refuse({folder}, "this is not the folder of a run", "give a folder that longarm run made");
  }
  const PreparedScenario prepared = load_scenario(scenario, {}, plugins);
  const nlohmann::json metrics = metrics_of(folder);
  if (metrics.is_object() && metrics.value("model_hash", "") != prepared.model_hash) {
    refuse({folder}, "the model files are not those of the run any more",
           "replay a run with the files it was made with");
  }
  const std::size_t joints = prepared.cell.placements.front().tree.joints.size();
  const auto recorded =
      std::make_shared<Recorded>(read_trace(fs::path(folder) / "trace.mcap", joints));

  const std::string kept = scenario_in(recorded->contents);
  if (!kept.empty() && kept != read_text_file(scenario)) {
    refuse({scenario}, "this is not the scenario that the trace was recorded with",
           "run the changed scenario instead, or put the old one back");
  }

  ReplayReport report;
  report.trace_problem = recorded->contents.problem;
  SimulationOptions options;
  options.recording = std::shared_ptr<const control::LoopRecording>(recorded, &recorded->arrived);
  Simulation simulation(prepared, std::move(options));
  Comparison comparison(recorded->states, report);
  simulation.set_observer([&](Time stamp) {
    comparison.compare(stamp, simulation.loop().positions(), simulation.loop().velocities());
  });

  // up to the last step of which all commands are in the trace
  const Time last =
      recorded->contents.is_complete ? simulation.end() : recorded->states.back().stamp;
  report.end = std::min(last, simulation.end());
  constexpr Duration kReplayProgressEvery = 50ms;
  while (simulation.now() < report.end && !simulation.is_over()) {
    if (!simulation.run_until(std::min(simulation.now() + kReplayProgressEvery, report.end))) {
      refuse({folder}, "the replay does not end", "this is a fault of the program");
    }
    if (progress) {
      progress(simulation.now(), report.end);
    }
  }
  report.world_hash = simulation.world_hash();
  // a part of a run has no hash to compare with
  const bool is_whole = recorded->contents.is_complete && metrics.is_object();
  report.recorded_hash = is_whole ? metrics.value("world_hash", "") : "";
  if (!report.recorded_hash.empty() && report.recorded_hash != report.world_hash) {
    report.is_same = false;
  }
  return report;
}

}  // namespace longarm::scenario
