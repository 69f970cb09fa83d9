// SPDX-License-Identifier: Apache-2.0
// The cores of a host and the jobs that share them, exact to the nanosecond.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "longarm/network/host.h"
#include "longarm/sim/kernel.h"

namespace longarm::components {

/// Fair: n jobs on c cores each run at speed·(1 − load)·min(1, c/n). Fifo: each keeps a core until
/// it is done, later ones wait. Without a number of cores every job has one of its own. Outlives
/// the kernel's runs.
class Cores {
 public:
  using Done = std::function<void()>;

  Cores(sim::Kernel& kernel, const network::Host& host);
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  /// `work` is at speed 1 and without load. `owner` is for forget(). Never calls `done` at once.
  void execute(Duration work, std::uint64_t owner, Done done);
  /// How long `work` takes on a core of its own.
  Duration alone(Duration work) const;
  /// The jobs of a process that is no more go on, but nobody is told.
  void forget(std::uint64_t owner);

  /// Core-seconds spent so far.
  double busy_s() const;

 private:
  __extension__ typedef __int128 Wide;

  struct Job {
    Wide finish;  // fair: in service received per job; fifo: the work itself, in nanoseconds
    std::uint64_t sequence = 0;
    std::uint64_t owner = 0;
    Done done;
  };
  struct Later;

  bool is_limited() const { return cores_ > 0; }
  void execute_fairly(Job job);
  /// Brings the service received per job up to now.
  void catch_up();
  Time time_of(Wide finish) const;
  void plan_next();
  void finish_due();
  void tell_finished();
  void start_fifo(Job job);
  void finish_fifo(std::uint64_t sequence);

  sim::Kernel& kernel_;
  sim::SourceId source_;
  std::int64_t cores_;
  double rate_;
  network::Scheduling scheduling_;

  std::uint64_t next_sequence_ = 0;
  std::vector<Job> jobs_;      // under way; a heap by finish if fair
  std::deque<Job> waiting_;    // fifo
  std::vector<Job> finished_;  // and not told yet
  bool is_finishing_ = false;
  Wide service_ = 0;  // per job, since the cores were last idle; in 2^-32 ns
  Time service_at_{};
  Time planned_at_{};
  bool is_planned_ = false;
  sim::EventId planned_{UINT32_MAX, 0};
  std::int64_t busy_ns_ = 0;  // until service_at_
};

}  // namespace longarm::components
