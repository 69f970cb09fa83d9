// SPDX-License-Identifier: Apache-2.0
// System calls that read and write, and those that make pipes and eventfds.
#include <cerrno>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/event_file.h"
#include "longarm/programs/kernel/pipe.h"
#include "longarm/programs/kernel/transfer.h"

namespace longarm::programs {
namespace {

Reply read_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto file = Kernel::file(thread, call.descriptor());
  return file ? read_file(kernel, thread, file, one_place(call.arguments[1], call.arguments[2]))
              : Reply::native();
}

Reply write_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto file = Kernel::file(thread, call.descriptor());
  return file ? write_file(kernel, thread, file, one_place(call.arguments[1], call.arguments[2]))
              : Reply::native();
}

Reply readv_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto file = Kernel::file(thread, call.descriptor());
  return file ? read_file(kernel, thread, file,
                          many_places(kernel, thread, call.arguments[1], call.arguments[2]))
              : Reply::native();
}

Reply writev_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto file = Kernel::file(thread, call.descriptor());
  if (!file) {
    return Reply::native();
  }
  Places places = many_places(kernel, thread, call.arguments[1], call.arguments[2]);
  if (dynamic_cast<EventFile*>(file.get()) != nullptr && places.size > 0) {
    // each piece would be a number of its own; nobody writes two
    places.is_list = false;
    places.pieces.resize(1);
    places.size = places.pieces.front().iov_len;
  }
  return write_file(kernel, thread, file, std::move(places));
}

/// pread(2) and its like: what of ours is a stream has no positions; what looks like a device does.
Reply positioned(Kernel& kernel, Thread& thread, const Call& call, CallHandler plain) {
  const auto file = Kernel::file(thread, call.descriptor());
  if (!file) {
    return Reply::native();
  }
  if (static_cast<std::int64_t>(call.arguments[3]) < 0) {
    return Reply::error(EINVAL);
  }
  return file->placeholder() == Placeholder::kNull ? plain(kernel, thread, call)
                                                   : Reply::error(ESPIPE);
}

Reply pread_call(Kernel& kernel, Thread& thread, const Call& call) {
  return positioned(kernel, thread, call, read_call);
}

Reply pwrite_call(Kernel& kernel, Thread& thread, const Call& call) {
  return positioned(kernel, thread, call, write_call);
}

Reply preadv_call(Kernel& kernel, Thread& thread, const Call& call) {
  return positioned(kernel, thread, call, readv_call);
}

Reply pwritev_call(Kernel& kernel, Thread& thread, const Call& call) {
  return positioned(kernel, thread, call, writev_call);
}

/// preadv2(2) and pwritev2(2): position -1 means none, and flags are for files on disks.
Reply second_version(Kernel& kernel, Thread& thread, const Call& call, CallHandler plain) {
  if (!Kernel::file(thread, call.descriptor())) {
    return Reply::native();
  }
  if (call.arguments[5] != 0) {
    return Reply::error(EOPNOTSUPP);
  }
  return static_cast<std::int64_t>(call.arguments[3]) == -1
             ? plain(kernel, thread, call)
             : positioned(kernel, thread, call, plain);
}

Reply preadv2_call(Kernel& kernel, Thread& thread, const Call& call) {
  return second_version(kernel, thread, call, readv_call);
}

Reply pwritev2_call(Kernel& kernel, Thread& thread, const Call& call) {
  return second_version(kernel, thread, call, writev_call);
}

Reply make_pipe_call(Kernel& kernel, Thread& thread, std::uint64_t address, int flags) {
  if ((flags & ~(O_CLOEXEC | O_NONBLOCK | O_DIRECT)) != 0 || (flags & O_DIRECT) != 0) {
    return Reply::error(EINVAL);
  }
  // before descriptors are there that nobody would learn of
  std::array<int, 2> numbers{-1, -1};
  if (!kernel.get(thread, address, numbers)) {
    return Reply::error(EFAULT);
  }
  const auto [reader, writer] = make_pipe(kernel);
  reader->set_nonblocking((flags & O_NONBLOCK) != 0);
  writer->set_nonblocking((flags & O_NONBLOCK) != 0);
  const bool closes_on_exec = (flags & O_CLOEXEC) != 0;
  numbers[0] = kernel.open(thread, reader, closes_on_exec);
  if (numbers[0] < 0) {
    return Reply::done(numbers[0]);
  }
  numbers[1] = kernel.open(thread, writer, closes_on_exec);
  if (numbers[1] < 0) {
    thread.process->descriptors->close(numbers[0]);
    return Reply::done(numbers[1]);
  }
  return kernel.put(thread, address, numbers) ? Reply::done(0) : Reply::error(EFAULT);
}

Reply pipe_call(Kernel& kernel, Thread& thread, const Call& call) {
  return make_pipe_call(kernel, thread, call.arguments[0], 0);
}

Reply pipe2_call(Kernel& kernel, Thread& thread, const Call& call) {
  return make_pipe_call(kernel, thread, call.arguments[0], static_cast<int>(call.arguments[1]));
}

Reply make_eventfd(Kernel& kernel, Thread& thread, std::uint64_t count, int flags) {
  if ((flags & ~(EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE)) != 0) {
    return Reply::error(EINVAL);
  }
  const auto file =
      std::make_shared<EventFile>(kernel, count & 0xffffffffU, (flags & EFD_SEMAPHORE) != 0);
  file->set_nonblocking((flags & EFD_NONBLOCK) != 0);
  return Reply::done(kernel.open(thread, file, (flags & EFD_CLOEXEC) != 0));
}

Reply eventfd_call(Kernel& kernel, Thread& thread, const Call& call) {
  return make_eventfd(kernel, thread, call.arguments[0], 0);
}

Reply eventfd2_call(Kernel& kernel, Thread& thread, const Call& call) {
  return make_eventfd(kernel, thread, call.arguments[0], static_cast<int>(call.arguments[1]));
}

}  // namespace

void add_file_calls(CallTable& table) {
  table[SYS_read] = read_call;
  table[SYS_write] = write_call;
  table[SYS_readv] = readv_call;
  table[SYS_writev] = writev_call;
  table[SYS_pread64] = pread_call;
  table[SYS_pwrite64] = pwrite_call;
  table[SYS_preadv] = preadv_call;
  table[SYS_pwritev] = pwritev_call;
  table[SYS_preadv2] = preadv2_call;
  table[SYS_pwritev2] = pwritev2_call;
  table[SYS_pipe] = pipe_call;
  table[SYS_pipe2] = pipe2_call;
  table[SYS_eventfd] = eventfd_call;
  table[SYS_eventfd2] = eventfd2_call;
}

}  // namespace longarm::programs
