// SPDX-License-Identifier: Apache-2.0
// Listens for clients and connects each to the server behind the link.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/proxy/capture.h"
#include "longarm/proxy/relay_address.h"
#include "longarm/proxy/tcp_connection.h"
#include "longarm/proxy/tcp_link.h"
#include "longarm/system/reactor.h"

namespace longarm::proxy {

struct TcpRelayOptions {
  Address listen;  ///< port 0: any free one
  Address to;
  std::size_t most_connections = 1000;          ///< at once; others are refused
  std::size_t most_connection_bytes = 4 << 20;  ///< held, each way
  /// What the user should hear at once, a sentence each time; may be empty.
  std::function<void(const std::string&)> tell = {};
};

/// One port. A client sees that its connection stands at once, as the relay is near; all that
/// follows takes the time that it would take over the link. A server that refuses shows as a
/// connection that is reset.
class TcpRelay {
 public:
  /// The error says which port is taken, or whose name nobody knows. `capture` may be null; all
  /// three outlive the relay.
  static Result<std::unique_ptr<TcpRelay>> make(system::Reactor& reactor, TcpLink& link,
                                                Capture* capture, const TcpRelayOptions& options);
  ~TcpRelay();
  TcpRelay(const TcpRelay&) = delete;
  TcpRelay& operator=(const TcpRelay&) = delete;

  /// Where it listens.
  const SocketAddress& address() const { return address_; }
  const SocketAddress& server() const { return connection_options_.server; }
  std::size_t connections() const { return connections_.size(); }
  /// Whom it could not serve and why, a sentence each.
  std::vector<std::string> warnings() const;

 private:
  TcpRelay(system::Reactor& reactor, TcpLink& link, Capture* capture,
           const TcpRelayOptions& options, system::Descriptor socket, const SocketAddress& server);
  void accept_all();
  bool accept_one();
  void refuse(system::Descriptor client);
  void refuse_for_want_of_descriptors(system::Descriptor client);
  void note_server_failure(const std::string& why);
  void tell(const std::string& sentence) const;
  void part(std::uint64_t number);

  system::Reactor& reactor_;
  TcpLink& link_;
  Capture* capture_;
  TcpRelayOptions options_;
  TcpConnectionOptions connection_options_;
  system::Descriptor socket_;
  system::Descriptor spare_;  ///< given up to be able to refuse when no descriptor is left
  SocketAddress address_;
  system::Reactor::WatchId watch_ = system::Reactor::kNoWatch;
  system::Reactor::TimerId burial_;
  std::uint64_t next_number_ = 0;
  std::uint64_t too_many_ = 0;        ///< clients turned away: --clients are there
  std::uint64_t no_descriptors_ = 0;  ///< and because the system gives no more descriptors
  std::map<std::string, std::uint64_t> server_failures_;  ///< by why
  std::map<std::uint64_t, std::unique_ptr<TcpConnection>> connections_;
  std::vector<std::unique_ptr<TcpConnection>> over_;  // may still be in the middle of a call
};

}  // namespace longarm::proxy
