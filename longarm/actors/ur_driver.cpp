// SPDX-License-Identifier: Apache-2.0
// What both kinds of drivers do: read the status stream and count.
#include "longarm/actors/ur_driver.h"

#include <algorithm>
#include <cmath>

namespace longarm::actors {

using protocols::ur::ControllerState;

UrDriver::UrDriver(const UrDriverContext& context)
    : context_(context), source_(context.kernel.add_source("driver")) {
  context_.realtime.listen([this](std::string_view bytes, Time now) { hear(bytes, now); });
}

Time UrDriver::begin(Time now) {
  if (!figures_.begun) {
    figures_.begun = std::max(now, Time(config().start));
  }
  return *figures_.begun;
}

void UrDriver::send(protocols::ClientLink& link, std::string_view bytes) {
  link.send(bytes);
  ++figures_.commands;
}

void UrDriver::hear(std::string_view bytes, Time now) {
  reader_.feed(bytes, [&](const ControllerState& state) {
    note(state, now);
    do_packet(state, now);
  });
  figures_.trouble = reader_.trouble();
}

void UrDriver::note(const ControllerState& state, Time now) {
  if (figures_.packets > 0) {
    const double cycles = (state.timestamp_s - last_timestamp_s_) / to_seconds(robots::kUrCycle);
    figures_.packets_missed += static_cast<std::uint64_t>(std::max(0L, std::lround(cycles) - 1));
    figures_.longest_silence = std::max(figures_.longest_silence, now - last_packet_);
  }
  ++figures_.packets;
  last_packet_ = now;
  last_timestamp_s_ = state.timestamp_s;
}

}  // namespace longarm::actors
