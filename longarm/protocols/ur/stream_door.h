// SPDX-License-Identifier: Apache-2.0
// The ports of a UR controller that stream its state and take scripts: primary, secondary and
// real-time, each also read only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/protocols/broadcast_door.h"
#include "longarm/protocols/ur/controller_port.h"
#include "longarm/protocols/ur/script_intake.h"

namespace longarm::protocols::ur {

enum class StreamKind : std::uint8_t { kPrimary, kSecondary, kRealTime };

struct StreamFigures {
  std::uint64_t scripts = 0;  ///< statements and blocks handed to the controller
  std::uint64_t dropped = 0;  ///< that were too long to be kept
  std::string last_drop;      ///< why
};

/// Primary and secondary clients are greeted with the version; then come states: the first with the
/// next cycle after it, the others with the first cycle that ends at or after each multiple of 100
/// ms, and one at once when the safety mode has changed. Real-time clients get a packet per cycle.
/// States are cyclic (a client that does not read does without), the version and the messages of
/// the primary port are not; a message follows the state of the cycle in which it came up. A packet
/// is encoded once per cycle, however many clients there are. Of what clients send, some lines are
/// orders to the controller itself ("stop program", "power on" …); all else is URScript.
class StreamDoor final : public BroadcastDoor {
 public:
  static constexpr std::size_t kMaxClients = 1024;  ///< more are turned away

  /// `name`: see Door. The controller must outlive the door.
  StreamDoor(std::string name, std::uint16_t port, StreamKind kind, bool is_read_only,
             ControllerPort& controller);

  const StreamFigures& figures() const { return figures_; }
  std::size_t clients() const { return clients_.size(); }

 private:
  struct Client {
    ScriptIntake intake;
    bool has_greeting = false;       ///< still to be sent
    bool has_state = false;          ///< was told at least one
    std::uint64_t cycle = 0;         ///< the last one that it needs no packet of
    SafetyMode safety_mode{};        ///< that it was told last
    std::uint64_t next_message = 0;  ///< number of the first one not told
  };

  void do_open(ConnectionId client, Time now) override;
  void do_receive(ConnectionId client, std::string_view bytes, Time now) override;
  void do_close(ConnectionId client, Time now) override;
  std::string do_take_output(ConnectionId client) override;
  std::string do_take_cyclic(ConnectionId client) override;
  bool do_is_over(ConnectionId client) const override;

  bool is_due_at(const Client& listener, std::uint64_t cycle) const;
  const std::string& packet();
  /// Number of the first message whose cycle's state the client was not given yet.
  std::uint64_t first_to_wait(const Client& listener) const;
  const std::string& messages_between(std::uint64_t begin, std::uint64_t end);

  StreamKind kind_;
  bool is_read_only_;
  ControllerPort& controller_;
  std::map<ConnectionId, Client> clients_;
  StreamFigures figures_;

  // what was encoded last, for all who want the same
  std::string packet_;
  std::uint64_t packet_cycle_ = 0;
  std::string messages_;
  std::uint64_t messages_begin_ = 0;
  std::uint64_t messages_end_ = 0;
};

}  // namespace longarm::protocols::ur
