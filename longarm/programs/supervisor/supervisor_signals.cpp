// SPDX-License-Identifier: Apache-2.0
// Signals, delivered by the machine's own kernel; and a look at threads that compute for long.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "longarm/programs/supervisor/process_files.h"
#include "longarm/programs/supervisor/stack.h"
#include "longarm/programs/supervisor/supervised.h"
#include "longarm/programs/supervisor/supervisor.h"

namespace longarm::programs {
namespace {

constexpr std::uint64_t bit_of(int signal) {
  return std::uint64_t{1} << (signal - 1);
}

constexpr std::uint64_t kStopping =
    bit_of(SIGSTOP) | bit_of(SIGTSTP) | bit_of(SIGTTIN) | bit_of(SIGTTOU);
constexpr std::uint64_t kHarmless =
    bit_of(SIGCHLD) | bit_of(SIGCONT) | bit_of(SIGURG) | bit_of(SIGWINCH);
// these wait until the thread can write down its memory
constexpr std::uint64_t kDumping =
    bit_of(SIGQUIT) | bit_of(SIGILL) | bit_of(SIGTRAP) | bit_of(SIGABRT) | bit_of(SIGBUS) |
    bit_of(SIGFPE) | bit_of(SIGSEGV) | bit_of(SIGXCPU) | bit_of(SIGXFSZ) | bit_of(SIGSYS);

siginfo_t info_of(const Signal& signal) {
  siginfo_t info{};
  info.si_signo = signal.number;
  // others than the process itself may not say that it was kill(2)
  info.si_code = signal.code < 0 && signal.code != SI_TKILL ? signal.code : SI_QUEUE;
  if (info.si_code == SI_TIMER) {
    info.si_timerid = signal.sender;
    info.si_overrun = signal.overrun;
  } else {
    info.si_pid = signal.sender;
    info.si_uid = ::getuid();
  }
  info.si_value.sival_ptr = reinterpret_cast<void*>(signal.value);
  return info;
}

Duration real_time() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

/// The first words of /proc/PID/syscall of a thread in a native call: the call and, last, where.
std::optional<std::int64_t> native_call(pid_t thread) {
  const std::string text = read_whole_file(fmt::format("/proc/{}/syscall", thread));
  return text.empty() || text.front() == 'r' ? std::nullopt
                                             : std::optional<std::int64_t>(std::atol(text.c_str()));
}

}  // namespace

SignalState Supervisor::signals(const Thread& thread) {
  const Task* task = find_task(thread);
  const std::optional<TaskStatus> status =
      task == nullptr ? std::nullopt : read_task_status(task->id);
  return status ? status->signals : SignalState{};
}

int Supervisor::send_signal(Process& process, Thread* thread, const Signal& signal) {
  Member* member = find_member(process);
  if (member == nullptr || member->tasks.empty()) {
    // it may be there as a zombie
    return process.status && !process.is_reaped ? 0 : -ESRCH;
  }
  if (signal.number == 0) {
    return 0;
  }
  const pid_t id = member->id;
  const std::uint64_t bit = bit_of(signal.number);
  // the first that does not block it, as Linux has it; none: whoever unblocks it first
  Task* target = thread == nullptr ? nullptr : find_task(*thread);
  std::optional<TaskStatus> status;
  for (Task* task : member->tasks) {
    if (thread != nullptr && task != target) {
      continue;
    }
    status = read_task_status(task->id);
    if (status && (status->signals.blocked & bit) == 0) {
      target = task;
      break;
    }
  }
  const bool is_caught = status && (status->signals.caught & bit) != 0;
  const bool is_ignored = status && (status->signals.ignored & bit) != 0;
  const bool is_default = !is_caught && !is_ignored;
  const bool is_blocked = target == nullptr || (status && (status->signals.blocked & bit) != 0);
  if (is_default && (bit & kStopping) != 0) {
    fail_because_stopped(*member->tasks.front());
    return 0;
  }
  siginfo_t info = info_of(signal);
  long result = 0;
  if (signal.number == SIGKILL) {
    result = ::kill(id, SIGKILL);
  } else if (target != nullptr) {
    result = ::syscall(SYS_rt_tgsigqueueinfo, id, target->id, signal.number, &info);
  } else {
    result = ::syscall(SYS_rt_sigqueueinfo, id, signal.number, &info);
  }
  if (result != 0) {
    return -errno;
  }
  const bool kills_now = signal.number == SIGKILL ||
                         (is_default && !is_blocked && (bit & (kDumping | kHarmless)) == 0);
  while (kills_now && members_.count(id) != 0) {
    collect();
  }
  if (!kills_now && target != nullptr) {
    settle(*target);
  }
  return 0;
}

void Supervisor::fail_because_stopped(const Task& task) {
  fail(fmt::format("{} was stopped by a signal at {}; Longarm does not emulate job control",
                   describe(task), time_text()));
}

/// Up to Linux 6.17 a thread that has not noticed yet that it must not be interrupted loses a reply
/// that comes close behind a signal.
void Supervisor::settle(const Task& task) const {
  if (task.notification == 0) {
    return;
  }
  const std::optional<TaskStatus> status = read_task_status(task.id);
  if (!status || (status->signals.pending & ~status->signals.blocked) == 0) {
    return;
  }
  for (int patience = 100; patience > 0 && read_task_state(task.member->id, task.id) == 'S';
       --patience) {
    ::sched_yield();
  }
}

/// Nothing has come for a while.
void Supervisor::watch() {
  if (running_ == nullptr) {
    return;
  }
  Task& task = *running_;
  const std::optional<Duration> computed = read_processor_time(task.member->id);
  const std::optional<char> state = read_task_state(task.member->id, task.id);
  if (state == 'T') {
    fail_because_stopped(task);
    return;
  }
  if (!computed || !state || *state == 't') {
    is_looked_at_ = false;  // gone, or a debugger holds it
    let_debugger_stop(*task.member);
    return;
  }
  if (!is_looked_at_ || watched_calls_ != call_count_) {
    is_looked_at_ = true;
    is_reported_ = false;
    watched_calls_ = call_count_;
    computed_ = *computed;
    looked_at_ = real_time();
    return;
  }
  const Duration span = *computed - computed_;
  Space& space = *task.member->space;
  if (span >= options_.spinning && space.vdso != 0 && !space.reads_by_calls) {
    space.reads_by_calls = true;
    vdso_.make_readings_calls(space.memory.number(), space.vdso);
    options_.log.warning(
        clock_.now(), task.member->process->host->name,
        fmt::format("{} has computed for {} ms without a system call; if it waits for a clock to "
                    "go on, each reading now takes time",
                    describe(task), options_.spinning.count() / 1'000'000));
  }
  if (span >= options_.remarkable && !is_reported_) {
    is_reported_ = true;
    options_.log.warning(
        clock_.now(), task.member->process->host->name,
        fmt::format("{} (thread {}) has computed for {:.0f} s without a system call, now at {}{}",
                    describe(task), task.thread->id, to_seconds(span),
                    describe_stack(task.member->id, task.id),
                    task.member->tasks.size() < 2
                        ? ""
                        : "; if it goes on like this, the others of its process go on without it"));
  }
  const Duration patience = task.member->has_given_way ? options_.spinning : options_.gives_way;
  if (span >= patience && task.member->tasks.size() > 1) {
    give_way(task);
    return;
  }
  const bool is_asleep = *state == 'S' || *state == 'D';
  if (is_asleep && span < options_.spinning && real_time() - looked_at_ >= options_.stuck) {
    const std::optional<std::int64_t> call = native_call(task.id);
    fail(fmt::format(
        "{} waits in the system call {} for something outside the simulation, for {:.0f} "
        "s of real time",
        describe(task), call ? name_of_call(*call) : "?", to_seconds(options_.stuck)));
  }
}

/// Only one thread runs at a time, so what another has to write to memory would never come.
void Supervisor::give_way(Task& task) {
  if (!std::exchange(task.member->has_given_way, true)) {
    options_.log.warning(
        clock_.now(), task.member->process->host->name,
        fmt::format("{}: other threads go on while its thread {} computes, in case that one waits "
                    "for them by looking at memory alone; if it does not, no two runs are equal",
                    describe(task), task.thread->id));
  }
  task.is_spinning = true;
  is_looked_at_ = false;
  running_ = nullptr;
}

/// One of a process's threads has run and may have written what others spin for: those have time to
/// see it, so that they go on at this very instant.
void Supervisor::wait_for_spinners(pid_t process) {
  const auto spinner = [&]() -> Task* {
    const auto member = members_.find(process);
    if (member == members_.end() || !member->second->has_given_way) {
      return nullptr;
    }
    const auto found = std::ranges::find_if(member->second->tasks,
                                            [](const Task* task) { return task->is_spinning; });
    return found == member->second->tasks.end() ? nullptr : *found;
  };
  const std::optional<Duration> begin =
      spinner() == nullptr ? std::nullopt : read_processor_time(process);
  while (Task* task = spinner()) {
    if (task->is_held) {
      task->is_spinning = false;
      kernel_->finish(*task->thread, Reply::native());
      continue;
    }
    const std::optional<Duration> now = read_processor_time(process);
    if (!begin || !now || *now - *begin >= options_.spinning / 2) {
      return;
    }
    collect();
  }
}

/// A debugger that attaches waits until each thread has stopped, which those in a call of ours do
/// not do before it is answered. They make it anew once the debugger lets them go.
void Supervisor::let_debugger_stop(const Member& member) {
  for (Task* task : member.tasks) {
    if (task == running_ || task->notification == 0 || task->is_held) {
      continue;
    }
    const std::optional<TaskStatus> status = read_task_status(task->id);
    if (status && status->is_traced && (status->signals.pending & bit_of(SIGSTOP)) != 0) {
      task->is_back_soon = true;
      answer(*task, Reply::restart());
    }
  }
}

}  // namespace longarm::programs
