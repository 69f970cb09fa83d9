// SPDX-License-Identifier: Apache-2.0
// timerfd(2), and the interval timer inside all timers of programs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "longarm/programs/kernel/file.h"
#include "longarm/programs/kernel/process.h"
#include "longarm/sim/kernel.h"

namespace longarm::programs {

/// Expires at a reading of a host's clock, and then every interval. Late askers are told how often.
class IntervalTimer {
 public:
  struct Setting {
    Duration value{0};  ///< until it expires next; zero: disarmed
    Duration interval{0};
  };

  /// `expired` is called once for all expiries until the next taking.
  IntervalTimer(Kernel& kernel, Host& host, int clock, std::function<void()> expired)
      : kernel_(kernel), host_(host), clock_(clock), expired_(std::move(expired)) {}
  ~IntervalTimer();
  IntervalTimer(const IntervalTimer&) = delete;
  IntervalTimer& operator=(const IntervalTimer&) = delete;

  /// What is in the past expires before this returns.
  void set(const Setting& setting, bool is_absolute);
  Setting setting();
  std::uint64_t expiries() const { return expiries_; }
  /// How often it has expired since it was set or last taken.
  std::uint64_t take();

 private:
  void arm();
  void disarm();
  void expire();
  void catch_up();

  Kernel& kernel_;
  Host& host_;
  int clock_;
  std::function<void()> expired_;
  Duration next_{0};  ///< reading of the clock
  Duration interval_{0};
  bool is_set_ = false;
  std::uint64_t expiries_ = 0;
  std::optional<sim::EventId> event_;
};

class TimerFile final : public File {
 public:
  TimerFile(Kernel& kernel, Host& host, int clock);

  IntervalTimer& timer() { return timer_; }

  bool can_write() const override { return false; }
  std::uint32_t readiness() const override;
  std::int64_t read(std::span<std::byte> out) override;

 private:
  IntervalTimer timer_;
};

}  // namespace longarm::programs
