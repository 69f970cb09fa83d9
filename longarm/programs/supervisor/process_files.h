// SPDX-License-Identifier: Apache-2.0
// What /proc says about processes and threads, which are named as this process sees them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "longarm/programs/kernel/machine.h"

namespace longarm::programs {

struct TaskStatus {
  char state = '?';        ///< 'S', 'D', 'Z', 'T', 't', …
  pid_t parent = 0;        ///< as we see it
  pid_t process = 0;       ///< as we see it
  pid_t inner_id = 0;      ///< as its programs see it
  bool is_traced = false;  ///< by a debugger
  SignalState signals;
};

/// Nothing: there is no such thread.
std::optional<TaskStatus> read_task_status(pid_t thread);
/// 'Z' and the like; nothing: there is no such thread. Cheaper than all of the status.
std::optional<char> read_task_state(pid_t process, pid_t thread);
/// As wait(2) has it, of a process that has ended and was not waited for.
std::optional<int> read_exit_status(pid_t process);
/// What all its threads have computed; nothing: there is no such process.
std::optional<Duration> read_processor_time(pid_t process);
/// Threads of a process, in no order.
std::vector<pid_t> read_threads(pid_t process);
/// Processes that a thread has made.
std::vector<pid_t> read_children(pid_t process, pid_t thread);

/// Of the auxiliary vector; 0: it has none.
struct AuxiliaryVector {
  std::uint64_t vdso = 0;    ///< AT_SYSINFO_EHDR
  std::uint64_t random = 0;  ///< AT_RANDOM
};
AuxiliaryVector read_auxiliary_vector(pid_t process);

struct Mapping {
  std::uint64_t begin = 0;
  std::uint64_t offset = 0;
  bool is_shared = false;
  std::uint64_t file = 0;  ///< an id of what is mapped; 0: nothing
  std::string name;        ///< a path, "[stack]" or nothing
};
std::optional<Mapping> find_mapping(pid_t process, std::uint64_t address);
/// "libc.so.6+0x1c8f9", or the address.
std::string describe_place(pid_t process, std::uint64_t address);

/// Of a file under /proc; what cannot be read is empty.
std::string read_whole_file(const std::string& path);

}  // namespace longarm::programs
