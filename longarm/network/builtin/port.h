// SPDX-License-Identifier: Apache-2.0
// One direction of a cable: the sending end's state, and what it has carried.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>

#include "longarm/network/backend.h"
#include "longarm/network/builtin/packet.h"
#include "longarm/network/builtin/port_queue.h"
#include "longarm/network/builtin/wire.h"
#include "longarm/network/link.h"
#include "longarm/network/ring.h"

namespace longarm::network {

/// A frame that was counted when it was planned has not been sent, or not to its end.
inline void take_back(CableFigures& figures, std::uint32_t wire_bytes, Duration not_sent) {
  --figures.packets;
  figures.bytes -= wire_bytes;
  figures.busy -= not_sent;
}

/// A port whose rate never changes and whose queue is first in, first out knows when a packet will
/// leave as soon as it comes: `is_foreseen`. Others decide when the cable falls free.
struct Port {
  /// A packet whose sending has not begun yet, of a port that is foreseen.
  struct Waiting {
    Time begins{};
    PacketIndex packet = kNoPacket;
    std::uint32_t bytes = 0;       ///< as queues count them
    std::uint32_t wire_bytes = 0;  ///< as cables do
  };

  std::uint32_t index = 0;  ///< its own
  NodeId from{};
  NodeId to{};
  CableId cable{};
  Framing framing{};
  QueueSettings limits;
  std::optional<std::uint64_t> rate_bit_s;
  Duration propagation{0};
  Duration gap{0};
  Duration forwarding{0};  ///< of the far end
  bool may_overtake = false;
  bool is_foreseen = true;
  bool is_up = true;
  bool is_still = false;  ///< at a rate of zero: packets wait
  bool is_busy = false;
  std::uint32_t epoch = 0;
  Time free_at{};
  Time last_arrival{};  ///< without what the link model adds
  Ring<Waiting> waiting;
  std::uint64_t waiting_bytes = 0;
  std::unique_ptr<PortQueue> queue;  ///< unless foreseen
  LinkContext link_context;          ///< of links, whatever their model
  std::unique_ptr<Link> link;        ///< null: does nothing
  std::uint64_t sent = 0;            ///< numbers the packets for the link
  Time departs{};                    ///< the last bit of the last frame that is planned
  std::uint32_t begun_bytes = 0;     ///< of the last frame whose sending has begun
  CableFigures figures;              ///< with all that is planned

  void set_rate(std::optional<double> new_rate_bit_s) {
    is_still = new_rate_bit_s && *new_rate_bit_s <= 0.0;
    rate_bit_s.reset();
    if (new_rate_bit_s) {
      rate_bit_s = static_cast<std::uint64_t>(std::max(1LL, std::llround(*new_rate_bit_s)));
    }
    gap = framing == Framing::kEthernet ? sending_time(rate_bit_s, kEthernetGapBytes) : Duration(0);
  }

  /// Without what will only be sent after `now`; of the frame under way, its time until now.
  CableFigures figures_at(Time now) const {
    CableFigures until_now = figures;
    Time last_bit = departs;
    std::uint32_t bytes = begun_bytes;
    for (std::size_t i = 0; i < waiting.size(); ++i) {  // only of a port that is foreseen
      if (waiting[i].begins <= now) {
        bytes = waiting[i].wire_bytes;
        continue;
      }
      last_bit = std::min(last_bit, waiting[i].begins - gap);
      take_back(until_now, waiting[i].wire_bytes, sending_time(rate_bit_s, waiting[i].wire_bytes));
    }
    if (last_bit > now) {
      take_back(until_now, bytes, last_bit - now);
    }
    return until_now;
  }

  /// The cable has gone down under it.
  void cut_frame(Time now) {
    if (departs > now) {
      take_back(figures, begun_bytes, departs - now);
      departs = now;
    }
  }
};

}  // namespace longarm::network
