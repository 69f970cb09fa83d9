// SPDX-License-Identifier: Apache-2.0
// Signals that the emulated kernel sends: to whom they go, and whose wait they end.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {

constexpr std::uint64_t signal_bit(int number) {
  return std::uint64_t{1} << (number - 1);
}

/// An error number below zero, or zero. A handler runs when the thread does.
int signal_thread(Kernel& kernel, Thread& thread, const Signal& signal);
/// Goes to the first thread that does not block it; if all do, to the process.
int signal_process(Kernel& kernel, Process& process, const Signal& signal);
/// The thread to which a signal to the process goes; null: none takes it now.
Thread* signal_taker(Kernel& kernel, Process& process, int number);
/// Natively a signal has come to the process (SIGCHLD): those who wait for one look again.
void signal_came(Process& process);

/// The mask that a call like ppoll(2) has while it waits.
struct CallMask {
  std::optional<Reply> reply;  ///< instead of waiting: an error, or native, for a pending signal
  std::optional<std::uint64_t> mask;
};
CallMask call_mask(Kernel& kernel, Thread& thread, std::uint64_t address, std::uint64_t size);
/// A wait of such a call, which the machine's own kernel ends if a signal is pending.
Reply wait_with_mask(Kernel& kernel, Thread& thread, const CallMask& mask, Wait wait);

}  // namespace longarm::programs
