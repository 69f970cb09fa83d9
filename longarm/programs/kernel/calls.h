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

void add_time_calls(CallTable& table);     // clocks, sleeps, timers, timerfd
void add_file_calls(CallTable& table);     // read, write, dup, fcntl, pipes, eventfd, open
void add_waiting_calls(CallTable& table);  // poll, select, epoll
void add_futex_calls(CallTable& table);
void add_process_calls(CallTable& table);  // wait, exit, identity, scheduling, random numbers
void add_signal_calls(CallTable& table);   // kill, sigwait, signalfd, alarms
void add_socket_calls(CallTable& table);   // sockets of all families, sendfile

/// Null: the kernel does not emulate it.
CallHandler handler_of(std::int64_t number);

/// All who wait there, as at the end of a thread.
void wake_futex(Kernel& kernel, const Process& process, std::uint64_t address);
/// Of a process that waits for it.
void child_ended(Kernel& kernel, Process& parent);

}  // namespace longarm::programs
