// SPDX-License-Identifier: Apache-2.0
// What a network did, for metrics.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "longarm/network/network.h"

namespace longarm::network {

/// What flows and cables did.
nlohmann::ordered_json network_json(const Network& network);

}  // namespace longarm::network
