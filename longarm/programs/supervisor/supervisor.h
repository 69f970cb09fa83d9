// SPDX-License-Identifier: Apache-2.0
// Runs unmodified Linux programs under an emulated kernel: their system calls stop (seccomp user
// notification) and are answered from here. Nothing of ours runs in the programs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <sys/types.h>

#include "longarm/core/hash.h"
#include "longarm/core/log.h"
#include "longarm/core/result.h"
#include "longarm/programs/kernel/kernel.h"
#include "longarm/programs/kernel/machine.h"
#include "longarm/programs/supervisor/nursery.h"
#include "longarm/programs/supervisor/vdso.h"
#include "longarm/sim/kernel.h"
#include "longarm/system/descriptor.h"

struct seccomp_notif;

namespace longarm::programs {

struct SupervisorOptions {
  Log log = Log();
  std::size_t most_processes = 1000;  ///< of one run: what makes more is stopped
  /// Computing without a call: of the machine's processor, so they decide on words and on whether
  /// a clock is read by calls, never on results of programs that do not spin.
  Duration spinning{200'000'000};
  Duration remarkable{5'000'000'000};
  /// If other threads of its process exist, they go on without it from then on: it may wait for one
  /// of them by looking at memory alone. What computes for so long in earnest is out of step.
  Duration gives_way{10'000'000'000};
  /// In a native call that does not end, of real time.
  Duration stuck{60'000'000'000};
};

struct ProgramOptions {
  std::string name;  ///< in reports; empty: the command's
  std::vector<std::string> command;
  std::vector<std::string> environment;  ///< all of it, as "NAME=value"
  std::string folder;                    ///< to work in; empty: ours
  Host* host = nullptr;
  /// Of descriptors 0, 1, 2; null: /dev/null.
  std::shared_ptr<File> standard[3];
  std::shared_ptr<Computing> computing;  ///< null: it takes no time
  /// When it is over, with its status as wait(2) has it. May be null.
  std::function<void(int status)> ended;
};

/// All programs of one simulation. They run on the processor core that the calling thread is on,
/// and so does that thread from then on, because handing over between cores costs 20 times as much.
class Supervisor final : public Machine {
 public:
  /// An error says what the machine lacks or does not permit.
  static Result<std::unique_ptr<Supervisor>> make(sim::Kernel& clock,
                                                  const SupervisorOptions& options = {});
  /// Kills whatever runs, and returns when nothing is left of it.
  ~Supervisor() override;

  /// The kernel that calls go to; outlives all but this object.
  void set_kernel(Kernel& kernel) { kernel_ = &kernel; }

  /// A program that begins at this instant.
  Result<Thread*> launch(const ProgramOptions& options);

  /// Nobody wants to hear how it ends.
  void stop_telling(const Process& process);

  /// How many calls have stopped.
  std::uint64_t call_count() const { return call_count_; }
  /// Of all calls so far, with their instants, threads, numbers and replies: equal runs have equal
  /// ones.
  std::uint64_t digest() const { return digest_.value(); }

  void resume(Thread& thread, const Reply& reply) override;
  std::size_t read_memory(const Process& process, std::uint64_t address,
                          std::span<std::byte> out) override;
  std::size_t write_memory(const Process& process, std::uint64_t address,
                           std::span<const std::byte> in) override;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> shared_place(
      const Process& process, std::uint64_t address) override;
  int add_descriptor(Thread& thread, Placeholder kind, bool closes_on_exec,
                     std::optional<int> exactly = std::nullopt) override;
  int add_content(Thread& thread, const std::string& content, bool closes_on_exec) override;
  std::shared_ptr<NativeFile> take_native(const Process& process, int descriptor) override;
  int add_native(Thread& thread, const NativeFile& file, bool closes_on_exec) override;
  std::int64_t read_native(const Process& process, int descriptor,
                           std::optional<std::int64_t> offset, std::span<std::byte> out) override;
  std::int64_t native_position(const Process& process, int descriptor) override;
  bool is_native_open(const Process& process, int descriptor) override;
  int add_signal_descriptor(Thread& thread, std::uint64_t mask, bool closes_on_exec) override;
  SignalState signals(const Thread& thread) override;
  int send_signal(Process& process, Thread* thread, const Signal& signal) override;

 private:
  struct Listener;  // of a program and all that it makes
  struct Space;     // memory that processes share, and the vDSO in it
  struct Member;    // a process
  struct Task;      // a thread
  struct Making;    // of a thread or process

  Supervisor(sim::Kernel& clock, const SupervisorOptions& options);
  Result<bool> prepare();
  bool pin();

  // what happens outside
  void collect();
  void receive(Listener& listener);
  void take(Task& task, const seccomp_notif& notification);
  void watch();
  void give_way(Task& task);
  void wait_for_spinners(pid_t process);
  void let_debugger_stop(const Member& member);

  // what becomes of calls
  void handle(Task& task);
  bool handle_here(Task& task, const Call& call);
  bool computes_first(Task& task, const Call& call);
  void answer(Task& task, const Reply& reply);
  void make(Task& task, const Call& call);
  void execute(Task& task, const Call& call);
  void leave(Task& task);
  void leave_all(Task& task);

  // processes and threads
  Task& add_task(Member& member, Thread& thread, pid_t id);
  Member& add_member(Process& process, pid_t id, system::Descriptor handle,
                     std::shared_ptr<Listener> listener);
  Making making_of(const Thread& thread, const Call& call) const;
  void add_newborn(Task& maker, const Making& making);
  void remove_task(pid_t id);
  void end_member(Member& member);
  void release_maker(Member& member);
  void hear_of_child(Process& parent);
  bool has_unborn(const Task& maker, std::uint64_t flags) const;
  Task* find_task(pid_t id) const;
  Task* find_task(const Thread& thread) const;
  Member* find_member(const Process& process) const;

  // memory
  bool renew_space(Task& task);
  void publish(Task& task);
  pid_t memory_of(const Process& process) const;

  int add_file(Thread& thread, int file, bool closes_on_exec, std::optional<int> exactly);
  system::Descriptor get_native(const Process& process, int descriptor) const;
  void settle(const Task& task) const;

  void fail(const std::string& message);
  void fail_because_stopped(const Task& task);
  std::string describe(const Task& task) const;
  std::string describe(const Call& call) const;
  std::string time_text() const;

  sim::Kernel& clock_;
  SupervisorOptions options_;
  Kernel* kernel_ = nullptr;
  std::unique_ptr<Nursery> nursery_;
  Vdso vdso_;
  std::vector<sock_filter> filter_;
  system::Descriptor epoll_;
  system::Descriptor timer_;  ///< after which the running thread is looked at
  system::Descriptor placeholders_[5];
  std::vector<system::Descriptor> other_ends_;  ///< of what placeholders are
  std::vector<std::uint8_t> old_cores_;         ///< where our thread could run before

  std::map<int, std::shared_ptr<Listener>> listeners_;  ///< by descriptor
  std::map<pid_t, std::unique_ptr<Member>> members_;    ///< by id as we see it
  std::unordered_map<pid_t, std::unique_ptr<Task>> tasks_;
  std::unordered_map<const Thread*, Task*> tasks_of_threads_;
  std::unordered_map<const Process*, Member*> members_of_processes_;

  Task* running_ = nullptr;
  Task* executing_ = nullptr;
  /// The first call of a thread that nobody knows yet.
  std::unique_ptr<seccomp_notif> newborn_;

  std::uint64_t call_count_ = 0;
  Hash digest_;
  // of the running thread, since it was last heard of
  std::uint64_t watched_calls_ = 0;
  Duration computed_{0};   ///< its process's time when it was first looked at
  Duration looked_at_{0};  ///< real time of then
  bool is_looked_at_ = false;
  bool is_reported_ = false;
};

}  // namespace longarm::programs
