// SPDX-License-Identifier: Apache-2.0
// System calls that set timers: files that tell of them, and signals that do.
#include <cerrno>
#include <ctime>
#include <map>
#include <memory>
#include <utility>

#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/clocks.h"
#include "longarm/programs/kernel/signals.h"
#include "longarm/programs/kernel/timer_file.h"

namespace longarm::programs {
namespace {

std::optional<IntervalTimer::Setting> setting_of(const itimerspec& written) {
  const std::optional<Duration> value = duration_of(written.it_value);
  const std::optional<Duration> interval = duration_of(written.it_interval);
  if (!value || !interval) {
    return std::nullopt;
  }
  return IntervalTimer::Setting{*value, *interval};
}

itimerspec itimerspec_of(const IntervalTimer::Setting& setting) {
  return {timespec_of(setting.interval), timespec_of(setting.value)};
}

// --- timerfd ----------------------------------------------------------------------------------

Reply timerfd_create_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int clock = call.descriptor();
  const auto flags = static_cast<std::uint32_t>(call.arguments[1]);
  const bool is_known = clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ||
                        clock == CLOCK_BOOTTIME || clock == CLOCK_REALTIME_ALARM ||
                        clock == CLOCK_BOOTTIME_ALARM;
  if (!is_known || (flags & ~std::uint32_t{TFD_CLOEXEC | TFD_NONBLOCK}) != 0) {
    return Reply::error(EINVAL);
  }
  const auto file = std::make_shared<TimerFile>(kernel, *thread.process->host, clock);
  file->set_nonblocking((flags & TFD_NONBLOCK) != 0);
  return Reply::done(kernel.open(thread, file, (flags & TFD_CLOEXEC) != 0));
}

/// The timer of a descriptor, or the error that there is none.
struct FoundTimer {
  std::shared_ptr<File> file;
  TimerFile* timer = nullptr;
  int error = 0;
};

FoundTimer find_timer(Kernel& kernel, const Thread& thread, int descriptor) {
  FoundTimer found;
  found.file = Kernel::file(thread, descriptor);
  found.timer = dynamic_cast<TimerFile*>(found.file.get());
  if (found.timer == nullptr) {
    const bool is_open = found.file || kernel.machine().is_native_open(*thread.process, descriptor);
    found.error = is_open ? EINVAL : EBADF;
  }
  return found;
}

Reply timerfd_settime_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto flags = static_cast<std::uint32_t>(call.arguments[1]);
  itimerspec written{};
  if (!kernel.get(thread, call.arguments[2], written)) {
    return Reply::error(EFAULT);
  }
  const auto setting = setting_of(written);
  // nobody sets clocks here, so there is nothing to cancel on
  if (!setting || (flags & ~std::uint32_t{TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET}) != 0) {
    return Reply::error(EINVAL);
  }
  const FoundTimer found = find_timer(kernel, thread, call.descriptor());
  if (found.error != 0) {
    return Reply::error(found.error);
  }
  const itimerspec old = itimerspec_of(found.timer->timer().setting());
  found.timer->timer().set(*setting, (flags & TFD_TIMER_ABSTIME) != 0);
  const bool is_written = call.arguments[3] == 0 || kernel.put(thread, call.arguments[3], old);
  return is_written ? Reply::done(0) : Reply::error(EFAULT);
}

Reply timerfd_gettime_call(Kernel& kernel, Thread& thread, const Call& call) {
  const FoundTimer found = find_timer(kernel, thread, call.descriptor());
  if (found.error != 0) {
    return Reply::error(found.error);
  }
  return kernel.put(thread, call.arguments[1], itimerspec_of(found.timer->timer().setting()))
             ? Reply::done(0)
             : Reply::error(EFAULT);
}

// --- timers of processes -----------------------------------------------------------------------

/// timer_create(2), and ITIMER_REAL.
struct ProcessTimer {
  ProcessTimer(Kernel& of_kernel, Process& of_process, int clock)
      : kernel(of_kernel),
        process(of_process),
        timer(of_kernel, *of_process.host, clock, [this] { expired(); }) {}

  void expired();
  bool is_pending() const;

  Kernel& kernel;
  Process& process;
  Signal signal;        ///< number zero: none
  pid_t to_thread = 0;  ///< zero: to the process
  int overrun = 0;      ///< of the signal that was sent last
  int missed = 0;       ///< expiries while one was pending
  IntervalTimer timer;
};

bool ProcessTimer::is_pending() const {
  for (const Thread* thread : process.threads) {
    if ((kernel.machine().signals(*thread).pending & signal_bit(signal.number)) != 0) {
      return true;
    }
  }
  return false;
}

void ProcessTimer::expired() {
  const int late = static_cast<int>(timer.take()) - 1;  // sets it for the next time, too
  if (signal.number == 0) {
    return;
  }
  if (is_pending()) {
    missed += late + 1;
    return;
  }
  overrun = std::exchange(missed, 0) + late;
  signal.overrun = overrun;
  if (to_thread == 0) {
    signal_process(kernel, process, signal);
  } else if (Thread* thread = kernel.find_thread(to_thread)) {
    signal_thread(kernel, *thread, signal);
  }
}

struct TimersOfProcess {
  std::map<int, std::unique_ptr<ProcessTimer>> timers;
  int next_id = 0;
  std::unique_ptr<ProcessTimer> alarm;
};

struct AllTimers {
  std::map<const Process*, TimersOfProcess> processes;  ///< never gone through
};

TimersOfProcess& timers_of(Kernel& kernel, const Thread& thread) {
  return kernel.state<AllTimers>().processes[thread.process];
}

Reply timer_create_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int clock = call.descriptor();
  if (!kernel.read_clock(thread, clock)) {
    return Reply::error(EINVAL);
  }
  TimersOfProcess& own = timers_of(kernel, thread);
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  event.sigev_value.sival_int = own.next_id;
  if (call.arguments[1] != 0 && !kernel.get(thread, call.arguments[1], event)) {
    return Reply::error(EFAULT);
  }
  auto timer = std::make_unique<ProcessTimer>(kernel, *thread.process, clock);
  if (event.sigev_notify != SIGEV_NONE) {
    if (event.sigev_signo <= 0 || event.sigev_signo > 64) {
      return Reply::error(EINVAL);
    }
    timer->signal = {event.sigev_signo, SI_TIMER, own.next_id,
                     reinterpret_cast<std::uint64_t>(event.sigev_value.sival_ptr), 0};
  }
  if (event.sigev_notify == SIGEV_THREAD_ID) {
    const Thread* target = kernel.find_thread(event._sigev_un._tid);
    if (target == nullptr || target->process != thread.process) {
      return Reply::error(EINVAL);
    }
    timer->to_thread = target->id;
  } else if (event.sigev_notify < SIGEV_SIGNAL || event.sigev_notify > SIGEV_THREAD) {
    return Reply::error(EINVAL);
  }
  if (!kernel.put(thread, call.arguments[2], own.next_id)) {
    return Reply::error(EFAULT);
  }
  own.timers[own.next_id++] = std::move(timer);
  return Reply::done(0);
}

ProcessTimer* find_process_timer(Kernel& kernel, const Thread& thread, const Call& call) {
  TimersOfProcess& own = timers_of(kernel, thread);
  const auto found = own.timers.find(call.descriptor());
  return found == own.timers.end() ? nullptr : found->second.get();
}

Reply timer_settime_call(Kernel& kernel, Thread& thread, const Call& call) {
  itimerspec written{};
  if (!kernel.get(thread, call.arguments[2], written)) {
    return Reply::error(EFAULT);
  }
  const auto setting = setting_of(written);
  ProcessTimer* timer = find_process_timer(kernel, thread, call);
  if (!setting || timer == nullptr) {
    return Reply::error(EINVAL);
  }
  const itimerspec old = itimerspec_of(timer->timer.setting());
  timer->missed = 0;
  timer->timer.set(*setting, (call.arguments[1] & TIMER_ABSTIME) != 0);
  const bool is_written = call.arguments[3] == 0 || kernel.put(thread, call.arguments[3], old);
  return is_written ? Reply::done(0) : Reply::error(EFAULT);
}

Reply timer_gettime_call(Kernel& kernel, Thread& thread, const Call& call) {
  ProcessTimer* timer = find_process_timer(kernel, thread, call);
  if (timer == nullptr) {
    return Reply::error(EINVAL);
  }
  return kernel.put(thread, call.arguments[1], itimerspec_of(timer->timer.setting()))
             ? Reply::done(0)
             : Reply::error(EFAULT);
}

Reply timer_getoverrun_call(Kernel& kernel, Thread& thread, const Call& call) {
  const ProcessTimer* timer = find_process_timer(kernel, thread, call);
  return timer == nullptr ? Reply::error(EINVAL) : Reply::done(timer->overrun);
}

Reply timer_delete_call(Kernel& kernel, Thread& thread, const Call& call) {
  return timers_of(kernel, thread).timers.erase(call.descriptor()) == 0 ? Reply::error(EINVAL)
                                                                        : Reply::done(0);
}

// --- alarms -----------------------------------------------------------------------------------

IntervalTimer& alarm_of(Kernel& kernel, const Thread& thread) {
  std::unique_ptr<ProcessTimer>& alarm = timers_of(kernel, thread).alarm;
  if (!alarm) {
    alarm = std::make_unique<ProcessTimer>(kernel, *thread.process, CLOCK_MONOTONIC);
    alarm->signal = {SIGALRM, SI_KERNEL, 0, 0, 0};
  }
  return alarm->timer;
}

Reply alarm_call(Kernel& kernel, Thread& thread, const Call& call) {
  constexpr Duration kSecond = std::chrono::seconds(1);
  IntervalTimer& timer = alarm_of(kernel, thread);
  const Duration left = timer.setting().value;
  timer.set({std::chrono::seconds(static_cast<std::uint32_t>(call.arguments[0])), Duration(0)},
            false);
  // to the nearest second, and not to "none" if there was one
  const std::int64_t seconds = (left + kSecond / 2) / kSecond;
  return Reply::done(left.count() > 0 && seconds == 0 ? 1 : seconds);
}

itimerval itimerval_of(const IntervalTimer::Setting& setting) {
  // never zero while it runs
  const Duration rounded = setting.value + Duration(setting.value.count() % 1000 != 0 ? 1000 : 0);
  return {timeval_of(setting.interval), timeval_of(rounded)};
}

Reply setitimer_call(Kernel& kernel, Thread& thread, const Call& call) {
  itimerval written{};
  if (call.arguments[1] != 0 && !kernel.get(thread, call.arguments[1], written)) {
    return Reply::error(EFAULT);
  }
  const auto value = duration_of(written.it_value);
  const auto interval = duration_of(written.it_interval);
  const int which = call.descriptor();
  if (!value || !interval || which < ITIMER_REAL || which > ITIMER_PROF) {
    return Reply::error(EINVAL);
  }
  itimerval old{};
  if (which == ITIMER_REAL) {
    IntervalTimer& timer = alarm_of(kernel, thread);
    old = itimerval_of(timer.setting());
    timer.set({*value, *interval}, false);
  }
  // others count computing, which takes no time
  const bool is_written = call.arguments[2] == 0 || kernel.put(thread, call.arguments[2], old);
  return is_written ? Reply::done(0) : Reply::error(EFAULT);
}

Reply getitimer_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int which = call.descriptor();
  if (which < ITIMER_REAL || which > ITIMER_PROF) {
    return Reply::error(EINVAL);
  }
  itimerval now{};
  if (which == ITIMER_REAL) {
    now = itimerval_of(alarm_of(kernel, thread).setting());
  }
  return kernel.put(thread, call.arguments[1], now) ? Reply::done(0) : Reply::error(EFAULT);
}

}  // namespace

void forget_timers(Kernel& kernel, const Process& process, bool keeps_alarm) {
  auto& processes = kernel.state<AllTimers>().processes;
  const auto found = processes.find(&process);
  if (found != processes.end()) {
    found->second.timers.clear();
    if (!keeps_alarm) {
      found->second.alarm.reset();
    }
  }
}

void add_timer_calls(CallTable& table) {
  table[SYS_timerfd_create] = timerfd_create_call;
  table[SYS_timerfd_settime] = timerfd_settime_call;
  table[SYS_timerfd_gettime] = timerfd_gettime_call;
  table[SYS_timer_create] = timer_create_call;
  table[SYS_timer_settime] = timer_settime_call;
  table[SYS_timer_gettime] = timer_gettime_call;
  table[SYS_timer_getoverrun] = timer_getoverrun_call;
  table[SYS_timer_delete] = timer_delete_call;
  table[SYS_alarm] = alarm_call;
  table[SYS_setitimer] = setitimer_call;
  table[SYS_getitimer] = getitimer_call;
}

}  // namespace longarm::programs
