// SPDX-License-Identifier: Apache-2.0
// A server without sockets: what clients say goes in at an instant, what they are to hear comes
// out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "longarm/core/time.h"

namespace longarm::protocols {

/// One client's conversation with a door; counted from 1 by whoever carries the bytes.
enum class ConnectionId : std::uint32_t {};

/// Somebody who is to be called.
struct Call {
  std::string host;
  std::uint16_t port = 0;
};

/// Answers that a client has not fetched; one that keeps asking without listening is dropped.
inline constexpr std::size_t kMaxOutputBytes = 256 * 1024;

/// Real sockets, a simulated network or a recording carry the bytes; a door cannot tell which. What
/// it does depends on these calls and on the simulated world alone, so that the same calls at the
/// same instants give the same bits. Calls come between two steps of the world. Bytes never throw
/// and memory stays bounded, whatever arrives.
class Door {
 public:
  explicit Door(std::string name, std::optional<std::uint16_t> port = std::uint16_t{0})
      : name_(std::move(name)), port_(port) {}
  virtual ~Door() = default;

  /// Which one of the cell's, e.g. "fanuc.crcl"; names it in recordings and messages.
  const std::string& name() const { return name_; }

  /// The TCP port at which clients look for it, 0: any free one. Nothing: it is not for TCP.
  std::optional<std::uint16_t> port() const { return port_; }

  void open(ConnectionId client, Time now) { do_open(client, now); }
  /// In pieces of any size, cut anywhere.
  void receive(ConnectionId client, std::string_view bytes, Time now) {
    do_receive(client, bytes, now);
  }
  /// Whether it takes more from that client now. Carriers that can make a client wait do so until
  /// it has; a door of which more than it has room for is asked may end the conversation.
  bool has_room(ConnectionId client) const { return do_has_room(client); }
  /// The client is gone; what it asked for goes on unless its protocol says otherwise.
  void close(ConnectionId client, Time now) { do_close(client, now); }

  /// What there is to send to a client since the last call. Asked after each step, and of the
  /// client that has just spoken.
  std::string take_output(ConnectionId client) { return do_take_output(client); }
  /// Whether all clients have something to hear before the next step, because that may be long in
  /// coming. Asked after each receive().
  bool take_haste() { return do_take_haste(); }
  /// Whole packets of a stream that goes on by itself, since the last call; asked and sent after
  /// take_output(). A client whose earlier bytes could not be sent yet does without them: it never
  /// hears old news in a burst.
  std::string take_cyclic(ConnectionId client) { return do_take_cyclic(client); }
  /// Whether the conversation is to be ended, once the output has been sent.
  bool is_over(ConnectionId client) const { return do_is_over(client); }

  /// Whom this door wants to call, as a program does that connects back to its driver; asked after
  /// each step. The answer is open() under an id of the carrier's choice, or call_failed(); until
  /// then it calls nobody else.
  std::optional<Call> take_call() { return do_take_call(); }
  void call_failed(Time now) { do_call_failed(now); }

 private:
  virtual void do_open(ConnectionId client, Time now) = 0;
  virtual void do_receive(ConnectionId client, std::string_view bytes, Time now) = 0;
  virtual bool do_has_room(ConnectionId) const { return true; }
  virtual void do_close(ConnectionId client, Time now) = 0;
  virtual std::string do_take_output(ConnectionId client) = 0;
  virtual bool do_take_haste() { return false; }
  virtual std::string do_take_cyclic(ConnectionId) { return {}; }
  virtual bool do_is_over(ConnectionId client) const = 0;
  virtual std::optional<Call> do_take_call() { return std::nullopt; }
  virtual void do_call_failed(Time) {}

  std::string name_;
  std::optional<std::uint16_t> port_;
};

}  // namespace longarm::protocols
