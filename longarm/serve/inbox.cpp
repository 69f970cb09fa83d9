// SPDX-License-Identifier: Apache-2.0
// A queue behind a lock, with a descriptor that wakes whoever waits.
#include "longarm/serve/inbox.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <sys/eventfd.h>

#include "longarm/core/check.h"
#include "longarm/system/wait.h"

namespace longarm::serve {

Inbox::Inbox() : waker_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  check(waker_.is_open(), "no file descriptor left for the inbox");
}

void Inbox::push(DoorEvent event) {
  const std::lock_guard lock(mutex_);
  if (!event.bytes.empty()) {
    bytes_ += event.bytes.size();
    client_bytes_[event.client] += event.bytes.size();
  }
  events_.push_back(std::move(event));
  size_.fetch_add(1, std::memory_order_release);
  if (is_waited_for_ && !std::exchange(is_woken_, true)) {
    eventfd_write(waker_.number(), 1);
  }
}

bool Inbox::has_room(ConnectionId client) const {
  const std::lock_guard lock(mutex_);
  const auto waiting = client_bytes_.find(client);
  return bytes_ < kMaxBytes &&
         (waiting == client_bytes_.end() || waiting->second < kMaxClientBytes);
}

std::optional<DoorEvent> Inbox::pop() {
  return pop([](const DoorEvent&) { return true; });
}

std::optional<DoorEvent> Inbox::pop(const std::function<bool(const DoorEvent&)>& is_ready) {
  if (is_empty()) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  std::set<ConnectionId> held;
  const auto found = std::find_if(events_.begin(), events_.end(), [&](const DoorEvent& each) {
    if (held.contains(each.client)) {
      return false;
    }
    const bool is_wanted = is_ready(each);
    if (!is_wanted) {
      held.insert(each.client);
    }
    return is_wanted;
  });
  if (found == events_.end()) {
    return std::nullopt;
  }
  DoorEvent event = std::move(*found);
  events_.erase(found);
  if (!event.bytes.empty()) {
    bytes_ -= event.bytes.size();
    const auto waiting = client_bytes_.find(event.client);
    waiting->second -= event.bytes.size();
    if (waiting->second == 0) {
      client_bytes_.erase(waiting);
    }
  }
  size_.fetch_sub(1, std::memory_order_release);
  return event;
}

bool Inbox::wait(Duration patience, int also) {
  {
    const std::lock_guard lock(mutex_);
    is_waited_for_ = events_.empty();
    if (!is_waited_for_) {
      patience = Duration::zero();
    }
  }
  const timespec timeout = system::to_timespec(patience);
  std::array<pollfd, 2> both{pollfd{also, POLLIN, 0}, pollfd{waker_.number(), POLLIN, 0}};
  const int count = ppoll(both.data(), both.size(), &timeout, nullptr);
  const std::lock_guard lock(mutex_);
  is_waited_for_ = false;
  if (std::exchange(is_woken_, false)) {
    eventfd_t ignored = 0;
    eventfd_read(waker_.number(), &ignored);
  }
  return count > 0 && both[0].revents != 0;
}

}  // namespace longarm::serve
