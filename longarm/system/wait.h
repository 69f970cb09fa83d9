// SPDX-License-Identifier: Apache-2.0
// Waiting for one descriptor, with a patience in nanoseconds of the wall clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>

#include <poll.h>

#include "longarm/core/time.h"

namespace longarm::system {

using WallClock = std::chrono::steady_clock;

/// Spans below zero are zero.
inline timespec to_timespec(Duration span) {
  const std::int64_t ns = std::max<std::int64_t>(span.count(), 0);
  return {ns / 1'000'000'000, ns % 1'000'000'000};
}

/// Until the descriptor has one of `events` (POLLIN, POLLOUT) or has failed; false if neither
/// happens in time, or a signal comes.
inline bool wait_for(int descriptor, short events, Duration patience) {
  pollfd waiting{descriptor, events, 0};
  const timespec limit = to_timespec(patience);
  return ppoll(&waiting, 1, &limit, nullptr) > 0;
}

}  // namespace longarm::system
