// SPDX-License-Identifier: Apache-2.0
// A run that is under way, for Foxglove and others who speak its WebSocket protocol.
#pragma once

#include <memory>

#include "longarm/view/live_feed.h"
#include "longarm/view/web_server.h"

namespace longarm::view {

/// Subprotocols: what Foxglove's SDK calls it, and what it was called before.
inline constexpr const char* kFoxgloveProtocol = "foxglove.sdk.v1";
inline constexpr const char* kOldFoxgloveProtocol = "foxglove.websocket.v1";

/// Channels are those of trace.mcap. Borrows feed and client.
std::unique_ptr<Conversation> talk_to_foxglove(const LiveFeed& feed, WebSocketClient& client);

}  // namespace longarm::view
