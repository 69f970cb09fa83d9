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
#include "longarm/network/builtin/ring.h"
#include "longarm/network/builtin/wire.h"
#include "longarm/network/link.h"

namespace longarm::network {

/// A port whose rate never changes and whose queue is first in, first out knows when a packet will
/// leave as soon as it comes: `is_foreseen`. Others decide when the cable falls free.
struct Port {
  /// A packet whose sending has not begun yet, of a port that is foreseen.
  struct Waiting {
    Time begins{};
    PacketIndex packet = kNoPacket;
    std::uint32_t bytes = 0;
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
  std::unique_ptr<Link> link;        ///< null: does nothing
  std::uint64_t sent = 0;            ///< numbers the packets for the link
  CableFigures figures;

  void set_rate(std::optional<double> new_rate_bit_s) {
    is_still = new_rate_bit_s && *new_rate_bit_s <= 0.0;
    rate_bit_s.reset();
    if (new_rate_bit_s) {
      rate_bit_s = static_cast<std::uint64_t>(std::max(1LL, std::llround(*new_rate_bit_s)));
    }
    gap = framing == Framing::kEthernet ? sending_time(rate_bit_s, kEthernetGapBytes) : Duration(0);
  }
};

}  // namespace longarm::network
