// SPDX-License-Identifier: Apache-2.0
// From trace.mcap back to messages, from messages to motion, and from that to a comparison.
#include "longarm/actors/arm_replay.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "longarm/actors/arm.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/cell/run.h"
#include "longarm/cell/run_folder.h"
#include "longarm/cell/unrepeatable.h"
#include "longarm/config/text_file.h"
#include "longarm/core/diagnostic.h"
#include "longarm/record/mcap_reader.h"
#include "longarm/record/ros_messages.h"

namespace longarm::actors {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// What a replay needs of an arm's messages.
struct Recorded {
  std::size_t joints = 0;
  control::LoopRecording arrived;
  std::vector<control::JointStates> states;  ///< sampled at the robot, to compare with
};

/// By the arm's name.
using RecordedArms = std::map<std::string, std::shared_ptr<Recorded>>;

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

void take(const record::McapMessage& message, const std::string& prefix, Recorded& recorded) {
  const std::string& topic = message.channel.topic;
  const bool is_sampled = topic == prefix + "/joint_states";
  const bool is_states = topic == prefix + "/controller/joint_states";
  const bool is_command = topic == prefix + "/joint_commands";
  if (!is_sampled && !is_states && !is_command) {
    return;
  }
  Result<record::JointStateMessage> decoded = record::decode_joint_state(message.data);
  if (!decoded || decoded->names.size() != recorded.joints) {
    refuse({topic}, decoded ? "it has a different number of joints" : decoded.error().message,
           "the trace was written by another version or for another robot");
  }
  if (is_command) {
    recorded.arrived.commands.push_back({message.log_time, command_of(std::move(decoded).value())});
  } else if (is_states) {
    recorded.arrived.states.push_back({message.log_time, states_of(std::move(decoded).value())});
  } else {
    recorded.states.push_back(states_of(std::move(decoded).value()));
  }
}

record::McapContents read_trace(const std::string& path, bool is_short, RecordedArms& arms) {
  Result<record::McapContents> contents =
      record::read_mcap(path, [&](const record::McapMessage& message) {
        for (auto& [name, recorded] : arms) {
          take(message, is_short ? "" : "/" + name, *recorded);
        }
      });
  if (!contents) {
    refuse({path}, contents.error().message,
           fs::exists(path) ? "only the part before the damage could be replayed"
                            : "record it with record.trace: true, the default");
  }
  for (const auto& [name, recorded] : arms) {
    if (recorded->states.empty()) {
      refuse({path}, "it contains no joint states",
             contents->problem.empty() ? "give a trace written by longarm run"
                                       : "it is " + contents->problem);
    }
  }
  return std::move(contents).value();
}

RecordedArms arms_of(const cell::PreparedScenario& prepared) {
  RecordedArms arms;
  for (const cell::ActorEntry& actor : prepared.cell().actors) {
    if (const auto* arm = dynamic_cast<const ArmModel*>(actor.model.get())) {
      arms[actor.name] = std::make_shared<Recorded>();
      arms[actor.name]->joints = arm->tree().joints.size();
    }
  }
  return arms;
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
  return fs::is_regular_file(file) ? nlohmann::json::parse(config::read_text_file(file), nullptr,
                                                           /*allow_exceptions=*/false)
                                   : nlohmann::json();
}

/// Runs until `end`, with what arrived in `arms`; the hash of the world then.
std::string feed(const cell::PreparedScenario& prepared, const RecordedArms& arms,
                 const std::function<void(const cell::Run& run, Time stamp)>& observer, Time end,
                 const std::function<void(Time now, Time end)>& progress) {
  constexpr Duration kReplayProgressEvery = 50ms;
  cell::RunSetup setup;
  for (const auto& [name, recorded] : arms) {
    setup.recordings[name] =
        std::shared_ptr<const control::LoopRecording>(recorded, &recorded->arrived);
  }
  cell::Run run(prepared, std::move(setup));
  run.set_observer([&](Time stamp) { observer(run, stamp); });
  while (run.now() < end && !run.is_over()) {
    run.run_until(std::min(run.now() + kReplayProgressEvery, end));
    if (run.failure()) {
      refuse({prepared.name}, "the replay does not end", "this is a bug in longarm");
    }
    if (progress) {
      progress(run.now(), end);
    }
  }
  return run.world_hash();
}

}  // namespace

ReplayReport replay_run(const std::string& folder, const cell::Plugins& plugins,
                        const std::function<void(Time now, Time end)>& progress,
                        const std::string& out) {
  const fs::path scenario = fs::path(folder) / "scenario.yaml";
  if (!fs::is_regular_file(scenario)) {
    refuse({folder}, "this is not the folder of a run", "give a folder written by longarm run");
  }
  const nlohmann::json metrics = metrics_of(folder);
  if (metrics.is_object() && metrics.value("format", 0) != cell::kResultFormat) {
    refuse({folder},
           fmt::format("this run was written by another version: format {}, expected {}",
                       metrics.value("format", 0), cell::kResultFormat),
           "replay it with that version, or run its scenario again");
  }
  const cell::PreparedScenario prepared = cell::load_scenario(scenario, {}, plugins);
  cell::refuse_unrepeatable(prepared);
  const bool is_short = prepared.cell().is_short;
  if (metrics.is_object() && metrics.value("model_hash", "") != prepared.model_hash) {
    refuse({folder}, "the model files have changed since the run",
           "restore the files that the run used");
  }
  RecordedArms arms = arms_of(prepared);
  const record::McapContents contents = read_trace(fs::path(folder) / "trace.mcap", is_short, arms);
  const std::string kept = scenario_in(contents);
  if (!kept.empty() && kept != config::read_text_file(scenario)) {
    refuse({scenario}, "this is not the scenario that the trace was recorded with",
           "run the changed scenario instead, or put the old one back");
  }

  ReplayReport report;
  report.trace_problem = contents.problem;
  std::vector<std::pair<std::string, Comparison>> comparisons;
  // a run that ended early, because it was interrupted or done, is repeated up to there
  const bool is_whole = contents.is_complete && metrics.is_object();
  report.end = Time(prepared.length);
  if (is_whole && metrics.contains("simulated_s")) {
    const double simulated_ns = 1e9 * metrics["simulated_s"].get<double>();
    report.end = std::min(report.end, Time(Duration(std::llround(simulated_ns))));
  }
  for (const auto& [name, recorded] : arms) {
    comparisons.emplace_back(name, Comparison(recorded->states, report));
    // up to the last step of which all commands are in the trace
    if (!contents.is_complete) {
      report.end = std::min(report.end, recorded->states.back().stamp);
    }
  }
  const auto compare = [&](const cell::Run& run, Time stamp) {
    for (auto& [name, comparison] : comparisons) {
      const control::ArmLoop& loop = arm_of(run, name).loop();
      comparison.compare(stamp, loop.positions(), loop.velocities());
    }
  };
  if (!out.empty()) {
    cell::RunOptions options;
    options.out = out;
    options.observer = compare;
    options.progress = [&](Time now, Time end) {
      if (progress) {
        progress(now, end);
      }
      return !is_whole || now < report.end;
    };
    report.world_hash = run_scenario(prepared, options).metrics.value("world_hash", "");
  } else {
    report.world_hash =
        feed(prepared, is_short ? arms : RecordedArms(), compare, report.end, progress);
  }
  // a part of a run has no hash to compare with
  report.recorded_hash = is_whole ? metrics.value("world_hash", "") : "";
  if (!report.recorded_hash.empty() && report.recorded_hash != report.world_hash) {
    report.is_same = false;
  }
  return report;
}

}  // namespace longarm::actors
