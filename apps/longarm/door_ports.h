// SPDX-License-Identifier: Apache-2.0
// Ports of doors, as they are given on the command line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::app {

/// Of `--port NAME=N`, as often as it was given.
std::map<std::string, std::uint16_t> read_ports(const std::vector<std::string>& texts,
                                                Diagnostics& problems);

}  // namespace longarm::app
