// SPDX-License-Identifier: Apache-2.0
// What a viewer's page is told of a run that is under way.
#pragma once

#include <memory>

#include <nlohmann/json.hpp>

#include "longarm/view/live_feed.h"
#include "longarm/view/web_server.h"

namespace longarm::view {

/// The subprotocol of its WebSocket.
inline constexpr const char* kLiveProtocol = "longarm.view.v1";

/// `document` is that of the run without its tables. Borrows feed, document and client.
std::unique_ptr<Conversation> talk_to_viewer(const LiveFeed& feed,
                                             const nlohmann::ordered_json& document,
                                             WebSocketClient& client);

}  // namespace longarm::view
