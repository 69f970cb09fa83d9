// SPDX-License-Identifier: Apache-2.0
// Alternates between the kernel's due events and poll().
#include "longarm/components/real/real_time_loop.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/prctl.h>

namespace longarm::components {

RealTimeLoop::RealTimeLoop(sim::Kernel& kernel)
    : kernel_(kernel), start_(std::chrono::steady_clock::now()) {
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);  // wake up when asked to, not 50 us later
}

Time RealTimeLoop::wall_now() const {
  return Time(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - start_));
}

void RealTimeLoop::watch(int descriptor, short events, Ready ready) {
  watched_[descriptor] = {events, std::move(ready)};
}

void RealTimeLoop::forget(int descriptor) {
  watched_.erase(descriptor);
}

void RealTimeLoop::wait_for_sockets(Time until) {
  std::vector<pollfd> descriptors;
  for (const auto& [number, watched] : watched_) {
    descriptors.push_back({number, watched.events, 0});
  }
  const Duration patience = std::max(until - wall_now(), Duration::zero());
  const timespec span{patience.count() / 1'000'000'000, patience.count() % 1'000'000'000};
  if (ppoll(descriptors.data(), descriptors.size(), &span, nullptr) <= 0) {
    return;
  }
  for (const pollfd& each : descriptors) {
    // an earlier callback may have closed this one
    const auto found = watched_.find(each.fd);
    if (each.revents != 0 && found != watched_.end()) {
      const Ready ready = found->second.ready;
      ready(each.revents);
    }
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
    wait_for_sockets(std::min(kernel_.next_time(), until));
  }
  return kernel_.now();
}

}  // namespace longarm::components
