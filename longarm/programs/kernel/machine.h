// SPDX-License-Identifier: Apache-2.0
// What the emulated kernel asks of whatever really runs the threads: their memory, placeholders for
// descriptors, signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "longarm/programs/kernel/call.h"

namespace longarm::programs {

struct Process;
struct Thread;

/// What a process sees where a descriptor of ours is: fstat(2) and /proc/self/fd tell the kind.
/// None is ever ready natively (a listening Unix socket, pipes that are empty or full, an epoll
/// instance that watches nothing), so that poll, select and epoll_wait can be let through to the
/// machine's own kernel for a pending signal to end them.
enum class Placeholder : std::uint8_t { kSocket, kPipeRead, kPipeWrite, kAnonymous, kNull };

/// Bits are 1 << (signal - 1).
struct SignalState {
  std::uint64_t blocked = 0;  ///< by the thread that was asked for
  std::uint64_t pending = 0;  ///< for it or its process
  std::uint64_t ignored = 0;
  std::uint64_t caught = 0;
};

struct Signal {
  int number = 0;
  int code = 0;      ///< as SI_QUEUE
  pid_t sender = 0;  ///< for SI_TIMER: the timer
  std::uint64_t value = 0;
  int overrun = 0;  ///< for SI_TIMER
};

/// A descriptor that the machine's own kernel knows, taken out of a process to be given to another.
class NativeFile {
 public:
  virtual ~NativeFile() = default;
};

/// Threads stand still while they are asked about. A thread is "in a call" from Kernel::call until
/// it is resumed.
class Machine {
 public:
  virtual ~Machine() = default;

  /// Lets the thread go on with its reply and returns when it waits again, or is gone. Meanwhile it
  /// hands the thread's calls to the kernel.
  virtual void resume(Thread& thread, const Reply& reply) = 0;

  /// How many of the bytes were there; fewer than asked: the rest is not mapped.
  virtual std::size_t read_memory(const Process& process, std::uint64_t address,
                                  std::span<std::byte> out) = 0;
  virtual std::size_t write_memory(const Process& process, std::uint64_t address,
                                   std::span<const std::byte> in) = 0;
  /// Tells places of memory that processes share from those that are a process's own: an id of what
  /// is mapped and the offset in it. Nothing: it is private.
  virtual std::optional<std::pair<std::uint64_t, std::uint64_t>> shared_place(
      const Process& process, std::uint64_t address) = 0;

  /// Occupies the lowest free descriptor of a thread in a call, or exactly the one given (what is
  /// there is closed). The number, or an error number below zero.
  virtual int add_descriptor(Thread& thread, Placeholder kind, bool closes_on_exec,
                             std::optional<int> exactly = std::nullopt) = 0;
  /// The same for a file with this content, to be read natively.
  virtual int add_content(Thread& thread, const std::string& content, bool closes_on_exec) = 0;
  /// A native descriptor, for SCM_RIGHTS; null: there is none.
  virtual std::shared_ptr<NativeFile> take_native(const Process& process, int descriptor) = 0;
  virtual int add_native(Thread& thread, const NativeFile& file, bool closes_on_exec) = 0;
  /// What is there natively, for sendfile(2): from `offset`, or from where the file stands, which
  /// moves. An error number below zero.
  virtual std::int64_t read_native(const Process& process, int descriptor,
                                   std::optional<std::int64_t> offset,
                                   std::span<std::byte> out) = 0;
  /// Where the file stands. An error number below zero.
  virtual std::int64_t native_position(const Process& process, int descriptor) = 0;
  virtual bool is_native_open(const Process& process, int descriptor) = 0;

  /// A real signalfd(2), so that native reads of it take pending signals.
  virtual int add_signal_descriptor(Thread& thread, std::uint64_t mask, bool closes_on_exec) = 0;

  virtual SignalState signals(const Thread& thread) = 0;
  /// Makes it pending for one thread, or for the process if `thread` is null. A thread in a call
  /// takes it when it is resumed, and not before: the reply of then is not lost (EINTR, part of
  /// what was asked for), or is Reply::restart(), which only comes with a signal to take. An error
  /// number below zero.
  virtual int send_signal(Process& process, Thread* thread, const Signal& signal) = 0;
};

}  // namespace longarm::programs
