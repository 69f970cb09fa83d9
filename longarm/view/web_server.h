// SPDX-License-Identifier: Apache-2.0
// A small web server on this computer's loopback address: answers to questions, and WebSockets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/core/result.h"

namespace longarm::view {

struct WebRequest {
  std::string path;                          ///< "/data"
  std::map<std::string, std::string> query;  ///< decoded
};

struct WebAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body{};
  std::string problem{};  ///< why some of it is missing, in one line: in the header Longarm-Problem
};

/// The other end of a WebSocket. All calls are made on the server's thread, and none waits.
class WebSocketClient {
 public:
  virtual ~WebSocketClient() = default;
  virtual void send_text(std::string message) = 0;
  virtual void send_bytes(std::string message) = 0;
  /// Bytes that were sent and that the client has not taken.
  virtual std::size_t waiting() const = 0;
  virtual void close() = 0;
};

/// What is said to one WebSocket client.
class Conversation {
 public:
  virtual ~Conversation() = default;
  virtual void hear(bool is_text, std::string_view message) = 0;
  /// Some forty times a second: whatever is new may be sent.
  virtual void tick() = 0;
};

struct WebServerConfig {
  std::uint16_t port = 0;                ///< 0: any free one
  std::vector<std::string> origins{};    ///< of other pages that may connect to the WebSockets
  std::vector<std::string> protocols{};  ///< subprotocols of WebSockets, best first
  std::size_t max_clients = 256;         ///< at once
  std::size_t max_waiting = 64U << 20U;  ///< a client that has not taken as much is dropped
};

/// Only requests to the loopback address under one of its names, and only of pages that came from
/// here, are answered: others are somebody else's page, or somebody else's name for this computer.
class WebServer {
 public:
  /// Called on one of a few threads, several at a time.
  using Answer = std::function<WebAnswer(const WebRequest& request)>;
  /// Called on the server's thread. Null: there is no such thing here.
  using Welcome = std::function<std::unique_ptr<Conversation>(const std::string& protocol,
                                                              WebSocketClient& client)>;

  /// Begins to serve. The error says which port is taken.
  static Result<std::unique_ptr<WebServer>> make(WebServerConfig config, Answer answer,
                                                 Welcome welcome = {});
  virtual ~WebServer() = default;

  virtual std::uint16_t port() const = 0;
};

}  // namespace longarm::view
