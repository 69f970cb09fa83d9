// SPDX-License-Identifier: Apache-2.0
// Components in a simulation: doors to the simulated network, and cores that hosts share.
#pragma once

#include <memory>
#include <string>

#include "longarm/components/transport.h"
#include "longarm/network/network.h"

namespace longarm::components {

/// All components of one simulation. Gives each its transport and its processor.
class SimulatedHosts {
 public:
  SimulatedHosts(sim::Kernel& kernel, network::Network& network, const network::Topology& topology,
                 std::uint64_t seed);
  ~SimulatedHosts();
  SimulatedHosts(const SimulatedHosts&) = delete;
  SimulatedHosts& operator=(const SimulatedHosts&) = delete;

  /// A door on `host`; port 0 takes the next free one. Sending costs the host serialising and its
  /// stack, receiving the same; both ends on one host take its loopback.
  std::unique_ptr<Transport> make_transport(const std::string& component, const std::string& host,
                                            std::uint16_t port = 0);
  /// Work is shared among the host's cores by its scheduling.
  std::unique_ptr<Processor> make_processor(const std::string& component, const std::string& host);

  /// Busy core-seconds so far.
  double busy_s(const std::string& host) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace longarm::components
