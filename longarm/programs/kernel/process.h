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
#include "longarm/programs/kernel/file.h"
#include "longarm/sim/kernel.h"

namespace longarm::programs {

/// The computer of a process. Files of kinds that need more of it (sockets) keep their own.
struct Host {
  std::string name;
  network::NodeId node{};
  std::uint32_t address = 0;   ///< of IPv4; 0: the kernel chooses one
  control::HostClock clock{};  ///< what programs there read and wait by
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
  void close_on_exec();
  const std::map<int, Entry>& all() const { return entries_; }

 private:
  std::map<int, Entry> entries_;
};

struct Thread;

struct Process {
  pid_t id = 0;  ///< as its programs see it
  std::string name;
  Host* host = nullptr;
  Process* parent = nullptr;  ///< null: we started it, or its parent is gone
  std::vector<Process*> children;
  std::vector<Thread*> threads;
  std::shared_ptr<Descriptors> descriptors;
  /// The same for processes that share their memory.
  std::uint64_t address_space = 0;
  std::shared_ptr<RandomStream> random;  ///< of the program: forked processes draw on
  /// Of wait(2); nothing: it runs.
  std::optional<int> status;
  bool is_reaped = false;
};

/// A call that cannot be answered yet.
struct Wait {
  /// Whose changes make it try again.
  std::vector<std::shared_ptr<File>> files;
  /// The reply; nothing: it goes on waiting. May be null.
  std::function<std::optional<Reply>()> attempt;
  std::optional<Time> deadline;  ///< simulated
  std::function<Reply()> at_deadline;
  /// Tidies up when it ends in whatever way. May be null.
  std::function<void()> ended;
};

struct Thread {
  pid_t id = 0;  ///< as its programs see it
  Process* process = nullptr;
  std::uint64_t clear_at_exit = 0;  ///< CLONE_CHILD_CLEARTID
  Call call;                        ///< that it is in
  /// Calls in a row that were answered without simulated time passing.
  std::uint64_t calls_at_once = 0;
  Time last_call{};
  struct Waiting;
  std::unique_ptr<Waiting> waiting;  ///< null: it runs, or will

  Thread();
  ~Thread();
};

}  // namespace longarm::programs
