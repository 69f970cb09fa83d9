// SPDX-License-Identifier: Apache-2.0
// System calls about descriptors: closing, doubling, flags.
#include <algorithm>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/pipe.h"

namespace longarm::programs {
namespace {

/// What F_SETFL changes.
constexpr int kChangeable = O_NONBLOCK | O_APPEND;

Reply close_call(Kernel&, Thread& thread, const Call& call) {
  // natively its placeholder is closed
  thread.process->descriptors->close(call.descriptor());
  return Reply::native();
}

Reply close_range_call(Kernel&, Thread& thread, const Call& call) {
  const auto first = static_cast<std::uint32_t>(call.arguments[0]);
  const auto last = static_cast<std::uint32_t>(call.arguments[1]);
  const auto flags = static_cast<std::uint32_t>(call.arguments[2]);
  if (first > last || (flags & ~(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC)) != 0) {
    return Reply::native();  // which refuses it
  }
  std::shared_ptr<Descriptors>& descriptors = thread.process->descriptors;
  if ((flags & CLOSE_RANGE_UNSHARE) != 0) {
    descriptors = std::make_shared<Descriptors>(*descriptors);
  }
  const int from = static_cast<int>(std::min<std::uint32_t>(first, INT_MAX));
  const int to = static_cast<int>(std::min<std::uint32_t>(last, INT_MAX));
  if ((flags & CLOSE_RANGE_CLOEXEC) != 0) {
    descriptors->close_range_on_exec(from, to);
  } else {
    descriptors->close_range(from, to);
  }
  return Reply::native();
}

Reply dup_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto file = Kernel::file(thread, call.descriptor());
  return file ? Reply::done(kernel.open(thread, file, false)) : Reply::native();
}

/// `descriptor` at exactly `to` as well.
Reply dup_to(Kernel& kernel, Thread& thread, int descriptor, int to, bool closes_on_exec) {
  const auto file = Kernel::file(thread, descriptor);
  if (!file) {
    // a native file takes the place of ours, if there is one
    if (kernel.machine().is_native_open(*thread.process, descriptor)) {
      thread.process->descriptors->close(to);
    }
    return Reply::native();
  }
  if (to < 0) {
    return Reply::error(EBADF);
  }
  return Reply::done(kernel.open_at(thread, to, file, closes_on_exec));
}

Reply dup2_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int to = static_cast<int>(call.arguments[1]);
  if (call.descriptor() == to) {
    return Reply::native();  // nothing but a test whether it is open
  }
  return dup_to(kernel, thread, call.descriptor(), to, false);
}

Reply dup3_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int to = static_cast<int>(call.arguments[1]);
  const int flags = static_cast<int>(call.arguments[2]);
  if ((flags & ~O_CLOEXEC) != 0 || call.descriptor() == to) {
    return Reply::error(EINVAL);
  }
  return dup_to(kernel, thread, call.descriptor(), to, flags != 0);
}

/// F_DUPFD: the lowest from `least` on.
Reply dup_from(Kernel& kernel, Thread& thread, const std::shared_ptr<File>& file,
               std::uint64_t least, bool closes_on_exec) {
  const int start = static_cast<int>(least);
  if (start < 0) {
    return Reply::error(EINVAL);
  }
  int number = start;
  while (Kernel::file(thread, number) || kernel.machine().is_native_open(*thread.process, number)) {
    ++number;
  }
  const int result = kernel.open_at(thread, number, file, closes_on_exec);
  if (result == -EBADF) {  // beyond the limit
    return Reply::error(number == start ? EINVAL : EMFILE);
  }
  return Reply::done(result);
}

Reply fcntl_call(Kernel& kernel, Thread& thread, const Call& call) {
  Descriptors::Entry* entry = thread.process->descriptors->entry(call.descriptor());
  if (entry == nullptr) {
    return Reply::native();
  }
  const std::shared_ptr<File> file = entry->file;
  const std::uint64_t argument = call.arguments[2];
  switch (static_cast<int>(call.arguments[1])) {
    case F_DUPFD:
      return dup_from(kernel, thread, file, argument, false);
    case F_DUPFD_CLOEXEC:
      return dup_from(kernel, thread, file, argument, true);
    case F_GETFL:
      return Reply::done(file->access() | (file->is_nonblocking() ? O_NONBLOCK : 0) |
                         (file->is_appending() ? O_APPEND : 0));
    case F_SETFL:
      if ((argument & O_DIRECT) != 0) {
        return Reply::error(EINVAL);  // no packets through pipes
      }
      file->set_nonblocking((argument & O_NONBLOCK) != 0);
      file->set_appending((argument & O_APPEND) != 0);
      return Reply::done(0);
    case F_GETFD:
      return Reply::done(entry->closes_on_exec ? FD_CLOEXEC : 0);
    case F_SETFD:
      entry->closes_on_exec = (argument & FD_CLOEXEC) != 0;
      return Reply::native();
    case F_GETPIPE_SZ:
      return Reply::done(pipe_capacity(*file));
    case F_SETPIPE_SZ:
      return Reply::done(set_pipe_capacity(*file, argument));
    // nobody gets SIGIO
    case F_SETOWN:
    case F_SETSIG:
      return Reply::done(0);
    case F_GETOWN:
    case F_GETSIG:
      return Reply::done(0);
    default:
      return Reply::native();  // locks, and what no placeholder knows
  }
}

Reply ioctl_call(Kernel& kernel, Thread& thread, const Call& call) {
  Descriptors::Entry* entry = thread.process->descriptors->entry(call.descriptor());
  if (entry == nullptr) {
    return Reply::native();
  }
  const std::shared_ptr<File> file = entry->file;
  const std::uint64_t request = call.arguments[1] & 0xffffffffU;
  switch (request) {
    case FIOCLEX:
      entry->closes_on_exec = true;
      return Reply::native();
    case FIONCLEX:
      entry->closes_on_exec = false;
      return Reply::native();
    case FIONBIO: {
      int is_nonblocking = 0;
      if (!kernel.get(thread, call.arguments[2], is_nonblocking)) {
        return Reply::error(EFAULT);
      }
      file->set_nonblocking(is_nonblocking != 0);
      return Reply::done(0);
    }
    case FIOASYNC:  // as with F_SETOWN: nobody gets SIGIO
      return Reply::done(0);
    default:
      return Reply::done(file->control(thread, request, call.arguments[2]));
  }
}

}  // namespace

void add_descriptor_calls(CallTable& table) {
  table[SYS_close] = close_call;
  table[SYS_close_range] = close_range_call;
  table[SYS_dup] = dup_call;
  table[SYS_dup2] = dup2_call;
  table[SYS_dup3] = dup3_call;
  table[SYS_fcntl] = fcntl_call;
  table[SYS_ioctl] = ioctl_call;
}

}  // namespace longarm::programs
