// SPDX-License-Identifier: Apache-2.0
// What happened to one packet, for those who keep a record.
#pragma once

#include <cstddef>
#include <cstdint>

#include "longarm/core/time.h"

namespace longarm::network {

enum class LinkEventKind : std::uint8_t { kSent, kArrived, kLost, kQueueFull, kCorrupt };

struct LinkEvent {
  LinkEventKind kind = LinkEventKind::kSent;
  std::uint64_t index = 0;  ///< of the packet in its direction
  std::size_t size_bytes = 0;
  Time sent_at{};
  Time at{};  ///< when this happened; a loss is known when the packet is sent
};

}  // namespace longarm::network
