// SPDX-License-Identifier: Apache-2.0
// Timers that expire by a host's clock.
#include "longarm/programs/kernel/timer_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <poll.h>

#include "longarm/programs/kernel/clocks.h"
#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {

IntervalTimer::~IntervalTimer() {
  disarm();
}

void IntervalTimer::set(const Setting& setting, bool is_absolute) {
  disarm();
  expiries_ = 0;
  interval_ = setting.interval;
  is_set_ = setting.value.count() != 0;
  if (!is_set_) {
    return;
  }
  next_ = is_absolute ? setting.value
                      : std::min(kernel_.read_clock(host_, clock_) + setting.value, kLongest);
  arm();
}

void IntervalTimer::arm() {
  const Time when = kernel_.instant(host_, clock_, next_);
  if (when <= kernel_.now()) {
    expire();
  } else if (when != Time::max()) {
    event_ = kernel_.at(when, [this] {
      event_.reset();
      expire();
    });
  }
}

void IntervalTimer::disarm() {
  if (event_) {
    kernel_.cancel(*event_);
    event_.reset();
  }
}

void IntervalTimer::expire() {
  // not armed again before somebody asks: a short interval would keep us busy for nobody
  expiries_ = 1;
  expired_();
}

void IntervalTimer::catch_up() {
  if (expiries_ == 0 || interval_.count() == 0) {
    return;
  }
  const Duration late = kernel_.read_clock(host_, clock_) - next_;
  if (late.count() >= 0) {
    const std::int64_t more = late / interval_;
    expiries_ += static_cast<std::uint64_t>(more);
    next_ += (more + 1) * interval_;
  }
}

IntervalTimer::Setting IntervalTimer::setting() {
  if (!is_set_) {
    return {Duration(0), interval_};
  }
  const Duration now = kernel_.read_clock(host_, clock_);
  Duration next = next_;
  if (expiries_ > 0) {
    if (interval_.count() == 0) {
      return {Duration(0), interval_};
    }
    next += next > now ? Duration(0) : ((now - next) / interval_ + 1) * interval_;
  }
  return {std::max(next - now, Duration(1)), interval_};
}

std::uint64_t IntervalTimer::take() {
  catch_up();
  const std::uint64_t count = std::exchange(expiries_, 0);
  if (count > 0) {
    if (interval_.count() > 0) {
      arm();
    } else {
      is_set_ = false;
    }
  }
  return count;
}

TimerFile::TimerFile(Kernel& kernel, Host& host, int clock)
    : File(kernel), timer_(kernel, host, clock, [this] { changed(POLLIN); }) {}

std::uint32_t TimerFile::readiness() const {
  return timer_.expiries() > 0 ? POLLIN : 0U;
}

std::int64_t TimerFile::read(std::span<std::byte> out) {
  std::uint64_t count = 0;
  if (out.size() < sizeof count) {
    return -EINVAL;
  }
  count = timer_.take();
  if (count == 0) {
    return -EAGAIN;
  }
  std::memcpy(out.data(), &count, sizeof count);
  return sizeof count;
}

}  // namespace longarm::programs
