// SPDX-License-Identifier: Apache-2.0
// Writes what passes each interface into pcap files that tcpdump and Wireshark read.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "longarm/network/builtin/fabric.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// One file for each end of each cable, "<node>-<cable>.pcap": packets as they begin to be sent and
/// when they have been received. Times in nanoseconds from the start of the run. Payloads are
/// zeros, cut after kMostBytes of a frame.
class Capture final : public PacketObserver {
 public:
  static constexpr std::size_t kMostBytes = 256;

  /// Throws InputError if a file cannot be made.
  Capture(const Topology& topology, const std::string& folder);

  void observe(Time now, std::uint32_t interface, const NetworkPacket& packet) override;

 private:
  struct Interface {
    std::ofstream file;
    Framing framing{};
  };
  std::vector<Interface> interfaces_;  // by port
};

}  // namespace longarm::network
