// SPDX-License-Identifier: Apache-2.0
// Typed messages over one direction of a link, delivered by the kernel.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "longarm/core/check.h"
#include "longarm/network/link.h"
#include "longarm/sim/kernel.h"

namespace longarm::network {

/// What happened on one direction so far.
struct ChannelStatistics {
  std::uint64_t sent = 0;
  std::uint64_t delivered = 0;
  std::uint64_t dropped = 0;
  Duration delay_sum{0};
  Duration delay_max{0};
};

/// Sends copies of messages through a link and hands them to one receiver when they arrive.
/// Messages in flight live in slots that are used again, so a steady stream allocates nothing.
template <typename Message>
class Channel final : private LinkOutput {
 public:
  using Receiver = std::function<void(const Message&, Time now)>;

  Channel(sim::Kernel& kernel, std::string name, std::unique_ptr<Link> link, Receiver receiver)
      : kernel_(kernel),
        source_(kernel.add_source(std::move(name))),
        link_(std::move(link)),
        receiver_(std::move(receiver)) {}

  // deliveries under way point here
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void send(const Message& message, std::size_t size_bytes) {
    const std::uint32_t handle = take_slot();
    slots_[handle].message = message;
    slots_[handle].sent_at = kernel_.now();
    link_->send(kernel_.now(), {statistics_.sent++, size_bytes, handle}, *this);
  }

  const ChannelStatistics& statistics() const { return statistics_; }

 private:
  struct Slot {
    Message message{};
    Time sent_at{};
    int arrivals_pending = 0;
  };

  void arrive(const Packet& packet, Time when) override {
    check(when >= kernel_.now(), "a link delivered into the past");
    ++slots_[packet.handle].arrivals_pending;
    kernel_.deliver(when, source_,
                    [this, handle = packet.handle](Time now) { hand_over(handle, now); });
  }

  void drop(const Packet& packet) override {
    ++statistics_.dropped;
    free_slots_.push_back(packet.handle);
  }

  void hand_over(std::uint32_t handle, Time now) {
    Slot& slot = slots_[handle];
    const Duration delay = now - slot.sent_at;
    ++statistics_.delivered;
    statistics_.delay_sum += delay;
    statistics_.delay_max = std::max(statistics_.delay_max, delay);
    receiver_(slot.message, now);
    if (--slot.arrivals_pending == 0) {
      free_slots_.push_back(handle);
    }
  }

  std::uint32_t take_slot() {
    if (free_slots_.empty()) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t handle = free_slots_.back();
    free_slots_.pop_back();
    return handle;
  }

  sim::Kernel& kernel_;
  sim::SourceId source_;
  std::unique_ptr<Link> link_;
  Receiver receiver_;
  ChannelStatistics statistics_;
  std::deque<Slot> slots_;  // a deque: receivers may send while they hold a message
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace longarm::network
