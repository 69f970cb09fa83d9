// SPDX-License-Identifier: Apache-2.0
// How a part of a cell is, to whoever watches the cell while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "longarm/core/time.h"

namespace longarm::cell {

/// In the order of ROS's levels.
enum class Health { kFine, kWarning, kError, kStale };

struct Diagnosis {
  std::string name;  ///< of an actor, or of a part of it: "network/cable"
  Health health = Health::kFine;
  std::string message;
  nlohmann::ordered_json values = nlohmann::ordered_json::object();  ///< numbers, texts, booleans
  /// Of the whole run so far: what got lost, came too late, had to be stopped. Who sees that there
  /// are more than before is right to warn, with these words.
  std::uint64_t troubles = 0;
  std::string trouble{};
};

/// Adds what there is to say now.
using Diagnose = std::function<void(Time now, std::vector<Diagnosis>& out)>;

}  // namespace longarm::cell
