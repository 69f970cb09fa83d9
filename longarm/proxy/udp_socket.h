// SPDX-License-Identifier: Apache-2.0
// A UDP socket that tells when the kernel received each datagram, and how many it had no room for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "longarm/core/result.h"
#include "longarm/proxy/relay_address.h"
#include "longarm/system/reactor.h"

namespace longarm::proxy {

/// Room for the largest datagram.
inline constexpr std::size_t kDatagramRoom = 65'536;

/// Its buffers in the kernel are as large as the system allows, up to 8 MB.
class UdpSocket {
 public:
  /// The error says why it cannot be had.
  static Result<UdpSocket> bind(const Address& address);
  static Result<UdpSocket> connect(const SocketAddress& to);

  int number() const { return descriptor_.number(); }

  /// `came` is when the kernel had it, on the reactor's clock.
  using Receive =
      std::function<void(Time came, const SocketAddress& from, std::span<const std::byte> bytes)>;
  /// Hands over what is waiting, a bounded number of datagrams, so that others get their turn.
  /// `room` is for kDatagramRoom bytes.
  void receive(const system::Reactor& reactor, std::span<std::byte> room, const Receive& hand_over);

  /// kRefused: nobody is there, or the way is closed. kNoRoom: the kernel's buffer is full, or the
  /// datagram too large.
  enum class Sent : std::uint8_t { kSent, kRefused, kNoRoom };
  Sent send(std::span<const std::byte> bytes, const SocketAddress* to = nullptr);

  /// Since the last call, of connected sockets: datagrams that left and did not arrive: the far
  /// side's system said that nobody listens there, or one on the way that there is no way (ICMP).
  /// Systems need not tell, and not of each.
  std::uint64_t take_refusals();
  /// Since the last call.
  std::uint64_t take_kernel_losses();

 private:
  explicit UdpSocket(system::Descriptor descriptor);

  system::Descriptor descriptor_;
  std::uint64_t losses_told_ = 0;
};

}  // namespace longarm::proxy
