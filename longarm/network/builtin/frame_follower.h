// SPDX-License-Identifier: Apache-2.0
// Notes when each packet came to a port, was sent and arrived, for a FrameWatcher.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "longarm/network/builtin/packet.h"
#include "longarm/network/builtin/port.h"
#include "longarm/network/frame_watcher.h"

namespace longarm::network {

class FrameFollower {
 public:
  using MessageOf = std::function<std::optional<MessageId>(const NetworkPacket&)>;
  FrameFollower(FrameWatcher& watcher, const PacketPool& packets, MessageOf message_of)
      : watcher_(watcher), packets_(packets), message_of_(std::move(message_of)) {}

  void came(Time now, const Port& port, PacketIndex packet);
  void began(Time begins, Time departs, PacketIndex packet);
  void ended(Time now, const Port& port, PacketIndex packet, FrameFate fate);
  void copied(PacketIndex packet, PacketIndex copy);
  void queue_changed(Time now, const Port& port);

 private:
  struct Note {
    std::uint64_t frame = 0;
    bool is_followed = false;
    std::optional<MessageId> message;
    Time queued{};
    std::optional<Time> began;
    std::optional<Time> left;
  };

  Note& note_of(PacketIndex packet);

  FrameWatcher& watcher_;
  const PacketPool& packets_;
  MessageOf message_of_;
  std::vector<Note> notes_;  // by packet
  std::uint64_t frames_ = 0;
};

}  // namespace longarm::network
