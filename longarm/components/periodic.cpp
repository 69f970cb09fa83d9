// SPDX-License-Identifier: Apache-2.0
// Runs cycles on their grid.
#include "longarm/components/periodic.h"

#include <utility>

#include "longarm/core/check.h"

namespace longarm::components {

Periodic::Periodic(Node& node, PeriodicSettings settings, Work work, Observer observer)
    : node_(node), settings_(settings), work_(std::move(work)), observer_(std::move(observer)) {
  check(settings_.period > Duration(0), "a period must be positive");
  node_.spawn(run());
}

sim::Task<void> Periodic::run() {
  Time due = node_.now() + settings_.phase;
  const auto wanted = static_cast<std::uint64_t>(settings_.cycles);
  while (wanted == 0 || cycles_ < wanted) {
    co_await node_.sleep_until(due);
    PeriodicCycle cycle{.due = due, .began = node_.now(), .ended = {}};
    co_await work_();
    cycle.ended = node_.now();
    ++cycles_;
    if (observer_) {
      observer_(cycle);
    }

    due += settings_.period;
    if (cycle.ended <= due) {
      continue;
    }
    // late: the cycle that was due last begins at once, those before it are missed
    ++overruns_;
    const auto behind = (cycle.ended - due) / settings_.period;
    missed_ += static_cast<std::uint64_t>(behind);
    due += behind * settings_.period;
  }
  is_done_ = true;
}

}  // namespace longarm::components
