// SPDX-License-Identifier: Apache-2.0
// A kernel whose clock is the wall's: runs its events when they are due and waits for sockets in
// between.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>

#include "longarm/core/result.h"
#include "longarm/sim/kernel.h"

namespace longarm::components {

/// One thread. Time counts from when it was made. Events keep the times they were scheduled for,
/// however late they run.
class RealTimeLoop {
 public:
  /// `events` are those of poll().
  using Ready = std::function<void(short events)>;

  explicit RealTimeLoop(sim::Kernel& kernel);

  sim::Kernel& kernel() { return kernel_; }
  /// The present, on the kernel's scale. Moves while an event runs, unlike the kernel's.
  Time wall_now() const;
  /// The earliest time for which something that has just happened can be scheduled.
  Time stamp() const { return std::max(kernel_.now(), wall_now()); }

  /// Called whenever `descriptor` has one of `events`; again to change. Outside of kernel events,
  /// so it may only schedule.
  void watch(int descriptor, short events, Ready ready);
  void forget(int descriptor);

  /// Until stop(), the kernel's own stop() or failure, `is_done` or the time has come.
  Result<Time> run(Time until, const std::function<bool()>& is_done = {});
  void stop() { is_stopped_ = true; }

 private:
  struct Watched {
    short events = 0;
    Ready ready;
  };

  void wait_for_sockets(Time until);

  sim::Kernel& kernel_;
  std::chrono::steady_clock::time_point start_;
  std::map<int, Watched> watched_;
  bool is_stopped_ = false;
};

}  // namespace longarm::components
