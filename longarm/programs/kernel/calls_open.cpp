// SPDX-License-Identifier: Apache-2.0
// System calls that open paths, for the few that are not the machine's, and those that copy from
// one file to another.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/clocks.h"
#include "longarm/programs/kernel/output_file.h"

namespace longarm::programs {
namespace {

constexpr std::uint64_t kMostSentAtOnce = 1 << 16;

std::string uptime_text(Kernel& kernel, const Thread& thread) {
  const std::int64_t hundredths =
      *kernel.read_clock(thread, CLOCK_BOOTTIME) / std::chrono::milliseconds(10);
  const std::string fraction = std::to_string(100 + hundredths % 100).substr(1);
  const std::string text = std::to_string(hundredths / 100) + '.' + fraction;
  return text + ' ' + text + '\n';
}

/// The descriptor of the thread that a path names, as bash's <(…) has them.
std::optional<int> descriptor_named(const Thread& thread, const std::string& path) {
  const std::string process = std::to_string(thread.process->id);
  for (const std::string& folder :
       {std::string("/dev/fd/"), std::string("/proc/self/fd/"),
        std::string("/proc/thread-self/fd/"), "/proc/" + process + "/fd/"}) {
    int number = 0;
    const char* end = path.data() + path.size();
    if (path.starts_with(folder) &&
        std::from_chars(path.data() + folder.size(), end, number).ptr == end) {
      return number;
    }
  }
  constexpr std::string_view kStandard[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
  const auto found = std::find(std::begin(kStandard), std::end(kStandard), path);
  return found == std::end(kStandard)
             ? std::nullopt
             : std::optional<int>(static_cast<int>(found - std::begin(kStandard)));
}

Reply open_path(Kernel& kernel, Thread& thread, std::uint64_t address, std::uint64_t flags) {
  const std::optional<std::string> path = kernel.read_string(thread, address);
  if (!path) {
    return Reply::native();
  }
  const bool closes_on_exec = (flags & O_CLOEXEC) != 0;
  if (*path == "/dev/urandom" || *path == "/dev/random") {
    const auto file = std::make_shared<RandomFile>(kernel, thread.process->random);
    file->set_nonblocking((flags & O_NONBLOCK) != 0);
    return Reply::done(kernel.open(thread, file, closes_on_exec));
  }
  if ((flags & O_PATH) != 0) {
    return Reply::native();
  }
  if (const std::optional<int> named = descriptor_named(thread, *path)) {
    const auto file = Kernel::file(thread, *named);
    if (!file) {
      return Reply::native();
    }
    const bool can_open = file->placeholder() != Placeholder::kSocket &&
                          file->placeholder() != Placeholder::kAnonymous;
    return can_open ? Reply::done(kernel.open(thread, file, closes_on_exec)) : Reply::error(ENXIO);
  }
  if ((flags & O_ACCMODE) != O_RDONLY) {
    return Reply::native();
  }
  if (*path == "/proc/uptime") {
    return Reply::done(
        kernel.machine().add_content(thread, uptime_text(kernel, thread), closes_on_exec));
  }
  const auto& files = thread.process->host->files;
  const auto found = files.find(*path);
  return found == files.end()
             ? Reply::native()
             : Reply::done(kernel.machine().add_content(thread, found->second, closes_on_exec));
}

Reply open_call(Kernel& kernel, Thread& thread, const Call& call) {
  return open_path(kernel, thread, call.arguments[0], call.arguments[1]);
}

Reply openat_call(Kernel& kernel, Thread& thread, const Call& call) {
  return open_path(kernel, thread, call.arguments[1], call.arguments[2]);
}

Reply openat2_call(Kernel& kernel, Thread& thread, const Call& call) {
  open_how how{};
  if (call.arguments[3] < sizeof how || !kernel.get(thread, call.arguments[2], how)) {
    return Reply::native();
  }
  return open_path(kernel, thread, call.arguments[1], how.flags);
}

/// From a native file to one of ours: as much as there is room for, in one go.
Reply sendfile_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto to = Kernel::file(thread, call.descriptor());
  const int from = static_cast<int>(call.arguments[1]);
  if (Kernel::file(thread, from)) {
    return Reply::error(EINVAL);  // what can wait cannot be mapped
  }
  if (!to || !kernel.machine().is_native_open(*thread.process, from)) {
    return Reply::native();
  }
  if ((to->access() & O_ACCMODE) == O_RDONLY) {
    return Reply::error(EBADF);
  }
  std::int64_t offset = 0;
  const bool has_offset = call.arguments[2] != 0;
  if (has_offset && !kernel.get(thread, call.arguments[2], offset)) {
    return Reply::error(EFAULT);
  }
  const auto attempt = [&kernel, &thread, &file = *to, from, has_offset, offset,
                        address = call.arguments[2],
                        size = call.arguments[3]]() -> std::optional<Reply> {
    std::vector<std::byte> bytes(std::min(size, kMostSentAtOnce));
    const std::int64_t start =
        has_offset ? offset : kernel.machine().native_position(*thread.process, from);
    if (start < 0) {
      return Reply::done(start);
    }
    const std::int64_t count = kernel.machine().read_native(*thread.process, from, start, bytes);
    if (count <= 0) {
      return Reply::done(count);
    }
    const std::int64_t written =
        file.write(std::span(bytes).first(static_cast<std::size_t>(count)));
    if (written == -EAGAIN) {
      return std::nullopt;
    }
    if (written > 0 && !has_offset) {
      // the file's own position moves by what has gone
      bytes.resize(static_cast<std::size_t>(written));
      kernel.machine().read_native(*thread.process, from, std::nullopt, bytes);
    }
    if (written > 0 && has_offset && !kernel.put(thread, address, offset + written)) {
      return Reply::error(EFAULT);
    }
    return Reply::done(written);
  };
  if (const std::optional<Reply> reply = attempt()) {
    return *reply;
  }
  if (to->is_nonblocking()) {
    return Reply::error(EAGAIN);
  }
  Wait wait;
  wait.files = {to};
  wait.attempt = attempt;
  return kernel.wait(thread, std::move(wait));
}

/// Programs copy by hand if this is refused.
Reply copy_call(Kernel&, Thread& thread, const Call& call, std::size_t second) {
  const bool is_ours = Kernel::file(thread, call.descriptor()) ||
                       Kernel::file(thread, static_cast<int>(call.arguments[second]));
  return is_ours ? Reply::error(EINVAL) : Reply::native();
}

Reply splice_call(Kernel& kernel, Thread& thread, const Call& call) {
  return copy_call(kernel, thread, call, 2);
}

Reply tee_call(Kernel& kernel, Thread& thread, const Call& call) {
  return copy_call(kernel, thread, call, 1);
}

Reply vmsplice_call(Kernel& kernel, Thread& thread, const Call& call) {
  return copy_call(kernel, thread, call, 0);
}

}  // namespace

void add_open_calls(CallTable& table) {
  table[SYS_open] = open_call;
  table[SYS_openat] = openat_call;
  table[SYS_openat2] = openat2_call;
  table[SYS_sendfile] = sendfile_call;
  table[SYS_splice] = splice_call;
  table[SYS_tee] = tee_call;
  table[SYS_vmsplice] = vmsplice_call;
  table[SYS_copy_file_range] = splice_call;
}

}  // namespace longarm::programs
