// SPDX-License-Identifier: Apache-2.0
// The list of an epoll instance: who is put into it, reported and dropped.
#include "longarm/programs/kernel/epoll.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace longarm::programs {
namespace {

constexpr std::uint32_t kHowBits =
    EPOLLONESHOT | static_cast<std::uint32_t>(EPOLLET) | EPOLLEXCLUSIVE | EPOLLWAKEUP;
constexpr std::uint32_t kAlwaysReported = EPOLLERR | EPOLLHUP;
constexpr std::uint32_t kExclusiveBits = EPOLLIN | EPOLLOUT | kAlwaysReported | EPOLLWAKEUP |
                                         static_cast<std::uint32_t>(EPOLLET) | EPOLLEXCLUSIVE;
constexpr int kMostNested = 4;

/// What of it is there that was asked for.
std::uint32_t ready_events(const File& file, std::uint32_t asked) {
  return (asked & ~kHowBits) == 0 ? 0 : file.readiness() & asked & ~kHowBits;
}

}  // namespace

EpollFile::~EpollFile() {
  while (!items_.empty()) {
    erase(items_.begin());
  }
}

int EpollFile::add(const std::shared_ptr<File>& file, int descriptor, const epoll_event& event) {
  auto* inner = dynamic_cast<EpollFile*>(file.get());
  if ((event.events & EPOLLEXCLUSIVE) != 0 &&
      (inner != nullptr || (event.events & ~kExclusiveBits) != 0)) {
    return -EINVAL;
  }
  if (inner != nullptr &&
      (inner->reaches(*this) || inner->depth_below() + 1 + depth_above() > kMostNested)) {
    return -ELOOP;
  }
  if (find(file, descriptor) != nullptr) {
    return -EEXIST;
  }
  if (inner != nullptr) {
    inner->watched_by_.push_back(this);
  }
  Item& item = items_[{file.get(), descriptor}];
  item.owner = this;
  item.file = file.get();
  item.descriptor = descriptor;
  item.event = event;
  item.event.events |= kAlwaysReported;
  // as Linux queues them
  if (item.is_exclusive()) {
    file->watch(item);
  } else {
    file->watch_first(item);
  }
  list_if_ready(item);
  return 0;
}

int EpollFile::modify(const std::shared_ptr<File>& file, int descriptor, const epoll_event& event) {
  if ((event.events & EPOLLEXCLUSIVE) != 0) {
    return -EINVAL;
  }
  Item* item = find(file, descriptor);
  if (item == nullptr) {
    return -ENOENT;
  }
  if ((item->event.events & EPOLLEXCLUSIVE) != 0) {
    return -EINVAL;
  }
  item->event = event;
  item->event.events |= kAlwaysReported;
  list_if_ready(*item);
  return 0;
}

int EpollFile::remove(const std::shared_ptr<File>& file, int descriptor) {
  const auto found = items_.find({file.get(), descriptor});
  if (found == items_.end()) {
    return -ENOENT;
  }
  erase(found);
  return 0;
}

std::size_t EpollFile::collect(std::span<epoll_event> out) {
  std::size_t count = 0;
  for (std::size_t left = listed_.size(); left > 0 && count < out.size(); --left) {
    Item& item = *listed_.front();
    listed_.pop_front();
    item.is_listed = false;
    const std::uint32_t events = ready_events(*item.file, item.event.events);
    if (events == 0) {
      continue;
    }
    out[count].events = events;
    out[count].data = item.event.data;
    ++count;
    if ((item.event.events & EPOLLONESHOT) != 0) {
      item.event.events &= kHowBits;
    } else if ((item.event.events & static_cast<std::uint32_t>(EPOLLET)) == 0) {
      item.is_listed = true;
      listed_.push_back(&item);
    }
  }
  return count;
}

std::int64_t EpollFile::control(Thread&, std::uint64_t, std::uint64_t) {
  return -EINVAL;
}

std::uint32_t EpollFile::readiness() const {
  while (!listed_.empty()) {
    Item& item = *listed_.front();
    if (ready_events(*item.file, item.event.events) != 0) {
      return EPOLLIN | EPOLLRDNORM;
    }
    item.is_listed = false;
    listed_.pop_front();
  }
  return 0;
}

void EpollFile::item_changed(Item& item, std::uint32_t events) {
  if ((item.event.events & ~kHowBits) == 0 || (events & item.event.events) == 0) {
    return;
  }
  if (!std::exchange(item.is_listed, true)) {
    listed_.push_back(&item);
  }
  changed(EPOLLIN);
}

void EpollFile::item_gone(Item& item) {
  listed_.remove(&item);
  items_.erase({item.file, item.descriptor});
}

EpollFile::Item* EpollFile::find(const std::shared_ptr<File>& file, int descriptor) {
  const auto found = items_.find({file.get(), descriptor});
  return found == items_.end() ? nullptr : &found->second;
}

void EpollFile::list_if_ready(Item& item) {
  if (!item.is_listed && ready_events(*item.file, item.event.events) != 0) {
    item.is_listed = true;
    listed_.push_back(&item);
    changed(EPOLLIN);
  }
}

void EpollFile::erase(std::map<Key, Item>::iterator place) {
  File& file = *place->first.first;
  file.unwatch(place->second);
  listed_.remove(&place->second);
  items_.erase(place);
  if (auto* inner = dynamic_cast<EpollFile*>(&file)) {
    inner->watched_by_.erase(std::find(inner->watched_by_.begin(), inner->watched_by_.end(), this));
  }
}

int EpollFile::depth_below() const {
  int depth = 0;
  for (const EpollFile* inner : nested()) {
    depth = std::max(depth, inner->depth_below() + 1);
  }
  return depth;
}

int EpollFile::depth_above() const {
  int depth = 0;
  for (const EpollFile* outer : watched_by_) {
    depth = std::max(depth, outer->depth_above() + 1);
  }
  return depth;
}

bool EpollFile::reaches(const EpollFile& other) const {
  const std::vector<EpollFile*> inner = nested();
  return this == &other || std::any_of(inner.begin(), inner.end(),
                                       [&](const EpollFile* one) { return one->reaches(other); });
}

std::vector<EpollFile*> EpollFile::nested() const {
  std::vector<EpollFile*> found;
  for (const auto& [key, item] : items_) {
    if (auto* inner = dynamic_cast<EpollFile*>(key.first)) {
      found.push_back(inner);
    }
  }
  return found;
}

}  // namespace longarm::programs
