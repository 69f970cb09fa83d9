// SPDX-License-Identifier: Apache-2.0
// What it costs to record every joint state and command of a closed loop into trace.mcap, beside a
// bare mj_step loop of the same model.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/bare_loop.h"
#include "labs/labs.h"
#include "longarm/actors/arm.h"
#include "longarm/record/ros_trace.h"

namespace {

using namespace longarm;
using namespace longarm::bench;
using namespace std::chrono_literals;

constexpr double kLimit = 2.5;  // times a bare loop

/// A simulation that starts over when it is through.
class Loop {
 public:
  Loop(const cell::PreparedScenario& prepared, std::string messages_path)
      : prepared_(prepared), messages_path_(std::move(messages_path)) {
    start();
  }

  /// CPU time of kSteps steps.
  double block() {
    if (simulation_->now() + kSteps * Duration(1ms) > simulation_->end()) {
      start();
    }
    const double before = cpu_s();
    simulation_->run_until(simulation_->now() + kSteps * Duration(1ms));
    if (simulation_->failure()) {
      std::fprintf(stderr, "the loop does not run\n");
      std::exit(1);
    }
    return cpu_s() - before;
  }

 private:
  void start() {
    simulation_.reset();  // two must not write the same file
    cell::RunSetup options;
    options.trace = messages_path_;
    simulation_ = std::make_unique<cell::Run>(prepared_, std::move(options));
  }

  const cell::PreparedScenario& prepared_;
  std::string messages_path_;
  std::unique_ptr<cell::Run> simulation_;
};

/// The writer alone: states and commands at both ends of a link, six joints, nothing else.
double writer_us(const std::string& path) {
  record::RosTraceConfig config;
  auto trace = record::RosTrace::open(path, config);
  if (!trace) {
    std::fprintf(stderr, "%s\n", trace.error().message.c_str());
    std::exit(1);
  }
  const std::unique_ptr<record::ArmTrace> arm =
      trace.value()->add_arm("", {{"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                   "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"}});
  // irrational numbers, as motion has them; computed before the clock runs
  constexpr int kCount = 20 * kSteps;
  std::vector<std::vector<double>> values(kCount, std::vector<double>(18));
  for (int i = 0; i < kCount; ++i) {
    for (int k = 0; k < 18; ++k) {
      values[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)] = std::sin(1e-3 * i * k + k);
    }
  }
  const double before = cpu_s();
  for (int i = 0; i < kCount; ++i) {
    const Time now(i * Duration(1ms));
    const std::span<const double> all = values[static_cast<std::size_t>(i)];
    const std::span<const double> late = values[static_cast<std::size_t>(std::max(0, i - 5))];
    using enum record::JointTopic;
    arm->joint_states(kStates, now, now, all.first(6), all.subspan(6, 6), all.subspan(12, 6));
    arm->joint_states(kControllerStates, now, now - 5ms, late.first(6), late.subspan(6, 6),
                      late.subspan(12, 6));
    arm->joint_states(kControllerCommands, now, now, {}, all.subspan(6, 6), {});
    arm->joint_states(kCommands, now, now - 5ms, {}, late.subspan(6, 6), {});
  }
  const bool is_closed = trace.value()->close().has_value();
  const double after = cpu_s();
  return is_closed ? (after - before) / kCount * 1e6 : NAN;
}

void measure(const char* name, const cell::LoadOptions& options, const std::string& path) {
  const cell::Plugins plugins = labs::built_in_plugins();
  const cell::PreparedScenario prepared = cell::load_scenario("ur5-waypoints", options, plugins);
  BareLoop bare(prepared, true);
  Loop silent(prepared, "");
  Loop recorded(prepared, path);

  // turn and turn about, so that all see the same machine
  std::vector<double> bare_us;
  std::vector<double> silent_us;
  std::vector<double> recorded_us;
  for (int i = 0; i < kBlocks; ++i) {
    bare_us.push_back(bare.block() / kSteps * 1e6);
    silent_us.push_back(silent.block() / kSteps * 1e6);
    recorded_us.push_back(recorded.block() / kSteps * 1e6);
  }
  const double ratio = median(recorded_us) / median(bare_us);
  std::printf("%-30s %9.2f %12.2f %12.2f %9.2f  %s\n", name, median(bare_us), median(silent_us),
              median(recorded_us), ratio, ratio <= kLimit ? "within 2.5" : "ABOVE 2.5");
}

}  // namespace

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "longarm-recording-bench";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "trace.mcap";
  std::printf(
      "UR5, 1 kHz; trace.mcap with every joint state, command and link event, the end effector at "
      "1 kHz, frames at 100 Hz;\nmedians of %d blocks of %d steps\n\n",
      kBlocks, kSteps);
  std::printf("%-30s %9s %12s %12s %9s\n", "ur5-waypoints", "mj_step", "closed loop", "recorded",
              "to");
  std::printf("%-30s %9s %12s %12s %9s\n", "", "us/step", "us/step", "us/step", "mj_step");
  measure("cut velocity, delay 5 ms", {{"link.delay=5ms"}, {}}, path);
  measure("cut position, delay 5 ms", {{"link.delay=5ms", "cut=position"}, {}}, path);
  measure("cut effort, delay 2 ms", {{"link.delay=2ms", "cut=effort"}, {}}, path);
  std::printf("\nthe writer alone, states and commands at both ends: %.2f us/step\n",
              writer_us(path));
  std::filesystem::remove_all(folder);
}
