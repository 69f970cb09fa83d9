// SPDX-License-Identifier: Apache-2.0
// System calls that send signals and wait for them. What a thread blocks, and what its handlers do,
// the machine's own kernel knows.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/clocks.h"
#include "longarm/programs/kernel/signal_file.h"
#include "longarm/programs/kernel/signals.h"

namespace longarm::programs {
namespace {

constexpr int kMostSignals = 64;

Reply reply_of_sending(int result) {
  return Reply::done(result);
}

/// A signal that the caller takes itself is its machine's affair: it is there when the call
/// returns.
Reply send_to_thread(Kernel& kernel, const Thread& caller, Thread* target, const Signal& signal) {
  if (target == nullptr) {
    return Reply::error(ESRCH);
  }
  if (signal.number < 0 || signal.number > kMostSignals) {
    return Reply::error(EINVAL);
  }
  if (target == &caller || signal.number == 0) {
    return Reply::native();
  }
  return reply_of_sending(signal_thread(kernel, *target, signal));
}

Reply send_to_process(Kernel& kernel, const Thread& caller, Process* target, const Signal& signal) {
  if (target == nullptr || (target->status && target->is_reaped)) {
    return Reply::error(ESRCH);
  }
  if (signal.number < 0 || signal.number > kMostSignals) {
    return Reply::error(EINVAL);
  }
  if (target->status || signal.number == 0) {
    return Reply::done(0);
  }
  if (target == caller.process) {
    const bool is_alone = target->threads.size() == 1;
    if (is_alone || signal_taker(kernel, *target, signal.number) == &caller) {
      signal_came(*target);
      return Reply::native();
    }
  }
  return reply_of_sending(signal_process(kernel, *target, signal));
}

/// kill(2) of many.
Reply send_to_group(Kernel& kernel, const Signal& signal,
                    const std::function<bool(const Process&)>& matches) {
  bool has_any = false;
  std::vector<Process*> targets;
  for (const auto& process : kernel.processes()) {
    if (!process->status && matches(*process)) {
      has_any = true;
      targets.push_back(process.get());
    }
  }
  for (Process* target : targets) {
    if (signal.number != 0) {
      signal_process(kernel, *target, signal);
    }
  }
  return has_any ? Reply::done(0) : Reply::error(ESRCH);
}

Reply kill_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int id = call.descriptor();
  const Signal signal{static_cast<int>(call.arguments[1]), SI_USER, thread.process->id, 0, 0};
  if (id > 0) {
    return send_to_process(kernel, thread, kernel.find_process(id), signal);
  }
  if (signal.number < 0 || signal.number > kMostSignals) {
    return Reply::error(EINVAL);
  }
  if (id == -1) {
    return send_to_group(kernel, signal, [&](const Process& process) {
      return &process != thread.process && process.host == thread.process->host;
    });
  }
  const int group = id == 0 ? thread.process->group : -id;
  return send_to_group(kernel, signal,
                       [group](const Process& process) { return process.group == group; });
}

Reply tkill_call(Kernel& kernel, Thread& thread, const Call& call) {
  return send_to_thread(kernel, thread, kernel.find_thread(call.descriptor()),
                        {static_cast<int>(call.arguments[1]), SI_TKILL, thread.process->id, 0, 0});
}

Reply tgkill_call(Kernel& kernel, Thread& thread, const Call& call) {
  Thread* target = kernel.find_thread(static_cast<pid_t>(call.arguments[1]));
  if (target != nullptr && target->process->id != call.descriptor()) {
    target = nullptr;
  }
  return send_to_thread(kernel, thread, target,
                        {static_cast<int>(call.arguments[2]), SI_TKILL, thread.process->id, 0, 0});
}

/// What sigqueue(3) and pthread_sigqueue(3) write; nothing: it is not there.
std::optional<Signal> queued_signal(Kernel& kernel, const Thread& thread, std::uint64_t number,
                                    std::uint64_t address) {
  siginfo_t info{};
  if (!kernel.get(thread, address, info)) {
    return std::nullopt;
  }
  return Signal{static_cast<int>(number), info.si_code, info.si_pid,
                reinterpret_cast<std::uint64_t>(info.si_value.sival_ptr), 0};
}

Reply rt_sigqueueinfo_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto signal = queued_signal(kernel, thread, call.arguments[1], call.arguments[2]);
  return signal ? send_to_process(kernel, thread, kernel.find_process(call.descriptor()), *signal)
                : Reply::error(EFAULT);
}

Reply rt_tgsigqueueinfo_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto signal = queued_signal(kernel, thread, call.arguments[2], call.arguments[3]);
  if (!signal) {
    return Reply::error(EFAULT);
  }
  Thread* target = kernel.find_thread(static_cast<pid_t>(call.arguments[1]));
  return send_to_thread(kernel, thread, target, *signal);
}

// --- waiting for them ---------------------------------------------------------------------------

/// The machine's own kernel takes what is pending.
Reply rt_sigtimedwait_call(Kernel& kernel, Thread& thread, const Call& call) {
  std::uint64_t wanted = 0;
  if (call.arguments[3] != sizeof wanted) {
    return Reply::error(EINVAL);
  }
  if (!kernel.get(thread, call.arguments[0], wanted)) {
    return Reply::error(EFAULT);
  }
  const Limit limit = timespec_limit(kernel, thread, call.arguments[2]);
  if (limit.error != 0) {
    return Reply::error(limit.error);
  }
  const auto attempt = [&kernel, &thread, wanted]() -> std::optional<Reply> {
    if ((kernel.machine().signals(thread).pending & wanted) == 0) {
      return std::nullopt;
    }
    return Reply::native();
  };
  if (const std::optional<Reply> reply = attempt()) {
    return *reply;
  }
  if (limit.is_zero()) {
    return Reply::error(EAGAIN);
  }
  // one that it waits for ends the wait, whatever the thread blocks
  Wait wait;
  wait.files = {thread.process->signal_bell};
  wait.attempt = attempt;
  if (limit.span) {
    wait.deadline = kernel.after(thread, *limit.span);
    wait.at_deadline = [] { return Reply::error(EAGAIN); };
  }
  wait.interrupted = [attempt] { return attempt().value_or(Reply::error(EINTR)); };
  return kernel.wait(thread, std::move(wait));
}

Reply rt_sigsuspend_call(Kernel& kernel, Thread& thread, const Call& call) {
  const CallMask mask = call_mask(kernel, thread, call.arguments[0], call.arguments[1]);
  if (mask.reply || !mask.mask) {
    return mask.reply.value_or(Reply::error(EFAULT));
  }
  return wait_with_mask(kernel, thread, mask, {});
}

Reply pause_call(Kernel& kernel, Thread& thread, const Call&) {
  Wait wait;
  wait.interrupted = [] { return Reply::error(EINTR); };
  return kernel.wait(thread, std::move(wait));
}

Reply make_signalfd(Kernel& kernel, Thread& thread, const Call& call, std::uint32_t flags) {
  std::uint64_t mask = 0;
  if (call.arguments[2] != sizeof mask ||
      (flags & ~std::uint32_t{SFD_CLOEXEC | SFD_NONBLOCK}) != 0) {
    return Reply::error(EINVAL);
  }
  if (!kernel.get(thread, call.arguments[1], mask)) {
    return Reply::error(EFAULT);
  }
  if (call.descriptor() != -1) {
    const auto file = Kernel::file(thread, call.descriptor());
    if (auto* signals = dynamic_cast<SignalFile*>(file.get())) {
      signals->set_mask(mask);
    } else if (file) {
      return Reply::error(EINVAL);
    }
    return Reply::native();  // its placeholder is one, too
  }
  const bool closes_on_exec = (flags & SFD_CLOEXEC) != 0;
  const int number = kernel.machine().add_signal_descriptor(thread, mask, closes_on_exec);
  if (number < 0) {
    return Reply::done(number);
  }
  const auto file = std::make_shared<SignalFile>(kernel, *thread.process, mask);
  file->set_nonblocking((flags & SFD_NONBLOCK) != 0);
  thread.process->descriptors->set(number, file, closes_on_exec);
  return Reply::done(number);
}

Reply signalfd_call(Kernel& kernel, Thread& thread, const Call& call) {
  return make_signalfd(kernel, thread, call, 0);
}

Reply signalfd4_call(Kernel& kernel, Thread& thread, const Call& call) {
  return make_signalfd(kernel, thread, call, static_cast<std::uint32_t>(call.arguments[3]));
}

}  // namespace

void add_signal_calls(CallTable& table) {
  table[SYS_kill] = kill_call;
  table[SYS_tkill] = tkill_call;
  table[SYS_tgkill] = tgkill_call;
  table[SYS_rt_sigqueueinfo] = rt_sigqueueinfo_call;
  table[SYS_rt_tgsigqueueinfo] = rt_tgsigqueueinfo_call;
  table[SYS_rt_sigtimedwait] = rt_sigtimedwait_call;
  table[SYS_rt_sigsuspend] = rt_sigsuspend_call;
  table[SYS_pause] = pause_call;
  table[SYS_signalfd] = signalfd_call;
  table[SYS_signalfd4] = signalfd4_call;
}

}  // namespace longarm::programs
