// SPDX-License-Identifier: Apache-2.0
// A backend that tells what became of each message that it carries.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "longarm/network/backend.h"

namespace longarm::network {

/// As it leaves a host, and as it reaches one or is lost; messages of TCP may be several packets,
/// and are never lost.
struct MessageEvent {
  enum class What { kSent, kDelivered, kLost, kConnected, kReset };

  Time at{};
  What what = What::kSent;
  FlowId flow{};
  NodeId from{};  ///< host; of a flow that connects or ends the other end
  NodeId to{};
  MessageId message{};
  std::uint32_t size_bytes = 0;  ///< known when it is sent
  DropReason reason = DropReason::kLoss;
};
const char* event_text(MessageEvent::What what);

using MessageWatcher = std::function<void(const MessageEvent&)>;

/// `backend` as it was, and `watcher` hears of everything on the way.
std::unique_ptr<Backend> make_watched_backend(std::unique_ptr<Backend> backend,
                                              MessageWatcher watcher);

}  // namespace longarm::network
