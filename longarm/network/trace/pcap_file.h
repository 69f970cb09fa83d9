// SPDX-License-Identifier: Apache-2.0
// Classic pcap files, as tcpdump -w writes them: finds the IP packets in them, and heads new ones.
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

/// What opens a file with stamps in nanoseconds, and what comes before each packet. Little-endian
/// everywhere: the magic number says so.
std::string pcap_file_header(std::uint32_t longest_packet, std::uint32_t link_type);
std::string pcap_record_header(std::int64_t time_ns, std::size_t stored, std::size_t length);

}  // namespace longarm::network
