// SPDX-License-Identifier: Apache-2.0
// Another clockwork (a network simulator) whose happenings the kernel takes into its own order.
#pragma once

#include <optional>

#include "longarm/core/result.h"
#include "longarm/core/time.h"

namespace longarm::sim {

/// Keeps events of its own. The kernel asks it before each of its events, so that everything due at
/// an instant is handed over before the next phase of that instant, and before the kernel's own
/// deliveries of it.
class EventSource {
 public:
  virtual ~EventSource() = default;

  /// Nothing happens before this instant. Time::max() when there is nothing to come.
  virtual Time next_event() const = 0;
  /// Lets everything before `until` happen, but stops at the first instant at which something must
  /// be handed over, and says which; none: there was nothing.
  virtual Result<std::optional<Time>> advance(Time until) = 0;
  /// Hands over what is due at the instant that advance() named. May schedule and send.
  virtual void hand_over(Time now) = 0;
};

}  // namespace longarm::sim
