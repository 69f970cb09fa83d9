// SPDX-License-Identifier: Apache-2.0
// Writes a trace whose every number follows from its step, for check_sample.py to read elsewhere.
#include <chrono>
#include <cmath>
#include <cstdio>

#include "longarm/record/ros_trace.h"

namespace {

using namespace longarm;
using namespace longarm::record;
using namespace std::chrono_literals;

constexpr int kSteps = 3000;

/// The formulas are those of check_sample.py.
void write_step(RosTrace& trace, ArmTrace& arm, int step) {
  const Time now(step * Duration(1ms));
  const double s = step;
  const std::vector<double> positions = {s / 1024.0, 1.0 / (s + 1.0), -0.0};
  const std::vector<double> velocities = {0.1 * s, -s, 1e-300 * s};
  const std::vector<double> efforts = {s / 3.0, 2.0, 1e300};
  const auto index = static_cast<std::uint64_t>(step);
  trace.clock(now);
  arm.joint_states(JointTopic::kStates, now, now, positions, velocities, efforts);
  arm.link_event(LinkTopic::kStates, now, "sent", index, 172, now);
  if (step >= 5) {  // as if it took 5 ms
    arm.link_event(LinkTopic::kStates, now, "arrived", index - 5, 172, now - 5ms);
  }
  // stamped by a clock that is 2 s behind
  arm.joint_states(JointTopic::kControllerStates, now, now - 2s, positions, velocities, {});
  arm.joint_states(JointTopic::kControllerCommands, now, now, {}, velocities, {});
  arm.link_event(LinkTopic::kCommands, now, "lost", index, 72, now);
  arm.joint_states(JointTopic::kCommands, now, now, positions, {}, {});
  const FramePose pose({s, -s, 0.5}, Eigen::Quaterniond(0.5, 0.5, -0.5, 0.5));
  arm.end_effector(now, pose);
  if (trace.wants_frames(now)) {
    trace.frames(now, std::vector<FramePose>{pose, FramePose()});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_sample FILE\n");
    return 2;
  }
  RosTraceConfig config;
  config.fixed_frames = {
      {"world", "base_link", FramePose({1.0, 2.0, 3.0}, Eigen::Quaterniond::Identity())}};
  config.moving_frames = {{"base_link", "upper_arm", {}}, {"upper_arm", "forearm", {}}};
  config.scenario = "seed: 1\n";
  auto trace = RosTrace::open(argv[1], config);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    return 1;
  }
  const std::unique_ptr<ArmTrace> arm =
      trace.value()->add_arm("", {{"shoulder", "elbow", "grüße"}});
  for (int step = 0; step < kSteps; ++step) {
    write_step(*trace.value(), *arm, step);
  }
  return trace.value()->close() ? 0 : 1;
}
