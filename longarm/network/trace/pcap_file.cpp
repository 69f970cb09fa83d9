// SPDX-License-Identifier: Apache-2.0
// Bytes of captures, read with bounds in mind: files may be cut anywhere.
#include "longarm/network/trace/pcap_file.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "longarm/system/bytes.h"

namespace longarm::network {
namespace {

constexpr std::uint32_t kMicrosecondMagic = 0xa1b2c3d4;
constexpr std::uint32_t kNanosecondMagic = 0xa1b23c4d;
constexpr std::uint32_t kNextGeneration = 0x0a0d0d0a;
constexpr std::size_t kFileHeader = 24;
constexpr std::size_t kRecordHeader = 16;
constexpr std::size_t kLongestRecord = 262'144;  // of tcpdump; beyond it the file is damaged

std::uint8_t byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

std::uint32_t number_at(std::string_view bytes, std::size_t at, bool is_big_endian) {
  const char* const from = bytes.data() + at;
  return is_big_endian ? system::load<std::endian::big, std::uint32_t>(from)
                       : system::load<std::endian::little, std::uint32_t>(from);
}

std::uint32_t type_at(std::string_view bytes, std::size_t at) {
  return system::load<std::endian::big, std::uint16_t>(bytes.data() + at);
}

/// What stands before the IP header on each kind of link; nothing if this is no IP packet.
std::optional<std::size_t> header_bytes(std::string_view frame, std::uint32_t link_type) {
  constexpr std::uint32_t kIp4 = 0x0800;
  constexpr std::uint32_t kIp6 = 0x86dd;
  const auto if_ip = [&](std::size_t type, std::size_t header) -> std::optional<std::size_t> {
    if (frame.size() < header) {
      return std::nullopt;
    }
    const std::uint32_t is = type_at(frame, type);
    return is == kIp4 || is == kIp6 ? std::optional(header) : std::nullopt;
  };
  switch (link_type) {
    case 0:  // loopback: four bytes that say which family, in either byte order
    case 108:
      return frame.size() >= 4 ? std::optional<std::size_t>(4) : std::nullopt;
    case 1: {  // Ethernet, with any number of VLAN tags
      std::size_t type = 12;
      while (frame.size() >= type + 6 &&
             (type_at(frame, type) == 0x8100 || type_at(frame, type) == 0x88a8)) {
        type += 4;
      }
      return if_ip(type, type + 2);
    }
    case 113:  // Linux cooked, first and second version
      return if_ip(14, 16);
    case 276:
      return if_ip(0, 20);
    default:  // raw IP
      return 0;
  }
}

bool is_known_link(std::uint32_t link_type) {
  constexpr std::uint32_t kKnown[] = {0, 1, 12, 14, 101, 108, 113, 228, 229, 276};
  return std::find(std::begin(kKnown), std::end(kKnown), link_type) != std::end(kKnown);
}

void blank(std::string& packet, std::size_t at, std::size_t count) {
  for (std::size_t i = at; i < std::min(at + count, packet.size()); ++i) {
    packet[i] = 0;
  }
}

void blank_checksum(std::string& packet, std::size_t transport, std::uint8_t protocol) {
  if (protocol == 17) {
    blank(packet, transport + 6, 2);
  } else if (protocol == 6) {
    blank(packet, transport + 16, 2);
  }
}

/// The packet without its variable parts; empty if it is no IP packet.
std::string identity_of(std::string_view bytes) {
  if (bytes.size() < 20) {
    return "";
  }
  const std::uint32_t version = byte_at(bytes, 0) >> 4U;
  if (version == 4) {
    const std::size_t header = (byte_at(bytes, 0) & 0x0fU) * 4U;
    const std::size_t total = type_at(bytes, 2);
    std::string packet(bytes.substr(0, std::max<std::size_t>(total, 20)));  // without padding
    const bool is_first_fragment = (type_at(bytes, 6) & 0x1fffU) == 0;
    if (is_first_fragment) {
      blank_checksum(packet, header, byte_at(bytes, 9));
    }
    blank(packet, 1, 1);
    blank(packet, 8, 1);
    blank(packet, 10, 2);
    return packet;
  }
  if (version == 6 && bytes.size() >= 40) {
    std::string packet(bytes.substr(0, 40 + type_at(bytes, 4)));
    blank_checksum(packet, 40, byte_at(bytes, 6));
    packet[0] = 0x60;
    packet[1] = static_cast<char>(byte_at(bytes, 1) & 0x0fU);  // the flow label stays
    blank(packet, 7, 1);
    return packet;
  }
  return "";
}

/// What is whole may be used; if nothing is, that is an error.
Result<PcapFile> cut_short(PcapFile capture, std::string cut) {
  if (capture.packets.empty()) {
    return Error{std::move(cut)};
  }
  capture.cut = std::move(cut);
  return capture;
}

}  // namespace

std::string pcap_file_header(std::uint32_t longest_packet, std::uint32_t link_type) {
  system::ByteWriter<std::endian::little> out;
  for (const std::uint32_t word :
       {kNanosecondMagic, 2U | (4U << 16U), 0U, 0U, longest_packet, link_type}) {  // version 2.4
    out.put(word);
  }
  return out.str();
}

std::string pcap_record_header(std::int64_t time_ns, std::size_t stored, std::size_t length) {
  system::ByteWriter<std::endian::little> out;
  out.put32(static_cast<std::uint64_t>(time_ns / 1'000'000'000));
  out.put32(static_cast<std::uint64_t>(time_ns % 1'000'000'000));
  out.put32(stored);
  out.put32(length);
  return out.str();
}

bool is_pcap(std::string_view content) {
  if (content.size() < 4) {
    return false;
  }
  for (const bool is_big_endian : {false, true}) {
    const std::uint32_t magic = number_at(content, 0, is_big_endian);
    if (magic == kMicrosecondMagic || magic == kNanosecondMagic || magic == kNextGeneration) {
      return true;
    }
  }
  return false;
}

Result<PcapFile> read_pcap(std::string_view content) {
  if (!is_pcap(content)) {
    return Error{"this is not a pcap file"};
  }
  if (number_at(content, 0, false) == kNextGeneration) {
    return Error{"this is a pcapng file; convert it to pcap: editcap -F pcap IN OUT"};
  }
  if (content.size() < kFileHeader) {
    return Error{fmt::format("the file header needs {} bytes, the file ends at byte {}",
                             kFileHeader, content.size())};
  }
  const std::uint32_t magic_as_big = number_at(content, 0, true);
  const bool is_big_endian = magic_as_big == kMicrosecondMagic || magic_as_big == kNanosecondMagic;
  const bool is_fine = number_at(content, 0, is_big_endian) == kNanosecondMagic;
  const std::uint32_t link_type = number_at(content, 20, is_big_endian) & 0xffffU;
  if (!is_known_link(link_type)) {
    return Error{
        fmt::format("captures of link type {} are not supported; capture on an Ethernet, loopback "
                    "or tunnel device",
                    link_type)};
  }

  PcapFile capture;
  for (std::size_t at = kFileHeader; at < content.size();) {
    if (content.size() - at < kRecordHeader) {
      return cut_short(std::move(capture),
                       fmt::format("the record at byte {} is cut off: the file ends at byte {}", at,
                                   content.size()));
    }
    const std::int64_t seconds = number_at(content, at, is_big_endian);
    const std::int64_t fraction = number_at(content, at + 4, is_big_endian);
    const std::size_t length = number_at(content, at + 8, is_big_endian);
    if (content.size() - at - kRecordHeader < length) {
      std::string cut = fmt::format(
          "the record at byte {} has {} bytes, but the file ends at byte "
          "{}",
          at, length, content.size());
      if (length > kLongestRecord) {
        return Error{std::move(cut)};
      }
      return cut_short(std::move(capture), std::move(cut));
    }
    const std::string_view frame = content.substr(at + kRecordHeader, length);
    const std::optional<std::size_t> header = header_bytes(frame, link_type);
    std::string identity = header ? identity_of(frame.substr(*header)) : "";
    if (!identity.empty()) {
      capture.packets.push_back(
          {seconds * 1'000'000'000 + fraction * (is_fine ? 1 : 1000), std::move(identity)});
    }
    at += kRecordHeader + length;
  }
  return capture;
}

}  // namespace longarm::network
