// SPDX-License-Identifier: Apache-2.0
// A queue behind a lock, with a descriptor that tells when to look.
#include "longarm/serve/inbox.h"

#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

#include "longarm/core/check.h"

namespace longarm::serve {

Inbox::Inbox() : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  check(descriptor_ >= 0, "no descriptor is left for the inbox");
}

Inbox::~Inbox() {
  close(descriptor_);
}

void Inbox::push(DoorEvent event) {
  const std::lock_guard lock(mutex_);
  if (!event.bytes.empty()) {
    bytes_ += event.bytes.size();
    client_bytes_[event.client] += event.bytes.size();
  }
  events_.push_back(std::move(event));
  if (size_.fetch_add(1, std::memory_order_release) == 0) {
    eventfd_write(descriptor_, 1);
  }
}

bool Inbox::has_room(ConnectionId client) const {
  const std::lock_guard lock(mutex_);
  const auto waiting = client_bytes_.find(client);
  return bytes_ < kMaxBytes &&
         (waiting == client_bytes_.end() || waiting->second < kMaxClientBytes);
}

std::optional<DoorEvent> Inbox::pop() {
  if (is_empty()) {
    return std::nullopt;
  }
  const std::lock_guard lock(mutex_);
  DoorEvent event = std::move(events_.front());
  events_.pop_front();
  if (!event.bytes.empty()) {
    bytes_ -= event.bytes.size();
    const auto waiting = client_bytes_.find(event.client);
    waiting->second -= event.bytes.size();
    if (waiting->second == 0) {
      client_bytes_.erase(waiting);
    }
  }
  if (size_.fetch_sub(1, std::memory_order_release) == 1) {
    eventfd_t ignored = 0;
    eventfd_read(descriptor_, &ignored);
  }
  return event;
}

}  // namespace longarm::serve
