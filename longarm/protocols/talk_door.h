// SPDX-License-Identifier: Apache-2.0
// A door that has a conversation with each client by itself.
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <utility>

#include "longarm/protocols/door.h"

namespace longarm::protocols {

/// Protocols add to it what they remember of a client.
struct Conversation {
  std::string output;  ///< to be fetched
  bool is_over = false;
};

template <std::derived_from<Conversation> OneTalk>
class TalkDoor : public Door {
 public:
  static constexpr std::size_t kMaxClients = 1024;  ///< more are turned away

  using Door::Door;
  std::size_t clients() const { return clients_.size(); }

 protected:
  using Talk = OneTalk;
  std::map<ConnectionId, Talk> clients_;

 private:
  void do_open(ConnectionId client, Time) override {
    if (clients_.size() < kMaxClients) {
      clients_.try_emplace(client);
    }
  }
  void do_close(ConnectionId client, Time) override { clients_.erase(client); }
  std::string do_take_output(ConnectionId client) override {
    const auto found = clients_.find(client);
    return found == clients_.end() ? std::string() : std::exchange(found->second.output, {});
  }
  bool do_is_over(ConnectionId client) const override {
    const auto found = clients_.find(client);
    return found == clients_.end() || found->second.is_over;
  }
};

}  // namespace longarm::protocols
