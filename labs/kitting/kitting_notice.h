// SPDX-License-Identifier: Apache-2.0
// How long it took the executor to notice what went wrong in the world. Internal to the folder.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "labs/kitting/journal.h"
#include "longarm/cell/failures.h"
#include "longarm/network/config/network_config.h"

namespace longarm::kitting {

/// Who sits where, for failures of cables.
struct NoticePlaces {
  std::vector<network::LinkEntry> links;
  std::string executor_host;
  std::string plc_host;
  std::function<std::string(const std::string& actor)> host_of;
};

/// By the failures' texts: seconds to the first setback that is about the same robot, part, camera,
/// belt or cable, each setback counting for one failure only; null where none was noted.
nlohmann::ordered_json times_to_notice(std::vector<cell::Failure> failures,
                                       const NoticePlaces& places,
                                       const std::vector<kitting::Setback>& setbacks);

}  // namespace longarm::kitting
