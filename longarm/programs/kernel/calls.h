// SPDX-License-Identifier: Apache-2.0
// Families of system calls, each in a file of its own, and what they are asked by the kernel
// itself.
#pragma once

#include <array>
#include <cstdint>

#include "longarm/programs/kernel/kernel.h"

namespace longarm::programs {

inline constexpr std::size_t kCallCount = 512;
using CallTable = std::array<CallHandler, kCallCount>;

void add_time_calls(CallTable& table);        // clocks, sleeps
void add_timer_calls(CallTable& table);       // timerfd, timers, alarms
void add_file_calls(CallTable& table);        // read, write, pipes, eventfd
void add_descriptor_calls(CallTable& table);  // close, dup, fcntl, ioctl
void add_open_calls(CallTable& table);        // paths that are not the machine's, sendfile
void add_waiting_calls(CallTable& table);     // poll, select
void add_epoll_calls(CallTable& table);
void add_futex_calls(CallTable& table);
void add_process_calls(CallTable& table);   // wait, exit, groups
void add_identity_calls(CallTable& table);  // the machine's name, scheduling, random numbers
void add_signal_calls(CallTable& table);    // kill, sigwait, signalfd
void add_socket_calls(CallTable& table);    // sockets of all families

/// Null: the kernel does not emulate it.
CallHandler handler_of(std::int64_t number);

/// One who waits there goes on, as when a thread ends for which somebody waits.
void wake_futex(Kernel& kernel, const Process& process, std::uint64_t address);
/// What a thread holds that ends: those who wait for it learn that its owner has died.
void release_robust_list(Kernel& kernel, Thread& thread);
/// Those of its threads that wait for it look.
void child_ended(Kernel& kernel, Process& parent);

/// After exec(2), or at its end.
void forget_timers(Kernel& kernel, const Process& process, bool keeps_alarm);

}  // namespace longarm::programs
