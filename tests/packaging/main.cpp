// SPDX-License-Identifier: Apache-2.0
// Uses the installed library as a stranger would: one short run, and its verdict.
#include <cstdio>

#include <longarm/scenario/simulation.h>
#include <nlohmann/json.hpp>

int main() {
  namespace scenario = longarm::scenario;
  const scenario::Plugins plugins = scenario::built_in_plugins();
  const scenario::LoadOptions options{{"link.delay=5ms", "task.hold=2s"}, {}};
  scenario::Simulation simulation(scenario::load_scenario("one-joint", options, plugins), {});
  const auto end = simulation.run_until(simulation.end());
  const auto results = simulation.results();
  std::printf("ran to %.1f s, stable: %s\n", results["simulated_s"].get<double>(),
              results["stable"].dump().c_str());
  return end && results["stable"] == true ? 0 : 1;
}
