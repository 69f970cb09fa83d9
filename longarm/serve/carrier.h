// SPDX-License-Identifier: Apache-2.0
// Whoever carries bytes between clients and doors: sockets, a message bus.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "longarm/serve/door_event.h"

namespace longarm::serve {

/// Has threads of its own, on which it puts what clients say into the Inbox. These calls come from
/// the thread that steps the world, and must never wait for a client.
class Carrier {
 public:
  virtual ~Carrier() = default;

  /// Clients that are gone are no error.
  virtual void send(ConnectionId client, std::string bytes) = 0;
  /// Whole packets of a stream. Who has not taken what was sent before does without them.
  virtual void send_cyclic(ConnectionId client, std::string bytes) {
    send(client, std::move(bytes));
  }
  /// No more will be sent to this client. Whoever has not told the inbox that it is gone does now.
  virtual void end(ConnectionId client) = 0;
  /// A door calls somebody. The inbox hears of it: kOpen, or kCallFailed. False: this carrier calls
  /// nobody, and the inbox hears nothing.
  virtual bool call(std::size_t /*door*/, const protocols::Call& /*whom*/) { return false; }
  /// The inbox has been emptied: who was put off may speak again.
  virtual void resume() {}
};

}  // namespace longarm::serve
