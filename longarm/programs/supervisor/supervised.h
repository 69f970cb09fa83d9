// SPDX-License-Identifier: Apache-2.0
// What a supervisor keeps about processes and threads; for its own sources.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <linux/seccomp.h>

#include "longarm/programs/supervisor/supervisor.h"

namespace longarm::programs {

struct Supervisor::Listener {
  system::Descriptor file;
  std::size_t member_count = 0;
};

struct Supervisor::Space {
  system::Descriptor memory;  ///< /proc/PID/mem; closed: nothing of ours is in it
  system::Descriptor pages;   ///< /proc/PID/pagemap; closed: nobody has asked
  std::uint64_t vdso = 0;     ///< 0: it has none
  std::optional<Time> published;
  bool reads_by_calls = false;
};

struct Supervisor::Member {
  Process* process = nullptr;
  pid_t id = 0;  ///< as we see it
  system::Descriptor handle;
  std::shared_ptr<Listener> listener;
  std::shared_ptr<Space> space;
  std::vector<Task*> tasks;  ///< in the order in which they came
  pid_t maker = 0;           ///< a thread that waits in vfork(2) until we are another program; or 0
  bool has_begun = true;     ///< its program's file was executed
  bool has_given_way = false;    ///< a thread of it has
  std::optional<int> announced;  ///< the status that it wants to end with
  std::function<void(int status)> ended;
};

struct Supervisor::Task {
  pid_t id = 0;  ///< as we see it
  Thread* thread = nullptr;
  Member* member = nullptr;
  std::uint64_t notification = 0;  ///< of the call that it is in; 0: it is in none
  seccomp_data data{};
  bool is_held = false;       ///< its call has not been looked at
  bool has_computed = false;  ///< before the call that is held
  /// Its process's time of the processor when it was let go; if that counts.
  std::optional<Duration> processor{};
  bool is_vforking = false;   ///< natively
  bool is_spinning = false;   ///< it has given way and runs beside the others
  bool is_back_soon = false;  ///< a debugger stops it; it will make the call that it waits in again
};

}  // namespace longarm::programs
