// SPDX-License-Identifier: Apache-2.0
// Who hears a trace while it is made, beside or instead of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "longarm/core/time.h"
#include "longarm/record/mcap_format.h"

namespace longarm::record {

/// Called on the thread that runs the world, which waits for it.
class TraceListener {
 public:
  virtual ~TraceListener() = default;
  /// Before its first message. Latched: who comes later is meant as well.
  virtual void channel(const McapChannel& channel, const McapSchema& schema, bool is_latched) = 0;
  /// The bytes are good during the call.
  virtual void message(std::uint16_t channel, Time log_time, std::span<const std::byte> data) = 0;
};

}  // namespace longarm::record
