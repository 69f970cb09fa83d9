// SPDX-License-Identifier: Apache-2.0
// The pcap format with nanoseconds around IP packets; IPv4 (RFC 791), IPv6 (RFC 8200), UDP
// (RFC 768) and TCP (RFC 9293) headers, byte by byte.
#include "longarm/proxy/capture.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <netinet/in.h>

#include "longarm/network/builtin/capture/packet_bytes.h"
#include "longarm/network/trace/pcap_file.h"
#include "longarm/system/bytes.h"

namespace longarm::proxy {
namespace {

using network::internet_checksum;
using network::internet_sum;

constexpr std::uint32_t kRawIpLink = 101;
constexpr std::uint32_t kLongestPacket = 262'144;
constexpr std::uint8_t kTcpProtocol = 6;
constexpr std::uint8_t kUdpProtocol = 17;
constexpr std::uint8_t kFin = 0x01;
constexpr std::uint8_t kSyn = 0x02;
constexpr std::uint8_t kReset = 0x04;
constexpr std::uint8_t kPush = 0x08;
constexpr std::uint8_t kAck = 0x10;
// headers and this stay below the 65 535 bytes of an IP packet
constexpr std::size_t kLongestSegment = 32'768;
// written to disk in one go, since that takes time that packets wait for
constexpr std::size_t kFileBufferBytes = 1 << 20;
// the oldest stamp of the kernel that a relay believes
constexpr Duration kOldestBelieved = std::chrono::seconds(1);
// connections of which no end was seen are forgotten beyond this many
constexpr std::size_t kMostWays = 100'000;

using Header = system::ByteWriter<std::endian::big>;

/// Both addresses, one after the other. IPv4 ones that meet an IPv6 one are mapped (RFC 4291).
struct Ends {
  Ends(const SocketAddress& from, const SocketAddress& to)
      : is_v6(from.family() == AF_INET6 || to.family() == AF_INET6) {
    add(from);
    add(to);
  }
  void add(const SocketAddress& address) {
    if (address.family() == AF_INET6) {
      put(reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr);
      return;
    }
    if (is_v6) {
      bytes.put_zeros(10);
      bytes.put16(0xffff);
    }
    put(reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr);
  }
  template <typename T>
  void put(const T& address) {
    bytes.put(std::as_bytes(std::span(&address, 1)));
  }

  bool is_v6;
  Header bytes;
};

void put_ip(Header& out, const Ends& ends, std::uint8_t protocol, std::size_t length) {
  const auto content = static_cast<std::uint32_t>(length);
  if (ends.is_v6) {
    out.put32(0x60000000);
    out.put16(content);
    out.put8(protocol);
    out.put8(64);
    out.put(ends.bytes.bytes());
    return;
  }
  out.put16(0x4500);
  out.put16(content + 20U);
  out.put32(0x00004000);  // not to be fragmented
  out.put8(64);
  out.put8(protocol);
  out.put16(0);
  out.put(ends.bytes.bytes());
  out.put_at(10, internet_checksum(internet_sum(out.bytes())));
}

std::uint16_t transport_checksum(const Ends& ends, std::uint8_t protocol,
                                 std::span<const std::byte> header,
                                 std::span<const std::byte> bytes) {
  std::uint64_t sum = internet_sum(ends.bytes.bytes());
  sum += protocol + header.size() + bytes.size();
  return internet_checksum(internet_sum(bytes, internet_sum(header, sum)));
}

void write_text(std::FILE* file, const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), file);
}

}  // namespace

Result<std::unique_ptr<Capture>> Capture::open(const std::string& path, std::int64_t begun_ns,
                                               std::uint64_t most_bytes) {
  auto capture = std::make_unique<Capture>(begun_ns, most_bytes);
  const Result<bool> opened = capture->write_to(path);
  if (!opened) {
    return opened.error();
  }
  return capture;
}

Result<bool> Capture::write_to(const std::string& path) {
  file_ = std::fopen(path.c_str(), "wb");
  if (file_ == nullptr) {
    return Error{fmt::format("cannot write '{}': {}", path, std::strerror(errno))};
  }
  std::setvbuf(file_, nullptr, _IOFBF, kFileBufferBytes);
  write_text(file_, network::pcap_file_header(kLongestPacket, kRawIpLink));
  bytes_ = 24;
  return true;
}

Capture::~Capture() {
  if (file_ != nullptr) {
    flush();
    std::fclose(file_);
  }
}

void Capture::datagram(Time now, const SocketAddress& from, const SocketAddress& to,
                       std::span<const std::byte> bytes) {
  const Ends ends(from, to);
  const auto length = static_cast<std::uint32_t>(bytes.size() + 8);
  Header udp;
  udp.put16(port_of(from));
  udp.put16(port_of(to));
  udp.put16(length);
  udp.put16(0);
  const std::uint16_t sum = transport_checksum(ends, kUdpProtocol, udp.bytes(), bytes);
  udp.put_at(6, sum == 0 ? std::uint16_t{0xffff} : sum);  // 0 would mean that there is none
  Header packet;
  put_ip(packet, ends, kUdpProtocol, length);
  packet.put(udp.bytes());
  write(now, packet.bytes(), bytes);
}

void Capture::ip_packet(Time now, std::span<const std::byte> bytes) {
  write(now, {}, bytes);
}

void Capture::tcp_open(Time now, const SocketAddress& from, const SocketAddress& to) {
  forget(from, to);
  if (ways_.size() >= kMostWays) {
    ways_.clear();
  }
  // a SYN counts as one byte
  ways_[{from, to}].next = 0;
  ways_[{to, from}].next = 0;
  segment(now, from, to, kSyn, {});
  ways_[{from, to}].next = 1;
  segment(now, to, from, kSyn | kAck, {});
  ways_[{to, from}].next = 1;
  segment(now, from, to, kAck, {});
}

void Capture::tcp_bytes(Time now, const SocketAddress& from, const SocketAddress& to,
                        std::span<const std::byte> bytes) {
  while (!bytes.empty() && !is_cut_) {
    const std::size_t size = std::min(bytes.size(), kLongestSegment);
    segment(now, from, to, kPush | kAck, bytes.first(size));
    ways_[{from, to}].next += static_cast<std::uint32_t>(size);
    bytes = bytes.subspan(size);
  }
}

void Capture::tcp_finish(Time now, const SocketAddress& from, const SocketAddress& to) {
  segment(now, from, to, kFin | kAck, {});
  Direction& way = ways_[{from, to}];
  ++way.next;
  way.is_finished = true;
  if (ways_[{to, from}].is_finished) {
    segment(now, to, from, kAck, {});
    forget(from, to);
  }
}

void Capture::tcp_reset(Time now, const SocketAddress& from, const SocketAddress& to) {
  segment(now, from, to, kReset | kAck, {});
  forget(from, to);
}

void Capture::segment(Time now, const SocketAddress& from, const SocketAddress& to,
                      std::uint8_t flags, std::span<const std::byte> bytes) {
  const Ends ends(from, to);
  Header tcp;
  tcp.put16(port_of(from));
  tcp.put16(port_of(to));
  tcp.put32(ways_[{from, to}].next);
  tcp.put32((flags & kAck) != 0 ? ways_[{to, from}].next : 0U);
  tcp.put8(0x50);  // five words of header
  tcp.put8(flags);
  tcp.put16(0xffff);
  tcp.put32(0);
  tcp.put_at(16, transport_checksum(ends, kTcpProtocol, tcp.bytes(), bytes));
  Header packet;
  put_ip(packet, ends, kTcpProtocol, tcp.size() + bytes.size());
  packet.put(tcp.bytes());
  write(now, packet.bytes(), bytes);
}

void Capture::write(Time now, std::span<const std::byte> header, std::span<const std::byte> bytes) {
  const std::size_t size = header.size() + bytes.size();
  if (file_ == nullptr || is_cut_) {
    return;
  }
  if (bytes_ + 16 + size > most_bytes_) {
    is_cut_ = true;  // nothing after a gap, or readers would take it for loss
    return;
  }
  std::vector<std::byte> packet;
  packet.reserve(size);
  packet.insert(packet.end(), header.begin(), header.end());
  packet.insert(packet.end(), bytes.begin(), bytes.end());
  waiting_.emplace(now, std::move(packet));
  waiting_bytes_ += size;
  bytes_ += 16 + size;
  ++packets_;
  const Time newest = waiting_.rbegin()->first;
  while (waiting_bytes_ > kWaitingBytes || newest - waiting_.begin()->first > kOldestBelieved) {
    write_earliest();
  }
}

void Capture::write_earliest() {
  const auto earliest = waiting_.begin();
  const std::vector<std::byte>& packet = earliest->second;
  const std::int64_t time_ns = begun_ns_ + earliest->first.time_since_epoch().count();
  write_text(file_, network::pcap_record_header(time_ns, packet.size(), packet.size()));
  if (!packet.empty()) {
    std::fwrite(packet.data(), 1, packet.size(), file_);
  }
  is_cut_ = is_cut_ || std::ferror(file_) != 0;
  waiting_bytes_ -= packet.size();
  waiting_.erase(earliest);
}

void Capture::flush() {
  while (file_ != nullptr && !waiting_.empty()) {
    write_earliest();
  }
  if (file_ != nullptr && std::fflush(file_) != 0) {
    is_cut_ = true;
  }
}

void Capture::forget(const SocketAddress& a, const SocketAddress& b) {
  ways_.erase({a, b});
  ways_.erase({b, a});
}

}  // namespace longarm::proxy
