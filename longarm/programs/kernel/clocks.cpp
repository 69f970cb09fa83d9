// SPDX-License-Identifier: Apache-2.0
// What clocks of hosts read, and when they will read something.
#include "longarm/programs/kernel/clocks.h"

#include <algorithm>
#include <cerrno>

namespace longarm::programs {
namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

enum class ClockKind : std::uint8_t { kWall, kUptime, kProcess, kThread };

std::optional<ClockKind> kind_of_clock(int clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      return ClockKind::kWall;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
      return ClockKind::kUptime;
    case CLOCK_PROCESS_CPUTIME_ID:
      return ClockKind::kProcess;
    case CLOCK_THREAD_CPUTIME_ID:
      return ClockKind::kThread;
    default:
      break;
  }
  // clock_getcpuclockid(3), pthread_getcpuclockid(3): ~id in the upper bits
  constexpr int kOfThread = 4;
  if (clock < 0) {
    return (clock & kOfThread) != 0 ? ClockKind::kThread : ClockKind::kProcess;
  }
  return std::nullopt;
}

std::optional<Duration> span_of(std::int64_t seconds, std::int64_t nanoseconds) {
  if (seconds < 0 || nanoseconds < 0 || nanoseconds >= kBillion) {
    return std::nullopt;
  }
  if (seconds >= kLongest.count() / kBillion) {
    return kLongest;
  }
  return Duration(seconds * kBillion + nanoseconds);
}

/// How long hosts have been up when the simulation begins: programs take a clock that reads zero
/// for one that was never read.
constexpr Duration kUpBefore = std::chrono::seconds(1);

/// What the host's clock is off by is seen by the wall clock alone.
Duration uptime(const Host& host, Time now) {
  return kUpBefore + (host.clock.to_local(now) - host.clock.to_local(Time{}));
}

template <typename Span>
Limit limit_at(Kernel& kernel, const Thread& thread, std::uint64_t address) {
  if (address == 0) {
    return {};
  }
  Span written{};
  if (!kernel.get(thread, address, written)) {
    return {EFAULT, std::nullopt};
  }
  const std::optional<Duration> span = duration_of(written);
  return span ? Limit{0, span} : Limit{EINVAL, std::nullopt};
}

}  // namespace

std::optional<Duration> duration_of(const timespec& time) {
  return span_of(time.tv_sec, time.tv_nsec);
}

std::optional<Duration> duration_of(const timeval& time) {
  // more than a second of microseconds is refused all the same, and does not overflow
  return span_of(time.tv_sec, std::clamp<std::int64_t>(time.tv_usec, -1, 1'000'000) * 1000);
}

timespec timespec_of(Duration span) {
  // rounded down, so that the nanoseconds of a time before zero are positive, too
  std::int64_t seconds = span.count() / kBillion;
  if (span.count() % kBillion < 0) {
    --seconds;
  }
  timespec time{};
  time.tv_sec = seconds;
  time.tv_nsec = span.count() - seconds * kBillion;
  return time;
}

timeval timeval_of(Duration span) {
  const timespec time = timespec_of(span);
  timeval coarse{};
  coarse.tv_sec = time.tv_sec;
  coarse.tv_usec = time.tv_nsec / 1000;
  return coarse;
}

Limit timespec_limit(Kernel& kernel, const Thread& thread, std::uint64_t address) {
  return limit_at<timespec>(kernel, thread, address);
}

Limit timeval_limit(Kernel& kernel, const Thread& thread, std::uint64_t address) {
  return limit_at<timeval>(kernel, thread, address);
}

Duration Kernel::read_clock(const Host& host, int clock) const {
  switch (kind_of_clock(clock).value_or(ClockKind::kProcess)) {
    case ClockKind::kWall:
      return options_.epoch + host.clock.to_local(now()).time_since_epoch();
    case ClockKind::kUptime:
      return uptime(host, now());
    default:
      return Duration(0);
  }
}

std::optional<Duration> Kernel::read_clock(const Thread& thread, int clock) const {
  const std::optional<ClockKind> kind = kind_of_clock(clock);
  if (!kind) {
    return std::nullopt;
  }
  switch (*kind) {
    case ClockKind::kProcess:
      return thread.process->charged;
    case ClockKind::kThread:
      return thread.charged;
    default:
      return read_clock(*thread.process->host, clock);
  }
}

Time Kernel::instant(const Host& host, int clock, Duration reading) const {
  if (reading >= kLongest) {
    return Time::max();
  }
  switch (kind_of_clock(clock).value_or(ClockKind::kProcess)) {
    case ClockKind::kWall:
      return host.clock.to_true(Time(reading - options_.epoch));
    case ClockKind::kUptime:
      return host.clock.to_true(host.clock.to_local(Time{}) + (reading - kUpBefore));
    default:
      return Time::max();
  }
}

Time Kernel::instant(const Thread& thread, int clock, Duration reading) const {
  return instant(*thread.process->host, clock, reading);
}

Time Kernel::after(const Thread& thread, Duration span) const {
  const Host& host = *thread.process->host;
  return instant(host, CLOCK_MONOTONIC, std::min(uptime(host, now()) + span, kLongest));
}

}  // namespace longarm::programs
