// SPDX-License-Identifier: Apache-2.0
// A binary heap of small entries; the actions stay in slots that are used again.
#include "longarm/sim/kernel.h"

#include <algorithm>
#include <utility>

#include "longarm/core/check.h"
#include "longarm/core/suggest.h"
#include "longarm/core/text.h"

namespace longarm::sim {
namespace {

constexpr std::uint64_t kDeliveryRank = 0;
// how many of the last deliveries of a suspected loop are looked at to name its members
constexpr int kLoopSample = 1'000;

constexpr std::uint64_t rank_of(Phase phase) {
  return 1 + static_cast<std::uint64_t>(phase);
}

}  // namespace

SourceId Kernel::add_source(std::string name) {
  sources_.push_back(std::move(name));
  return SourceId(static_cast<std::uint32_t>(sources_.size() - 1));
}

const std::string& Kernel::source_name(SourceId source) const {
  return sources_.at(static_cast<std::size_t>(source));
}

EventId Kernel::at(Time when, Phase phase, SourceId source, Action action) {
  return schedule(when, rank_of(phase), source, Duration(0), std::move(action));
}

EventId Kernel::every(Duration period, Time first, Phase phase, SourceId source, Action action) {
  check(period > Duration(0), "a period must be positive");
  return schedule(first, rank_of(phase), source, period, std::move(action));
}

EventId Kernel::deliver(Time when, SourceId source, Action action) {
  return schedule(when, kDeliveryRank, source, Duration(0), std::move(action));
}

EventId Kernel::schedule(Time when, std::uint64_t rank, SourceId source, Duration period,
                         Action action) {
  check(when >= now_, "an event cannot be scheduled in the past");
  check(when > now_ || rank == kDeliveryRank || rank >= rank_,
        "an event cannot be scheduled in a phase that is over");

  std::uint32_t index = 0;
  if (free_slots_.empty()) {
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.action = std::move(action);
  slot.period = period;

  const EventId id{index, slot.generation};
  push({when, (rank << 32) | static_cast<std::uint32_t>(source), next_sequence_++, id});
  return id;
}

void Kernel::cancel(EventId event) {
  if (event.slot < slots_.size() && slots_[event.slot].generation == event.generation) {
    release(event.slot);  // its heap entry is skipped when it comes up
  }
}

void Kernel::fail(Error error) {
  if (!failure_) {
    failure_ = std::move(error);  // the first says most
  }
  is_stopped_ = true;
}

void Kernel::begin_instant(Time time) {
  if (time > now_) {
    now_ = time;
    rank_ = 0;
    deliveries_at_once_ = 0;
    set_check_time(now_);
  }
}

Result<bool> Kernel::run_event_sources(Time end) {
  for (EventSource* source : event_sources_) {
    // up to and including the instant of our own next event
    const Time own = next_time();
    const Time until = own < end ? own + Duration(1) : end;
    if (source->next_event() >= until) {
      continue;
    }
    Result<std::optional<Time>> due = source->advance(until);
    if (!due) {
      return due.error();
    }
    if (*due) {
      check(**due >= now_, "an event source went back in time");
      begin_instant(**due);
      if (++deliveries_at_once_ > kMaxDeliveriesAtOnce) {
        return endless_loop();
      }
      source->hand_over(now_);
      return true;
    }
  }
  return false;
}

Result<Time> Kernel::run_until(Time end) {
  is_stopped_ = false;
  while (!is_stopped_) {
    if (!event_sources_.empty()) {
      const Result<bool> has_handed_over = run_event_sources(end);
      if (!has_handed_over) {
        return has_handed_over.error();
      }
      if (*has_handed_over) {
        continue;
      }
    }
    if (heap_.empty() || heap_.front().time >= end) {
      break;
    }
    const Entry entry = pop();
    if (slots_[entry.id.slot].generation != entry.id.generation) {
      continue;  // cancelled
    }

    // a new instant begins with no phase under way
    begin_instant(entry.time);

    // deliveries may breed deliveries, but not for ever
    const std::uint64_t rank = entry.order >> 32;
    if (rank == kDeliveryRank) {
      if (++deliveries_at_once_ > kMaxDeliveriesAtOnce - kLoopSample) {
        recent_deliveries_.push_back(static_cast<std::uint32_t>(entry.order));
      }
      if (deliveries_at_once_ > kMaxDeliveriesAtOnce) {
        return endless_loop();
      }
    } else {
      rank_ = rank;
      deliveries_at_once_ = 0;
      recent_deliveries_.clear();
    }
    run(entry);
  }
  if (failure_) {
    return *failure_;
  }
  if (!is_stopped_) {
    now_ = end;
    rank_ = 0;
  }
  return now_;
}

void Kernel::run(const Entry& entry) {
  Slot& slot = slots_[entry.id.slot];

  // out of its slot while it runs, so that it may cancel itself
  Action action = std::move(slot.action);
  if (slot.period == Duration(0)) {
    release(entry.id.slot);
    action(entry.time);
    return;
  }
  action(entry.time);
  if (slot.generation == entry.id.generation) {
    slot.action = std::move(action);
    push({entry.time + slot.period, entry.order, next_sequence_++, entry.id});
  }
}

void Kernel::release(std::uint32_t index) {
  Slot& slot = slots_[index];
  slot.action = nullptr;
  ++slot.generation;
  free_slots_.push_back(index);
}

// std::push_heap keeps the largest in front, so "larger" means "later"
struct Kernel::Later {
  bool operator()(const Entry& a, const Entry& b) const {
    if (a.time != b.time) {
      return a.time > b.time;
    }
    return a.order != b.order ? a.order > b.order : a.sequence > b.sequence;
  }
};

void Kernel::push(Entry entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), Later{});
}

Kernel::Entry Kernel::pop() {
  std::pop_heap(heap_.begin(), heap_.end(), Later{});
  const Entry entry = heap_.back();
  heap_.pop_back();
  return entry;
}

Error Kernel::endless_loop() const {
  std::vector<std::uint32_t> members = recent_deliveries_;
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  std::vector<std::string> names;
  for (const std::uint32_t member : members) {
    names.push_back(sources_.at(member));
  }
  return Error{"endless zero-delay loop at " + format_duration(now_.time_since_epoch()) +
               " between: " + join(names)};
}

}  // namespace longarm::sim
