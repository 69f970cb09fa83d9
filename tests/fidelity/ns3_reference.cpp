// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// Runs a workload in plain ns-3 and prints what happened, one record a line.
#include <cstdio>

#include "tests/fidelity/ns3_star.h"

int main(int argc, char** argv) {
  fidelity::Workload workload;
  for (int i = 1; i < argc; ++i) {
    if (!fidelity::set(workload, argv[i])) {
      std::fprintf(stderr, "ns3_reference: what is '%s'?\n", argv[i]);
      return 2;
    }
  }
  fidelity::Star star(workload);
  star.run(0);
  for (const fidelity::Record& record : star.records()) {
    std::printf("%lld %lld %c %lld\n", static_cast<long long>(record.time_ns),
                static_cast<long long>(record.pair), record.what,
                static_cast<long long>(record.index));
  }
  return 0;
}
