// SPDX-License-Identifier: Apache-2.0
// Takes the loop components out of a scenario.
#include "apps/longarm/real_components.h"

#include "longarm/actors/middleware.h"
#include "longarm/core/diagnostic.h"
#include "longarm/experiments/cell_experiment.h"
#include "longarm/experiments/load_experiment.h"

namespace longarm::app {
namespace {

[[noreturn]] void refuse_without_components(const std::string& scenario) {
  refuse({scenario, 0, 0}, "this scenario has no components",
         "it needs actors of kind middleware and component");
}

}  // namespace

RealComponents load_real_components(const std::string& scenario,
                                    const scenario::LoadOptions& options) {
  if (!experiments::is_experiment(scenario)) {
    refuse_without_components(scenario);
  }
  const experiments::PreparedExperiment prepared =
      experiments::load_experiment(scenario, options, scenario::built_in_plugins());
  const cell::PreparedCell* cell = experiments::find_cell(*prepared.scenario.model);
  if (cell == nullptr) {
    refuse_without_components(scenario);
  }
  RealComponents result;
  result.flows = cell->config.network.flows;
  result.length = cell->length;
  result.seed = static_cast<std::uint64_t>(prepared.scenario.seed);
  for (const cell::ActorEntry& actor : cell->config.actors) {
    const auto* member = dynamic_cast<const actors::ComponentDescription*>(actor.model.get());
    if (member == nullptr) {
      continue;
    }
    const auto* system = dynamic_cast<const actors::MiddlewareDescription*>(
        cell->config.find(member->middleware())->model.get());
    actors::ComponentConfig component = member->component();
    if (component.program != "loop") {
      result.others.push_back(component.name);
      continue;
    }
    actors::ExecutionTimes(system->config().execution).apply(component);
    result.loops.push_back(std::move(component));
  }
  if (result.loops.empty() && result.others.empty()) {
    refuse_without_components(scenario);
  }
  return result;
}

}  // namespace longarm::app
