// SPDX-License-Identifier: Apache-2.0
// Hosts, switches and cables of a scenario, as a page draws them.
#pragma once

#include <nlohmann/json.hpp>

#include "longarm/cell/load_scenario.h"

namespace longarm::view {

/// Null: there is no network.
nlohmann::ordered_json network_graph(const cell::PreparedScenario& prepared);

}  // namespace longarm::view
