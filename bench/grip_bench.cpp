// SPDX-License-Identifier: Apache-2.0
// How well the grippers of cells hold: how far a gear creeps in a stopped arm's gripper in ten
// minutes, what that costs, and what pulls the gear out; with the engine's static friction and
// without.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "longarm/robots/test/grip_fixture.h"

namespace {

using namespace longarm;

double cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// µs per step, with and without in turns, so that other work on the machine hits both.
void measure_cost(const robots::GripCase& each, double& with_us, double& without_us) {
  robots::GripBench bench(each);
  for (int block = 0; block < 20; ++block) {
    for (const bool is_on : {true, false}) {
      bench.set_static_friction(is_on);
      bench.run(0.05);
      const double start = cpu_s();
      bench.run(0.5);
      (is_on ? with_us : without_us) += (cpu_s() - start) / 500.0 * 1e6 / 20.0;
    }
  }
}

}  // namespace

int main(int count, char** words) {
  const double minutes = count > 1 ? std::atof(words[1]) : 10.0;
  std::printf("%-9s %12s %12s %9s %9s %6s %9s %9s\n", "", "um/s without", "um/s with", "us without",
              "us with", "ratio", "pull out", "pull side");
  for (const robots::GripCase& each : robots::grip_cases()) {
    robots::GripBench plain(each);
    plain.set_static_friction(false);
    const double without = plain.creep_m_s(10.0);
    robots::GripBench bench(each);
    const double with = bench.creep_m_s(60.0 * minutes);
    double with_us = 0.0;
    double without_us = 0.0;
    measure_cost(each, with_us, without_us);
    robots::GripBench out(each);
    robots::GripBench side(each);
    std::printf("%-9s %12.2f %12.4f %9.1f %9.1f %6.2f %9.3f %9.3f%s\n", each.name.c_str(),
                without * 1e6, with * 1e6, without_us, with_us, with_us / without_us,
                out.pull_out_ratio(out.outwards_W()), side.pull_out_ratio(side.along_pads_W()),
                bench.is_holding() ? "" : "  lost");
    std::fflush(stdout);
  }
}
