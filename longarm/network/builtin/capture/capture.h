// SPDX-License-Identifier: Apache-2.0
// Writes what passes each interface into pcap files that tcpdump and Wireshark read.
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/network/builtin/capture/packet_bytes.h"
#include "longarm/network/builtin/fabric.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// One file for each end of each cable, "<node>-<cable>.pcap": packets as they begin to be sent and
/// when they have been received. Times in nanoseconds from the start of the run. What programs send
/// is there in full; of messages, payloads are zeros, cut after kMostBytes of a frame.
class Capture final : public PacketObserver {
 public:
  static constexpr std::size_t kMostBytes = 256;

  /// Throws InputError if a file cannot be made.
  Capture(const Topology& topology, const std::string& folder);

  /// Who says what programs have put into a packet; nothing: it is of no program.
  using ProgramOf = std::function<std::optional<ProgramPacket>(const NetworkPacket&)>;
  void set_programs(ProgramOf program_of) { program_of_ = std::move(program_of); }

  void observe(Time now, std::uint32_t interface, const NetworkPacket& packet) override;

 private:
  struct Interface {
    std::ofstream file;
    Framing framing{};
  };
  std::vector<Interface> interfaces_;  // by port
  ProgramOf program_of_;
};

}  // namespace longarm::network
