// SPDX-License-Identifier: Apache-2.0
// The server of a Robotiq gripper on a UR controller (63352): variables that are set and asked for
// in lines of text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "longarm/protocols/line_talk.h"

namespace longarm::protocols::ur {

/// A gripper's variables, by their names of three letters.
class GripperPort {
 public:
  using Setting = std::pair<std::string_view, int>;

  virtual ~GripperPort() = default;
  /// Nothing: there is no such variable.
  virtual std::optional<int> get(std::string_view variable) const = 0;
  /// All of them at once, or none: false if one cannot be set so.
  virtual bool set(std::span<const Setting> settings) = 0;
};

/// `GET POS` is answered `POS 12`, `SET POS 255 SPE 128` is answered `ack`, anything else `?`. As
/// clients compare answers letter by letter, none ends with the end of a line.
class GripperDoor final : public TalkDoor<LineTalk> {
 public:
  /// The gripper outlives the door.
  GripperDoor(std::string name, std::uint16_t port, GripperPort& gripper);

 private:
  void do_receive(ConnectionId client, std::string_view bytes, Time now) override;
  std::string answer_to(std::string_view line);

  GripperPort& gripper_;
};

}  // namespace longarm::protocols::ur
