// SPDX-License-Identifier: Apache-2.0
// What clients have said, in order, on its way from the carriers' threads to the one that steps.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "longarm/core/time.h"
#include "longarm/serve/door_event.h"
#include "longarm/system/descriptor.h"

namespace longarm::serve {

/// First come, first served. Bounded, as long as carriers ask before they read on.
class Inbox {
 public:
  static constexpr std::size_t kMaxClientBytes = 64 * 1024;
  static constexpr std::size_t kMaxBytes = 16 * 1024 * 1024;

  Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  /// A number nobody else has.
  ConnectionId new_client() { return ConnectionId{++last_client_}; }
  void push(DoorEvent event);
  /// Whether a carrier may read more from this client; otherwise when it is told to resume.
  bool has_room(ConnectionId client) const;

  bool is_empty() const { return size_.load(std::memory_order_acquire) == 0; }
  std::optional<DoorEvent> pop();
  /// The first one that `is_ready(event)`; whatever follows from a client of one that is not stays
  /// behind it.
  std::optional<DoorEvent> pop(const std::function<bool(const DoorEvent&)>& is_ready);
  /// Until something is in it, or can be read from `also`; for no longer than `patience`. True if
  /// `also` has something. While nobody waits here, push() and pop() are no business of the
  /// operating system's.
  bool wait(Duration patience, int also = -1);

 private:
  mutable std::mutex mutex_;
  std::deque<DoorEvent> events_;
  std::map<ConnectionId, std::size_t> client_bytes_;  ///< of clients that have some
  std::size_t bytes_ = 0;
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint32_t> last_client_{0};
  system::Descriptor waker_;
  bool is_waited_for_ = false;
  bool is_woken_ = false;
};

}  // namespace longarm::serve
