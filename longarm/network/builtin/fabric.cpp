// SPDX-License-Identifier: Apache-2.0
// A packet's way: routed to a port, queued, sent, carried, and at the far end the same again.
#include "longarm/network/builtin/fabric.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/network/builtin/wire.h"

namespace longarm::network {

Fabric::Fabric(const Topology& topology, const RoutingTable& routes, std::uint64_t seed,
               EventHeap& events, PacketPool& packets, PacketEnd& end, PacketObserver* observer,
               FrameFollower* follower, bool always_decides)
    : events_(events),
      packets_(packets),
      end_(end),
      observer_(observer),
      follower_(follower),
      node_count_(topology.nodes.size()) {
  for (std::size_t cable = 0; cable < topology.cables.size(); ++cable) {
    for (std::size_t direction = 0; direction < 2; ++direction) {
      ports_.push_back(make_port(topology, cable, direction, seed));
      if (always_decides) {
        stop_foreseeing(Time{}, ports_.back());
      }
    }
  }

  // from cables to the ports that lead into them
  routes_.assign(node_count_ * node_count_, UINT32_MAX);
  for (std::uint32_t at = 0; at < node_count_; ++at) {
    for (std::uint32_t to = 0; to < node_count_; ++to) {
      const auto cable = static_cast<std::uint32_t>(routes.next(NodeId(at), NodeId(to)));
      if (at != to && cable < topology.cables.size()) {
        const bool is_first_end = topology.cables[cable].ends[0] == NodeId(at);
        routes_[at * node_count_ + to] = 2 * cable + (is_first_end ? 0U : 1U);
      }
    }
  }

  for (std::size_t cable = 0; cable < topology.cables.size(); ++cable) {
    for (const CableChange& each : topology.cables[cable].changes) {
      change(Time{}, CableId(static_cast<std::uint32_t>(cable)), each);
    }
  }
}

Port Fabric::make_port(const Topology& topology, std::size_t index, std::size_t direction,
                       std::uint64_t seed) {
  const Cable& cable = topology.cables[index];
  Port port;
  port.index = static_cast<std::uint32_t>(2 * index + direction);
  port.cable = CableId(static_cast<std::uint32_t>(index));
  port.from = cable.ends[direction];
  port.to = cable.ends[1 - direction];
  port.framing = cable.framing;
  port.limits = cable.queue;
  port.set_rate(cable.rate_bit_s);
  port.propagation = cable.propagation;
  port.may_overtake = cable.may_overtake;
  const Node& from = topology.nodes[static_cast<std::size_t>(port.from)];
  const Node& to = topology.nodes[static_cast<std::size_t>(port.to)];
  port.forwarding = to.is_switch ? to.forwarding : Duration(0);
  port.figures.name = fmt::format("{}: {} > {}", cable.name, from.name, to.name);
  const std::string& stream = cable.stream[direction];
  port.link_context = {seed, stream.empty() ? fmt::format("{}.{}", cable.name, from.name) : stream};
  if (cable.impairment[direction]) {
    port.link = cable.impairment[direction]->make(port.link_context);
  }
  if (port.link || port.is_still || !cable.changes.empty() ||
      cable.queue.kind != QueueKind::kDropTail || cable.queue.priorities > 1) {
    stop_foreseeing(Time{}, port);
  }
  return port;
}

std::vector<CableFigures> Fabric::figures(Time now) const {
  std::vector<CableFigures> all;
  for (const Port& port : ports_) {
    all.push_back(port.figures_at(now));
  }
  return all;
}

void Fabric::forward(Time now, NodeId at, PacketIndex packet) {
  const std::uint32_t port = routes_[static_cast<std::size_t>(at) * node_count_ +
                                     static_cast<std::size_t>(packets_[packet].destination)];
  check(port < ports_.size(), "a packet has nowhere to go");
  if (ports_[port].is_foreseen) {
    enqueue_foreseen(now, ports_[port], packet);
  } else {
    enqueue(now, ports_[port], packet);
  }
}

void Fabric::enqueue_foreseen(Time now, Port& port, PacketIndex index) {
  while (!port.waiting.empty() && port.waiting.front().begins <= now) {
    port.waiting_bytes -= port.waiting.front().bytes;
    port.begun_bytes = port.waiting.front().wire_bytes;
    port.waiting.pop_front();
  }
  const NetworkPacket& packet = packets_[index];
  const Time begins = std::max(now, port.free_at);
  if (begins > now) {
    const std::uint32_t bytes = queue_bytes(port.framing, packet);
    const auto limit_bytes = static_cast<std::uint64_t>(port.limits.limit_bytes);
    if (port.waiting.size() >= static_cast<std::size_t>(port.limits.limit_packets) ||
        (limit_bytes > 0 && port.waiting_bytes + bytes > limit_bytes)) {
      find_full(now, port, index, FrameFate::kQueueFull);
      return;
    }
    port.waiting.push_back({begins, index, bytes, wire_bytes(port.framing, packet)});
    port.waiting_bytes += bytes;
    port.figures.longest_queue_packets =
        std::max<std::uint64_t>(port.figures.longest_queue_packets, port.waiting.size());
  } else {
    port.begun_bytes = wire_bytes(port.framing, packet);
  }
  send(begins, port, index);
}

void Fabric::queue_changed(Time now, const Port& port) {
  if (follower_ != nullptr) {
    follower_->queue_changed(now, port);
  }
}

void Fabric::enqueue(Time now, Port& port, PacketIndex packet) {
  if (follower_ != nullptr) {
    follower_->came(now, port, packet);
  }
  if (!port.is_up) {
    lose(now, port, packet, FrameFate::kCableDown);
    return;
  }
  // straight through where nothing waits and nothing is to be judged
  if (!port.is_busy && !port.is_still && port.queue->empty() &&
      port.limits.kind == QueueKind::kDropTail) {
    send(now, port, packet);
    return;
  }
  if (!port.queue->enqueue(now, packet)) {
    find_full(now, port, packet, FrameFate::kQueueFull);
    return;
  }
  if (port.is_busy || port.is_still) {
    port.figures.longest_queue_packets =
        std::max<std::uint64_t>(port.figures.longest_queue_packets, port.queue->size());
    queue_changed(now, port);
    return;
  }
  send_next(now, port);
}

void Fabric::send_next(Time now, Port& port) {
  while (!port.is_busy && !port.is_still && !port.queue->empty()) {
    const PacketIndex packet = port.queue->dequeue(now, given_up_);
    queue_changed(now, port);
    if (packet != kNoPacket) {
      send(now, port, packet);
    }
    // CoDel's choice; an end that hears of it may send, so that the list must be empty first
    std::vector<PacketIndex> dropped;
    dropped.swap(given_up_);
    for (const PacketIndex each : dropped) {
      find_full(now, port, each, FrameFate::kCoDel);
    }
  }
}

// what the cable is like when sending begins holds until the packet has arrived
void Fabric::send(Time begins, Port& port, PacketIndex index) {
  NetworkPacket& packet = packets_[index];
  const std::uint32_t bytes = wire_bytes(port.framing, packet);
  const Duration sending = sending_time(port.rate_bit_s, bytes);
  const Time departs = begins + sending;
  ++port.figures.packets;
  port.figures.bytes += bytes;
  port.figures.busy += sending;
  port.departs = departs;
  packet.epoch = port.epoch;
  if (observer_ != nullptr) {
    observer_->observe(begins, port.index, packet);
  }
  if (follower_ != nullptr) {
    follower_->began(begins, departs, index);
  }

  Time arrives = departs + port.propagation;
  if (port.is_foreseen) {
    port.free_at = departs + port.gap;
    arrive_at(port, index, arrives);
    return;
  }
  port.begun_bytes = bytes;
  if (sending + port.gap > Duration(0)) {
    port.is_busy = true;
    events_.push(departs + port.gap, EventKind::kPortFree, port.index, port.epoch);
  }
  if (!port.may_overtake) {
    arrives = std::max(arrives, port.last_arrival);
    port.last_arrival = arrives;
  }
  if (!port.link) {
    arrive_at(port, index, arrives);
    return;
  }
  sending_ = &port;
  departs_ = departs;
  base_arrival_ = arrives;
  port.link->send(departs, {port.sent++, queue_bytes(port.framing, packet), index}, *this);
  sending_ = nullptr;
}

void Fabric::arrive_at(Port& port, PacketIndex packet, Time when) {
  packets_[packet].arrival = events_.push(when, EventKind::kArrive, port.index, packet);
}

void Fabric::arrive(const Packet& sent, Time when) {
  check(when >= departs_, "a link delivered into the past");
  PacketIndex index = sent.handle;
  if (packets_[index].arrival != 0) {  // it is on its way already: this is a second one
    index = packets_.copy(index);
    end_.copied(index);
    if (follower_ != nullptr) {
      follower_->copied(sent.handle, index);
    }
  }
  arrive_at(*sending_, index, base_arrival_ + (when - departs_));
}

void Fabric::drop(const Packet& sent, DropReason reason) {
  if (packets_[sent.handle].arrival != 0) {
    return;  // only a second copy is gone
  }
  packets_[sent.handle].drop_reason = reason;
  packets_[sent.handle].arrival =
      events_.push(departs_, EventKind::kLose, sending_->index, sent.handle);
}

void Fabric::lose(Time now, Port& port, PacketIndex packet, FrameFate fate) {
  const DropReason reason = packets_[packet].drop_reason;
  // a link model may have a queue of its own
  ++(reason == DropReason::kQueueFull ? port.figures.dropped_queue : port.figures.dropped_loss);
  if (follower_ != nullptr) {
    follower_->ended(now, port, packet,
                     reason == DropReason::kQueueFull ? FrameFate::kQueueFull : fate);
  }
  end_.dropped(now, packet, reason);
  packets_.release(packet);
}

void Fabric::find_full(Time now, Port& port, PacketIndex packet, FrameFate fate) {
  ++port.figures.dropped_queue;
  if (follower_ != nullptr) {
    follower_->ended(now, port, packet, fate);
  }
  end_.dropped(now, packet, DropReason::kQueueFull);
  packets_.release(packet);
}

void Fabric::run(const Event& event) {
  switch (event.kind()) {
    case EventKind::kArrive:
      return come_in(event);
    case EventKind::kForward:
      return forward(event.time(), ports_[event.subject()].to, event.item);
    case EventKind::kPortFree: {
      Port& port = ports_[event.subject()];
      if (event.item == port.epoch && port.is_busy) {
        port.is_busy = false;
        send_next(event.time(), port);
      }
      return;
    }
    case EventKind::kLose:
      if (packets_[event.item].arrival == event.order) {
        lose(event.time(), ports_[event.subject()], event.item, FrameFate::kDamaged);
      }
      return;
    case EventKind::kChange: {
      const PendingChange pending = changes_[event.item];
      for (std::uint32_t direction = 0; direction < 2; ++direction) {
        if (!pending.change.direction ||
            static_cast<std::uint32_t>(*pending.change.direction) == direction) {
          apply(event.time(), pending.change,
                ports_[2 * static_cast<std::uint32_t>(pending.cable) + direction]);
        }
      }
      return;
    }
    case EventKind::kTimer:
    case EventKind::kCommand:
      break;
  }
  fail_check("an event that is not of the fabric");
}

void Fabric::come_in(const Event& event) {
  Port& port = ports_[event.subject()];
  NetworkPacket& packet = packets_[event.item];
  if (packet.arrival != event.order) {
    return;  // planned anew since
  }
  packet.arrival = 0;
  if (packet.epoch != port.epoch) {
    lose(event.time(), port, event.item, FrameFate::kCableDown);
    return;
  }
  if (observer_ != nullptr) {
    observer_->observe(event.time(), event.subject() ^ 1U, packet);
  }
  if (follower_ != nullptr) {
    follower_->ended(event.time(), port, event.item, FrameFate::kArrived);
  }
  if (packet.destination == port.to) {
    end_.arrived(event.time(), event.item);
    packets_.release(event.item);
    return;
  }
  if (port.forwarding > Duration(0)) {
    events_.push(event.time() + port.forwarding, EventKind::kForward, event.subject(), event.item);
    return;
  }
  forward(event.time(), port.to, event.item);
}

}  // namespace longarm::network
