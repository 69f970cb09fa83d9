// SPDX-License-Identifier: Apache-2.0
// Carries packets from host to host: ports, cables and switches of the built-in network.
#pragma once

#include <cstdint>
#include <vector>

#include "longarm/network/backend.h"
#include "longarm/network/builtin/event_heap.h"
#include "longarm/network/builtin/frame_follower.h"
#include "longarm/network/builtin/packet.h"
#include "longarm/network/builtin/port.h"
#include "longarm/network/topology.h"

namespace longarm::network {

/// Where packets come from and end. The packet is released after each call but copied().
class PacketEnd {
 public:
  virtual ~PacketEnd() = default;
  virtual void arrived(Time now, PacketIndex packet) = 0;
  virtual void dropped(Time now, PacketIndex packet, DropReason reason) = 0;
  /// The network made a second one, which will arrive or be dropped like the first.
  virtual void copied(PacketIndex copy) = 0;
};

/// Sees packets on interfaces, if anybody wants to: interface i is port i's sending end.
class PacketObserver {
 public:
  virtual ~PacketObserver() = default;
  virtual void observe(Time now, std::uint32_t interface, const NetworkPacket& packet) = 0;
};

class Fabric final : private LinkOutput {
 public:
  /// `observer` and `follower` may be null. With `always_decides`, no port foresees anything:
  /// slower, same results; a follower needs that.
  Fabric(const Topology& topology, const RoutingTable& routes, std::uint64_t seed,
         EventHeap& events, PacketPool& packets, PacketEnd& end, PacketObserver* observer,
         FrameFollower* follower, bool always_decides);

  /// At its source, or wherever it has got to.
  void forward(Time now, NodeId at, PacketIndex packet);
  /// An event of kind up to kLose.
  void run(const Event& event);
  /// At `change.at`, which is not before now.
  void change(Time now, CableId cable, const CableChange& change);

  const std::vector<Port>& ports() const { return ports_; }
  /// At `now`, which is not in the past.
  std::vector<CableFigures> figures(Time now) const;

 private:
  Port make_port(const Topology& topology, std::size_t cable, std::size_t direction,
                 std::uint64_t seed);

  void enqueue(Time now, Port& port, PacketIndex packet);
  void enqueue_foreseen(Time now, Port& port, PacketIndex packet);
  void send_next(Time now, Port& port);
  void send(Time now, Port& port, PacketIndex packet);
  void arrive_at(Port& port, PacketIndex packet, Time when);
  void come_in(const Event& event);
  void lose(Time now, Port& port, PacketIndex packet, FrameFate fate);
  void find_full(Time now, Port& port, PacketIndex packet, FrameFate fate);
  void queue_changed(Time now, const Port& port);
  void apply(Time now, const CableChange& change, Port& port);
  void stop_foreseeing(Time now, Port& port);

  // of LinkOutput, while a port is sending
  void arrive(const Packet& packet, Time when) override;
  void drop(const Packet& packet, DropReason reason) override;

  struct PendingChange {
    CableId cable;
    CableChange change;
  };

  EventHeap& events_;
  PacketPool& packets_;
  PacketEnd& end_;
  PacketObserver* observer_;
  FrameFollower* follower_;
  std::vector<Port> ports_;            // 2c: from the cable's first end; 2c + 1: back
  std::vector<std::uint32_t> routes_;  // port, by node and destination
  std::size_t node_count_;
  std::vector<PendingChange> changes_;  // events name them by index
  std::vector<PacketIndex> given_up_;

  // what the link model is being asked about
  Port* sending_ = nullptr;
  Time departs_{};
  Time base_arrival_{};
};

}  // namespace longarm::network
