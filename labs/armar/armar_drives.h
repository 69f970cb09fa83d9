// SPDX-License-Identifier: Apache-2.0
// The drives of an arm for programs outside: lines of text over TCP.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "labs/armar/armar_arm.h"
#include "longarm/protocols/broadcast_door.h"

namespace longarm::armar {

/// What it says:
///   joints NAME…            to who connects
///   state SECONDS p… v… e…  after each step: positions, velocities and efforts of all joints
/// What it takes, a joint at a time:
///   mode NAME position|velocity|torque
///   position NAME RAD, velocity NAME RAD_S, torque NAME N_M
/// A command of another mode than the joint's is remembered, but does not move it. Lines that are
/// none of these are counted.
class DrivesDoor final : public protocols::BroadcastDoor {
 public:
  static constexpr std::size_t kLongestLine = 256;

  DrivesDoor(std::string name, std::uint16_t port, ArmPort& arm);

  /// To be called after the arm was read.
  void say_state(Time now);
  std::uint64_t commands() const { return commands_; }
  std::uint64_t refused() const { return refused_; }

 private:
  struct Client {
    std::string unfinished;     ///< of a line that has not ended
    std::string output;         ///< not fetched yet
    std::uint64_t said_to = 0;  ///< number of the state it was told last
    bool is_over = false;
  };

  void do_open(protocols::ConnectionId client, Time now) override;
  void do_receive(protocols::ConnectionId client, std::string_view bytes, Time now) override;
  void do_close(protocols::ConnectionId client, Time now) override;
  std::string do_take_output(protocols::ConnectionId client) override;
  std::string do_take_cyclic(protocols::ConnectionId client) override;
  bool do_is_over(protocols::ConnectionId client) const override;

  bool obey(const std::string& line);

  ArmPort& arm_;
  std::map<protocols::ConnectionId, Client> clients_;
  std::string state_;
  std::uint64_t states_ = 0;
  std::uint64_t commands_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace longarm::armar
