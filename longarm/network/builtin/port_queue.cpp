// SPDX-License-Identifier: Apache-2.0
// Lists of packets by priority; CoDel looks at them when they leave.
#include "longarm/network/builtin/port_queue.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "longarm/network/builtin/wire.h"

namespace longarm::network {
namespace {

// a queue that holds no more than one full packet is no standing queue
constexpr std::uint64_t kOnePacketBytes = 1514;
// memory of the last dropping state, in intervals
constexpr int kMemoryIntervals = 16;

}  // namespace

Time CoDel::after(Time start) const {
  const double wait_ns = static_cast<double>(interval_.count()) / std::sqrt(count_);
  return start + Duration(std::llround(wait_ns));
}

bool CoDel::may_drop(Time now, bool is_empty, Duration waited, std::uint64_t backlog_bytes) {
  if (is_empty || waited < target_ || backlog_bytes <= kOnePacketBytes) {
    first_above_ = Time{};
    return false;
  }
  if (first_above_ == Time{}) {
    first_above_ = now + interval_;
    return false;
  }
  return now >= first_above_;
}

bool CoDel::is_to_be_dropped(Time now, bool is_empty, Duration waited,
                             std::uint64_t backlog_bytes) {
  const bool is_ok_to_drop = may_drop(now, is_empty, waited, backlog_bytes);
  const bool is_first_look = std::exchange(is_first_look_, false);

  if (!is_dropping_) {
    if (!is_first_look || !is_ok_to_drop) {
      return false;
    }
    // enters the dropping state, not far from where the last one ended if that was recent
    const std::uint32_t dropped_before = count_ - last_count_;
    const bool is_recent = now - drop_next_ < kMemoryIntervals * interval_;
    count_ = dropped_before > 1 && is_recent ? dropped_before : 1;
    drop_next_ = after(now);
    last_count_ = count_;
    is_dropping_ = true;
    has_just_begun_ = true;
    return true;
  }

  // the packet behind the first one dropped is sent whatever it is like
  if (std::exchange(has_just_begun_, false) && !is_first_look) {
    return false;
  }
  if (!is_ok_to_drop) {
    is_dropping_ = false;
    return false;
  }
  if (!is_first_look) {
    drop_next_ = after(drop_next_);
  }
  if (now < drop_next_) {
    return false;
  }
  ++count_;
  return true;
}

PortQueue::PortQueue(const QueueSettings& settings, Framing framing, PacketPool& packets)
    : settings_(settings), framing_(framing), packets_(packets) {
  const auto bands = static_cast<std::size_t>(std::max(1, settings.priorities));
  for (std::size_t i = 0; i < bands; ++i) {
    bands_.push_back({kNoPacket, kNoPacket, 0, 0, CoDel(settings.target, settings.interval)});
  }
}

std::uint64_t PortQueue::bytes() const {
  std::uint64_t sum = 0;
  for (const Band& band : bands_) {
    sum += band.bytes;
  }
  return sum;
}

bool PortQueue::enqueue(Time now, PacketIndex index) {
  NetworkPacket& packet = packets_[index];
  Band& band = bands_[std::min<std::size_t>(packet.priority, bands_.size() - 1)];
  const std::uint32_t bytes = queue_bytes(framing_, packet);
  const auto limit_bytes = static_cast<std::uint64_t>(settings_.limit_bytes);
  if (band.packets >= settings_.limit_packets ||
      (limit_bytes > 0 && band.bytes + bytes > limit_bytes)) {
    return false;
  }
  packet.queued_at = now;
  packet.next = kNoPacket;
  if (band.last == kNoPacket) {
    band.first = index;
  } else {
    packets_[band.last].next = index;
  }
  band.last = index;
  ++band.packets;
  band.bytes += bytes;
  ++count_;
  return true;
}

PacketIndex PortQueue::pop(Band& band) {
  const PacketIndex index = band.first;
  const NetworkPacket& packet = packets_[index];
  band.first = packet.next;
  if (band.first == kNoPacket) {
    band.last = kNoPacket;
  }
  --band.packets;
  band.bytes -= queue_bytes(framing_, packet);
  --count_;
  return index;
}

PacketIndex PortQueue::dequeue(Time now, Band& band, std::vector<PacketIndex>& dropped) {
  if (settings_.kind == QueueKind::kDropTail) {
    return pop(band);
  }
  band.codel.begin();
  while (band.first != kNoPacket) {
    const PacketIndex index = pop(band);
    const Duration waited = now - packets_[index].queued_at;
    if (!band.codel.is_to_be_dropped(now, false, waited, band.bytes)) {
      return index;
    }
    dropped.push_back(index);
  }
  band.codel.is_to_be_dropped(now, true, Duration(0), 0);
  return kNoPacket;
}

PacketIndex PortQueue::dequeue(Time now, std::vector<PacketIndex>& dropped) {
  for (Band& band : bands_) {
    if (band.first == kNoPacket) {
      continue;
    }
    const PacketIndex index = dequeue(now, band, dropped);
    if (index != kNoPacket) {
      return index;
    }
  }
  return kNoPacket;
}

PacketIndex PortQueue::take() {
  for (Band& band : bands_) {
    if (band.first != kNoPacket) {
      return pop(band);
    }
  }
  return kNoPacket;
}

}  // namespace longarm::network
