// SPDX-License-Identifier: Apache-2.0
// IPv4 (RFC 791), UDP (RFC 768) and TCP (RFC 9293, 7323, 2018) headers, byte by byte.
#include "longarm/network/builtin/capture/packet_bytes.h"

#include <algorithm>

#include "longarm/network/builtin/wire.h"
#include "longarm/system/bytes.h"

namespace longarm::network {
namespace {

constexpr std::uint8_t kIcmpProtocol = 1;
constexpr std::uint8_t kTcpProtocol = 6;
constexpr std::uint8_t kUdpProtocol = 17;
constexpr std::uint8_t kExperimentProtocol = 253;  // RFC 3692: for messages without a transport
constexpr std::uint32_t kWindowShift = 7;
constexpr std::uint32_t kMax16 = 65'535;
constexpr std::uint32_t kEthernetMinCaptured = kEthernetMinBytes - kEthernetCheckBytes;

using Bytes = system::ByteWriter<std::endian::big>;

/// From `begin` on, begun with `sum`; zeros that follow change nothing.
std::uint16_t checksum(const Bytes& bytes, std::size_t begin, std::uint32_t sum) {
  return internet_checksum(internet_sum(bytes.bytes().subspan(begin), sum));
}

std::uint32_t address(NodeId node) {
  return (10U << 24) + static_cast<std::uint32_t>(node) + 1U;
}

std::uint32_t port_of(const NetworkPacket& packet, const ProgramPacket* program, bool is_source) {
  if (program != nullptr) {
    return is_source ? program->ports.source : program->ports.destination;
  }
  const bool is_opener = is_source == (packet.from == Side::kOpener);
  constexpr std::uint32_t kFirstFree = 49'152;
  constexpr std::uint32_t kService = 7'000;
  return is_opener ? kFirstFree + packet.flow % (kMax16 - kFirstFree) : kService;
}

void put_mac(Bytes& bytes, NodeId node) {
  bytes.put16(0x0200);  // of local administration
  bytes.put32(static_cast<std::uint32_t>(node) + 1U);
}

std::span<const std::byte> payload_of(const ProgramPacket* program) {
  return program == nullptr ? std::span<const std::byte>() : program->payload;
}

void put_bytes(Bytes& bytes, std::span<const std::byte> more) {
  for (const std::byte each : more) {
    bytes.put8(std::to_integer<std::uint8_t>(each));
  }
}

std::uint8_t protocol_of(const NetworkPacket& packet) {
  switch (packet.transport) {
    case Transport::kUdp:
      return kUdpProtocol;
    case Transport::kTcp:
      return kTcpProtocol;
    case Transport::kRaw:
      break;
  }
  return kExperimentProtocol;
}

/// What follows the frame's header; a raw message is given an IP header, too, so that it can be
/// seen.
std::uint32_t ip_length(const NetworkPacket& packet) {
  const std::uint32_t header = packet.transport == Transport::kRaw ? kIpHeaderBytes : 0U;
  return std::min(packet.ip_bytes, kMax16 - header) + header;
}

std::uint32_t pseudo_header_sum(const NetworkPacket& packet, std::uint32_t length) {
  const std::uint32_t source = address(packet.source);
  const std::uint32_t destination = address(packet.destination);
  return (source >> 16) + (source & kMax16) + (destination >> 16) + (destination & kMax16) +
         protocol_of(packet) + length;
}

void put_ip(Bytes& bytes, const NetworkPacket& packet, std::uint8_t protocol) {
  const std::size_t begin = bytes.size();
  bytes.put16(0x4500);
  bytes.put16(ip_length(packet));
  bytes.put16(packet.identification);
  const std::uint32_t dont_fragment = packet.transport == Transport::kTcp ? 0x4000U : 0U;
  const std::uint32_t more = packet.has_more_fragments ? 0x2000U : 0U;
  bytes.put16(dont_fragment | more | packet.fragment_offset / 8U);
  bytes.put8(64);  // time to live
  bytes.put8(protocol);
  bytes.put16(0);
  bytes.put32(address(packet.source));
  bytes.put32(address(packet.destination));
  bytes.put_at(begin + 10, checksum(bytes, begin, 0));
}

/// The answer to a datagram that found nobody: what can be said of its headers (RFC 792).
void put_unreachable(Bytes& bytes, const NetworkPacket& packet, const ProgramPacket& program) {
  const std::size_t begin = bytes.size();
  bytes.put8(3);  // destination unreachable:
  bytes.put8(3);  // port
  bytes.put16(0);
  bytes.put32(0);
  NetworkPacket original = packet;
  std::swap(original.source, original.destination);
  original.identification = 0;
  original.ip_bytes = program.ports.unreachable_bytes + kIpHeaderBytes + kUdpHeaderBytes;
  put_ip(bytes, original, kUdpProtocol);
  bytes.put16(program.ports.source);
  bytes.put16(program.ports.destination);
  bytes.put16(program.ports.unreachable_bytes + kUdpHeaderBytes);
  bytes.put16(0);
  bytes.put_at(begin + 2, checksum(bytes, begin, 0));
}

/// The header, in the first fragment, and what the fragment carries.
void put_udp(Bytes& bytes, const NetworkPacket& packet, const ProgramPacket* program) {
  const std::span<const std::byte> payload = payload_of(program);
  if (packet.fragment_offset > 0) {
    put_bytes(bytes, payload.empty() ? payload
                                     : payload.subspan(packet.fragment_offset - kUdpHeaderBytes,
                                                       packet.payload_bytes));
    return;
  }
  const std::size_t begin = bytes.size();
  const std::uint32_t length = packet.datagram_bytes + kUdpHeaderBytes;
  bytes.put16(port_of(packet, program, true));
  bytes.put16(port_of(packet, program, false));
  bytes.put16(length);
  bytes.put16(0);
  const std::uint16_t sum = internet_checksum(internet_sum(
      payload, internet_sum(bytes.bytes().subspan(begin), pseudo_header_sum(packet, length))));
  bytes.put_at(begin + 6,
               sum == 0 ? std::uint16_t{0xffff} : sum);  // 0 would mean that there is none
  put_bytes(bytes, payload.first(std::min<std::size_t>(payload.size(), packet.payload_bytes)));
}

// milliseconds, as Linux counts them
std::uint32_t timestamp_ms(Time time) {
  return static_cast<std::uint32_t>(time.time_since_epoch().count() / 1'000'000);
}

void put_timestamps(Bytes& bytes, const tcp::Segment& segment) {
  bytes.put8(8);
  bytes.put8(10);
  bytes.put32(timestamp_ms(segment.timestamp));
  bytes.put32(segment.is_ack ? timestamp_ms(segment.timestamp_echo) : 0U);
}

void put_pair(Bytes& bytes, std::uint32_t first, std::uint32_t second) {
  bytes.put8(first);
  bytes.put8(second);
}
constexpr std::uint32_t kNop = 1;

/// `room` is what the header has for options: it decides whether the MSS is among them.
void put_syn_options(Bytes& bytes, const tcp::Segment& segment, std::uint32_t room) {
  const std::uint32_t others = 4U + (segment.has_timestamp ? 12U : segment.permits_sack ? 4U : 0U);
  if (room >= others + 4U) {
    put_pair(bytes, 2, 4);
    bytes.put16(segment.mss_bytes);
  }
  if (segment.permits_sack || segment.has_timestamp) {
    if (!segment.has_timestamp) {
      put_pair(bytes, kNop, kNop);
    }
    segment.permits_sack ? put_pair(bytes, 4, 2) : put_pair(bytes, kNop, kNop);
    if (segment.has_timestamp) {
      put_timestamps(bytes, segment);
    }
  }
  put_pair(bytes, kNop, 3);
  put_pair(bytes, 3, kWindowShift);
}

void put_options(Bytes& bytes, const tcp::Segment& segment) {
  if (segment.has_timestamp) {
    put_pair(bytes, kNop, kNop);
    put_timestamps(bytes, segment);
  }
  if (segment.sack_count > 0) {
    put_pair(bytes, kNop, kNop);
    put_pair(bytes, 5, 2U + 8U * segment.sack_count);
    for (std::size_t i = 0; i < segment.sack_count; ++i) {
      bytes.put32(static_cast<std::uint32_t>(segment.sack[i].begin));
      bytes.put32(static_cast<std::uint32_t>(segment.sack[i].end));
    }
  }
}

std::uint32_t window_field(const tcp::Segment& segment) {
  const std::uint32_t shift = segment.is_syn ? 0U : kWindowShift;
  const std::uint64_t round_up = (std::uint64_t{1} << shift) - 1;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>((segment.window_bytes + round_up) >> shift, kMax16));
}

void put_tcp(Bytes& bytes, const NetworkPacket& packet, const ProgramPacket* program) {
  const tcp::Segment& segment = packet.segment;
  const std::size_t begin = bytes.size();
  const std::uint32_t length = packet.ip_bytes - kIpHeaderBytes;
  const std::uint32_t header = length - packet.payload_bytes;
  bytes.put16(port_of(packet, program, true));
  bytes.put16(port_of(packet, program, false));
  bytes.put32(static_cast<std::uint32_t>(segment.sequence));
  bytes.put32(segment.is_ack ? static_cast<std::uint32_t>(segment.acknowledged) : 0U);
  bytes.put8(header / 4U << 4U);
  bytes.put8((segment.is_fin ? 1U : 0U) | (segment.is_syn ? 2U : 0U) | (segment.is_rst ? 4U : 0U) |
             (segment.is_push ? 8U : 0U) | (segment.is_ack ? 16U : 0U));
  bytes.put16(window_field(segment));
  bytes.put16(0);
  bytes.put16(0);
  if (segment.is_syn) {
    put_syn_options(bytes, segment, header - 20U);
  } else {
    put_options(bytes, segment);
  }
  bytes.resize(begin + header);  // options end with zeros, if they are shorter
  put_bytes(bytes, payload_of(program));
  bytes.put_at(begin + 16, checksum(bytes, begin, pseudo_header_sum(packet, length)));
}

}  // namespace

std::uint64_t internet_sum(std::span<const std::byte> bytes, std::uint64_t sum) {
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    sum += system::load<std::endian::big, std::uint16_t>(&bytes[i]);
  }
  return bytes.size() % 2 == 0 ? sum : sum + (std::to_integer<std::uint64_t>(bytes.back()) << 8U);
}

std::uint16_t internet_checksum(std::uint64_t sum) {
  while (sum > kMax16) {
    sum = (sum & kMax16) + (sum >> 16U);
  }
  return static_cast<std::uint16_t>(~sum);
}

std::uint32_t frame_length(Framing framing, const NetworkPacket& packet) {
  if (framing != Framing::kEthernet) {
    return ip_length(packet);
  }
  return std::max(ip_length(packet) + kEthernetHeaderBytes, kEthernetMinCaptured);
}

std::string frame_bytes(Framing framing, const NetworkPacket& packet, std::size_t most,
                        const ProgramPacket* program) {
  const bool is_icmp = program != nullptr && program->ports.is_unreachable;
  Bytes bytes;
  if (framing == Framing::kEthernet) {
    put_mac(bytes, packet.destination);
    put_mac(bytes, packet.source);
    bytes.put16(0x0800);
  }
  put_ip(bytes, packet, is_icmp ? kIcmpProtocol : protocol_of(packet));
  if (packet.transport == Transport::kTcp) {
    put_tcp(bytes, packet, program);
  } else if (is_icmp) {
    put_unreachable(bytes, packet, *program);
  } else if (packet.transport == Transport::kUdp) {
    put_udp(bytes, packet, program);
  }
  bytes.resize(std::min<std::size_t>(frame_length(framing, packet), most));
  return bytes.str();
}

}  // namespace longarm::network
