// SPDX-License-Identifier: Apache-2.0
// The network between an arm and its controller: judged, built, and reported on.
#pragma once

#include <memory>
#include <string>

#include "longarm/control/arm_loop.h"
#include "longarm/core/input_files.h"
#include "longarm/network/network.h"
#include "longarm/scenario/scenario.h"
#include "longarm/scenario/validate.h"

namespace longarm::scenario {

/// Reads the files that the network's keys name, and says what is wrong with it or with who is
/// where.
void load_arm_network(Scenario& scenario, const ConfigSource& source, InputFiles& files,
                      Diagnostics& diagnostics);

/// One connection from the controller's host to the robot's; commands go one way and states the
/// other.
struct ArmNetwork {
  std::unique_ptr<network::Network> network;
  control::LoopLinks links;
};

/// A cable that joins the two hosts directly draws from the random streams that the single link
/// would draw from: `link.commands` towards the robot and `link.states` back. So the smallest
/// network is that link, bit for bit. Throws InputError if the backend refuses.
ArmNetwork make_arm_network(const Scenario& scenario, sim::Kernel& kernel, Duration run_length,
                            const std::string& capture_folder);

}  // namespace longarm::scenario
