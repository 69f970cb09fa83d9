// SPDX-License-Identifier: Apache-2.0
// The dashboard server of a UR controller (29999): a line asks, a line answers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "longarm/protocols/door.h"
#include "longarm/protocols/ur/controller_port.h"

namespace longarm::protocols::ur {

/// A longer line is answered as unknown and forgotten up to its end.
inline constexpr std::size_t kMaxDashboardLineBytes = 1024;

/// Greets, then answers every line with one line; docs/ur-rtde.md has the list. Empty lines are
/// passed over. Words count, case and blanks around them do not.
class DashboardDoor final : public Door {
 public:
  static constexpr std::size_t kMaxClients = 1024;  ///< more are turned away

  /// The controller outlives the door.
  DashboardDoor(std::string name, std::uint16_t port, ControllerPort& controller);

  std::size_t clients() const { return clients_.size(); }

 private:
  struct Talk {
    std::string line;  ///< so far, no more than is needed to see that it is too long
    std::string output;
    bool is_over = false;
  };

  const std::string& do_name() const override { return name_; }
  std::optional<std::uint16_t> do_port() const override { return port_; }
  void do_open(ConnectionId client, Time now) override;
  void do_receive(ConnectionId client, std::string_view bytes, Time now) override;
  void do_close(ConnectionId client, Time now) override;
  std::string do_take_output(ConnectionId client) override;
  bool do_is_over(ConnectionId client) const override;

  void end_line(Talk& talk);

  std::string name_;
  std::uint16_t port_;
  ControllerPort& controller_;
  std::map<ConnectionId, Talk> clients_;
};

}  // namespace longarm::protocols::ur
