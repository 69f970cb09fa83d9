// SPDX-License-Identifier: Apache-2.0
// Oracles of what must be the same to the last bit.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "labs/oracles/experiment.h"
#include "labs/oracles/groups.h"

namespace longarm::oracles {
namespace {

constexpr const char* kDeterminismGroup = "determinism";

std::string hash_of(Settings settings) {
  settings.push_back("task.hold=300ms");
  return record("one-joint", settings).results["state_hash"].get<std::string>();
}

Comparison count_unequal(const std::vector<std::pair<Settings, Settings>>& pairs) {
  int differing = 0;
  for (const auto& [one, other] : pairs) {
    differing += hash_of(one) == hash_of(other) ? 0 : 1;
  }
  return {0.0, static_cast<double>(differing), 0.0, "a count of differing state hashes"};
}

}  // namespace

void add_determinism_oracles(std::vector<Oracle>& all) {
  all.push_back({"queue-equals-delay", kDeterminismGroup,
                 "queues of 1, 5 and 20 slots at 1 kHz and delays of as many ms: equal bits",
                 "hashes", [] {
                   std::vector<std::pair<Settings, Settings>> pairs;
                   for (const int n : {1, 5, 20}) {
                     pairs.push_back(
                         {{fmt::format("link.slots={}", n)}, {fmt::format("link.delay={}ms", n)}});
                   }
                   return count_unequal(pairs);
                 }});
  all.push_back({"zero-delay-equals-none", kDeterminismGroup,
                 "a delay of zero, an empty queue and cut none: the same bits as no link", "hashes",
                 [] {
                   return count_unequal(
                       {{{"link.delay=0ms"}, {}}, {{"link.slots=0"}, {}}, {{"cut=none"}, {}}});
                 }});
  all.push_back({"same-seed-same-bits", kDeterminismGroup,
                 "jitter and loss with one seed, twice, on each engine: equal bits", "hashes", [] {
                   std::vector<std::pair<Settings, Settings>> pairs;
                   for (const char* engine : {"mujoco", "ode", "kinematic"}) {
                     const Settings settings = {"link.netem=delay 3ms 1ms loss 5%", "seed=7",
                                                fmt::format("engine={}", engine)};
                     pairs.push_back({settings, settings});
                   }
                   return count_unequal(pairs);
                 }});
  all.push_back({"other-seed-other-bits", kDeterminismGroup,
                 "of three pairs of runs with different seeds none is equal", "hashes", [] {
                   std::vector<std::pair<Settings, Settings>> pairs;
                   for (const int seed : {1, 2, 3}) {
                     pairs.push_back(
                         {{"link.netem=delay 3ms 1ms", fmt::format("seed={}", seed)},
                          {"link.netem=delay 3ms 1ms", fmt::format("seed={}", seed + 10)}});
                   }
                   Comparison found = count_unequal(pairs);
                   found.expected = 3.0;
                   return found;
                 }});
}

}  // namespace longarm::oracles
