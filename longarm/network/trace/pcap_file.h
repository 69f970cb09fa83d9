// SPDX-License-Identifier: Apache-2.0
// Reads classic pcap files, as tcpdump -w writes them, and finds the IP packets in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"

namespace longarm::network {

/// One IP packet of a capture.
struct CapturedPacket {
  std::int64_t at_ns = 0;  ///< by the clock of the capturing computer
  /// From the IP header on, without what changes under way or is filled in late: time to live,
  /// traffic class, checksums of IP, UDP and TCP.
  std::string identity;
};

struct PcapFile {
  std::vector<CapturedPacket> packets;
  std::string cut;  ///< if the last record is not whole: that it is so
};

bool is_pcap(std::string_view content);

/// Both byte orders, stamps in microseconds or nanoseconds; Ethernet, Linux cooked, loopback and
/// raw IP. What is no IP is left out, and so is a last record that tcpdump was stopped in. Errors
/// name the byte.
Result<PcapFile> read_pcap(std::string_view content);

}  // namespace longarm::network
