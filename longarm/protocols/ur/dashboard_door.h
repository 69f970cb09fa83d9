// SPDX-License-Identifier: Apache-2.0
// The dashboard server of a UR controller (29999): a line asks, a line answers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longarm/protocols/line_talk.h"
#include "longarm/protocols/ur/controller_port.h"

namespace longarm::protocols::ur {

/// A longer line is answered as unknown and forgotten up to its end.
inline constexpr std::size_t kMaxDashboardLineBytes = 1024;

/// Greets, then answers every line with one line; docs/reference/ur-rtde.md has the list. Empty
/// lines are passed over. Words count, case and blanks around them do not.
class DashboardDoor final : public TalkDoor<LineTalk> {
 public:
  /// The controller outlives the door.
  DashboardDoor(std::string name, std::uint16_t port, ControllerPort& controller);

 private:
  void do_open(ConnectionId client, Time now) override;
  void do_receive(ConnectionId client, std::string_view bytes, Time now) override;

  void answer_line(Talk& talk, std::string text);
  std::optional<std::string> answer_own(std::string_view line);

  ControllerPort& controller_;
  std::string user_role_ = "NONE";
  std::uint64_t reports_ = 0;  ///< that clients asked for
};

}  // namespace longarm::protocols::ur
