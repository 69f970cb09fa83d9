// SPDX-License-Identifier: Apache-2.0
// `longarm frame` and `longarm path`: where was this frame in that one, at any time of a recorded
// run, and at all times?
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "apps/longarm/commands.h"
#include "longarm/core/diagnostic.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"
#include "longarm/record/frame_buffer.h"

namespace longarm::app {
namespace {

struct FrameArguments {
  std::string folder;
  std::string target;
  std::string source;
  std::string at;
  std::string every;
};

/// What to do instead: name a frame that is there, or a time at which it was.
[[noreturn]] void refuse_lookup(const FrameArguments& arguments, const record::FrameBuffer& frames,
                                const std::string& message) {
  for (const std::string& name : {arguments.target, arguments.source}) {
    if (!frames.has(name)) {
      refuse({arguments.folder}, fmt::format("there is no frame '{}'", name),
             "frames in this run: " + join(frames.frames()));
    }
  }
  const Result<Time> from = frames.oldest(arguments.target, arguments.source);
  const Result<Time> to = frames.newest(arguments.target, arguments.source);
  if (!from || !to) {
    refuse({arguments.folder}, message, "choose two frames of the same tree");
  }
  refuse({arguments.folder}, message,
         fmt::format("give a time from {:.12g}s to {:.12g}s", to_seconds(from->time_since_epoch()),
                     to_seconds(to->time_since_epoch())));
}

Time time_of(const FrameArguments& arguments, const record::FrameBuffer& frames) {
  if (arguments.at.empty()) {
    const Result<Time> newest = frames.newest(arguments.target, arguments.source);
    if (!newest) {
      refuse_lookup(arguments, frames, newest.error().message);
    }
    return *newest;
  }
  const Result<Duration> at = parse_duration(arguments.at);
  if (!at) {
    refuse({"--at " + arguments.at}, at.error().message,
           "write a number and a unit, such as 500ms or 2.5s");
  }
  return Time(*at);
}

record::FrameBuffer frames_of(const FrameArguments& arguments) {
  Result<record::FrameBuffer> frames =
      record::read_frames(std::filesystem::path(arguments.folder) / "trace.mcap");
  if (!frames) {
    refuse({arguments.folder}, frames.error().message,
           "give the folder of a run that recorded trace.mcap");
  }
  return std::move(frames).value();
}

record::FramePose pose_at(const FrameArguments& arguments, const record::FrameBuffer& frames,
                          Time time) {
  const Result<record::FramePose> pose = frames.lookup(arguments.target, arguments.source, time);
  if (!pose) {
    refuse_lookup(arguments, frames, pose.error().message);
  }
  return *pose;
}

/// Those that were recorded, or equally spaced ones between them.
std::vector<Time> times_of(const FrameArguments& arguments, const record::FrameBuffer& frames) {
  const Result<std::vector<Time>> stamps = frames.stamps(arguments.target, arguments.source);
  if (!stamps) {
    refuse_lookup(arguments, frames, stamps.error().message);
  }
  if (stamps->empty()) {
    refuse({arguments.folder},
           fmt::format("'{}' never moves in '{}'", arguments.source, arguments.target),
           "use longarm frame to see where it is");
  }
  if (arguments.every.empty()) {
    return *stamps;
  }
  const Result<Duration> every = parse_duration(arguments.every);
  if (!every || *every <= Duration(0)) {
    refuse({"--every " + arguments.every},
           every ? "it must be greater than zero" : every.error().message,
           "write a number and a unit, such as 10ms");
  }
  std::vector<Time> times;
  for (Time time = stamps->front(); time <= stamps->back(); time += *every) {
    times.push_back(time);
  }
  return times;
}

int path(const FrameArguments& arguments) {
  const record::FrameBuffer frames = frames_of(arguments);
  fmt::print("time_s,x_m,y_m,z_m,qw,qx,qy,qz\n");
  for (const Time time : times_of(arguments, frames)) {
    const record::FramePose pose = pose_at(arguments, frames, time);
    const Eigen::Vector3d& p = pose.translation_m;
    const Eigen::Quaterniond& q = pose.rotation;
    fmt::print("{},{},{},{},{},{},{},{}\n", to_seconds(time.time_since_epoch()), p.x(), p.y(),
               p.z(), q.w(), q.x(), q.y(), q.z());
  }
  return kDone;
}

int frame(const FrameArguments& arguments) {
  const record::FrameBuffer frames = frames_of(arguments);
  const Time time = time_of(arguments, frames);
  const record::FramePose pose = pose_at(arguments, frames, time);
  const Eigen::Vector3d& p = pose.translation_m;
  const Eigen::Quaterniond& q = pose.rotation;
  fmt::print("At time {:.9f}\n- Translation: [{:.6f}, {:.6f}, {:.6f}]\n",
             time == Time::max() ? 0.0 : to_seconds(time.time_since_epoch()), p.x(), p.y(), p.z());
  fmt::print("- Rotation: in Quaternion (xyzw) [{:.6f}, {:.6f}, {:.6f}, {:.6f}]\n", q.x(), q.y(),
             q.z(), q.w());
  return kDone;
}

}  // namespace

namespace {

std::shared_ptr<FrameArguments> add_frames(CLI::App& word) {
  const auto arguments = std::make_shared<FrameArguments>();
  word.add_option("run", arguments->folder, "folder of a run, with its trace.mcap")->required();
  word.add_option("target", arguments->target, "reference frame, e.g. world")->required();
  word.add_option("source", arguments->source, "frame to locate, e.g. tool0")->required();
  return arguments;
}

}  // namespace

Command add_path_command(CLI::App& word) {
  const auto arguments = add_frames(word);
  word.add_option("--every", arguments->every,
                  "time between rows, interpolated; default: as recorded")
      ->type_name("TIME");
  word.footer(
      "Prints CSV, one row per recorded pose; use longarm frame for a single instant.\n"
      "  longarm path runs/ur5-waypoints world tool0 --every 100ms > path.csv");
  return [arguments] { return path(*arguments); };
}

Command add_frame_command(CLI::App& word) {
  const auto arguments = add_frames(word);
  word.add_option("--at", arguments->at, "simulated time, e.g. 2.5s; default: the last recorded")
      ->type_name("TIME");
  word.footer(
      "As in tf: exact at recorded times, interpolated between them, never extrapolated.\n"
      "  longarm frame runs/ur5-waypoints base_link tool0 --at 3.21s");
  return [arguments] { return frame(*arguments); };
}

}  // namespace longarm::app
