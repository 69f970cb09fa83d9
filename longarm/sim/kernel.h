// SPDX-License-Identifier: Apache-2.0
// The event kernel: one virtual clock, events in one written-down order.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/sim/event_source.h"

namespace longarm::sim {

/// What happens at one instant, in this order. Deliveries have no phase: all that are due at an
/// instant happen before each of these.
enum class Phase : std::uint8_t { kSample, kControl, kApply, kStep, kRecord };

/// Who schedules. Lower numbers go first among events of one instant and phase.
enum class SourceId : std::uint32_t {};

/// Names a scheduled event for cancel(). Stays harmless after the event happened.
struct EventId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;
};

/// Runs events ordered by (time, phase, source, sequence of scheduling). Not thread safe: one
/// simulation, one thread.
class Kernel {
 public:
  using Action = std::function<void(Time now)>;

  /// Zero-delay deliveries allowed between two phases before we call it an endless loop.
  static constexpr int kMaxDeliveriesAtOnce = 10'000;

  SourceId add_source(std::string name);
  const std::string& source_name(SourceId source) const;

  Time now() const { return now_; }

  /// Once, at `when` (not before now, nor in a phase of this instant that is over).
  EventId at(Time when, Phase phase, SourceId source, Action action);
  /// At `first` and then every `period`, until cancelled.
  EventId every(Duration period, Time first, Phase phase, SourceId source, Action action);
  /// A message arriving at `when`, before whatever phase comes next at that instant.
  EventId deliver(Time when, SourceId source, Action action);

  /// The event will not happen (again). An event may cancel itself while it runs.
  void cancel(EventId event);

  /// Takes the happenings of another clockwork into the order of events. It outlives the kernel's
  /// runs.
  void attach(EventSource& source) { event_sources_.push_back(&source); }

  /// Runs everything before `end`, then now() is `end`. Stops early, without error, after stop().
  /// Fails if deliveries at one instant never end (the error names the sources that keep sending),
  /// after fail(), and with the error of an event source.
  Result<Time> run_until(Time end);

  /// Makes run_until return once the present event is done.
  void stop() { is_stopped_ = true; }
  bool is_stopped() const { return is_stopped_; }
  /// Makes run_until return this error once the present event is done.
  void fail(Error error);

  /// When the next event of its own is due; Time::max() if there is none. May be early: cancelled
  /// events count until they come up.
  Time next_time() const { return heap_.empty() ? Time::max() : heap_.front().time; }

 private:
  struct Entry {
    Time time;
    std::uint64_t order;  // rank (0 = delivery, 1 + phase) in the upper half, source in the lower
    std::uint64_t sequence;
    EventId id;
  };
  struct Later;
  struct Slot {
    Action action;
    Duration period{0};
    std::uint32_t generation = 0;
  };

  EventId schedule(Time when, std::uint64_t rank, SourceId source, Duration period, Action action);
  void push(Entry entry);
  Entry pop();
  void run(const Entry& entry);
  void release(std::uint32_t slot);
  void begin_instant(Time time);
  Result<bool> run_event_sources(Time end);
  Error endless_loop() const;

  Time now_{};
  std::uint64_t rank_ = 0;  // of the last phase begun at this instant
  std::uint64_t next_sequence_ = 0;
  bool is_stopped_ = false;
  std::optional<Error> failure_;
  int deliveries_at_once_ = 0;
  std::vector<Entry> heap_;
  std::deque<Slot> slots_;  // a deque: running actions may add slots
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::string> sources_;
  std::vector<EventSource*> event_sources_;
  std::vector<std::uint32_t> recent_deliveries_;  // sources, filled only when a loop is suspected
};

}  // namespace longarm::sim
