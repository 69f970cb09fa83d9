// SPDX-License-Identifier: Apache-2.0
// epoll with a time-out in nanoseconds, and a handful of timers that are looked through one by one.
#include "longarm/system/reactor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "longarm/core/check.h"
#include "longarm/system/wait.h"

namespace longarm::system {
namespace {

constexpr int kEventsAtOnce = 64;
constexpr std::uint64_t kWaker = std::numeric_limits<std::uint64_t>::max();
// nobody has to wait longer than this for anything that was overlooked
constexpr Duration kLongestWait = std::chrono::seconds(10);

std::uint32_t slot_of(std::uint64_t watch) {
  return static_cast<std::uint32_t>(watch);
}

std::uint64_t name_of(std::uint32_t slot, std::uint32_t generation) {
  return (static_cast<std::uint64_t>(generation) << 32) | slot;
}

/// Asks the kernel to let this thread run when its sleep is over. Needs no right; where the kernel
/// does not know a wish it stays as it was.
void wake_in_time() {
  prctl(PR_SET_TIMERSLACK, 1UL);  // ns; it may be 50 µs late otherwise
  // of the fair scheduler: who wants short turns gets them soon, also beside those who compute
  // (Linux 6.12; without it, on a busy machine, a turn of 4 ms may have to end first)
  struct {
    std::uint32_t size, policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t turn_ns, deadline_ns, period_ns;
  } wish{};
  if (syscall(SYS_sched_getattr, 0, &wish, sizeof wish, 0) == 0 && wish.policy == SCHED_OTHER) {
    wish.turn_ns = 100'000;
    syscall(SYS_sched_setattr, 0, &wish, 0);
  }
}

}  // namespace

Result<std::unique_ptr<Reactor>> Reactor::make(const ReactorOptions& options) {
  std::unique_ptr<Reactor> reactor(new Reactor(options));
  if (!reactor->poller_.is_open() || !reactor->waker_.is_open()) {
    return Error{"cannot wait for sockets: " + last_system_error()};
  }
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = kWaker;
  epoll_ctl(reactor->poller_.number(), EPOLL_CTL_ADD, reactor->waker_.number(), &event);
  return reactor;
}

Reactor::Reactor(const ReactorOptions& options)
    : options_(options),
      start_(std::chrono::steady_clock::now()),
      poller_(epoll_create1(EPOLL_CLOEXEC)),
      waker_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Reactor::Watch* Reactor::find(WatchId watch) {
  const auto number = static_cast<std::uint64_t>(watch);
  if (slot_of(number) >= slots_.size()) {
    return nullptr;
  }
  const Slot& slot = slots_[slot_of(number)];
  return slot.generation == number >> 32 ? slot.watch.get() : nullptr;
}

Reactor::WatchId Reactor::watch(int descriptor, std::uint32_t wanted, Handler handler) {
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<std::uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const std::uint32_t index = free_slots_.back();
  Slot& slot = slots_[index];
  epoll_event event{};
  event.events = wanted;
  event.data.u64 = name_of(index, slot.generation + 1);
  if (epoll_ctl(poller_.number(), EPOLL_CTL_ADD, descriptor, &event) != 0) {
    check(errno == ENOMEM || errno == ENOSPC, "a descriptor that cannot be waited for");
    return kNoWatch;
  }
  free_slots_.pop_back();
  ++slot.generation;
  slot.watch = std::make_unique<Watch>(Watch{std::move(handler), descriptor, wanted});
  return WatchId(event.data.u64);
}

void Reactor::change(WatchId id, std::uint32_t wanted) {
  Watch* const watch = find(id);
  if (watch == nullptr || watch->wanted == wanted) {
    return;
  }
  watch->wanted = wanted;
  epoll_event event{};
  event.events = wanted;
  event.data.u64 = static_cast<std::uint64_t>(id);
  epoll_ctl(poller_.number(), EPOLL_CTL_MOD, watch->descriptor, &event);
}

void Reactor::forget(WatchId id) {
  Watch* const watch = find(id);
  if (watch == nullptr) {
    return;
  }
  epoll_ctl(poller_.number(), EPOLL_CTL_DEL, watch->descriptor, nullptr);
  const std::uint32_t index = slot_of(static_cast<std::uint64_t>(id));
  retired_watches_.push_back(std::move(slots_[index].watch));
  free_slots_.push_back(index);
}

Reactor::TimerId Reactor::add_timer(std::function<void()> handler) {
  const auto unused = std::find(timers_.begin(), timers_.end(), nullptr);
  const auto index = static_cast<std::size_t>(unused - timers_.begin());
  if (unused == timers_.end()) {
    timers_.emplace_back();
  }
  timers_[index] = std::make_unique<Timer>(Timer{std::move(handler), Time::max()});
  return TimerId(static_cast<std::uint32_t>(index));
}

void Reactor::set_timer(TimerId timer, Time at) {
  timers_[static_cast<std::size_t>(timer)]->at = at;
}

void Reactor::remove_timer(TimerId timer) {
  retired_timers_.push_back(std::move(timers_[static_cast<std::size_t>(timer)]));
}

Time Reactor::next_timer() const {
  Time next = Time::max();
  for (const auto& timer : timers_) {
    next = timer ? std::min(next, timer->at) : next;
  }
  return next;
}

void Reactor::run(Time until) {
  wake_in_time();
  while (!is_stopping_ && now() < until) {
    run_once(until);
  }
  is_stopping_ = false;
}

void Reactor::run_once(Time until) {
  std::array<epoll_event, kEventsAtOnce> events{};
  ++figures_.rounds;
  const int count = wait(events.data(), kEventsAtOnce, std::min(until, next_timer()));
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.u64 == kWaker) {
      eventfd_t ignored = 0;
      eventfd_read(waker_.number(), &ignored);
      continue;
    }
    // it may have been forgotten by a handler before this one
    if (Watch* const watch = find(WatchId(event.data.u64))) {
      watch->handler(event.events);
    }
  }
  run_timers();
  retired_watches_.clear();
  retired_timers_.clear();
}

/// How many things have happened.
int Reactor::wait(epoll_event* events, int size, Time until) const {
  for (;;) {
    const Duration left =
        until == Time::max() ? kLongestWait : std::min(kLongestWait, until - now());
    if (left <= options_.spin) {
      const int count = epoll_wait(poller_.number(), events, size, 0);
      if (count != 0 || left <= Duration(0) || is_stopping_) {
        return count;
      }
      continue;
    }
    const timespec patience = to_timespec(left - options_.spin);
    int count = epoll_pwait2(poller_.number(), events, size, &patience, nullptr);
    if (count < 0 && errno == ENOSYS) {  // before Linux 5.11
      wait_for(poller_.number(), POLLIN, left - options_.spin);
      count = epoll_wait(poller_.number(), events, size, 0);
    }
    if (count != 0 || options_.spin == Duration(0)) {
      return count;
    }
  }
}

void Reactor::run_timers() {
  const Time reached = now();
  due_.clear();
  for (std::size_t i = 0; i < timers_.size(); ++i) {
    if (timers_[i] && timers_[i]->at <= reached) {
      due_.emplace_back(timers_[i]->at, i);
    }
  }
  std::sort(due_.begin(), due_.end());
  for (const auto& [at, index] : due_) {
    Timer* const timer = timers_[index].get();
    if (timer == nullptr || timer->at > reached) {
      continue;  // another's handler has removed or moved it
    }
    timer->at = Time::max();
    ++figures_.timers;
    timer->handler();
  }
}

void Reactor::stop() {
  is_stopping_ = true;
  wake();
}

void Reactor::wake() const {
  eventfd_write(waker_.number(), 1);
}

}  // namespace longarm::system
