// SPDX-License-Identifier: Apache-2.0
// Delivery of signals.
#include "longarm/programs/kernel/signals.h"

#include <cerrno>
#include <utility>

namespace longarm::programs {
namespace {

/// Of what is not caught, only this does nothing at all.
constexpr std::uint64_t kHarmless =
    signal_bit(SIGCHLD) | signal_bit(SIGCONT) | signal_bit(SIGURG) | signal_bit(SIGWINCH);
constexpr std::uint64_t kUnblockable = signal_bit(SIGKILL) | signal_bit(SIGSTOP);

/// Signals that the thread would take if they were there.
std::uint64_t takes(const Thread& thread, const SignalState& state) {
  const std::uint64_t blocked = thread.call_mask.value_or(state.blocked) & ~kUnblockable;
  return ~blocked & ~state.ignored & ~(kHarmless & ~state.caught);
}

}  // namespace

int signal_thread(Kernel& kernel, Thread& thread, const Signal& signal) {
  Process& process = *thread.process;
  const bool is_taken = signal.number != 0 && (takes(thread, kernel.machine().signals(thread)) &
                                               signal_bit(signal.number)) != 0;
  const int result = kernel.machine().send_signal(process, &thread, signal);
  if (result < 0) {
    return result;
  }
  if (is_taken) {
    kernel.break_off(thread);
  }
  signal_came(process);
  return 0;
}

int signal_process(Kernel& kernel, Process& process, const Signal& signal) {
  if (Thread* taker = signal_taker(kernel, process, signal.number)) {
    return signal_thread(kernel, *taker, signal);
  }
  const int result = kernel.machine().send_signal(process, nullptr, signal);
  if (result == 0) {
    signal_came(process);
  }
  return result;
}

Thread* signal_taker(Kernel& kernel, Process& process, int number) {
  for (Thread* thread : process.threads) {
    if ((takes(*thread, kernel.machine().signals(*thread)) & signal_bit(number)) != 0) {
      return thread;
    }
  }
  return nullptr;
}

void signal_came(Process& process) {
  process.signal_bell->ring();
}

CallMask call_mask(Kernel& kernel, Thread& thread, std::uint64_t address, std::uint64_t size) {
  CallMask mask;
  if (address == 0) {
    return mask;
  }
  std::uint64_t written = 0;
  if (size != sizeof written) {
    mask.reply = Reply::error(EINVAL);
  } else if (!kernel.get(thread, address, written)) {
    mask.reply = Reply::error(EFAULT);
  } else {
    mask.mask = written;
  }
  return mask;
}

Reply wait_with_mask(Kernel& kernel, Thread& thread, const CallMask& mask, Wait wait) {
  wait.interrupted = [] { return Reply::error(EINTR); };
  if (mask.mask) {
    // with a signal pending that the thread blocks, the same call natively takes it and fails
    thread.call_mask = mask.mask;
    const SignalState state = kernel.machine().signals(thread);
    if ((takes(thread, state) & state.pending) != 0) {
      thread.call_mask.reset();
      return Reply::native();
    }
    wait.interrupted = [] { return Reply::native(); };
    wait.ended = [&thread, ended = std::move(wait.ended)] {
      thread.call_mask.reset();
      if (ended) {
        ended();
      }
    };
  }
  return kernel.wait(thread, std::move(wait));
}

}  // namespace longarm::programs
