// SPDX-License-Identifier: Apache-2.0
// Alternates between the kernel's due events and those of sockets.
#include "longarm/components/real/real_time_loop.h"

#include <utility>

#include <sys/prctl.h>

#include "longarm/core/check.h"

namespace longarm::components {
namespace {

std::unique_ptr<system::Reactor> make_reactor() {
  Result<std::unique_ptr<system::Reactor>> made = system::Reactor::make();
  check(made.has_value(), "no file descriptor left to wait for sockets");
  return std::move(made).value();
}

}  // namespace

RealTimeLoop::RealTimeLoop(sim::Kernel& kernel) : kernel_(kernel), reactor_(make_reactor()) {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // wake up when asked to, not 50 us later
}

void RealTimeLoop::watch(int descriptor, std::uint32_t events, system::Reactor::Handler ready) {
  const auto [found, is_new] = watched_.try_emplace(descriptor);
  if (is_new) {
    found->second = reactor_->watch(descriptor, events, std::move(ready));
  } else {
    reactor_->change(found->second, events);
  }
}

void RealTimeLoop::forget(int descriptor) {
  if (const auto found = watched_.find(descriptor); found != watched_.end()) {
    reactor_->forget(found->second);
    watched_.erase(found);
  }
}

Result<Time> RealTimeLoop::run(Time until, const std::function<bool()>& is_done) {
  is_stopped_ = false;
  while (!is_stopped_) {
    // what sockets brought was scheduled for "now": the kernel must go at least one further
    const Time end = std::max(wall_now(), kernel_.now() + Duration(1));
    const Result<Time> reached = kernel_.run_until(end);
    if (!reached) {
      return reached;
    }
    if (kernel_.is_stopped() || (is_done && is_done()) || wall_now() >= until) {
      break;
    }
    reactor_->run_once(std::min(kernel_.next_time(), until));
  }
  return kernel_.now();
}

}  // namespace longarm::components
