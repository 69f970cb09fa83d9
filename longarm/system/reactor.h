// SPDX-License-Identifier: Apache-2.0
// One thread that waits for sockets and for instants, to the nanosecond where the system can.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "longarm/core/result.h"
#include "longarm/core/time.h"
#include "longarm/system/descriptor.h"

struct epoll_event;

namespace longarm::system {

struct ReactorOptions {
  /// A timer that is due within so long is waited for without sleeping: less late, one core busy.
  Duration spin{0};
};

struct ReactorFigures {
  std::uint64_t rounds = 0;  ///< times that it waited
  std::uint64_t timers = 0;  ///< times that one was due
};

/// Time is the real time since it was made, steady, as longarm Time. All calls but stop() are for
/// the thread that runs it; handlers may call everything, also on themselves.
class Reactor {
 public:
  enum class WatchId : std::uint64_t {};
  static constexpr WatchId kNoWatch{0};
  enum class TimerId : std::uint32_t {};
  /// What happened: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR.
  using Handler = std::function<void(std::uint32_t happened)>;

  /// Fails where the process has no descriptor left.
  static Result<std::unique_ptr<Reactor>> make(const ReactorOptions& options = {});
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  Time now() const {
    return Time(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start_));
  }

  /// `wanted` as of epoll, level-triggered unless it says EPOLLET. The descriptor must be open
  /// until it is forgotten. kNoWatch if the system has no room for one more.
  WatchId watch(int descriptor, std::uint32_t wanted, Handler handler);
  void change(WatchId watch, std::uint32_t wanted);
  /// Its handler is not called any more, not even for what has happened already.
  void forget(WatchId watch);

  /// Off at first. Every handler of a round has been called before timers are looked at, so that
  /// set_timer(t, now()) means: after these.
  TimerId add_timer(std::function<void()> handler);
  /// Once, at that instant or a little later; Time::max(): never.
  void set_timer(TimerId timer, Time at);
  void remove_timer(TimerId timer);

  /// Until stop() or, if sooner, that instant.
  void run(Time until = Time::max());
  /// Waits once, at most until then, and handles what there is.
  void run_once(Time until);
  /// From any thread: ends the wait that is under way, or the next one.
  void wake() const;
  /// From any thread, also from a handler of signals. The next run() begins anew.
  void stop();

  const ReactorFigures& figures() const { return figures_; }

 private:
  struct Watch {
    Handler handler;
    int descriptor = -1;
    std::uint32_t wanted = 0;
  };
  struct Slot {
    std::unique_ptr<Watch> watch;  ///< null: free
    std::uint32_t generation = 0;  ///< tells this user of the slot from earlier ones
  };
  struct Timer {
    std::function<void()> handler;
    Time at = Time::max();
  };

  explicit Reactor(const ReactorOptions& options);
  Watch* find(WatchId watch);
  Time next_timer() const;
  int wait(epoll_event* events, int size, Time until) const;
  void run_timers();

  ReactorOptions options_;
  std::chrono::steady_clock::time_point start_;
  Descriptor poller_;
  Descriptor waker_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<std::unique_ptr<Timer>> timers_;  // null: free
  std::vector<std::pair<Time, std::size_t>> due_;
  // a handler that forgets itself still runs to its end
  std::vector<std::unique_ptr<Watch>> retired_watches_;
  std::vector<std::unique_ptr<Timer>> retired_timers_;
  std::atomic<bool> is_stopping_{false};
  ReactorFigures figures_;
};

}  // namespace longarm::system
