// SPDX-License-Identifier: Apache-2.0
// Takes the loop components out of a scenario.
#include "apps/longarm/real_components.h"

#include "longarm/core/diagnostic.h"
#include "longarm/experiments/components_run.h"
#include "longarm/experiments/load_experiment.h"
#include "longarm/scenario/ready.h"

namespace longarm::app {

RealComponents load_real_components(const std::string& scenario,
                                    const scenario::LoadOptions& options) {
  const experiments::PreparedExperiment prepared =
      experiments::load_experiment(scenario, options, scenario::built_in_plugins());
  const experiments::ComponentsConfig* config =
      experiments::find_components(*prepared.scenario.model);
  if (config == nullptr) {
    throw InputError(Diagnostic{
        {scenario, 0, 0}, "this scenario has no components", "it needs `experiment: components`"});
  }
  RealComponents result;
  result.flows = config->network.flows;
  result.length = config->length;
  result.seed = static_cast<std::uint64_t>(prepared.scenario.seed);
  const experiments::ExecutionTimes times(config->execution);
  for (const experiments::ComponentConfig& component : config->components) {
    if (component.program != "loop") {
      result.others.push_back(component.name);
      continue;
    }
    components::LoopConfig loop = component;
    loop.compute = times(loop.compute);
    for (components::LoopMethod& method : loop.serves) {
      method.execution = times(method.execution);
    }
    result.loops.push_back(std::move(loop));
  }
  return result;
}

}  // namespace longarm::app
