// SPDX-License-Identifier: Apache-2.0
// Components of a scenario that are to run as real processes.
#pragma once

#include <string>
#include <vector>

#include "longarm/cell/load_scenario.h"
#include "longarm/components/loop_component.h"
#include "longarm/network/flow.h"

namespace longarm::app {

struct RealComponents {
  std::vector<components::LoopConfig> loops;  ///< computing times as the simulation has them
  std::vector<std::string> others;            ///< whose programs only a simulation can run
  network::FlowOptions flows;
  Duration length{};
  std::uint64_t seed = 1;
};

/// Throws InputError if it is no scenario of components.
RealComponents load_real_components(const std::string& scenario, const cell::LoadOptions& options);

}  // namespace longarm::app
