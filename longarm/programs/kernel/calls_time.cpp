// SPDX-License-Identifier: Apache-2.0
// System calls that read clocks, and those that sleep.
#include <algorithm>
#include <cerrno>
#include <ctime>

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/clocks.h"

namespace longarm::programs {
namespace {

constexpr Duration kTick{10'000'000};  // what times(2) counts

Reply clock_gettime_call(Kernel& kernel, Thread& thread, const Call& call) {
  const std::optional<Duration> reading = kernel.read_clock(thread, call.descriptor());
  if (!reading) {
    return Reply::error(EINVAL);
  }
  return kernel.put(thread, call.arguments[1], timespec_of(*reading)) ? Reply::done(0)
                                                                      : Reply::error(EFAULT);
}

Reply clock_getres_call(Kernel& kernel, Thread& thread, const Call& call) {
  if (!kernel.read_clock(thread, call.descriptor())) {
    return Reply::error(EINVAL);
  }
  const bool is_written =
      call.arguments[1] == 0 || kernel.put(thread, call.arguments[1], timespec_of(Duration(1)));
  return is_written ? Reply::done(0) : Reply::error(EFAULT);
}

Reply gettimeofday_call(Kernel& kernel, Thread& thread, const Call& call) {
  const timeval now = timeval_of(*kernel.read_clock(thread, CLOCK_REALTIME));
  const struct timezone utc {};
  const bool is_written = (call.arguments[0] == 0 || kernel.put(thread, call.arguments[0], now)) &&
                          (call.arguments[1] == 0 || kernel.put(thread, call.arguments[1], utc));
  return is_written ? Reply::done(0) : Reply::error(EFAULT);
}

Reply time_call(Kernel& kernel, Thread& thread, const Call& call) {
  const std::int64_t seconds = timespec_of(*kernel.read_clock(thread, CLOCK_REALTIME)).tv_sec;
  const bool is_written = call.arguments[0] == 0 || kernel.put(thread, call.arguments[0], seconds);
  return is_written ? Reply::done(seconds) : Reply::error(EFAULT);
}

Reply times_call(Kernel& kernel, Thread& thread, const Call& call) {
  tms used{};
  used.tms_utime = thread.process->charged / kTick;
  const bool is_written = call.arguments[0] == 0 || kernel.put(thread, call.arguments[0], used);
  return is_written ? Reply::done(*kernel.read_clock(thread, CLOCK_MONOTONIC) / kTick)
                    : Reply::error(EFAULT);
}

Reply getrusage_call(Kernel& kernel, Thread& thread, const Call& call) {
  rusage used{};
  switch (call.descriptor()) {
    case RUSAGE_SELF:
      used.ru_utime = timeval_of(thread.process->charged);
      break;
    case RUSAGE_THREAD:
      used.ru_utime = timeval_of(thread.charged);
      break;
    case RUSAGE_CHILDREN:
      break;
    default:
      return Reply::error(EINVAL);
  }
  return kernel.put(thread, call.arguments[1], used) ? Reply::done(0) : Reply::error(EFAULT);
}

Reply refuse_setting(Kernel&, Thread&, const Call&) {
  return Reply::error(EPERM);
}

/// `remaining` is an address, or zero: where to write what is left when a signal ends it.
Reply sleep_until(Kernel& kernel, Thread& thread, Time deadline, std::uint64_t remaining) {
  Wait wait;
  wait.deadline = deadline;
  wait.at_deadline = [] { return Reply::done(0); };
  wait.interrupted = [&kernel, &thread, deadline, remaining] {
    if (remaining != 0) {
      const Duration left = deadline == Time::max() ? kLongest : deadline - kernel.now();
      if (!kernel.put(thread, remaining, timespec_of(left))) {
        return Reply::error(EFAULT);
      }
    }
    return Reply::error(EINTR);
  };
  return kernel.wait(thread, std::move(wait));
}

Reply nanosleep_call(Kernel& kernel, Thread& thread, const Call& call) {
  timespec span{};
  if (!kernel.get(thread, call.arguments[0], span)) {
    return Reply::error(EFAULT);
  }
  const std::optional<Duration> duration = duration_of(span);
  if (!duration) {
    return Reply::error(EINVAL);
  }
  return sleep_until(kernel, thread, kernel.after(thread, *duration), call.arguments[1]);
}

Reply clock_nanosleep_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int clock = call.descriptor();
  if (!kernel.read_clock(thread, clock) || clock == CLOCK_THREAD_CPUTIME_ID) {
    return Reply::error(EINVAL);
  }
  timespec span{};
  if (!kernel.get(thread, call.arguments[2], span)) {
    return Reply::error(EFAULT);
  }
  const std::optional<Duration> duration = duration_of(span);
  if (!duration) {
    return Reply::error(EINVAL);
  }
  if ((call.arguments[1] & TIMER_ABSTIME) != 0) {
    const Time deadline = kernel.instant(thread, clock, *duration);
    if (deadline <= kernel.now()) {
      return Reply::done(0);
    }
    return sleep_until(kernel, thread, deadline, 0);
  }
  const bool is_computing = kernel.instant(thread, clock, Duration(0)) == Time::max();
  const Time deadline = is_computing ? Time::max() : kernel.after(thread, *duration);
  return sleep_until(kernel, thread, deadline, call.arguments[3]);
}

}  // namespace

void add_time_calls(CallTable& table) {
  table[SYS_clock_gettime] = clock_gettime_call;
  table[SYS_clock_getres] = clock_getres_call;
  table[SYS_gettimeofday] = gettimeofday_call;
  table[SYS_time] = time_call;
  table[SYS_times] = times_call;
  table[SYS_getrusage] = getrusage_call;
  table[SYS_clock_settime] = refuse_setting;
  table[SYS_settimeofday] = refuse_setting;
  table[SYS_clock_adjtime] = refuse_setting;
  table[SYS_adjtimex] = refuse_setting;
  table[SYS_nanosleep] = nanosleep_call;
  table[SYS_clock_nanosleep] = clock_nanosleep_call;
}

}  // namespace longarm::programs
