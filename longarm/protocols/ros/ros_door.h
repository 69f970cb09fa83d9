// SPDX-License-Identifier: Apache-2.0
// The server that programs such as longarm-ros join: lines of JSON both ways.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "longarm/protocols/line_talk.h"
#include "longarm/protocols/ros/ros_requests.h"

namespace longarm::protocols::ros {

/// Longer lines end the conversation.
inline constexpr std::size_t kMostLineBytes = 16 * 1024 * 1024;

struct RosTalk : LineTalk {
  std::uint64_t taken = 0;  ///< packets of the stream that it needs no more
};

/// Everyone who comes hears the first line, then all events, and of the stream what it takes.
class RosDoor final : public TalkDoor<RosTalk> {
 public:
  /// The first line, without its end, at this instant.
  using Greeting = std::function<std::string(Time now)>;
  /// An error, if the request cannot be met.
  using Handler = std::function<std::optional<Error>(const Request& request, Time now)>;

  RosDoor(std::string name, std::uint16_t port, Greeting greet, Handler handle)
      : TalkDoor(std::move(name), port), greet_(std::move(greet)), handle_(std::move(handle)) {}

  /// An event: a line without its end that everyone hears.
  void say(const std::string& line);
  /// The same, heard before the next step of a cell that may stand still.
  void say_at_once(const std::string& line) {
    say(line);
    is_in_haste_ = true;
  }
  /// A packet of the stream: whole lines. The newest replaces one that nobody has taken.
  void stream(std::string packet);
  bool has_listeners() const { return !clients_.empty(); }

  std::uint64_t requests() const { return requests_; }
  std::uint64_t refused() const { return refused_; }
  const std::string& last_refusal() const { return last_refusal_; }

 private:
  void do_open(ConnectionId client, Time now) override;
  void do_receive(ConnectionId client, std::string_view bytes, Time now) override;
  bool do_take_haste() override { return std::exchange(is_in_haste_, false); }
  std::string do_take_cyclic(ConnectionId client) override;
  void answer(LineTalk& talk, const std::string& line, Time now);

  Greeting greet_;
  Handler handle_;
  bool is_in_haste_ = false;
  std::string packet_;
  std::uint64_t packets_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t refused_ = 0;
  std::string last_refusal_;
};

}  // namespace longarm::protocols::ros
