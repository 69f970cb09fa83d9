// SPDX-License-Identifier: Apache-2.0
// A door on one host that leads to another host's: programs outside enter the network here.
#pragma once

#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "longarm/protocols/broadcast_door.h"
#include "longarm/protocols/client_link.h"
#include "longarm/protocols/door.h"

namespace longarm::actors {

/// Dials for each client that comes and passes bytes on, both ways. `Base` is Door, or
/// BroadcastDoor where the other one says lines: these are passed on whole, and who does not read
/// does without.
template <std::derived_from<protocols::Door> Base>
class RelayDoor final : public Base {
 public:
  static constexpr std::size_t kMaxClients = 1024;  ///< more are turned away

  using Dial = std::function<protocols::ClientLink&()>;
  using HangUp = std::function<void(protocols::ClientLink&)>;

  RelayDoor(std::string name, std::uint16_t port, Dial dial, HangUp hang_up)
      : Base(std::move(name), port), dial_(std::move(dial)), hang_up_(std::move(hang_up)) {}

  std::size_t clients() const { return talks_.size(); }

 private:
  static constexpr bool kIsLines = std::derived_from<Base, protocols::BroadcastDoor>;

  struct Talk {
    protocols::ClientLink* link = nullptr;
    std::string output;
    bool is_overfull = false;
  };

  void do_open(protocols::ConnectionId client, Time) override {
    if (talks_.size() >= kMaxClients) {
      return;
    }
    Talk& talk = talks_[client];
    talk.link = &dial_();
    talk.link->listen([&talk](std::string_view bytes, Time) {
      talk.is_overfull =
          talk.is_overfull || talk.output.size() + bytes.size() > protocols::kMaxOutputBytes;
      if (!talk.is_overfull) {
        talk.output += bytes;
      }
    });
  }
  void do_receive(protocols::ConnectionId client, std::string_view bytes, Time) override {
    if (const auto found = talks_.find(client); found != talks_.end()) {
      found->second.link->send(bytes);
    }
  }
  void do_close(protocols::ConnectionId client, Time) override {
    if (const auto found = talks_.find(client); found != talks_.end()) {
      found->second.link->listen({});
      hang_up_(*found->second.link);
      talks_.erase(found);
    }
  }
  std::string do_take_output(protocols::ConnectionId client) override {
    const auto found = talks_.find(client);
    return kIsLines || found == talks_.end() ? std::string()
                                             : std::exchange(found->second.output, {});
  }
  std::string do_take_cyclic(protocols::ConnectionId client) override {
    const auto found = talks_.find(client);
    if (!kIsLines || found == talks_.end()) {
      return {};
    }
    std::string& output = found->second.output;
    std::string rest = output.substr(output.rfind('\n') + 1);
    output.resize(output.size() - rest.size());
    return std::exchange(output, std::move(rest));
  }
  bool do_is_over(protocols::ConnectionId client) const override {
    const auto found = talks_.find(client);
    return found == talks_.end() || found->second.is_overfull || !found->second.link->is_up();
  }

  Dial dial_;
  HangUp hang_up_;
  std::map<protocols::ConnectionId, Talk> talks_;
};

}  // namespace longarm::actors
