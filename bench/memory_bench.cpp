// SPDX-License-Identifier: Apache-2.0
// Memory and speed over an hour of simulated time: neither may drift.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>

#include "labs/labs.h"
#include "longarm/actors/arm.h"

namespace {

/// Resident memory now, in KiB.
long resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") {
      long kib = 0;
      status >> kib;
      return kib;
    }
  }
  return -1;
}

}  // namespace

int main() {
  using namespace longarm;
  using namespace std::chrono_literals;
  const cell::Plugins plugins = labs::built_in_plugins();
  const cell::PreparedScenario prepared =
      cell::load_scenario("ur5-waypoints", {{"link.delay=5ms", "task.hold=3600s"}, {}}, plugins);
  cell::Run simulation(prepared);
  std::printf("ur5-waypoints with 5 ms each way, held for an hour; metrics on, recording off\n\n");
  std::printf("%12s %14s %20s\n", "simulated", "resident KiB", "real-time factor");
  for (Duration at :
       {Duration(10s), Duration(60s), Duration(600s), Duration(1800s), Duration(3600s)}) {
    const double before = to_seconds(simulation.now().time_since_epoch());
    const auto start = std::chrono::steady_clock::now();
    simulation.run_until(Time(at));
    if (simulation.failure()) {
      return 1;
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    std::printf("%10.0f s %14ld %20.0f\n", to_seconds(at), resident_kib(),
                (to_seconds(at) - before) / wall.count());
  }
}
