// SPDX-License-Identifier: Apache-2.0
// What metrics.json says about the link and who watched it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "longarm/control/watchdog.h"
#include "longarm/network/link_meter.h"

namespace longarm::actors {

nlohmann::ordered_json link_json(const network::LinkReport& report,
                                 const network::LinkRequirements& requirements,
                                 Duration sending_period);
nlohmann::ordered_json watchdog_json(const control::CommandWatchdog& watchdog);

}  // namespace longarm::actors
