// SPDX-License-Identifier: Apache-2.0
// What the parts of one built-in network share: its clock, its events and what it has to tell.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "longarm/core/index.h"
#include "longarm/network/backend.h"
#include "longarm/network/builtin/event_heap.h"
#include "longarm/network/builtin/packet.h"
#include "longarm/network/stream_backend.h"

namespace longarm::network {

class Fabric;

/// How events name one side of a flow.
constexpr std::uint32_t end_of(std::uint32_t flow, Side side) {
  return 2 * flow + static_cast<std::uint32_t>(side);
}

/// The deliveries of one instant.
class DueDeliveries {
 public:
  static constexpr std::uint64_t kFirst = 0;          // of a flow: that it is connected
  static constexpr std::uint64_t kLast = UINT64_MAX;  // that it is over

  bool empty() const { return due_.empty(); }
  void add(const Delivery& delivery, std::uint64_t order) { due_.push_back({delivery, order}); }
  void move_to(std::vector<Delivery>& out) {
    if (due_.size() > 1) {
      std::stable_sort(due_.begin(), due_.end(), [](const Due& a, const Due& b) {
        return std::tie(a.delivery.flow, a.delivery.side, a.order) <
               std::tie(b.delivery.flow, b.delivery.side, b.order);
      });
    }
    for (const Due& due : due_) {
      out.push_back(due.delivery);
    }
    due_.clear();
  }

 private:
  struct Due {
    Delivery delivery;
    std::uint64_t order = 0;  ///< of sending
  };
  std::vector<Due> due_;
};

struct Core {
  EventHeap events;
  PacketPool packets;
  DueDeliveries due;
  std::vector<StreamNews> news;  // of this instant
  Fabric* fabric = nullptr;
  std::uint16_t next_identification = 0;  ///< of IP packets
  std::uint32_t mtu_bytes = 1500;
};

/// One side of a flow: what it sent, and whether its program still listens.
struct FlowEnd {
  NodeId node{};
  NodeId peer_node{};
  std::uint64_t sent = 0;  ///< messages, also their order
  bool is_closed = false;
  std::uint32_t packets_under_way = 0;  ///< of TCP, sent by this side
  FlowFigures figures;                  ///< of what this side sends
};

}  // namespace longarm::network
