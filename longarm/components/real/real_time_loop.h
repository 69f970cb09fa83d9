// SPDX-License-Identifier: Apache-2.0
// A kernel whose clock is the wall's: runs its events when they are due and waits for sockets in
// between.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "longarm/core/result.h"
#include "longarm/sim/kernel.h"
#include "longarm/system/reactor.h"

namespace longarm::components {

/// One thread. Time counts from when it was made. Events keep the times they were scheduled for,
/// however late they run.
class RealTimeLoop {
 public:
  explicit RealTimeLoop(sim::Kernel& kernel);

  sim::Kernel& kernel() { return kernel_; }
  /// The present, on the kernel's scale. Moves while an event runs, unlike the kernel's.
  Time wall_now() const { return reactor_->now(); }
  /// The earliest time for which something that has just happened can be scheduled.
  Time stamp() const { return std::max(kernel_.now(), wall_now()); }

  /// Called whenever `descriptor` has one of `events` (of epoll); again to change those, not who is
  /// called. Outside of kernel events, so it may only schedule.
  void watch(int descriptor, std::uint32_t events, system::Reactor::Handler ready);
  /// Before it is closed.
  void forget(int descriptor);

  /// Until stop(), the kernel's own stop() or failure, `is_done` or the time has come.
  Result<Time> run(Time until, const std::function<bool()>& is_done = {});
  void stop() { is_stopped_ = true; }

 private:
  sim::Kernel& kernel_;
  std::unique_ptr<system::Reactor> reactor_;
  std::map<int, system::Reactor::WatchId> watched_;
  bool is_stopped_ = false;
};

}  // namespace longarm::components
