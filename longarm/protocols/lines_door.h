// SPDX-License-Identifier: Apache-2.0
// A door that says the same lines of text to everyone who listens.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "longarm/protocols/broadcast_door.h"

namespace longarm::protocols {

/// Who comes hears the last line at once, so that it knows how things stand, and then every new
/// one. Lines are cyclic: who does not read does without. What clients say is ignored.
class LinesDoor final : public BroadcastDoor {
 public:
  static constexpr std::size_t kMaxClients = 1024;  ///< more are turned away
  static constexpr std::size_t kMaxLines = 64;      ///< between two questions; older ones are lost

  using BroadcastDoor::BroadcastDoor;

  /// Without its line end.
  void say(std::string line);

  std::size_t clients() const { return clients_.size(); }
  std::uint64_t lines() const { return said_; }

 private:
  void do_open(ConnectionId client, Time now) override;
  void do_receive(ConnectionId, std::string_view, Time) override {}
  void do_close(ConnectionId client, Time now) override;
  std::string do_take_output(ConnectionId) override { return {}; }
  std::string do_take_cyclic(ConnectionId client) override;
  bool do_is_over(ConnectionId client) const override;

  std::uint64_t said_ = 0;
  std::deque<std::string> last_;                   ///< the newest at the end
  std::map<ConnectionId, std::uint64_t> clients_;  ///< lines that each needs no more
};

}  // namespace longarm::protocols
