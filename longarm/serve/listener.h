// SPDX-License-Identifier: Apache-2.0
// A TCP port that waits for clients, at the loopback address unless told otherwise.
#pragma once

#include <cstdint>
#include <string>

#include "longarm/core/result.h"
#include "longarm/system/descriptor.h"

namespace longarm::serve {

struct Listener {
  system::Descriptor socket;
  std::string host;
  std::uint16_t port = 0;  ///< the one it got
};

/// Port 0 is any free one. The error says which port is taken.
Result<Listener> listen_at(bool is_open_to_all, std::uint16_t port);

/// A client's socket, set up to never block and to notice when the other side is gone; closed if
/// none is waiting. `is_exhausted` says that the process has no descriptor left.
system::Descriptor accept_client(const Listener& listener, bool& is_exhausted);

}  // namespace longarm::serve
