// SPDX-License-Identifier: Apache-2.0
// Hands recorded messages over again, each at the instant at which it arrived.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/control/loop_observer.h"
#include "longarm/sim/kernel.h"

namespace longarm::control {

/// Takes the place of a link and of whoever was at its far end. Messages come in the order of the
/// list; only the next one is ever scheduled, so that a long recording costs the kernel nothing.
template <typename Message>
class MessageFeed {
 public:
  using Receiver = std::function<void(const Message&, Time now)>;

  /// `messages` are in the order of their arrival and outlive this.
  MessageFeed(sim::Kernel& kernel, std::string name, const std::vector<Arrived<Message>>& messages,
              Receiver receiver)
      : kernel_(kernel),
        source_(kernel.add_source(std::move(name))),
        messages_(messages),
        receiver_(std::move(receiver)) {
    schedule_next();
  }

  // the scheduled delivery points here
  MessageFeed(const MessageFeed&) = delete;
  MessageFeed& operator=(const MessageFeed&) = delete;

 private:
  void schedule_next() {
    if (next_ == messages_.size()) {
      return;
    }
    // deliveries come before all phases of an instant. What a link without delay delivered between
    // two of them is early by that, which neither joints nor actuators can see
    kernel_.deliver(std::max(messages_[next_].at, kernel_.now()), source_, [this](Time now) {
      receiver_(messages_[next_].message, now);
      ++next_;
      schedule_next();
    });
  }

  sim::Kernel& kernel_;
  sim::SourceId source_;
  const std::vector<Arrived<Message>>& messages_;
  Receiver receiver_;
  std::size_t next_ = 0;
};

}  // namespace longarm::control
