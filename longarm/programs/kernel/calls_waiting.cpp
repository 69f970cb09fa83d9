// SPDX-License-Identifier: Apache-2.0
// poll(2) and select(2): waiting for any of several files.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <vector>

#include <poll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/clocks.h"
#include "longarm/programs/kernel/signals.h"

namespace longarm::programs {
namespace {

/// Files whose readiness the machine's own kernel knows are taken for files on a disk.
constexpr std::uint32_t kNativeReadiness = POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM;

/// A file that poll or select was asked about: one of ours, or a native one, or none.
struct Asked {
  int descriptor = -1;
  std::shared_ptr<File> file;
  bool is_native = false;

  bool is_open() const { return file || is_native; }
  std::uint32_t readiness() const { return file ? file->readiness() : kNativeReadiness; }
};

Asked ask(Kernel& kernel, const Thread& thread, int descriptor) {
  Asked asked{descriptor, Kernel::file(thread, descriptor), false};
  asked.is_native = !asked.file && kernel.machine().is_native_open(*thread.process, descriptor);
  return asked;
}

/// When a waiting call is to end, and what it says about the time that was left.
struct TimeLimit {
  Limit limit;
  Time deadline = Time::max();

  void start(const Kernel& kernel, const Thread& thread) {
    if (limit.span) {
      deadline = kernel.after(thread, *limit.span);
    }
  }
  Duration left(const Kernel& kernel) const {
    return std::max(Duration(0), deadline - kernel.now());
  }
};

// --- poll -----------------------------------------------------------------------------------

struct Polling {
  std::uint64_t address = 0;
  std::vector<pollfd> entries;
  std::vector<Asked> asked;
};

/// How many are ready, with that written down.
std::int64_t poll_now(Polling& polling) {
  std::int64_t count = 0;
  for (std::size_t index = 0; index < polling.entries.size(); ++index) {
    pollfd& entry = polling.entries[index];
    const Asked& asked = polling.asked[index];
    std::uint32_t ready = 0;
    if (entry.fd >= 0 && !asked.is_open()) {
      ready = POLLNVAL;
    } else if (entry.fd >= 0) {
      const auto wanted = static_cast<std::uint16_t>(entry.events);
      ready = asked.readiness() & (std::uint32_t{wanted} | POLLERR | POLLHUP);
    }
    entry.revents = static_cast<std::int16_t>(ready);
    count += ready != 0 ? 1 : 0;
  }
  return count;
}

Reply poll_reply(Kernel& kernel, const Thread& thread, const Polling& polling, std::int64_t count) {
  const bool is_written =
      polling.entries.empty() ||
      kernel.write(thread, polling.address, std::as_bytes(std::span(polling.entries)));
  return is_written ? Reply::done(count) : Reply::error(EFAULT);
}

/// `told_left` is called once it is over.
Reply poll_files(Kernel& kernel, Thread& thread, const Call& call, TimeLimit time,
                 const CallMask& mask, const std::function<void()>& told_left) {
  constexpr std::uint64_t kMostEntries = 1 << 20;
  const auto count = static_cast<std::uint32_t>(call.arguments[1]);
  if (count > kMostEntries) {
    return Reply::error(EINVAL);
  }
  const auto polling = std::make_shared<Polling>();
  polling->address = call.arguments[0];
  polling->entries.resize(count);
  if (count > 0 && !kernel.read(thread, call.arguments[0],
                                std::as_writable_bytes(std::span(polling->entries)))) {
    return Reply::error(EFAULT);
  }
  Wait wait;
  for (const pollfd& entry : polling->entries) {
    polling->asked.push_back(entry.fd >= 0 ? ask(kernel, thread, entry.fd) : Asked{});
    if (polling->asked.back().file) {
      wait.files.push_back(polling->asked.back().file);
    }
  }
  const std::int64_t ready = poll_now(*polling);
  if (ready > 0 || time.limit.is_zero()) {
    told_left();
    return poll_reply(kernel, thread, *polling, ready);
  }
  wait.deadline = time.deadline;
  wait.at_deadline = [&kernel, &thread, polling] {
    return poll_reply(kernel, thread, *polling, 0);
  };
  wait.attempt = [&kernel, &thread, polling]() -> std::optional<Reply> {
    const std::int64_t now_ready = poll_now(*polling);
    if (now_ready == 0) {
      return std::nullopt;
    }
    return poll_reply(kernel, thread, *polling, now_ready);
  };
  wait.ended = told_left;
  return wait_with_mask(kernel, thread, mask, std::move(wait));
}

Reply poll_call(Kernel& kernel, Thread& thread, const Call& call) {
  TimeLimit time;
  if (const int milliseconds = static_cast<int>(call.arguments[2]); milliseconds >= 0) {
    time.limit.span = std::chrono::milliseconds(milliseconds);
  }
  time.start(kernel, thread);
  return poll_files(kernel, thread, call, time, {}, [] {});
}

Reply ppoll_call(Kernel& kernel, Thread& thread, const Call& call) {
  const std::uint64_t address = call.arguments[2];
  TimeLimit time{timespec_limit(kernel, thread, address)};
  if (time.limit.error != 0) {
    return Reply::error(time.limit.error);
  }
  const CallMask mask = call_mask(kernel, thread, call.arguments[3], call.arguments[4]);
  if (mask.reply) {
    return *mask.reply;
  }
  time.start(kernel, thread);
  return poll_files(kernel, thread, call, time, mask, [&kernel, &thread, time, address] {
    if (address != 0) {
      kernel.put(thread, address, timespec_of(time.left(kernel)));
    }
  });
}

// --- select ---------------------------------------------------------------------------------

constexpr std::uint32_t kSelectRead = POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR;
constexpr std::uint32_t kSelectWrite = POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR;
constexpr std::uint32_t kSelectUrgent = POLLPRI;

/// One of the three sets of select(2).
struct DescriptorSet {
  std::uint64_t address = 0;  ///< zero: not asked for
  std::uint32_t events = 0;
  std::vector<std::uint64_t> asked;
  std::vector<std::uint64_t> ready;

  static bool has(const std::vector<std::uint64_t>& bits, int number) {
    return !bits.empty() &&
           ((bits[static_cast<std::size_t>(number) / 64] >> (number % 64)) & 1U) != 0;
  }
};

struct Selecting {
  std::array<DescriptorSet, 3> sets;
  std::vector<Asked> asked;
};

std::int64_t select_now(Selecting& selecting) {
  std::int64_t count = 0;
  for (DescriptorSet& set : selecting.sets) {
    std::fill(set.ready.begin(), set.ready.end(), 0);
    for (const Asked& asked : selecting.asked) {
      const int number = asked.descriptor;
      if (DescriptorSet::has(set.asked, number) && (asked.readiness() & set.events) != 0) {
        set.ready[static_cast<std::size_t>(number) / 64] |= std::uint64_t{1} << (number % 64);
        ++count;
      }
    }
  }
  return count;
}

Reply select_reply(Kernel& kernel, const Thread& thread, const Selecting& selecting,
                   std::int64_t count) {
  for (const DescriptorSet& set : selecting.sets) {
    if (!set.ready.empty() &&
        !kernel.write(thread, set.address, std::as_bytes(std::span(set.ready)))) {
      return Reply::error(EFAULT);
    }
  }
  return Reply::done(count);
}

Reply select_files(Kernel& kernel, Thread& thread, const Call& call, const TimeLimit& time,
                   const CallMask& mask, const std::function<void()>& told_left) {
  constexpr int kMostDescriptors = 1 << 20;
  const int count = call.descriptor();
  if (count < 0) {
    return Reply::error(EINVAL);
  }
  const int numbers = std::min(count, kMostDescriptors);
  const auto selecting = std::make_shared<Selecting>();
  constexpr std::array<std::uint32_t, 3> kEvents{kSelectRead, kSelectWrite, kSelectUrgent};
  for (std::size_t index = 0; index < 3; ++index) {
    DescriptorSet& set = selecting->sets[index];
    set.address = call.arguments[1 + index];
    set.events = kEvents[index];
    if (set.address == 0) {
      continue;
    }
    set.asked.resize((static_cast<std::size_t>(numbers) + 63) / 64);
    set.ready = set.asked;
    if (!kernel.read(thread, set.address, std::as_writable_bytes(std::span(set.asked)))) {
      return Reply::error(EFAULT);
    }
  }
  Wait wait;
  for (int number = 0; number < numbers; ++number) {
    const bool is_asked = std::any_of(
        selecting->sets.begin(), selecting->sets.end(),
        [&](const DescriptorSet& set) { return DescriptorSet::has(set.asked, number); });
    if (!is_asked) {
      continue;
    }
    const Asked& asked = selecting->asked.emplace_back(ask(kernel, thread, number));
    if (!asked.is_open()) {
      return Reply::error(EBADF);
    }
    if (asked.file) {
      wait.files.push_back(asked.file);
    }
  }
  const std::int64_t ready = select_now(*selecting);
  if (ready > 0 || time.limit.is_zero()) {
    told_left();
    return select_reply(kernel, thread, *selecting, ready);
  }
  wait.deadline = time.deadline;
  wait.at_deadline = [&kernel, &thread, selecting] {
    return select_reply(kernel, thread, *selecting, 0);
  };
  wait.attempt = [&kernel, &thread, selecting]() -> std::optional<Reply> {
    const std::int64_t now_ready = select_now(*selecting);
    if (now_ready == 0) {
      return std::nullopt;
    }
    return select_reply(kernel, thread, *selecting, now_ready);
  };
  wait.ended = told_left;
  return wait_with_mask(kernel, thread, mask, std::move(wait));
}

Reply select_call(Kernel& kernel, Thread& thread, const Call& call) {
  const std::uint64_t address = call.arguments[4];
  timeval written{};
  TimeLimit time;
  if (address != 0) {
    if (!kernel.get(thread, address, written)) {
      return Reply::error(EFAULT);
    }
    // unlike others, this one takes more than a second of microseconds
    const timespec span{written.tv_sec + written.tv_usec / 1'000'000,
                        written.tv_usec % 1'000'000 * 1000};
    time.limit.span = duration_of(span);
    if (!time.limit.span) {
      return Reply::error(EINVAL);
    }
  }
  time.start(kernel, thread);
  return select_files(kernel, thread, call, time, {}, [&kernel, &thread, time, address] {
    if (address != 0) {
      kernel.put(thread, address, timeval_of(time.left(kernel)));
    }
  });
}

Reply pselect6_call(Kernel& kernel, Thread& thread, const Call& call) {
  const std::uint64_t address = call.arguments[4];
  TimeLimit time{timespec_limit(kernel, thread, address)};
  if (time.limit.error != 0) {
    return Reply::error(time.limit.error);
  }
  CallMask mask;
  if (call.arguments[5] != 0) {
    std::array<std::uint64_t, 2> place_and_size{};
    if (!kernel.get(thread, call.arguments[5], place_and_size)) {
      return Reply::error(EFAULT);
    }
    mask = call_mask(kernel, thread, place_and_size[0], place_and_size[1]);
    if (mask.reply) {
      return *mask.reply;
    }
  }
  time.start(kernel, thread);
  return select_files(kernel, thread, call, time, mask, [&kernel, &thread, time, address] {
    if (address != 0) {
      kernel.put(thread, address, timespec_of(time.left(kernel)));
    }
  });
}

}  // namespace

void add_waiting_calls(CallTable& table) {
  table[SYS_poll] = poll_call;
  table[SYS_ppoll] = ppoll_call;
  table[SYS_select] = select_call;
  table[SYS_pselect6] = pselect6_call;
}

}  // namespace longarm::programs
