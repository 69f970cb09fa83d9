// SPDX-License-Identifier: Apache-2.0
// System calls of epoll(7).
#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

#include <sys/epoll.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/clocks.h"
#include "longarm/programs/kernel/epoll.h"
#include "longarm/programs/kernel/signals.h"

namespace longarm::programs {
namespace {

Reply make_epoll(Kernel& kernel, Thread& thread, std::uint64_t flags) {
  if ((flags & ~static_cast<std::uint64_t>(EPOLL_CLOEXEC)) != 0) {
    return Reply::error(EINVAL);
  }
  return Reply::done(kernel.open(thread, std::make_shared<EpollFile>(kernel), flags != 0));
}

Reply epoll_create_call(Kernel& kernel, Thread& thread, const Call& call) {
  return call.descriptor() <= 0 ? Reply::error(EINVAL) : make_epoll(kernel, thread, 0);
}

Reply epoll_create1_call(Kernel& kernel, Thread& thread, const Call& call) {
  return make_epoll(kernel, thread, static_cast<std::uint32_t>(call.arguments[0]));
}

Reply epoll_ctl_call(Kernel& kernel, Thread& thread, const Call& call) {
  const int operation = static_cast<int>(call.arguments[1]);
  const int descriptor = static_cast<int>(call.arguments[2]);
  epoll_event event{};
  if (operation != EPOLL_CTL_DEL && !kernel.get(thread, call.arguments[3], event)) {
    return Reply::error(EFAULT);
  }
  const auto is_open = [&](const std::shared_ptr<File>& file, int number) {
    return file || kernel.machine().is_native_open(*thread.process, number);
  };
  const auto instance = Kernel::file(thread, call.descriptor());
  const auto file = Kernel::file(thread, descriptor);
  if (!is_open(instance, call.descriptor()) || !is_open(file, descriptor)) {
    return Reply::error(EBADF);
  }
  if (!file || !file->can_epoll()) {
    return Reply::error(EPERM);  // native files are on disks
  }
  auto* epoll = dynamic_cast<EpollFile*>(instance.get());
  if (epoll == nullptr || instance == file) {
    return Reply::error(EINVAL);
  }
  switch (operation) {
    case EPOLL_CTL_ADD:
      return Reply::done(epoll->add(file, descriptor, event));
    case EPOLL_CTL_MOD:
      return Reply::done(epoll->modify(file, descriptor, event));
    case EPOLL_CTL_DEL:
      return Reply::done(epoll->remove(file, descriptor));
    default:
      return Reply::error(EINVAL);
  }
}

/// Those of epoll_wait(2) and its like that are the same.
Reply wait_for_events(Kernel& kernel, Thread& thread, const Call& call,
                      const std::optional<Duration>& limit, const CallMask& mask) {
  constexpr int kMostEvents = INT_MAX / static_cast<int>(sizeof(epoll_event));
  const auto file = Kernel::file(thread, call.descriptor());
  const std::uint64_t address = call.arguments[1];
  const int room = static_cast<int>(call.arguments[2]);
  if (!file && !kernel.machine().is_native_open(*thread.process, call.descriptor())) {
    return Reply::error(EBADF);
  }
  auto* epoll = dynamic_cast<EpollFile*>(file.get());
  if (room <= 0 || room > kMostEvents || epoll == nullptr) {
    return Reply::error(EINVAL);
  }
  const auto attempt = [&kernel, &thread, epoll, address, room]() -> std::optional<Reply> {
    std::vector<epoll_event> events(std::min<std::size_t>(static_cast<std::size_t>(room), 1024));
    const std::size_t count = epoll->collect(events);
    if (count == 0) {
      return std::nullopt;
    }
    const bool is_written =
        kernel.write(thread, address, std::as_bytes(std::span(events).first(count)));
    return is_written ? Reply::done(static_cast<std::int64_t>(count)) : Reply::error(EFAULT);
  };
  if (const std::optional<Reply> reply = attempt()) {
    return *reply;
  }
  if (limit && limit->count() == 0) {
    return Reply::done(0);
  }
  Wait wait;
  wait.files = {file};
  wait.attempt = attempt;
  if (limit) {
    wait.deadline = kernel.after(thread, *limit);
    wait.at_deadline = [] { return Reply::done(0); };
  }
  return wait_with_mask(kernel, thread, mask, std::move(wait));
}

std::optional<Duration> milliseconds_limit(std::uint64_t argument) {
  const int milliseconds = static_cast<int>(argument);
  return milliseconds < 0 ? std::nullopt
                          : std::optional<Duration>(std::chrono::milliseconds(milliseconds));
}

Reply epoll_wait_call(Kernel& kernel, Thread& thread, const Call& call) {
  return wait_for_events(kernel, thread, call, milliseconds_limit(call.arguments[3]), {});
}

Reply epoll_pwait_call(Kernel& kernel, Thread& thread, const Call& call) {
  const CallMask mask = call_mask(kernel, thread, call.arguments[4], call.arguments[5]);
  return mask.reply
             ? *mask.reply
             : wait_for_events(kernel, thread, call, milliseconds_limit(call.arguments[3]), mask);
}

Reply epoll_pwait2_call(Kernel& kernel, Thread& thread, const Call& call) {
  const Limit limit = timespec_limit(kernel, thread, call.arguments[3]);
  if (limit.error != 0) {
    return Reply::error(limit.error);
  }
  const CallMask mask = call_mask(kernel, thread, call.arguments[4], call.arguments[5]);
  return mask.reply ? *mask.reply : wait_for_events(kernel, thread, call, limit.span, mask);
}

}  // namespace

void add_epoll_calls(CallTable& table) {
  table[SYS_epoll_create] = epoll_create_call;
  table[SYS_epoll_create1] = epoll_create1_call;
  table[SYS_epoll_ctl] = epoll_ctl_call;
  table[SYS_epoll_wait] = epoll_wait_call;
  table[SYS_epoll_pwait] = epoll_pwait_call;
  table[SYS_epoll_pwait2] = epoll_pwait2_call;
}

}  // namespace longarm::programs
