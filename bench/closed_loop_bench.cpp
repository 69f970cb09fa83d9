// SPDX-License-Identifier: Apache-2.0
// What a whole closed loop costs beside a bare mj_step loop of the same model, in one run on one
// core.
#include <cstdio>
#include <memory>
#include <vector>

#include "bench/bare_loop.h"
#include "labs/labs.h"
#include "longarm/actors/arm.h"

namespace {

using namespace longarm;
using namespace longarm::bench;
using namespace std::chrono_literals;

void measure(const char* name, const cell::LoadOptions& options) {
  const cell::Plugins plugins = labs::built_in_plugins();
  const cell::PreparedScenario prepared = cell::load_scenario("ur5-waypoints", options, plugins);
  BareLoop bare(prepared, true);
  BareLoop blind(prepared, false);
  auto simulation = std::make_unique<cell::Run>(prepared);

  // turn and turn about, so that both see the same machine
  std::vector<double> bare_us;
  std::vector<double> blind_us;
  std::vector<double> loop_us;
  for (int i = 0; i < kBlocks; ++i) {
    bare_us.push_back(bare.block() / kSteps * 1e6);
    blind_us.push_back(blind.block() / kSteps * 1e6);
    if (simulation->now() + kSteps * Duration(1ms) > simulation->end()) {
      simulation = std::make_unique<cell::Run>(prepared);
    }
    const double start = cpu_s();
    simulation->run_until(simulation->now() + kSteps * Duration(1ms));
    if (simulation->failure()) {
      return;
    }
    loop_us.push_back((cpu_s() - start) / kSteps * 1e6);
  }
  const double loop = median(loop_us);
  std::printf("%-30s %9.2f %9.2f %12.2f %9.2f %9.2f %10.0f\n", name, median(bare_us),
              median(blind_us), loop, loop / median(bare_us), loop / median(blind_us), 1e3 / loop);
}

}  // namespace

int main() {
  std::printf(
      "UR5, 1 kHz physics and control, metrics on, recording off; medians of %d blocks of %d "
      "steps\n\n",
      kBlocks, kSteps);
  std::printf(
      "mj_step: the whole of it; blind: without its search for contacts, which we screen "
      "beforehand\n\n");
  std::printf("%-30s %9s %9s %12s %9s %9s %10s\n", "ur5-waypoints", "mj_step", "blind",
              "closed loop", "to", "to", "real-time");
  std::printf("%-30s %9s %9s %12s %9s %9s %10s\n", "", "us/step", "us/step", "us/step", "mj_step",
              "blind", "factor");
  measure("cut velocity, delay 5 ms", {{"link.delay=5ms"}, {}});
  measure("cut velocity, queue 5", {{"link.slots=5"}, {}});
  measure("cut position, delay 5 ms", {{"link.delay=5ms", "cut=position"}, {}});
  measure("cut stale-servo, delay 5 ms", {{"link.delay=5ms", "cut=stale-servo"}, {}});
  measure("cut effort, delay 2 ms", {{"link.delay=2ms", "cut=effort"}, {}});
}
