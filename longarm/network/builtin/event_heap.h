// SPDX-License-Identifier: Apache-2.0
// The built-in network's own events: small, in a 4-ary heap, in an order that is total.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "longarm/core/check.h"
#include "longarm/core/time.h"

namespace longarm::network {

enum class EventKind : std::uint32_t {
  kChange,    ///< of a cable; subject: cable
  kPortFree,  ///< its frame and the gap after it are over; subject: port
  kArrive,    ///< a packet at the far end; subject: port it was sent from
  kForward,   ///< a packet that a switch has looked at; subject: port it came in by
  kLose,      ///< a packet that its link took and will not bring; subject: port
  kTimer,     ///< subject: end of a TCP flow
  kCommand    ///< what the backend was told for this instant; subject: end of a flow
};

/// Events of one instant are ordered by kind and subject first, and only then by when they were
/// made: so it does not matter whether an arrival was known when its packet was queued or when it
/// was sent.
struct Event {
  std::int64_t time_ns = 0;
  std::uint64_t order = 0;  ///< kind (3 bits), subject (25), sequence (36)
  std::uint32_t item = 0;   ///< of a packet or a command
  std::uint32_t unused = 0;

  EventKind kind() const { return EventKind(static_cast<std::uint32_t>(order >> 61)); }
  std::uint32_t subject() const { return static_cast<std::uint32_t>(order >> 36) & kMaxSubject; }
  Time time() const { return Time(Duration(time_ns)); }

  bool is_before(const Event& other) const {
    if (time_ns != other.time_ns) {
      return time_ns < other.time_ns;
    }
    if (order >> 36 != other.order >> 36) {
      return order < other.order;
    }
    // sequences begin anew after 2^36: the shorter way round says who was first
    return static_cast<std::int64_t>((order - other.order) << 28) < 0;
  }

  static constexpr std::uint32_t kMaxSubject = (1U << 25) - 1;
  static constexpr std::uint64_t kMaxSequence = (std::uint64_t{1} << 36) - 1;
};

class EventHeap {
 public:
  /// `sequence` events are thought to have been before.
  explicit EventHeap(std::uint64_t sequence = 0) : sequence_(sequence) {}

  bool empty() const { return heap_.empty(); }
  const Event& top() const { return heap_.front(); }
  Time next_time() const { return heap_.empty() ? Time::max() : heap_.front().time(); }
  std::uint64_t count() const { return sequence_; }

  /// Gives the event's order, which no other event has that is less than 2^36 events away.
  std::uint64_t push(Time time, EventKind kind, std::uint32_t subject, std::uint32_t item = 0) {
    check(subject <= Event::kMaxSubject, "more flows than the built-in network can count");
    ++sequence_;
    const Event event{time.time_since_epoch().count(),
                      (static_cast<std::uint64_t>(kind) << 61) |
                          (static_cast<std::uint64_t>(subject) << 36) |
                          (sequence_ & Event::kMaxSequence),
                      item};
    heap_.push_back(event);
    sift_up(heap_.size() - 1, event);
    return event.order;
  }

  Event pop() {
    const Event first = heap_.front();
    const Event last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) {
      sift_down(last);
    }
    return first;
  }

 private:
  void sift_up(std::size_t place, const Event& event) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / 4;
      if (!event.is_before(heap_[parent])) {
        break;
      }
      heap_[place] = heap_[parent];
      place = parent;
    }
    heap_[place] = event;
  }

  void sift_down(const Event& event) {
    const std::size_t size = heap_.size();
    std::size_t place = 0;
    for (std::size_t child = 1; child < size; child = 4 * place + 1) {
      std::size_t first = child;
      const std::size_t end = child + 4 < size ? child + 4 : size;
      for (std::size_t i = child + 1; i < end; ++i) {
        first = heap_[i].is_before(heap_[first]) ? i : first;
      }
      if (!heap_[first].is_before(event)) {
        break;
      }
      heap_[place] = heap_[first];
      place = first;
    }
    heap_[place] = event;
  }

  std::vector<Event> heap_;
  std::uint64_t sequence_;
};

}  // namespace longarm::network
