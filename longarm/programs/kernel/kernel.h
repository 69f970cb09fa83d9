// SPDX-License-Identifier: Apache-2.0
// An emulated Linux kernel for programs in simulated time: it answers system calls about time,
// waiting, processes and communication. It knows nothing of how calls reach it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "longarm/network/flow.h"
#include "longarm/programs/kernel/machine.h"
#include "longarm/programs/kernel/process.h"
#include "longarm/sim/kernel.h"

namespace longarm::network {
class Streams;
}

namespace longarm::programs {

struct KernelOptions {
  std::uint64_t seed = 1;
  /// What CLOCK_REALTIME reads at simulated time zero, since 1970: by default 2000-01-01.
  Duration epoch{std::chrono::seconds(946'684'800)};
  /// A thread that makes so many calls in a row without waiting pays for each further one, so that
  /// programs that poll without end get on.
  std::uint64_t free_calls = 200;
  Duration cost_of_further_calls{5'000};
  /// Computes for so long on a host and then, later, calls `done`. Null: on a core of its own.
  using Compute = std::function<void(const Host& host, Duration work, std::function<void()> done)>;
  Compute compute{};
  /// Of sockets that ask for nothing else; Nagle's algorithm is theirs to switch off.
  network::TcpOptions tcp{};
};

struct ProgramStart {
  std::string name;
  pid_t id = 0;
  /// Of descriptors 0, 1, 2; null: native.
  std::shared_ptr<File> standard[3];
  std::shared_ptr<Computing> computing;  ///< null: it takes no time
};

/// One thread runs at a time; everything else waits. Threads that may go on do so in the order in
/// which that became so, as deliveries of the simulation's kernel at that instant.
class Kernel {
 public:
  Kernel(sim::Kernel& clock, Machine& machine, const KernelOptions& options = {});
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;

  Host& add_host(Host host);
  /// Without it there are only connections within a host.
  void set_network(network::Streams& streams) { streams_ = &streams; }
  network::Streams* streams() const { return streams_; }

  // --- what the machine reports -----------------------------------------------------------------
  /// A program stands before its first instruction; it runs when the simulation goes on.
  Thread& start(Host& host, const ProgramStart& start);
  /// A thread made another one, or a process, which stands in a call that it is yet to make.
  Thread& add_thread(Process& process, pid_t id, std::uint64_t clear_at_exit);
  Process& fork(Thread& maker, pid_t id, bool shares_memory, bool shares_descriptors);
  /// execve(2) has succeeded: other threads and descriptors that close on exec are gone.
  void executed(Thread& thread, const std::string& name);
  void thread_ended(Thread& thread);
  /// `status` as wait(2) has it.
  void process_ended(Process& process, int status);
  /// Natively a signal ended the thread's wait, and it runs now. What becomes of the call if it is
  /// made again; nothing: it starts anew.
  std::optional<Reply> interrupt(Thread& thread);

  /// May be about anything; what is not emulated is native or unsupported.
  Reply call(Thread& thread, const Call& call);
  /// Whether the thread computes before the call that it stands in, and so waits: resumed with
  /// Reply::native() the call is to be handled, with any other reply it is over. `measured`: what
  /// its process has really computed since its last call.
  bool computes_first(Thread& thread, const Call& call, Duration measured);

  // --- for those who implement calls ------------------------------------------------------------
  Time now() const { return clock_.now(); }
  Machine& machine() const { return machine_; }
  const KernelOptions& options() const { return options_; }

  /// The thread waits until the attempt succeeds, which was tried and did not, or the deadline.
  Reply wait(Thread& thread, Wait wait);
  /// Ends a wait from outside.
  void finish(Thread& thread, const Reply& reply);
  /// Something it waits for may be there: it looks when its turn comes.
  void look_again(Thread& thread);
  /// Ends it because a signal is pending for the thread, which takes it when it runs.
  void break_off(Thread& thread);
  /// Behind all who may run.
  Reply yield(Thread& thread);
  /// The reply, later if the thread has made many calls at this instant. Replies with a result need
  /// not be given to it: call() does.
  Reply charge(Thread& thread, const Reply& reply);
  /// The thread has read this: what it is charged for that is added to what it owes.
  void received(Thread& thread, std::span<const std::byte> bytes);
  /// Calls `action` then, before any phase of the instant; a deadline in the past is now.
  sim::EventId at(Time when, std::function<void()> action);
  void cancel(sim::EventId event) { clock_.cancel(event); }

  /// Of the calling thread's process, by number; null: not one of ours.
  static std::shared_ptr<File> file(const Thread& thread, int number) {
    return thread.process->descriptors->find(number);
  }
  /// Gives the thread a descriptor for it, the lowest that is free; its number or an error number
  /// below zero.
  int open(Thread& thread, std::shared_ptr<File> file, bool closes_on_exec);
  /// The same for exactly this number: what stood there is closed.
  int open_at(Thread& thread, int number, std::shared_ptr<File> file, bool closes_on_exec);

  /// The time of a host's clock for a CLOCK_… id; nothing: there is no such clock.
  std::optional<Duration> read_clock(const Thread& thread, int clock) const;
  /// When a host's clock reads that; Time::max(): never in our time, or a clock of computing.
  Time instant(const Thread& thread, int clock, Duration reading) const;
  /// The same for clocks that are the host's: others read zero, and are never there.
  Duration read_clock(const Host& host, int clock) const;
  Time instant(const Host& host, int clock, Duration reading) const;
  /// When so much time has passed on the thread's host.
  Time after(const Thread& thread, Duration span) const;

  /// False: -EFAULT.
  bool read(const Thread& thread, std::uint64_t address, std::span<std::byte> out);
  bool write(const Thread& thread, std::uint64_t address, std::span<const std::byte> in);
  template <typename T>
  bool get(const Thread& thread, std::uint64_t address, T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return read(thread, address, std::as_writable_bytes(std::span(&value, 1)));
  }
  template <typename T>
  bool put(const Thread& thread, std::uint64_t address, const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    return write(thread, address, std::as_bytes(std::span(&value, 1)));
  }
  /// Up to `most` bytes before the zero; nothing: it is not there.
  std::optional<std::string> read_string(const Thread& thread, std::uint64_t address,
                                         std::size_t most = 4096);

  Process* find_process(pid_t id) const;
  Thread* find_thread(pid_t id) const;
  const std::deque<std::unique_ptr<Process>>& processes() const { return processes_; }
  const std::deque<std::unique_ptr<Host>>& hosts() const { return hosts_; }

  /// Everything that a family of calls keeps beside files, by its type (queues of futexes, ports of
  /// hosts): made when first asked for.
  template <typename State>
  State& state() {
    std::shared_ptr<void>& slot = states_[&kTag<State>];
    if (!slot) {
      slot = std::make_shared<State>();
    }
    return *static_cast<State*>(slot.get());
  }

 private:
  template <typename State>
  static constexpr char kTag = 0;

  void make_runnable(Thread& thread, const Reply& reply);
  /// It is given the reply after so much computing, or another one if a signal comes before.
  Reply compute(Thread& thread, Duration work, const Reply& reply, const Reply& interrupted);
  void run();
  void schedule();
  void stop_waiting(Thread& thread);

  sim::Kernel& clock_;
  sim::SourceId source_;
  Machine& machine_;
  KernelOptions options_;
  network::Streams* streams_ = nullptr;
  std::deque<std::unique_ptr<Host>> hosts_;
  std::deque<std::unique_ptr<Process>> processes_;
  std::deque<std::unique_ptr<Thread>> threads_;
  struct Runnable {
    Thread* thread = nullptr;
    std::optional<Reply> reply;  ///< nothing: its wait is to be attempted
  };
  std::deque<Runnable> runnable_;
  bool is_running_ = false;
  bool is_scheduled_ = false;
  std::uint64_t next_address_space_ = 1;
  std::map<const void*, std::shared_ptr<void>> states_;
};

/// How a call is answered, by number; null in the table: the kernel does not know it.
using CallHandler = Reply (*)(Kernel&, Thread&, const Call&);

/// What becomes of each call before it reaches the kernel, so that those that are always native
/// need not be stopped at all.
enum class CallClass : std::uint8_t { kEmulated, kNative, kUnsupported };
CallClass class_of(std::int64_t number);

/// "recvmsg"; "call 999" for what has no name.
std::string name_of_call(std::int64_t number);
/// Nothing: there is no such call.
std::optional<std::int64_t> number_of_call(const std::string& name);

}  // namespace longarm::programs
