// SPDX-License-Identifier: Apache-2.0
// What a whole closed loop costs beside a bare mj_step loop of the same model, in one run on one
// core.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <vector>

#include "longarm/physics/flat_cell.h"
#include "longarm/physics/mujoco/mujoco_model.h"
#include "longarm/scenario/simulation.h"

namespace {

using namespace longarm;
using namespace std::chrono_literals;

constexpr int kSteps = 2000;  // per block
constexpr int kBlocks = 40;

/// CPU time of this thread: the machine's other work does not count.
double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The same compiled model, held still without gravity so that nothing touches, and stepped with
/// nothing around it.
class BareLoop {
 public:
  explicit BareLoop(const scenario::PreparedScenario& prepared) {
    const physics::FlatCell cell(prepared.cell);
    model_ = physics::compile_mujoco_model(
        physics::write_mjcf(cell, {.period_s = 1e-3}, physics::count_slots(cell)));
    data_ = physics::make_mujoco_data(*model_);
    const std::vector<double>& home = prepared.scenario.robot.home_rad;
    std::copy(home.begin(), home.end(), data_->qpos);
    std::fill_n(model_->opt.gravity, 3, 0.0);
  }

  double block() {
    const double start = cpu_s();
    for (int i = 0; i < kSteps; ++i) {
      mj_step(model_.get(), data_.get());
    }
    return cpu_s() - start;
  }

 private:
  physics::MujocoModelPtr model_;
  physics::MujocoDataPtr data_;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void measure(const char* name, const scenario::LoadOptions& options) {
  const scenario::Plugins plugins = scenario::built_in_plugins();
  const scenario::PreparedScenario prepared =
      scenario::load_scenario("ur5-waypoints", options, plugins);
  BareLoop bare(prepared);
  auto simulation =
      std::make_unique<scenario::Simulation>(prepared, plugins, scenario::SimulationOptions{});

  // turn and turn about, so that both see the same machine
  std::vector<double> ratios;
  std::vector<double> bare_us;
  std::vector<double> loop_us;
  for (int i = 0; i < kBlocks; ++i) {
    const double bare_s = bare.block();
    if (simulation->now() + kSteps * Duration(1ms) > simulation->end()) {
      simulation =
          std::make_unique<scenario::Simulation>(prepared, plugins, scenario::SimulationOptions{});
    }
    const double start = cpu_s();
    if (!simulation->run_until(simulation->now() + kSteps * Duration(1ms))) {
      return;
    }
    const double loop_s = cpu_s() - start;
    ratios.push_back(loop_s / bare_s);
    bare_us.push_back(bare_s / kSteps * 1e6);
    loop_us.push_back(loop_s / kSteps * 1e6);
  }
  std::printf("%-34s %8.2f %10.2f %8.2f %12.0f\n", name, median(bare_us), median(loop_us),
              median(ratios), 1e3 / median(loop_us));
}

}  // namespace

int main() {
  std::printf(
      "UR5, 1 kHz physics and control, metrics on, recording off; medians of %d blocks of %d "
      "steps\n\n",
      kBlocks, kSteps);
  std::printf("%-34s %8s %10s %8s %12s\n", "ur5-waypoints", "mj_step", "closed loop", "ratio",
              "real time");
  std::printf("%-34s %8s %10s %8s %12s\n", "", "us/step", "us/step", "", "factor");
  measure("cut velocity, delay 5 ms", {{"link.delay=5ms"}, {}});
  measure("cut velocity, queue 5", {{"link.slots=5"}, {}});
  measure("cut position, delay 5 ms", {{"link.delay=5ms", "cut=position"}, {}});
  measure("cut stale-servo, delay 5 ms", {{"link.delay=5ms", "cut=stale-servo"}, {}});
  measure("cut effort, delay 2 ms", {{"link.delay=2ms", "cut=effort"}, {}});
}
