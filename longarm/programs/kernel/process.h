// SPDX-License-Identifier: Apache-2.0
// Processes and threads as the emulated kernel knows them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "longarm/control/host_clock.h"
#include "longarm/core/random.h"
#include "longarm/core/time.h"
#include "longarm/network/topology.h"
#include "longarm/programs/kernel/call.h"
#include "longarm/programs/kernel/computing.h"
#include "longarm/programs/kernel/file.h"
#include "longarm/sim/kernel.h"

namespace longarm::programs {

/// The computer of a process. Files of kinds that need more of it (sockets) keep their own.
struct Host {
  std::string name;
  network::NodeId node{};
  std::uint32_t address = 0;   ///< of IPv4; 0: the kernel chooses one
  control::HostClock clock{};  ///< what programs there read and wait by
  /// Paths that programs there find this content at, whatever the machine has.
  std::map<std::string, std::string> files{};
};

/// Open files by number. Natively open descriptors are not in it.
class Descriptors {
 public:
  struct Entry {
    std::shared_ptr<File> file;
    bool closes_on_exec = false;
  };

  std::shared_ptr<File> find(int number) const;
  Entry* entry(int number);
  /// What was there is closed.
  void set(int number, std::shared_ptr<File> file, bool closes_on_exec);
  /// Whether there was one.
  bool close(int number);
  void close_range(int first, int last);
  void close_range_on_exec(int first, int last);
  void close_on_exec();
  const std::map<int, Entry>& all() const { return entries_; }

 private:
  std::map<int, Entry> entries_;
};

struct Thread;

struct Process {
  explicit Process(Kernel& kernel)
      : child_bell(std::make_shared<Bell>(kernel)), signal_bell(std::make_shared<Bell>(kernel)) {}

  pid_t id = 0;     ///< as its programs see it
  pid_t group = 0;  ///< a program that we start leads one
  std::string name;
  Host* host = nullptr;
  Process* parent = nullptr;  ///< null: we started it, or its parent is gone
  std::vector<Process*> children;
  std::vector<Thread*> threads;
  std::shared_ptr<Descriptors> descriptors;
  /// The same for processes that share their memory.
  std::uint64_t address_space = 0;
  std::shared_ptr<RandomStream> random;  ///< of the program: forked processes draw on
  std::shared_ptr<Computing> computing;  ///< of the program; null: it takes no time
  /// Of wait(2); nothing: it runs.
  std::optional<int> status;
  bool is_reaped = false;
  Duration charged{0};                ///< of computing, to all its threads
  std::shared_ptr<Bell> child_bell;   ///< one of its children has ended
  std::shared_ptr<Bell> signal_bell;  ///< a signal may be pending
};

/// A call that cannot be answered yet.
struct Wait {
  /// Whose changes make it try again.
  std::vector<std::shared_ptr<File>> files;
  /// The reply; nothing: it goes on waiting. Called when the thread would run. May be null.
  std::function<std::optional<Reply>()> attempt;
  std::optional<Time> deadline;  ///< simulated; Time::max(): none
  std::function<Reply()> at_deadline;
  /// The reply if a signal ends it. Null: Reply::restart().
  std::function<Reply()> interrupted;
  /// Tidies up when it ends in whatever way. May be null.
  std::function<void()> ended;
};

struct Thread {
  pid_t id = 0;  ///< as its programs see it
  Process* process = nullptr;
  std::uint64_t clear_at_exit = 0;  ///< CLONE_CHILD_CLEARTID
  std::uint64_t robust_list = 0;    ///< set_robust_list(2)
  Call call;                        ///< that it is in
  /// Calls in a row that were answered without simulated time passing.
  std::uint64_t calls_at_once = 0;
  Time last_call{};
  Duration charged{0};      ///< of computing
  Duration owed{0};         ///< to be charged before it goes on
  bool has_waited = false;  ///< in this call, for something else than computing
  /// Which signals the call blocks that it is in, instead of those that the thread does.
  std::optional<std::uint64_t> call_mask;
  struct Waiting;
  std::unique_ptr<Waiting> waiting;  ///< null: it runs, or will

  Thread();
  ~Thread();
};

}  // namespace longarm::programs
