// SPDX-License-Identifier: Apache-2.0
// Finds relays that would talk to themselves, or to each other in a circle.
#pragma once

#include <cstddef>
#include <vector>

#include "longarm/proxy/relay_run.h"

namespace longarm::proxy {

/// Each circle as the numbers of its routes, one after the other; a route is in one of them at
/// most. A wildcard listens at every address of this machine. Names that nobody knows lead nowhere.
std::vector<std::vector<std::size_t>> find_loops(const std::vector<RelayRoute>& routes);

}  // namespace longarm::proxy
