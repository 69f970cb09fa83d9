// SPDX-License-Identifier: Apache-2.0
// Link model `preset`: kinds of networks by name, each of them a netem line with a source.
#pragma once

#include <string>
#include <vector>

#include "longarm/network/link.h"

namespace longarm::network {

struct Preset {
  std::string name;
  std::string netem;   ///< one direction
  std::string source;  ///< where the numbers come from: required, measured or assumed
};

/// In the order in which they should be listed: from the fastest to the slowest.
std::vector<Preset> presets();

void register_preset_link(LinkModelRegistry& registry);

}  // namespace longarm::network
