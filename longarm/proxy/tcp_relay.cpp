// SPDX-License-Identifier: Apache-2.0
// Clients come and go; nobody can make the relay wait, and nobody can use up its descriptors.
#include "longarm/proxy/tcp_relay.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace longarm::proxy {
namespace {

// new clients a listener may bring before others are looked at again
constexpr int kAcceptAtOnce = 64;

}  // namespace

Result<std::unique_ptr<TcpRelay>> TcpRelay::make(system::Reactor& reactor, TcpLink& link,
                                                 Capture* capture, const TcpRelayOptions& options) {
  const Result<SocketAddress> server = system::resolve(options.to);
  if (!server) {
    return server.error();
  }
  Result<system::Descriptor> socket = system::bind_socket(options.listen, SOCK_STREAM);
  if (!socket) {
    return socket.error();
  }
  std::unique_ptr<TcpRelay> relay(
      new TcpRelay(reactor, link, capture, options, std::move(socket).value(), *server));
  if (relay->watch_ == system::Reactor::kNoWatch) {
    return Error{fmt::format("cannot wait for clients: {}", system::last_system_error())};
  }
  return relay;
}

TcpRelay::TcpRelay(system::Reactor& reactor, TcpLink& link, Capture* capture,
                   const TcpRelayOptions& options, system::Descriptor socket,
                   const SocketAddress& server)
    : reactor_(reactor),
      link_(link),
      capture_(capture),
      options_(options),
      connection_options_{server, options.most_connection_bytes,
                          [this](const std::string& why) { note_server_failure(why); }},
      socket_(std::move(socket)),
      spare_(system::open_spare()),
      address_(system::local_socket_address(socket_.number())),
      watch_(reactor.watch(socket_.number(), EPOLLIN, [this](std::uint32_t) { accept_all(); })),
      burial_(reactor.add_timer([this] { over_.clear(); })) {}

TcpRelay::~TcpRelay() {
  reactor_.forget(watch_);
  reactor_.remove_timer(burial_);
  link_.figures().conversations_now -= connections_.size();
}

void TcpRelay::accept_all() {
  for (int i = 0; i < kAcceptAtOnce && accept_one(); ++i) {
  }
}

/// False: nobody is waiting.
bool TcpRelay::accept_one() {
  system::Descriptor client(
      accept4(socket_.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!client.is_open()) {
    if (errno != EMFILE && errno != ENFILE) {
      return errno == ECONNABORTED || errno == EINTR;
    }
    spare_.reset();
    refuse_for_want_of_descriptors(
        system::Descriptor(accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC)));
    spare_ = system::open_spare();
    return true;
  }
  if (connections_.size() >= options_.most_connections) {
    ++too_many_;
    refuse(std::move(client));
    return true;
  }
  // clients that all come at once must not take the descriptors that their servers will need
  system::Descriptor server(
      socket(connection_options_.server.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!server.is_open()) {
    refuse_for_want_of_descriptors(std::move(client));
    return true;
  }
  RelayFigures& figures = link_.figures();
  ++figures.conversations;
  ++figures.conversations_now;
  const std::uint64_t number = next_number_++;
  auto connection = std::make_unique<TcpConnection>(reactor_, link_, std::move(client),
                                                    std::move(server), connection_options_,
                                                    capture_, [this, number] { part(number); });
  TcpConnection& added = *connection;
  connections_[number] = std::move(connection);
  added.start();
  return true;
}

void TcpRelay::refuse(system::Descriptor client) {
  if (!client.is_open()) {
    return;
  }
  const linger at_once{1, 0};
  setsockopt(client.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ++link_.figures().conversations_refused;
}

void TcpRelay::refuse_for_want_of_descriptors(system::Descriptor client) {
  if (client.is_open() && no_descriptors_++ == 0) {
    tell(fmt::format("{}: a client was rejected: no file descriptors left (ulimit -n)",
                     to_text(address_)));
  }
  refuse(std::move(client));
}

void TcpRelay::note_server_failure(const std::string& why) {
  if (server_failures_[why]++ == 0) {
    tell(fmt::format("cannot reach {}: {}", to_text(server()), why));
  }
}

void TcpRelay::tell(const std::string& sentence) const {
  if (options_.tell) {
    options_.tell(sentence);
  }
}

std::vector<std::string> TcpRelay::warnings() const {
  std::vector<std::string> lines;
  for (const auto& [why, count] : server_failures_) {
    const std::string who =
        count == next_number_
            ? fmt::format("none of {} connections reached", count)
            : fmt::format("{} of {} connections did not reach", count, next_number_);
    lines.push_back(fmt::format("tcp: {} {}: {}", who, to_text(server()), why));
  }
  if (no_descriptors_ > 0) {
    lines.push_back(
        fmt::format("tcp: {} clients were rejected at {}: no file descriptors left (ulimit -n); "
                    "each client needs two",
                    no_descriptors_, to_text(address_)));
  }
  if (too_many_ > 0) {
    lines.push_back(fmt::format("tcp: {} clients were rejected at {}: the limit is {} (--clients)",
                                too_many_, to_text(address_), options_.most_connections));
  }
  return lines;
}

void TcpRelay::part(std::uint64_t number) {
  const auto found = connections_.find(number);
  over_.push_back(std::move(found->second));
  connections_.erase(found);
  --link_.figures().conversations_now;
  reactor_.set_timer(burial_, reactor_.now());
}

}  // namespace longarm::proxy
