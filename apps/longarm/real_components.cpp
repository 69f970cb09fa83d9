// SPDX-License-Identifier: Apache-2.0
// Takes the loop components out of a scenario.
#include "apps/longarm/real_components.h"

#include "labs/labs.h"
#include "longarm/actors/middleware.h"
#include "longarm/cell/load_scenario.h"
#include "longarm/core/diagnostic.h"

namespace longarm::app {
namespace {

[[noreturn]] void refuse_without_components(const std::string& scenario) {
  refuse({scenario, 0, 0}, "this scenario has no components",
         "it needs actors of kind middleware and component");
}

}  // namespace

RealComponents load_real_components(const std::string& scenario, const cell::LoadOptions& options) {
  const cell::PreparedScenario prepared =
      cell::load_scenario(scenario, options, labs::built_in_plugins());
  const cell::CellConfig& cell = prepared.cell();
  RealComponents result;
  result.flows = cell.network.flows;
  result.length = prepared.length;
  result.seed = static_cast<std::uint64_t>(prepared.scenario.seed);
  for (const cell::ActorEntry& actor : cell.actors) {
    const auto* member = dynamic_cast<const actors::ComponentDescription*>(actor.model.get());
    if (member == nullptr) {
      continue;
    }
    const auto* system = dynamic_cast<const actors::MiddlewareDescription*>(
        cell.find(member->middleware())->model.get());
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
