// SPDX-License-Identifier: Apache-2.0
// A UDP socket: datagrams in a buffer that overflows.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>

#include "longarm/programs/kernel/internet.h"

namespace longarm::programs {

class UdpSocket final : public InetSocket {
 public:
  UdpSocket(Kernel& kernel, Host& host, int family)
      : InetSocket(kernel, host, family, SOCK_DGRAM) {}

  int protocol() const override;
  std::uint32_t readiness() const override;
  std::int64_t connect(Thread& thread, const SocketName& name) override;
  std::int64_t send(Outgoing& message) override;
  std::int64_t receive(Incoming& message) override;
  std::int64_t shut_down(int how) override;
  std::optional<std::int64_t> set_option(int level, int option, const std::string& value) override;
  std::optional<std::string> option(int level, int option) override;
  std::int64_t readable_bytes() const override;

  // for the host's ports
  /// Whether one from there, sent to this address, is for it.
  bool wants(const InetAddress& from, std::uint32_t destination) const;
  void arrived(const InetAddress& from, std::uint32_t destination,
               std::span<const std::byte> bytes);
  void unreachable(const InetAddress& to);

 private:
  struct Datagram {
    InetAddress from;
    std::uint32_t destination = 0;
    std::string bytes;
    Time at{};
  };

  std::deque<Datagram> arrived_;
  std::size_t arrived_bytes_ = 0;
  std::set<std::uint32_t> groups_;
  bool hears_itself_ = true;  ///< IP_MULTICAST_LOOP
  bool tells_destination_ = false;
  bool reads_nothing_ = false;
  bool writes_nothing_ = false;
};

}  // namespace longarm::programs
