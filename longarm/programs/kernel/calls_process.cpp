// SPDX-License-Identifier: Apache-2.0
// System calls about the beginning and end of processes. The machine sees most of them first: it
// reports what came of them.
#include <algorithm>
#include <cerrno>
#include <functional>

#include <linux/wait.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/signals.h"

namespace longarm::programs {
namespace {

using Matches = std::function<bool(const Process&)>;

/// Waits until a child has ended, which the machine's own kernel then reaps.
Reply wait_for_child(Kernel& kernel, Thread& thread, const Matches& matches, bool returns_at_once,
                     bool reaps) {
  Process& parent = *thread.process;
  const auto attempt = [&parent, matches, reaps]() -> std::optional<Reply> {
    bool has_any = false;
    for (Process* child : parent.children) {
      if (child->is_reaped || !matches(*child)) {
        continue;
      }
      has_any = true;
      if (child->status) {
        child->is_reaped = reaps;
        return Reply::native();
      }
    }
    return has_any ? std::nullopt : std::optional(Reply::native());  // ECHILD
  };
  if (const std::optional<Reply> reply = attempt()) {
    return *reply;
  }
  if (returns_at_once) {
    return kernel.charge(thread, Reply::native());
  }
  Wait wait;
  wait.files = {parent.child_bell};
  wait.attempt = attempt;
  return kernel.wait(thread, std::move(wait));
}

Reply wait4_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int id = call.descriptor();
  const int group = id == 0 ? thread.process->group : -id;
  const auto matches = [id, group](const Process& child) {
    return id == -1 || (id > 0 ? child.id == id : child.group == group);
  };
  return wait_for_child(kernel, thread, matches, (call.arguments[2] & WNOHANG) != 0, true);
}

Reply waitid_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int type = call.descriptor();
  const int id = static_cast<int>(call.arguments[1]);
  const std::uint64_t options = call.arguments[3];
  if (type == P_PIDFD || type < 0 || type > P_PIDFD || (options & WEXITED) == 0) {
    // nobody stops or continues
    return kernel.charge(thread, type == P_PIDFD ? Reply::error(EBADF) : Reply::error(EINVAL));
  }
  const int group = type == P_PGID && id == 0 ? thread.process->group : id;
  const auto matches = [type, id, group](const Process& child) {
    return type == P_ALL || (type == P_PID ? child.id == id : child.group == group);
  };
  return wait_for_child(kernel, thread, matches, (options & WNOHANG) != 0,
                        (options & WNOWAIT) == 0);
}

Reply setpgid_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int id = call.descriptor();
  Process* process = id == 0 ? thread.process : kernel.find_process(id);
  const int group = static_cast<int>(call.arguments[1]);
  if (process != nullptr && group >= 0) {
    process->group = group == 0 ? process->id : group;
  }
  return Reply::native();
}

Reply setsid_call(Kernel&, Thread& thread, const Call&) {
  thread.process->group = thread.process->id;
  return Reply::native();
}

Reply exit_call(Kernel& kernel, Thread& thread, const Call&) {
  release_robust_list(kernel, thread);
  return Reply::native();
}

Reply exit_group_call(Kernel& kernel, Thread& thread, const Call&) {
  for (Thread* one : thread.process->threads) {
    release_robust_list(kernel, *one);
  }
  return Reply::native();
}

Reply native_call(Kernel&, Thread&, const Call&) {
  return Reply::native();
}

}  // namespace

void child_ended(Kernel&, Process& parent) {
  parent.child_bell->ring();
  signal_came(parent);
}

void add_process_calls(CallTable& table) {
  table[SYS_wait4] = wait4_call;
  table[SYS_waitid] = waitid_call;
  table[SYS_setpgid] = setpgid_call;
  table[SYS_setsid] = setsid_call;
  table[SYS_exit] = exit_call;
  table[SYS_exit_group] = exit_group_call;
  // the machine has its own part in them
  for (const int number : {SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_execve, SYS_execveat}) {
    table[static_cast<std::size_t>(number)] = native_call;
  }
}

}  // namespace longarm::programs
