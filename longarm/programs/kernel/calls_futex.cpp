// SPDX-License-Identifier: Apache-2.0
// futex(2): threads that wait for a word of memory to change.
#include <algorithm>
#include <cerrno>
#include <climits>
#include <compare>
#include <list>
#include <map>

#include <linux/futex.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/clocks.h"

namespace longarm::programs {
namespace {

/// A word of memory: of an address space, or of what processes share.
struct FutexKey {
  bool is_shared = false;
  std::uint64_t space = 0;
  std::uint64_t place = 0;
  auto operator<=>(const FutexKey&) const = default;
};

struct FutexWaiter {
  Thread* thread = nullptr;
  std::uint32_t bits = FUTEX_BITSET_MATCH_ANY;
  FutexKey key;
};

/// Who waits where, in the order in which they came.
struct FutexQueues {
  std::map<FutexKey, std::list<FutexWaiter*>> queues;

  void add(FutexWaiter& waiter) { queues[waiter.key].push_back(&waiter); }
  void remove(FutexWaiter& waiter) {
    const auto found = queues.find(waiter.key);
    found->second.remove(&waiter);
    if (found->second.empty()) {
      queues.erase(found);
    }
  }
  FutexWaiter* first(const FutexKey& key, std::uint32_t bits = FUTEX_BITSET_MATCH_ANY) const {
    const auto found = queues.find(key);
    if (found == queues.end()) {
      return nullptr;
    }
    const auto waiter =
        std::find_if(found->second.begin(), found->second.end(),
                     [&](const FutexWaiter* one) { return (one->bits & bits) != 0; });
    return waiter == found->second.end() ? nullptr : *waiter;
  }
};

/// One call of futex(2), taken apart.
struct FutexCall {
  Kernel& kernel;
  Thread& thread;
  int operation;
  bool is_private;
  std::uint64_t address;
  std::uint32_t value;
  std::uint64_t fourth;  ///< a time limit or a number
  std::uint64_t second_address;
  std::uint32_t third_value;

  FutexQueues& queues() const { return kernel.state<FutexQueues>(); }
  FutexKey key(std::uint64_t at) const;
};

FutexKey key_of(Kernel& kernel, const Process& process, std::uint64_t address, bool is_private) {
  if (!is_private) {
    if (const auto place = kernel.machine().shared_place(process, address)) {
      return {true, place->first, place->second};
    }
  }
  return {false, process.address_space, address};
}

FutexKey FutexCall::key(std::uint64_t at) const {
  return key_of(kernel, *thread.process, at, is_private);
}

int wake_waiters(Kernel& kernel, const FutexKey& key, std::uint32_t most, std::uint32_t bits) {
  int count = 0;
  while (static_cast<std::uint32_t>(count) < most) {
    const FutexWaiter* waiter = kernel.state<FutexQueues>().first(key, bits);
    if (waiter == nullptr) {
      break;
    }
    kernel.finish(*waiter->thread, Reply::done(0));  // which takes it out of its queue
    ++count;
  }
  return count;
}

/// Nothing: an unmapped or crooked address.
Reply wait_for(const FutexCall& call, std::uint32_t bits, Time deadline, bool has_limit) {
  const auto waiter =
      std::make_shared<FutexWaiter>(FutexWaiter{&call.thread, bits, call.key(call.address)});
  FutexQueues& queues = call.queues();
  queues.add(*waiter);
  Wait wait;
  wait.deadline = deadline;
  wait.at_deadline = [] { return Reply::error(ETIMEDOUT); };
  if (has_limit) {
    wait.interrupted = [] { return Reply::error(EINTR); };
  }
  wait.ended = [&queues, waiter] { queues.remove(*waiter); };
  return call.kernel.wait(call.thread, std::move(wait));
}

/// `clock` of an absolute limit; nothing: it is relative.
Reply futex_wait(const FutexCall& call, std::uint32_t bits, std::optional<int> clock) {
  if (bits == 0) {
    return Reply::error(EINVAL);
  }
  const Limit limit = timespec_limit(call.kernel, call.thread, call.fourth);
  if (limit.error != 0) {
    return Reply::error(limit.error);
  }
  std::uint32_t word = 0;
  if (!call.kernel.get(call.thread, call.address, word)) {
    return Reply::error(EFAULT);
  }
  if (word != call.value) {
    return Reply::error(EAGAIN);
  }
  Time deadline = Time::max();
  if (limit.span) {
    deadline = clock ? call.kernel.instant(call.thread, *clock, *limit.span)
                     : call.kernel.after(call.thread, *limit.span);
  }
  return wait_for(call, bits, deadline, limit.span.has_value());
}

Reply futex_requeue(const FutexCall& call, std::optional<std::uint32_t> expected) {
  const auto wakes = static_cast<std::int32_t>(call.value);
  const auto moves = static_cast<std::int32_t>(call.fourth);
  if (wakes < 0 || moves < 0) {
    return Reply::error(EINVAL);
  }
  std::uint32_t word = 0;
  if (expected) {
    if (!call.kernel.get(call.thread, call.address, word)) {
      return Reply::error(EFAULT);
    }
    if (word != *expected) {
      return Reply::error(EAGAIN);
    }
  }
  const FutexKey from = call.key(call.address);
  const FutexKey to = call.key(call.second_address);
  int count =
      wake_waiters(call.kernel, from, static_cast<std::uint32_t>(wakes), FUTEX_BITSET_MATCH_ANY);
  for (int moved = 0; moved < moves; ++moved) {
    FutexWaiter* waiter = call.queues().first(from);
    if (waiter == nullptr || from == to) {
      break;
    }
    call.queues().remove(*waiter);
    waiter->key = to;
    call.queues().add(*waiter);
    ++count;
  }
  return Reply::done(count);
}

Reply futex_wake_op(const FutexCall& call) {
  const std::uint32_t code = call.third_value;
  // 12 bits each, with a sign
  const auto signed_part = [](std::uint32_t bits) {
    return static_cast<std::int32_t>(bits << 20) >> 20;
  };
  std::uint32_t operand = static_cast<std::uint32_t>(signed_part(code >> 12));
  const std::int32_t compared = signed_part(code);
  if (((code >> 28) & FUTEX_OP_OPARG_SHIFT) != 0) {
    operand = 1U << (operand & 31U);
  }
  std::uint32_t old = 0;
  if (!call.kernel.get(call.thread, call.second_address, old)) {
    return Reply::error(EFAULT);
  }
  std::uint32_t changed = 0;
  switch ((code >> 28) & 7U) {
    case FUTEX_OP_SET:
      changed = operand;
      break;
    case FUTEX_OP_ADD:
      changed = old + operand;
      break;
    case FUTEX_OP_OR:
      changed = old | operand;
      break;
    case FUTEX_OP_ANDN:
      changed = old & ~operand;
      break;
    case FUTEX_OP_XOR:
      changed = old ^ operand;
      break;
    default:
      return Reply::error(ENOSYS);
  }
  const auto before = static_cast<std::int32_t>(old);
  bool is_true = false;
  switch ((code >> 24) & 15U) {
    case FUTEX_OP_CMP_EQ:
      is_true = before == compared;
      break;
    case FUTEX_OP_CMP_NE:
      is_true = before != compared;
      break;
    case FUTEX_OP_CMP_LT:
      is_true = before < compared;
      break;
    case FUTEX_OP_CMP_GE:
      is_true = before >= compared;
      break;
    case FUTEX_OP_CMP_LE:
      is_true = before <= compared;
      break;
    case FUTEX_OP_CMP_GT:
      is_true = before > compared;
      break;
    default:
      return Reply::error(ENOSYS);
  }
  if (!call.kernel.put(call.thread, call.second_address, changed)) {
    return Reply::error(EFAULT);
  }
  int count = wake_waiters(call.kernel, call.key(call.address), call.value, FUTEX_BITSET_MATCH_ANY);
  if (is_true) {
    count += wake_waiters(call.kernel, call.key(call.second_address),
                          static_cast<std::uint32_t>(call.fourth), FUTEX_BITSET_MATCH_ANY);
  }
  return Reply::done(count);
}

// --- locks that the kernel hands over -----------------------------------------------------------

Reply futex_lock(const FutexCall& call, int clock, bool may_wait) {
  const auto own = static_cast<std::uint32_t>(call.thread.id);
  std::uint32_t word = 0;
  if (!call.kernel.get(call.thread, call.address, word)) {
    return Reply::error(EFAULT);
  }
  if ((word & FUTEX_TID_MASK) == own) {
    return Reply::error(EDEADLK);
  }
  if ((word & FUTEX_TID_MASK) == 0) {
    const std::uint32_t waiters =
        call.queues().first(call.key(call.address)) != nullptr ? FUTEX_WAITERS : 0U;
    const bool is_written =
        call.kernel.put(call.thread, call.address, own | waiters | (word & FUTEX_OWNER_DIED));
    return is_written ? Reply::done(0) : Reply::error(EFAULT);
  }
  if (!may_wait) {
    return Reply::error(EAGAIN);
  }
  if (call.kernel.find_thread(static_cast<pid_t>(word & FUTEX_TID_MASK)) == nullptr) {
    return Reply::error(ESRCH);
  }
  const Limit limit = timespec_limit(call.kernel, call.thread, call.fourth);
  if (limit.error != 0) {
    return Reply::error(limit.error);
  }
  if (!call.kernel.put(call.thread, call.address, word | FUTEX_WAITERS)) {
    return Reply::error(EFAULT);
  }
  const Time deadline =
      limit.span ? call.kernel.instant(call.thread, clock, *limit.span) : Time::max();
  // the lock is asked for again after a signal, whatever its handler says
  return wait_for(call, FUTEX_BITSET_MATCH_ANY, deadline, false);
}

/// The word belongs to whoever has waited longest, who goes on; or to nobody.
bool hand_over(Kernel& kernel, const Thread& by, const FutexKey& key, std::uint64_t address,
               std::uint32_t flags) {
  FutexQueues& queues = kernel.state<FutexQueues>();
  FutexWaiter* next = queues.first(key);
  if (next == nullptr) {
    return kernel.put(by, address, flags);
  }
  Thread& heir = *next->thread;
  kernel.finish(heir, Reply::done(0));
  const std::uint32_t waiters = queues.first(key) != nullptr ? FUTEX_WAITERS : 0U;
  return kernel.put(by, address, static_cast<std::uint32_t>(heir.id) | waiters | flags);
}

Reply futex_unlock(const FutexCall& call) {
  std::uint32_t word = 0;
  if (!call.kernel.get(call.thread, call.address, word)) {
    return Reply::error(EFAULT);
  }
  if ((word & FUTEX_TID_MASK) != static_cast<std::uint32_t>(call.thread.id)) {
    return Reply::error(EPERM);
  }
  return hand_over(call.kernel, call.thread, call.key(call.address), call.address, 0)
             ? Reply::done(0)
             : Reply::error(EFAULT);
}

Reply futex_call(Kernel& kernel, Thread& thread, const Call& call) {
  const auto flags = static_cast<std::uint32_t>(call.arguments[1]);
  const FutexCall one{kernel,
                      thread,
                      static_cast<int>(flags & static_cast<std::uint32_t>(FUTEX_CMD_MASK)),
                      (flags & FUTEX_PRIVATE_FLAG) != 0,
                      call.arguments[0],
                      static_cast<std::uint32_t>(call.arguments[2]),
                      call.arguments[3],
                      call.arguments[4],
                      static_cast<std::uint32_t>(call.arguments[5])};
  const int clock = (flags & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  if (one.address % sizeof(std::uint32_t) != 0) {
    return Reply::error(EINVAL);
  }
  switch (one.operation) {
    case FUTEX_WAIT:
      return futex_wait(one, FUTEX_BITSET_MATCH_ANY, std::nullopt);
    case FUTEX_WAIT_BITSET:
      return futex_wait(one, one.third_value, clock);
    case FUTEX_WAKE:
      return Reply::done(
          wake_waiters(kernel, one.key(one.address), one.value, FUTEX_BITSET_MATCH_ANY));
    case FUTEX_WAKE_BITSET:
      return one.third_value == 0 ? Reply::error(EINVAL)
                                  : Reply::done(wake_waiters(kernel, one.key(one.address),
                                                             one.value, one.third_value));
    case FUTEX_REQUEUE:
      return futex_requeue(one, std::nullopt);
    case FUTEX_CMP_REQUEUE:
      return futex_requeue(one, one.third_value);
    case FUTEX_WAKE_OP:
      return futex_wake_op(one);
    case FUTEX_LOCK_PI:
      return futex_lock(one, CLOCK_REALTIME, true);
    case FUTEX_LOCK_PI2:
      return futex_lock(one, clock, true);
    case FUTEX_TRYLOCK_PI:
      return futex_lock(one, CLOCK_REALTIME, false);
    case FUTEX_UNLOCK_PI:
      return futex_unlock(one);
    default:
      return Reply::error(ENOSYS);
  }
}

Reply set_robust_list_call(Kernel&, Thread& thread, const Call& call) {
  if (call.arguments[1] == sizeof(robust_list_head)) {
    thread.robust_list = call.arguments[0];
  }
  return Reply::native();  // for what the machine's own kernel does if the thread is killed
}

void release_robust_lock(Kernel& kernel, const Thread& thread, std::uint64_t address,
                         bool hands_over) {
  std::uint32_t word = 0;
  if (address % sizeof word != 0 || !kernel.get(thread, address, word)) {
    return;
  }
  const bool is_own = (word & FUTEX_TID_MASK) == static_cast<std::uint32_t>(thread.id);
  // where the machine's own kernel was faster, somebody still has to go on
  const bool is_dead = (word & FUTEX_TID_MASK) == 0 && (word & FUTEX_OWNER_DIED) != 0;
  if (!is_own && !is_dead) {
    return;
  }
  const FutexKey key = key_of(kernel, *thread.process, address, false);
  const FutexKey private_key = key_of(kernel, *thread.process, address, true);
  if (hands_over) {
    const bool waits_privately = kernel.state<FutexQueues>().first(private_key) != nullptr;
    hand_over(kernel, thread, waits_privately ? private_key : key, address, FUTEX_OWNER_DIED);
    return;
  }
  kernel.put(thread, address, (word & FUTEX_WAITERS) | FUTEX_OWNER_DIED);
  if (wake_waiters(kernel, key, 1, FUTEX_BITSET_MATCH_ANY) == 0 && !(key == private_key)) {
    wake_waiters(kernel, private_key, 1, FUTEX_BITSET_MATCH_ANY);
  }
}

}  // namespace

void wake_futex(Kernel& kernel, const Process& process, std::uint64_t address) {
  const FutexKey key = key_of(kernel, process, address, false);
  const FutexKey private_key = key_of(kernel, process, address, true);
  if (wake_waiters(kernel, key, 1, FUTEX_BITSET_MATCH_ANY) == 0 && !(key == private_key)) {
    wake_waiters(kernel, private_key, 1, FUTEX_BITSET_MATCH_ANY);
  }
}

void release_robust_list(Kernel& kernel, Thread& thread) {
  constexpr int kMostEntries = 2048;  // as Linux has it, for lists that are circles
  constexpr std::uint64_t kHandsOver = 1;
  const std::uint64_t list = std::exchange(thread.robust_list, 0);
  robust_list_head head{};
  if (list == 0 || !kernel.get(thread, list, head)) {
    return;
  }
  const auto release = [&](std::uint64_t entry) {
    if (entry != 0) {
      release_robust_lock(kernel, thread,
                          (entry & ~kHandsOver) + static_cast<std::uint64_t>(head.futex_offset),
                          (entry & kHandsOver) != 0);
    }
  };
  const auto pending = reinterpret_cast<std::uint64_t>(head.list_op_pending);
  auto entry = reinterpret_cast<std::uint64_t>(head.list.next);
  for (int count = 0; count < kMostEntries && (entry & ~kHandsOver) != list; ++count) {
    std::uint64_t next = 0;
    const bool has_next = kernel.get(thread, entry & ~kHandsOver, next);
    if ((entry & ~kHandsOver) != (pending & ~kHandsOver)) {
      release(entry);
    }
    if (!has_next) {
      break;
    }
    entry = next;
  }
  release(pending);
}

void add_futex_calls(CallTable& table) {
  table[SYS_futex] = futex_call;
  table[SYS_set_robust_list] = set_robust_list_call;
}

}  // namespace longarm::programs
