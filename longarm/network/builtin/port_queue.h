// SPDX-License-Identifier: Apache-2.0
// Where packets wait for their cable: strict priorities, each with a drop-tail or a CoDel queue.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/network/builtin/packet.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// CoDel's controller (RFC 8289, section 5), which decides when a packet is taken out.
class CoDel {
 public:
  CoDel(Duration target, Duration interval) : target_(target), interval_(interval) {}

  /// A packet that waited so long comes up at `now`, and `backlog_bytes` wait behind it; with
  /// is_empty there was none. Whether it is to be dropped, and the next one looked at.
  bool is_to_be_dropped(Time now, bool is_empty, Duration waited, std::uint64_t backlog_bytes);
  /// Before each packet that is to be sent.
  void begin() { is_first_look_ = true; }

 private:
  bool may_drop(Time now, bool is_empty, Duration waited, std::uint64_t backlog_bytes);
  Time after(Time start) const;

  Duration target_;
  Duration interval_;
  Time first_above_{};  // 0: not above the target
  Time drop_next_{};
  std::uint32_t count_ = 0;
  std::uint32_t last_count_ = 0;
  bool is_dropping_ = false;
  bool is_first_look_ = true;
  bool has_just_begun_ = false;
};

class PortQueue {
 public:
  PortQueue(const QueueSettings& settings, Framing framing, PacketPool& packets);

  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  std::uint64_t bytes() const;

  /// False: full, and the packet stays with the caller.
  bool enqueue(Time now, PacketIndex packet);
  /// The next to be sent, or kNoPacket. What CoDel gives up on the way is added to `dropped`.
  PacketIndex dequeue(Time now, std::vector<PacketIndex>& dropped);
  /// Takes out whatever comes first, without judging it.
  PacketIndex take();

 private:
  struct Band {
    PacketIndex first = kNoPacket;
    PacketIndex last = kNoPacket;
    std::int64_t packets = 0;
    std::uint64_t bytes = 0;
    CoDel codel;
  };

  PacketIndex pop(Band& band);
  PacketIndex dequeue(Time now, Band& band, std::vector<PacketIndex>& dropped);

  QueueSettings settings_;
  Framing framing_;
  PacketPool& packets_;
  std::vector<Band> bands_;
  std::size_t count_ = 0;
};

}  // namespace longarm::network
