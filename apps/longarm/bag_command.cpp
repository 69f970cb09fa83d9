// SPDX-License-Identifier: Apache-2.0
// `longarm bag`: runs as bags of ROS, and what bags hold as input of runs.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "apps/longarm/commands.h"
#include "longarm/config/text_file.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/motion/trajectory_file.h"
#include "longarm/record/bag/bag_link_trace.h"
#include "longarm/record/bag/bag_plan.h"
#include "longarm/record/bag/recorded_messages.h"
#include "longarm/record/bag/run_export.h"

namespace longarm::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct BagArguments {
  std::string input;
  std::string out;
  std::string ros2;
  std::vector<std::string> topics;
  std::string compression = "none";
  record::LinkTraceOptions link_trace;
  std::string by = "stamps";
  std::string period;
  std::string least_delay;
  record::PlanOptions plan;
  std::string from;
  std::string to;
};

std::optional<Duration> time_option(const std::string& option, const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const Result<Duration> time = parse_duration(text);
  if (!time || *time < Duration(0)) {
    refuse({option + " " + text}, time ? "it must not be negative" : time.error().message,
           "write a number and a unit, such as 8ms");
  }
  return *time;
}

/// Whether the input is what `longarm run` leaves.
bool is_run(const std::string& input) {
  return fs::is_regular_file(fs::path(input) / "trace.mcap");
}

/// What holds messages: a run's trace, or the input itself.
std::string recording_of(const BagArguments& arguments) {
  if (is_run(arguments.input)) {
    return fs::path(arguments.input) / "trace.mcap";
  }
  if (!fs::exists(arguments.input)) {
    refuse({arguments.input}, "there is no such file or folder",
           "give the folder of a run, a .bag or .mcap file, or the folder of a `ros2 bag`");
  }
  return arguments.input;
}

std::string run_trace(const BagArguments& arguments, const char* what) {
  if (!is_run(arguments.input)) {
    refuse({arguments.input}, fmt::format("only a run is written as {}", what),
           fs::exists(arguments.input)
               ? "give the folder of a run that recorded trace.mcap; of a bag, ask for "
                 "--link-trace TOPIC or --plan TOPIC"
               : "there is no such folder; give that of a run that recorded trace.mcap");
  }
  return recording_of(arguments);
}

/// What a run says of itself, or of an arm in it.
record::RunStatus status_of(const std::string& name, const Json& metrics) {
  using Level = record::RunStatus::Level;
  const Json& stable = metrics["stable"];
  record::RunStatus status{
      stable == true    ? Level::kOk
      : stable == false ? Level::kError
                        : Level::kWarning,
      name,
      metrics.contains("verdict_reason") && metrics["verdict_reason"].is_string()
          ? metrics["verdict_reason"].get<std::string>()
          : "",
      {}};
  for (const auto& [key, value] : metrics.items()) {
    if (value.is_primitive() && !value.is_null()) {
      status.values.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    }
  }
  return status;
}

/// Of each arm of a run that has ended.
std::vector<record::RunStatus> statuses_of(const fs::path& run) {
  const fs::path file = run / "metrics.json";
  if (!fs::is_regular_file(file)) {
    return {};
  }
  const Json metrics = Json::parse(config::read_text_file(file), nullptr, false);
  std::vector<record::RunStatus> statuses;
  if (!metrics.is_object()) {
    return {};
  }
  if (metrics.contains("stable")) {
    statuses.push_back(status_of(metrics.value("scenario", "run"), metrics));
  }
  for (const auto& [name, results] : metrics.items()) {
    if (results.is_object() && results.contains("stable")) {
      statuses.push_back(status_of(name, results));
    }
  }
  return statuses;
}

/// A run's trace and what is wanted of it.
record::ExportInput input_of(const BagArguments& arguments) {
  record::ExportInput input{run_trace(arguments, "a bag"), arguments.topics,
                            statuses_of(arguments.input)};
  const std::string& trace = input.trace;
  Result<std::vector<std::string>> read = record::trace_topics(trace);
  if (!read) {
    refuse({trace}, read.error().message, "run the scenario again");
  }
  std::vector<std::string> topics = std::move(read).value();
  if (!input.statuses.empty()) {
    topics.emplace_back(record::kStatusTopic);
  }
  for (const std::string& topic : input.topics) {
    if (std::find(topics.begin(), topics.end(), topic) == topics.end()) {
      refuse({trace}, fmt::format("it has no messages of topic {}", topic), suggest(topic, topics));
    }
  }
  return input;
}

void remark(const std::vector<std::string>& remarks) {
  for (const std::string& one : remarks) {
    fmt::print(stderr, "note: {}\n", one);
  }
}

void print_row(std::uint64_t count, const std::string& topic, const std::string& type) {
  fmt::print("{:>9}  {:<36}  {}\n", count, topic, type);
}

void print_export(const std::string& out, const record::RunExport& run) {
  if (!run.problem.empty()) {
    remark({"the trace is " + run.problem + "; the messages before are written"});
  }
  fmt::print(" messages  topic                                 type\n");
  for (const record::ExportedTopic& topic : run.topics) {
    print_row(topic.count, topic.topic, topic.type);
  }
  fmt::print("{}\n", out);
}

int write_rosbag(const BagArguments& arguments) {
  const record::ExportInput input = input_of(arguments);
  const std::string out =
      arguments.out.empty() ? std::string(fs::path(arguments.input) / "trace.bag") : arguments.out;
  record::BagOptions options;
  options.compression = arguments.compression == "bz2"   ? record::BagCompression::kBz2
                        : arguments.compression == "lz4" ? record::BagCompression::kLz4
                                                         : record::BagCompression::kNone;
  const Result<record::RunExport> run = record::export_rosbag(input, out, options);
  if (!run) {
    refuse({out}, run.error().message, "check the trace, and that the disk is not full");
  }
  print_export(out, *run);
  return kDone;
}

int write_ros2_bag(const BagArguments& arguments) {
  const record::ExportInput input = input_of(arguments);
  std::string folder = arguments.ros2;
  while (folder.size() > 1 && folder.ends_with('/')) {
    folder.pop_back();
  }
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder))) {
    refuse({folder}, "it exists already", "choose another folder, or remove this one");
  }
  fs::create_directories(folder);
  const Result<record::RunExport> run = record::export_ros2_bag(input, folder);
  if (!run) {
    refuse({folder}, run.error().message, "check the trace, and that the disk is not full");
  }
  print_export(folder, *run);
  return kDone;
}

/// To the file asked for, or to standard output.
void deliver(const BagArguments& arguments, const std::string& text) {
  if (arguments.out.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  config::write_text_file(arguments.out, text);
}

std::string shown_out(const BagArguments& arguments) {
  return arguments.out.empty() ? "FILE.csv" : arguments.out;
}

int write_link_trace(const BagArguments& arguments) {
  record::LinkTraceOptions options = arguments.link_trace;
  options.by_intervals = arguments.by == "intervals";
  options.period = time_option("--period", arguments.period);
  options.least_delay = time_option("--least-delay", arguments.least_delay);
  if (options.by_intervals && !options.period) {
    refuse("--by intervals needs the sender's period", "add --period TIME, such as --period 8ms");
  }
  if (options.period == Duration(0)) {
    refuse({"--period " + arguments.period}, "it must be greater than zero", "for example: 8ms");
  }
  const Result<record::BagLinkTrace> trace =
      record::link_trace_of(recording_of(arguments), options);
  if (!trace) {
    refuse(trace.error().message, "longarm bag FILE lists the topics of a bag");
  }
  remark(trace->remarks);
  deliver(arguments, record::link_trace_csv(*trace));
  fmt::print(stderr, "{} messages, {} of them lost; play it with link.trace={}\n",
             trace->samples.size(), trace->lost, shown_out(arguments));
  return kDone;
}

int write_plan(const BagArguments& arguments) {
  record::PlanOptions options = arguments.plan;
  options.from = time_option("--from", arguments.from).value_or(Duration(0));
  options.to = time_option("--to", arguments.to);
  const Result<record::BagPlan> plan = record::plan_of(recording_of(arguments), options);
  if (!plan) {
    refuse(plan.error().message, "longarm bag FILE lists the topics of a bag");
  }
  remark(plan->remarks);
  deliver(arguments, motion::trajectory_csv(plan->trajectory));
  const std::vector<motion::TrajectoryPoint>& points = plan->trajectory.points;
  fmt::print(stderr,
             "{} points of {} joint{} over {}; follow it with task: {{path: trajectory, "
             "trajectory: {}}}\n",
             points.size(), plan->trajectory.joints.size(),
             plan->trajectory.joints.size() == 1 ? "" : "s", format_duration(points.back().time),
             shown_out(arguments));
  return kDone;
}

int list_recording(const BagArguments& arguments) {
  const std::string path = recording_of(arguments);
  const Result<record::Recording> recording = record::read_recording(path);
  if (!recording) {
    refuse(recording.error().message,
           "give the folder of a run, a .bag or .mcap file, or the folder of a `ros2 bag`");
  }
  remark(recording->remarks);
  fmt::print(" messages  topic                                 type\n");
  for (const record::RecordedTopic& topic : recording->topics) {
    print_row(topic.count, topic.topic, topic.type);
  }
  return kDone;
}

int bag(const BagArguments& arguments) {
  const bool has_link_trace = !arguments.link_trace.topic.empty();
  const bool has_plan = !arguments.plan.topic.empty();
  if (int{has_link_trace} + int{has_plan} + int{!arguments.ros2.empty()} > 1) {
    refuse("--ros2, --link-trace and --plan exclude one another", "ask for one at a time");
  }
  if (has_link_trace) {
    return write_link_trace(arguments);
  }
  if (has_plan) {
    return write_plan(arguments);
  }
  if (!arguments.ros2.empty()) {
    return write_ros2_bag(arguments);
  }
  return is_run(arguments.input) || !arguments.out.empty() ? write_rosbag(arguments)
                                                           : list_recording(arguments);
}

}  // namespace

Command add_bag_command(CLI::App& word) {
  const auto arguments = std::make_shared<BagArguments>();
  word.add_option("input", arguments->input,
                  "folder of a run; or a .bag file, an .mcap file or the folder of a `ros2 bag`")
      ->required()
      ->type_name("RUN|BAG");
  word.add_option("--out", arguments->out,
                  "the file to write; default: trace.bag in the run's folder, else standard output")
      ->type_name("FILE");
  word.add_option("--topics", arguments->topics, "of a run: write these topics only")
      ->type_name("TOPIC,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  word.add_option("--compression", arguments->compression, "of the bag's chunks")
      ->check(CLI::IsMember({"none", "bz2", "lz4"}))
      ->capture_default_str();
  word.add_option("--ros2", arguments->ros2,
                  "write the run as a folder for `ros2 bag` instead (MCAP and metadata.yaml)")
      ->type_name("FOLDER");
  word.add_option("--link-trace", arguments->link_trace.topic,
                  "write the delays and losses of this topic's messages, for link.trace")
      ->type_name("TOPIC");
  word.add_option(
          "--by", arguments->by,
          "delays: from header stamp to reception, or from the intervals between receptions")
      ->check(CLI::IsMember({"stamps", "intervals"}))
      ->capture_default_str();
  word.add_option("--period", arguments->period,
                  "of the sender, to find lost messages; default: by sequence numbers")
      ->type_name("TIME");
  word.add_option("--least-delay", arguments->least_delay,
                  "shift all delays so that the shortest is this, where clocks differ")
      ->type_name("TIME");
  word.add_option("--plan", arguments->plan.topic,
                  "write this topic's JointTrajectory or JointStates, for task.trajectory")
      ->type_name("TOPIC");
  word.add_option("--message", arguments->plan.message, "which JointTrajectory, from 1 on")
      ->type_name("N")
      ->capture_default_str();
  word.add_option("--joints", arguments->plan.joints,
                  "joints of the plan; default: those of the first JointState")
      ->type_name("JOINT,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  word.add_option("--from", arguments->from, "start that long after the first JointState")
      ->type_name("TIME");
  word.add_option("--to", arguments->to, "end that long after the first JointState")
      ->type_name("TIME");
  word.footer(
      "From a run to ROS:\n"
      "  longarm bag runs/ur5-waypoints                     writes trace.bag for rosbag\n"
      "  longarm bag runs/ur5-waypoints --ros2 my_bag       writes a folder for ros2 bag\n"
      "From a bag to a run:\n"
      "  longarm bag day.bag                                lists its topics\n"
      "  longarm bag day.bag --link-trace /joint_states --out day.csv\n"
      "  longarm run ur5-waypoints --set link.states.trace=$PWD/day.csv\n"
      "  longarm bag day.bag --plan /joint_states --out motion.csv\n"
      "  longarm run my-arm.yaml --set task.path=trajectory --set task.trajectory=$PWD/motion.csv\n"
      "docs/how-to/bags.md explains what is in the files.");
  return [arguments] { return bag(*arguments); };
}

}  // namespace longarm::app
