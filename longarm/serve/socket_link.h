// SPDX-License-Identifier: Apache-2.0
// A client's end of a conversation with a door of a served cell: bytes on a real TCP socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "longarm/protocols/client_link.h"
#include "longarm/system/descriptor.h"
#include "longarm/system/reactor.h"
#include "longarm/system/socket.h"

namespace longarm::serve {

/// Connects when made, without waiting: what is sent meanwhile goes out as soon as it stands. What
/// arrives is told from within the reactor's round.
class SocketLink final : public protocols::ClientLink {
 public:
  static constexpr std::size_t kMaxOutput = 1024 * 1024;  ///< that the other side has not taken

  /// Borrows the reactor. `clock` says when something is heard.
  SocketLink(system::Reactor& reactor, const system::SocketAddress& to,
             std::function<Time()> clock);
  ~SocketLink() override;
  SocketLink(const SocketLink&) = delete;
  SocketLink& operator=(const SocketLink&) = delete;

  /// Why it is down; empty while it is up.
  const std::string& problem() const { return problem_; }

 private:
  void do_send(std::string_view bytes) override;
  bool do_is_up() const override { return socket_.is_open(); }

  void handle(std::uint32_t happened);
  void read();
  void flush();
  void watch();
  void give_up(std::string problem);

  system::Reactor& reactor_;
  std::function<Time()> clock_;
  system::Descriptor socket_;
  system::Reactor::WatchId watch_ = system::Reactor::kNoWatch;
  bool is_connected_ = false;
  std::string output_;  ///< not sent so far
  std::string problem_;
};

}  // namespace longarm::serve
