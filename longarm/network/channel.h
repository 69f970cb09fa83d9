// SPDX-License-Identifier: Apache-2.0
// A channel: typed messages over one direction of a link, delivered at simulated times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/check.h"
#include "longarm/network/link.h"
#include "longarm/network/link_event.h"
#include "longarm/network/link_meter.h"
#include "longarm/sim/kernel.h"

namespace longarm::network {

/// Copies messages, sends them through a link and passes them to one receiver when they arrive.
/// Slots of messages in flight are reused, so a steady stream does not allocate.
template <typename Message>
class Channel final : private LinkOutput {
 public:
  using Receiver = std::function<void(const Message&, Time now)>;
  using Observer = std::function<void(const LinkEvent&)>;

  Channel(sim::Kernel& kernel, std::string name, std::unique_ptr<Link> link, Receiver receiver,
          LinkMeter meter = LinkMeter{})
      : kernel_(kernel),
        source_(kernel.add_source(std::move(name))),
        link_(std::move(link)),
        receiver_(std::move(receiver)),
        meter_(std::move(meter)) {}

  // deliveries under way point here
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Calls `observer` for each packet that is sent, arrives or is lost from now on; for arrivals
  /// before the receiver is called.
  void observe(Observer observer) { observer_ = std::move(observer); }

  /// Sends a copy of `message` now; links see only its size.
  void send(const Message& message, std::size_t size_bytes) {
    const std::uint32_t handle = take_slot();
    Slot& slot = slots_[handle];
    slot.message = message;
    slot.index = next_index_++;
    slot.size_bytes = size_bytes;
    slot.sent_at = kernel_.now();
    slot.has_arrived = false;
    meter_.sent();
    tell(LinkEventKind::kSent, slot);
    link_->send(kernel_.now(), {slot.index, size_bytes, handle}, *this);
  }

  /// Counts and delays of messages until `end`, which is now or later.
  LinkReport report(Time end) const {
    const auto is_overdue = [&](const Slot& slot) {
      return slot.is_taken && !slot.has_arrived && slot.sent_at + meter_.deadline() < end;
    };
    return meter_.report(
        end, static_cast<std::uint64_t>(std::count_if(slots_.begin(), slots_.end(), is_overdue)));
  }

 private:
  struct Slot {
    Message message{};
    std::uint64_t index = 0;
    std::size_t size_bytes = 0;
    Time sent_at{};
    int arrivals_pending = 0;
    bool has_arrived = false;
    bool is_taken = false;
  };

  void arrive(const Packet& packet, Time when) override {
    check(when >= kernel_.now(), "a link delivered into the past");
    check(slots_[packet.handle].is_taken, "a link delivered a packet that it had let go");
    ++slots_[packet.handle].arrivals_pending;
    kernel_.deliver(when, source_,
                    [this, handle = packet.handle](Time now) { hand_over(handle, now); });
  }

  void drop(const Packet& packet, DropReason reason) override {
    Slot& slot = slots_[packet.handle];
    check(slot.is_taken, "a link dropped a packet that it had let go");
    // of a message that arrives all the same, only a second copy is gone
    if (slot.arrivals_pending > 0) {
      return;
    }
    meter_.dropped(reason);
    tell(event_of(reason), slot);
    release(packet.handle);
  }

  void hand_over(std::uint32_t handle, Time now) {
    Slot& slot = slots_[handle];
    if (slot.has_arrived) {
      meter_.arrived_again();
    } else {
      slot.has_arrived = true;
      meter_.arrived(slot.index, slot.sent_at, now);
    }
    tell(LinkEventKind::kArrived, slot);
    receiver_(slot.message, now);
    if (--slot.arrivals_pending == 0) {
      release(handle);
    }
  }

  void tell(LinkEventKind kind, const Slot& slot) const {
    if (observer_) {
      observer_({kind, slot.index, slot.size_bytes, slot.sent_at, kernel_.now()});
    }
  }

  static LinkEventKind event_of(DropReason reason) {
    switch (reason) {
      case DropReason::kQueueFull:
        return LinkEventKind::kQueueFull;
      case DropReason::kCorrupt:
        return LinkEventKind::kCorrupt;
      case DropReason::kLoss:
        break;
    }
    return LinkEventKind::kLost;
  }

  std::uint32_t take_slot() {
    if (free_slots_.empty()) {
      slots_.emplace_back().is_taken = true;
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t handle = free_slots_.back();
    free_slots_.pop_back();
    slots_[handle].is_taken = true;
    return handle;
  }

  void release(std::uint32_t handle) {
    slots_[handle].is_taken = false;
    free_slots_.push_back(handle);
  }

  sim::Kernel& kernel_;
  sim::SourceId source_;
  std::unique_ptr<Link> link_;
  Receiver receiver_;
  Observer observer_;
  LinkMeter meter_;
  std::uint64_t next_index_ = 0;
  std::deque<Slot> slots_;  // a deque: receivers may send while they hold a message
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace longarm::network
