// SPDX-License-Identifier: Apache-2.0
// A relay in a thread of its own, with a client and a server that write numbered datagrams.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/uio.h>
#include <time.h>

#include "longarm/proxy/link_options.h"
#include "longarm/proxy/udp_relay.h"

namespace longarm::proxy {

/// What is in a test datagram, at its beginning.
struct UdpStamp {
  std::uint64_t number = 0;
  std::int64_t sent_ns = 0;
};

/// The clock of the kernel's own time stamps.
inline std::int64_t udp_clock_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

/// A datagram that arrived.
struct UdpArrival {
  UdpStamp stamp;
  std::int64_t at_ns = 0;  ///< when the kernel had it, however late we read it
  std::string bytes;

  double delay_s() const { return static_cast<double>(at_ns - stamp.sent_ns) * 1e-9; }
};

/// A UDP socket that waits, but never for ever.
class UdpPeer {
 public:
  explicit UdpPeer(std::uint16_t port = 0)
      : socket_(system::bind_socket({"127.0.0.1", port}, SOCK_DGRAM).value()) {
    const int yes = 1;
    setsockopt(socket_.number(), SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
    const int size = 8'000'000;
    setsockopt(socket_.number(), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  }
  Address address() const { return system::local_address(socket_.number()); }

  void send(const SocketAddress& to, std::string_view bytes) const {
    sendto(socket_.number(), bytes.data(), bytes.size(), 0,
           reinterpret_cast<const sockaddr*>(&to.storage), to.length);
  }
  void send_numbered(const SocketAddress& to, std::uint64_t number, std::size_t size = 64) const {
    std::string bytes(size, 'x');
    const UdpStamp stamp{number, udp_clock_ns()};
    std::memcpy(bytes.data(), &stamp, sizeof stamp);
    send(to, bytes);
  }
  /// The next one; nothing after `patience`.
  std::optional<UdpArrival> receive(std::chrono::milliseconds patience,
                                    SocketAddress* from = nullptr) const {
    pollfd waiting{socket_.number(), POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(patience.count())) <= 0) {
      return std::nullopt;
    }
    UdpArrival out;
    out.bytes.resize(kDatagramRoom);
    SocketAddress sender;
    alignas(cmsghdr) char control[256] = {};
    iovec piece{out.bytes.data(), out.bytes.size()};
    msghdr message{};
    message.msg_name = &sender.storage;
    message.msg_namelen = sizeof sender.storage;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(socket_.number(), &message, MSG_DONTWAIT);
    if (size < 0) {
      return std::nullopt;
    }
    sender.length = message.msg_namelen;
    out.at_ns = udp_clock_ns();
    if (const cmsghdr* header = CMSG_FIRSTHDR(&message);
        header != nullptr && header->cmsg_type == SCM_TIMESTAMPNS) {
      timespec stamp{};
      std::memcpy(&stamp, CMSG_DATA(header), sizeof stamp);
      out.at_ns = stamp.tv_sec * 1'000'000'000 + stamp.tv_nsec;
    }
    out.bytes.resize(static_cast<std::size_t>(size));
    std::memcpy(&out.stamp, out.bytes.data(), std::min(out.bytes.size(), sizeof out.stamp));
    if (from != nullptr) {
      *from = sender;
    }
    return out;
  }

 private:
  system::Descriptor socket_;
};

/// From the client's side of a relay to `server`.
class UdpRelayThread {
 public:
  UdpRelayThread(const std::string& line_up, const std::string& line_down, const Address& server,
                 std::uint64_t seed = 1, UdpRelayOptions options = {}) {
    LinkOptions link;
    link.line_up = line_up;
    link.line_down = line_down;
    models_ = read_links(link, network::built_in_link_models());
    reactor_ = system::Reactor::make().value();
    links_ = std::make_unique<RelayLinkPair>(
        *reactor_, RelayLinkPair::Models{*models_.up, *models_.down}, seed);
    options.listen = {"127.0.0.1", 0};
    options.to = server;
    relay_ = UdpRelay::make(*reactor_, *links_, nullptr, options).value();
    address_ = relay_->address();
    thread_ = std::thread([this] { reactor_->run(); });
  }
  ~UdpRelayThread() { stop(); }

  const SocketAddress& address() const { return address_; }

  /// Ends the relay and tells what it counted.
  RelayFigures stop() {
    if (thread_.joinable()) {
      reactor_->stop();
      thread_.join();
      relay_->count_kernel_losses();
    }
    return links_->figures();
  }

 private:
  RelayLinks models_;
  std::unique_ptr<system::Reactor> reactor_;
  std::unique_ptr<RelayLinkPair> links_;
  std::unique_ptr<UdpRelay> relay_;
  SocketAddress address_;
  std::thread thread_;
};

}  // namespace longarm::proxy
