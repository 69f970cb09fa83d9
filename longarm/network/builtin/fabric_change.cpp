// SPDX-License-Identifier: Apache-2.0
// Cables that change, go down and come up again while packets are under way.
#include <algorithm>
#include <memory>

#include "longarm/core/check.h"
#include "longarm/network/builtin/fabric.h"
#include "longarm/network/builtin/wire.h"

namespace longarm::network {

void Fabric::change(Time now, CableId cable, const CableChange& change) {
  check(change.at >= now, "a cable cannot change in the past");
  const auto index = static_cast<std::uint32_t>(cable);
  stop_foreseeing(now, ports_[2 * index]);
  stop_foreseeing(now, ports_[2 * index + 1]);
  events_.push(change.at, EventKind::kChange, index, static_cast<std::uint32_t>(changes_.size()));
  changes_.push_back({cable, change});
}

void Fabric::apply(Time now, const CableChange& change, Port& port) {
  if (change.propagation) {
    port.propagation = *change.propagation;
  }
  if (change.impairment) {
    port.link = change.impairment->make(port.link_context);
  }
  if (change.rate_bit_s) {
    port.set_rate(change.rate_bit_s);
    send_next(now, port);  // it may have stood still
  }
  if (!change.is_up || *change.is_up == port.is_up) {
    return;
  }
  port.is_up = *change.is_up;
  if (port.is_up) {
    return;
  }
  port.cut_frame(now);
  // what is on the cable belongs to an epoch that is over; what waits goes at once
  ++port.epoch;
  port.is_busy = false;
  port.last_arrival = now;
  while (!port.queue->empty()) {
    lose(now, port, port.queue->take(), FrameFate::kCableDown);
    queue_changed(now, port);
  }
}

// Packets whose sending has not begun go back into a queue; their arrivals are planned anew.
void Fabric::stop_foreseeing(Time now, Port& port) {
  if (!port.is_foreseen) {
    return;
  }
  port.is_foreseen = false;
  port.queue = std::make_unique<PortQueue>(port.limits, port.framing, packets_);
  while (!port.waiting.empty()) {
    const Port::Waiting waiting = port.waiting.front();
    port.waiting.pop_front();
    if (waiting.begins <= now) {
      port.begun_bytes = waiting.wire_bytes;
      continue;
    }
    NetworkPacket& packet = packets_[waiting.packet];
    port.free_at = std::min(port.free_at, waiting.begins);
    take_back(port.figures, waiting.wire_bytes, sending_time(port.rate_bit_s, waiting.wire_bytes));
    packet.arrival = 0;
    check(port.queue->enqueue(now, waiting.packet), "a queue grew while it was planned anew");
  }
  port.waiting_bytes = 0;
  if (port.free_at > Time{}) {
    port.departs = port.free_at - port.gap;
    port.last_arrival = port.departs + port.propagation;
  }
  if (port.free_at > now) {
    port.is_busy = true;
    events_.push(port.free_at, EventKind::kPortFree, port.index, port.epoch);
  }
}

}  // namespace longarm::network
