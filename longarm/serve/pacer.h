// SPDX-License-Identifier: Apache-2.0
// When steps are due by the wall clock, and how late they are.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "longarm/core/time.h"

namespace longarm::serve {

struct PaceReport {
  std::uint64_t steps = 0;
  std::uint64_t late_steps = 0;  ///< begun more than a step's time after they were due
  Duration worst{0};             ///< lateness of a step
  Duration total{0};             ///< lateness of all late steps together
  std::uint64_t shifts = 0;      ///< times the schedule was given up and begun anew
  Duration shifted{0};           ///< by how much, together
  Duration behind{0};            ///< at the last step
};

/// Step k is due k periods after the start, times the speed. Five milliseconds are made up for
/// without a pause. What is later than that is made up for by steps that follow each other a
/// quarter faster than usual: a client that speaks every 8 ms is heard every 10 ms of simulated
/// time then, where a burst would have let its time-outs pass unheard. Beyond `most_behind` the
/// schedule is shifted instead. Nothing of it is silent: the report has it all.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  /// Speed 0: as fast as possible, never late.
  Pacer(Duration period, double speed, Duration most_behind);

  /// The next step is due now.
  void start(Clock::time_point now);
  Clock::time_point due() const { return std::max(due_at(next_), earliest_); }
  /// The next step begins now.
  void begin_step(Clock::time_point now);

  bool is_paced() const { return speed_ > 0.0; }
  /// A step by the wall clock.
  Duration wall_period() const { return wall_period_; }
  const PaceReport& report() const { return report_; }

 private:
  Clock::time_point due_at(std::uint64_t step) const;

  Duration period_;
  double speed_;
  Duration most_behind_;
  Duration wall_period_{0};
  Clock::time_point start_{};
  std::uint64_t next_ = 0;        ///< steps since the start
  Clock::time_point earliest_{};  ///< of the next one, however late it is
  PaceReport report_;
};

}  // namespace longarm::serve
