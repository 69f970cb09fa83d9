// SPDX-License-Identifier: Apache-2.0
// What passes a relay, as a pcap file that Wireshark and tcpdump read, with contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/proxy/relay_address.h"

namespace longarm::proxy {

/// IP packets without a frame around them, times in nanoseconds. UDP datagrams are as they came and
/// left. TCP ends at the relay, so its segments have made-up headers around the true bytes, with
/// sequence numbers that fit together. Records are in the order of their times, although the
/// kernel's stamp of a datagram may tell of an instant before the last one written: they wait here
/// for a second, or until there are kWaitingBytes of them. Stops at `most_bytes`, and says so.
class Capture {
 public:
  static constexpr std::uint64_t kMostBytes = 1'000'000'000;
  static constexpr std::size_t kWaitingBytes = 4'000'000;

  /// Keeps nothing until it has a file. `begun_ns` is what the calendar says (ns since 1970) at
  /// Time zero.
  explicit Capture(std::int64_t begun_ns, std::uint64_t most_bytes = kMostBytes)
      : begun_ns_(begun_ns), most_bytes_(most_bytes) {}
  /// From now on. The error says why not.
  Result<bool> write_to(const std::string& path);
  /// Both at once.
  static Result<std::unique_ptr<Capture>> open(const std::string& path, std::int64_t begun_ns,
                                               std::uint64_t most_bytes = kMostBytes);
  ~Capture();
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  void datagram(Time now, const SocketAddress& from, const SocketAddress& to,
                std::span<const std::byte> bytes);
  /// A whole IP packet, as TUN devices have it.
  void ip_packet(Time now, std::span<const std::byte> bytes);

  // a TCP connection between two addresses, one of which is the relay's; both ends are known by
  // their addresses, whoever speaks is `from`
  void tcp_open(Time now, const SocketAddress& from, const SocketAddress& to);  ///< three segments
  void tcp_bytes(Time now, const SocketAddress& from, const SocketAddress& to,
                 std::span<const std::byte> bytes);
  void tcp_finish(Time now, const SocketAddress& from, const SocketAddress& to);
  void tcp_reset(Time now, const SocketAddress& from, const SocketAddress& to);

  /// Everything is on disk, or is_cut().
  void flush();

  std::uint64_t packets() const { return packets_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Whether something is missing: the limit was reached, or the disk is full.
  bool is_cut() const { return is_cut_; }

 private:
  struct Direction {
    std::uint32_t next = 1;  // sequence number
    bool is_finished = false;
  };
  struct Way {
    SocketAddress from;
    SocketAddress to;
    bool operator<(const Way& other) const {
      const AddressLess less;
      return less(from, other.from) || (!less(other.from, from) && less(to, other.to));
    }
  };

  void segment(Time now, const SocketAddress& from, const SocketAddress& to, std::uint8_t flags,
               std::span<const std::byte> bytes);
  void write(Time now, std::span<const std::byte> header, std::span<const std::byte> bytes);
  void write_earliest();
  void forget(const SocketAddress& a, const SocketAddress& b);

  std::FILE* file_ = nullptr;
  std::int64_t begun_ns_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  std::uint64_t packets_ = 0;
  bool is_cut_ = false;
  std::map<Way, Direction> ways_;
  std::multimap<Time, std::vector<std::byte>> waiting_;  // packets; at equal times as they came
  std::size_t waiting_bytes_ = 0;
};

}  // namespace longarm::proxy
