// SPDX-License-Identifier: Apache-2.0
// The sockets that URScript programs open: a door that calls others instead of being called.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/core/result.h"
#include "longarm/protocols/door.h"

namespace longarm::robots {

/// A program knows its sockets by names. What arrives waits in a buffer until it is read.
class UrSockets final : public protocols::Door {
 public:
  static constexpr std::size_t kMaxSockets = 64;
  /// Of each direction; a peer that sends more before it is read is cut off. Carriers that can make
  /// it wait (has_room()) do so long before.
  static constexpr std::size_t kMaxBytes = 1 << 20;
  static constexpr std::size_t kRoomBytes = 1 << 16;

  enum class State : std::uint8_t { kClosed, kCalling, kOpen };

  explicit UrSockets(std::string name) : Door(std::move(name), std::nullopt) {}

  /// Calls somebody; a socket of that name is closed first. The call's number, from 1 on, or why it
  /// cannot be.
  Result<std::uint64_t> call(const std::string& socket, const std::string& host, std::int64_t port);
  /// Of the call that the socket was made for; 0 if there is no such socket (any more).
  std::uint64_t call_number(const std::string& socket) const;
  /// kClosed also once the other side is gone; what it sent can still be read.
  State state(const std::string& socket) const;
  /// What has arrived and was not read yet.
  std::string_view received(const std::string& socket) const;
  void consume(const std::string& socket, std::size_t bytes);
  /// False if it is not open, or too much waits to be sent.
  bool send(const std::string& socket, std::string_view bytes);
  void hang_up(const std::string& socket);
  void hang_up_all();

 private:
  struct Socket {
    State state = State::kCalling;
    std::uint64_t number = 0;
    std::optional<protocols::ConnectionId> connection;
    std::string input;
    std::string output;
  };

  void do_open(protocols::ConnectionId client, Time now) override;
  void do_receive(protocols::ConnectionId client, std::string_view bytes, Time now) override;
  bool do_has_room(protocols::ConnectionId client) const override;
  void do_close(protocols::ConnectionId client, Time now) override;
  std::string do_take_output(protocols::ConnectionId client) override;
  bool do_is_over(protocols::ConnectionId client) const override;
  std::optional<protocols::Call> do_take_call() override;
  void do_call_failed(Time now) override;

  Socket* find(protocols::ConnectionId client);
  const Socket* find(protocols::ConnectionId client) const;

  struct WaitingCall {
    std::string socket;
    protocols::Call call;
  };

  std::map<std::string, Socket> sockets_;
  std::deque<WaitingCall> waiting_;
  std::uint64_t calls_ = 0;
  bool is_calling_ = false;
  std::string called_;  ///< for which socket; empty: it was closed meanwhile
  /// Closed by the program, with what is still to be sent.
  std::map<protocols::ConnectionId, std::string> leaving_;
};

}  // namespace longarm::robots
