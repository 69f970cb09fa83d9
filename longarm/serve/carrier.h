// SPDX-License-Identifier: Apache-2.0
// Whoever carries bytes between clients and doors: sockets, a message bus.
#pragma once

#include <string>

#include "longarm/serve/door_event.h"

namespace longarm::serve {

/// Has threads of its own, on which it puts what clients say into the Inbox. These calls come from
/// the thread that steps the world, and must never wait for a client.
class Carrier {
 public:
  virtual ~Carrier() = default;

  /// Clients that are gone are no error.
  virtual void send(ConnectionId client, std::string bytes) = 0;
  /// No more will be sent to this client. Whoever has not told the inbox that it is gone does now.
  virtual void end(ConnectionId client) = 0;
  /// The inbox has been emptied: who was put off may speak again.
  virtual void resume() {}
};

}  // namespace longarm::serve
