// SPDX-License-Identifier: Apache-2.0
// Work that is done again and again: every period, with a phase, and what happens when it takes too
// long.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "longarm/components/node.h"

namespace longarm::components {

struct PeriodicSettings {
  Duration period{0};
  Duration phase{0};        ///< of the first cycle, after the start
  std::int64_t cycles = 0;  ///< so many, then no more; 0: without end
};

struct PeriodicCycle {
  Time due{};
  Time began{};
  Time ended{};
};

/// A cycle that ends after the next one was due is an overrun; the next one then begins at once,
/// and the ones missed meanwhile are left out: cycles stay on the grid of phase + n · period.
class Periodic {
 public:
  using Work = std::function<sim::Task<void>()>;
  using Observer = std::function<void(const PeriodicCycle& cycle)>;

  /// Starts with the node's next events. `work` returns a task made by a function, not by a lambda
  /// that captures (task.h). Outlives the node's tasks.
  Periodic(Node& node, PeriodicSettings settings, Work work, Observer observer = {});
  Periodic(const Periodic&) = delete;
  Periodic& operator=(const Periodic&) = delete;

  std::uint64_t cycles() const { return cycles_; }
  std::uint64_t overruns() const { return overruns_; }
  std::uint64_t missed() const { return missed_; }
  bool is_done() const { return is_done_; }

 private:
  sim::Task<void> run();

  Node& node_;
  PeriodicSettings settings_;
  Work work_;
  Observer observer_;
  std::uint64_t cycles_ = 0;
  std::uint64_t overruns_ = 0;
  std::uint64_t missed_ = 0;
  bool is_done_ = false;
};

}  // namespace longarm::components
