// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only
// What calls cost in plain ns-3: 8 hosts on a star, 4 pairs, 200 bytes each way at 1 kHz, in
// lock-steps of 1 ms. Prints one line of JSON.
#include <cstdio>
#include <cstdlib>
#include <string>

#include <time.h>

#include "tests/fidelity/ns3_star.h"

namespace {

double thread_cpu_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Cost {
  double call_us = 0.0;
  double events_per_call = 0.0;
  double events_per_s = 0.0;
};

Cost measure(const std::string& transport, std::int64_t hosts, std::int64_t calls) {
  fidelity::Workload workload;
  workload.transport = transport;
  workload.hosts = hosts;
  workload.pairs = hosts / 2;
  workload.calls = calls;
  ns3::Ipv4AddressGenerator::Reset();
  fidelity::Star star(workload);
  const double start_s = thread_cpu_s();
  star.run(1'000'000);
  const double spent_s = thread_cpu_s() - start_s;
  const auto events = static_cast<double>(ns3::Simulator::GetEventCount());
  const auto count = static_cast<double>(workload.pairs * calls);
  return {1e6 * spent_s / count, events / count, events / spent_s};
}

}  // namespace

/// Arguments: calls per pair (default 2000), hosts (default 8). The best of three counts.
int main(int argc, char** argv) {
  const std::int64_t calls = argc > 1 ? std::atoll(argv[1]) : 2000;
  const std::int64_t hosts = argc > 2 ? std::atoll(argv[2]) : 8;
  std::string line = "{\"program\":\"ns-3\",\"hosts\":" + std::to_string(hosts) +
                     ",\"calls\":" + std::to_string(calls);
  for (const char* transport : {"udp", "tcp"}) {
    Cost best = measure(transport, hosts, calls);
    for (int again = 0; again < 2; ++again) {
      const Cost cost = measure(transport, hosts, calls);
      best = cost.call_us < best.call_us ? cost : best;
    }
    char text[200];
    std::snprintf(text, sizeof text,
                  ",\"%s_call_us\":%.3f,\"%s_events_per_call\":%.2f,\"%s_events_per_s\":%.0f",
                  transport, best.call_us, transport, best.events_per_call, transport,
                  best.events_per_s);
    line += text;
  }
  std::printf("%s}\n", line.c_str());
  return 0;
}
