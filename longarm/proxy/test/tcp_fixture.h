// SPDX-License-Identifier: Apache-2.0
// A relay on a thread of its own, and plain blocking sockets to either side of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "longarm/proxy/link_options.h"
#include "longarm/proxy/tcp_relay.h"

namespace longarm::proxy {

/// Nothing in these tests waits longer than that for the other side.
inline constexpr timeval kPatience{10, 0};

/// A blocking socket of a client, or of a server's conversation.
class TestSocket {
 public:
  explicit TestSocket(int number = -1) : socket_(number) {
    setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
    const int one = 1;
    setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  }

  static TestSocket to(const SocketAddress& address) {
    TestSocket made(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(
        connect(made.number(), reinterpret_cast<const sockaddr*>(&address.storage), address.length),
        0)
        << std::strerror(errno);
    return made;
  }

  int number() const { return socket_.number(); }
  bool is_open() const { return socket_.is_open(); }
  bool say(const std::string& text) {
    return system::send_all(number(), std::as_bytes(std::span(text))).has_value();
  }
  /// Exactly so many bytes; fewer if the other side ends or too long nothing comes.
  std::string hear(std::size_t size) {
    std::string text(size, '\0');
    std::size_t got = 0;
    while (got < size) {
      const ssize_t count = recv(number(), text.data() + got, size - got, 0);
      if (count <= 0) {
        break;
      }
      got += static_cast<std::size_t>(count);
    }
    text.resize(got);
    return text;
  }
  /// What recv() says when all has been read: 0 for FIN, or errno.
  int how_it_ends() {
    char one = 0;
    const ssize_t count = recv(number(), &one, 1, 0);
    return count > 0 ? -1 : (count == 0 ? 0 : errno);
  }
  void finish() { shutdown(number(), SHUT_WR); }
  void close() { socket_.reset(); }
  void reset() {
    const linger at_once{1, 0};
    setsockopt(number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket_.reset();
  }

 private:
  system::Descriptor socket_;
};

class TestServer {
 public:
  TestServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(socket_.number(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(socket_.number(), 512), 0);
    setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
    address_ = system::local_socket_address(socket_.number());
  }
  const SocketAddress& address() const { return address_; }
  TestSocket accept() { return TestSocket(accept4(socket_.number(), nullptr, nullptr, 0)); }
  void close() { socket_.reset(); }

 private:
  system::Descriptor socket_;
  SocketAddress address_;
};

/// Both directions with the same line of netem; empty: nothing in between.
inline TcpLinkOptions link_with(const std::string& line, std::uint64_t seed = 1) {
  LinkOptions options;
  options.line = line;
  const RelayLinks links = read_links(options, network::built_in_link_models());
  TcpLinkOptions out;
  out.up = links.up;
  out.down = links.down;
  out.seed = seed;
  return out;
}

/// Serves until it is stopped; then its figures may be read.
class RelayThread {
 public:
  RelayThread(const TcpLinkOptions& link, const SocketAddress& server, TcpRelayOptions options = {},
              TcpLinkObserver* observer = nullptr)
      : reactor_(std::move(system::Reactor::make()).value()), link_(*reactor_, link, observer) {
    options.listen = {"127.0.0.1", 0};
    options.to = {"127.0.0.1", port_of(server)};
    auto relay = TcpRelay::make(*reactor_, link_, nullptr, options);
    EXPECT_TRUE(relay.has_value());
    relay_ = std::move(relay).value();
    thread_ = std::jthread([this] { reactor_->run(); });
  }
  ~RelayThread() { stop(); }

  const SocketAddress& address() const { return relay_->address(); }
  void stop() {
    reactor_->stop();
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  /// Stops, runs on this thread until `claim` holds or a few seconds are over; says whether it
  /// does.
  template <typename Claim>
  bool eventually(Claim claim) {
    stop();
    const Time until = reactor_->now() + std::chrono::seconds(8);
    while (!claim() && reactor_->now() < until) {
      reactor_->run_once(reactor_->now() + std::chrono::milliseconds(5));
    }
    return claim();
  }

  TcpRelay& relay() { return *relay_; }
  TcpLink& link() { return link_; }
  system::Reactor& reactor() { return *reactor_; }

 private:
  std::unique_ptr<system::Reactor> reactor_;
  TcpLink link_;
  std::unique_ptr<TcpRelay> relay_;
  std::jthread thread_;
};

/// Text that differs everywhere, so that nothing can be lost, doubled or moved unnoticed.
inline std::string counted_text(std::size_t size, std::uint32_t from = 0) {
  std::string text;
  text.reserve(size + 8);
  for (std::uint32_t i = from; text.size() < size; ++i) {
    text.append(reinterpret_cast<const char*>(&i), sizeof i);
  }
  text.resize(size);
  return text;
}

}  // namespace longarm::proxy
