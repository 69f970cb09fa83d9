// SPDX-License-Identifier: Apache-2.0
// Tests of poll, select, epoll and futexes: who wakes when, in which order, and what they are told.
#include <linux/futex.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/signals.h"
#include "longarm/programs/test/kernel_fixture.h"

namespace longarm::programs {
namespace {

using ::testing::ElementsAre;

class CallsWaiting : public ProgramsTest {};

TEST_F(CallsWaiting, PollKnowsWhatIsNotOpen) {
  start([&](Running& call) -> Script {
    std::array<int, 2> ends{};
    EXPECT_EQ(co_await call(SYS_pipe2, ends.data(), 0), 0);
    EXPECT_THAT(ends, ElementsAre(3, 4));
    // a pipe, a native file, nothing, and one that is left out
    std::array<pollfd, 5> entries{
        {{4, POLLOUT, 0}, {3, POLLIN, 0}, {0, POLLIN, 0}, {5, POLLIN, 0}, {-1, POLLIN, 9}}};
    EXPECT_EQ(co_await call(SYS_poll, entries.data(), entries.size(), 1000), 3);
    EXPECT_EQ(entries[0].revents, POLLOUT);
    EXPECT_EQ(entries[1].revents, 0);
    EXPECT_EQ(entries[2].revents, POLLIN);
    EXPECT_EQ(entries[3].revents, POLLNVAL);
    EXPECT_EQ(entries[4].revents, 0);
    EXPECT_EQ(now(), 0s);
  });
  run();
}

TEST_F(CallsWaiting, PollSeesEverythingThatHappenedBeforeItsTurn) {
  std::array<int, 4> ends{};
  int ready = -1;
  Thread& poller = start([&](Running& call) -> Script {
    co_await call(SYS_pipe2, ends.data(), 0);
    co_await call(SYS_pipe2, ends.data() + 2, 0);
    std::array<pollfd, 2> entries{{{ends[0], POLLIN, 0}, {ends[2], POLLIN, 0}}};
    ready = static_cast<int>(co_await call(SYS_poll, entries.data(), 2, -1));
    EXPECT_EQ(now(), 5ms);
  });
  machine.add_thread(*poller.process, [&](Running& call) -> Script {
    const timespec span{0, 5'000'000};
    co_await call(SYS_nanosleep, &span, nullptr);
    co_await call(SYS_write, ends[1], "x", 1);
    EXPECT_EQ(ready, -1);  // the poller wakes when the writer waits
    co_await call(SYS_write, ends[3], "x", 1);
  });
  run();
  EXPECT_EQ(ready, 2);
}

TEST_F(CallsWaiting, PollEndsAtItsDeadline) {
  start([&](Running& call) -> Script {
    const auto event = co_await call(SYS_eventfd2, 0, 0);
    pollfd entry{static_cast<int>(event), POLLIN, 7};
    EXPECT_EQ(co_await call(SYS_poll, &entry, 1, 250), 0);
    EXPECT_EQ(now(), 250ms);
    EXPECT_EQ(entry.revents, 0);
    timespec limit{0, 1};
    EXPECT_EQ(co_await call(SYS_ppoll, &entry, 1, &limit, nullptr, 8), 0);
    EXPECT_EQ(now(), 250ms + 1ns);
    EXPECT_EQ(limit.tv_nsec, 0);
  });
  run();
}

TEST_F(CallsWaiting, SelectSaysHowMuchTimeIsLeft) {
  std::array<int, 2> ends{};
  Thread& selecting = start([&](Running& call) -> Script {
    co_await call(SYS_pipe2, ends.data(), 0);
    std::uint64_t readable = std::uint64_t{1} << ends[0];
    timeval limit{10, 0};
    EXPECT_EQ(co_await call(SYS_select, 64, &readable, nullptr, nullptr, &limit), 1);
    EXPECT_EQ(readable, std::uint64_t{1} << ends[0]);
    EXPECT_EQ(limit.tv_sec, 7);
    readable = std::uint64_t{1} << 60;
    EXPECT_EQ(co_await call(SYS_select, 64, &readable, nullptr, nullptr, &limit), -EBADF);
  });
  machine.add_thread(*selecting.process, [&](Running& call) -> Script {
    const timespec span{3, 0};
    co_await call(SYS_nanosleep, &span, nullptr);
    co_await call(SYS_write, ends[1], "x", 1);
  });
  run();
  EXPECT_TRUE(machine.is_over(selecting));
}

TEST_F(CallsWaiting, AnEdgeIsReportedOnceForEachWrite) {
  start([&](Running& call) -> Script {
    const auto event = co_await call(SYS_eventfd2, 0, EFD_NONBLOCK);
    const auto epoll = co_await call(SYS_epoll_create1, 0);
    epoll_event asked{};
    asked.events = EPOLLIN | static_cast<std::uint32_t>(EPOLLET);
    asked.data.u64 = 42;
    EXPECT_EQ(co_await call(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, event, &asked), 0);
    EXPECT_EQ(co_await call(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, event, &asked), -EEXIST);
    epoll_event told{};
    EXPECT_EQ(co_await call(SYS_epoll_wait, epoll, &told, 1, 0), 0);
    const std::uint64_t one = 1;
    for (int edge = 0; edge < 2; ++edge) {
      co_await call(SYS_write, event, &one, 8);
      EXPECT_EQ(co_await call(SYS_epoll_wait, epoll, &told, 1, 0), 1);
      EXPECT_EQ(told.data.u64, 42U);
      EXPECT_EQ(co_await call(SYS_epoll_wait, epoll, &told, 1, 0), 0);
    }
    // its level was there all the time
    asked.events = EPOLLIN;
    co_await call(SYS_epoll_ctl, epoll, EPOLL_CTL_MOD, event, &asked);
    EXPECT_EQ(co_await call(SYS_epoll_wait, epoll, &told, 1, 0), 1);
    EXPECT_EQ(co_await call(SYS_epoll_wait, epoll, &told, 1, 0), 1);
  });
  run();
}

TEST_F(CallsWaiting, ClosedFilesLeaveTheirEpoll) {
  start([&](Running& call) -> Script {
    const auto event = co_await call(SYS_eventfd2, 1, EFD_NONBLOCK);
    const auto twin = co_await call(SYS_dup, event);
    const auto epoll = co_await call(SYS_epoll_create1, 0);
    epoll_event asked{};
    asked.events = EPOLLIN;
    co_await call(SYS_epoll_ctl, epoll, EPOLL_CTL_ADD, event, &asked);
    epoll_event told{};
    co_await call(SYS_close, event);
    // the file is still open
    EXPECT_EQ(co_await call(SYS_epoll_wait, epoll, &told, 1, 0), 1);
    co_await call(SYS_close, twin);
    EXPECT_EQ(co_await call(SYS_epoll_wait, epoll, &told, 1, 10), 0);
    EXPECT_EQ(now(), 10ms);
  });
  run();
}

TEST_F(CallsWaiting, AFutexWaitsThreeSecondsExactly) {
  std::uint32_t word = 7;
  start([&](Running& call) -> Script {
    // as pthread_cond_timedwait
    timespec until{946'684'800 + 3, 0};
    EXPECT_EQ(co_await call(SYS_futex, &word,
                            FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME, 7,
                            &until, nullptr, FUTEX_BITSET_MATCH_ANY),
              -ETIMEDOUT);
    EXPECT_EQ(now(), 3s);
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_WAIT, 8, nullptr), -EAGAIN);
  });
  run();
}

TEST_F(CallsWaiting, WhoWaitsLongestWakesFirst) {
  std::uint32_t word = 0;
  std::vector<int> order;
  Thread& first = start([&](Running& call) -> Script {
    co_await call(SYS_futex, &word, FUTEX_WAIT, 0, nullptr);
    order.push_back(1);
  });
  for (const int who : {2, 3}) {
    machine.add_thread(*first.process, [&, who](Running& call) -> Script {
      co_await call(SYS_futex, &word, FUTEX_WAIT, 0, nullptr);
      order.push_back(who);
    });
  }
  machine.add_thread(*first.process, [&](Running& call) -> Script {
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_WAKE, 2), 2);
    EXPECT_TRUE(order.empty());
    co_await call(SYS_sched_yield);
    EXPECT_THAT(order, ElementsAre(1, 2));
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_WAKE, 2), 1);
  });
  run();
  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST_F(CallsWaiting, RequeuedWaitersWakeAtTheOtherWord) {
  std::uint32_t condition = 5;
  std::uint32_t mutex = 0;
  int woken = 0;
  Thread& first = start([&](Running& call) -> Script {
    co_await call(SYS_futex, &condition, FUTEX_WAIT, 5, nullptr);
    ++woken;
  });
  machine.add_thread(*first.process, [&](Running& call) -> Script {
    co_await call(SYS_futex, &condition, FUTEX_WAIT, 5, nullptr);
    ++woken;
  });
  machine.add_thread(*first.process, [&](Running& call) -> Script {
    EXPECT_EQ(co_await call(SYS_futex, &condition, FUTEX_CMP_REQUEUE, 1, 10, &mutex, 4), -EAGAIN);
    EXPECT_EQ(co_await call(SYS_futex, &condition, FUTEX_CMP_REQUEUE, 1, 10, &mutex, 5), 2);
    co_await call(SYS_sched_yield);
    EXPECT_EQ(woken, 1);
    EXPECT_EQ(co_await call(SYS_futex, &condition, FUTEX_WAKE, 9), 0);
    EXPECT_EQ(co_await call(SYS_futex, &mutex, FUTEX_WAKE, 9), 1);
  });
  run();
  EXPECT_EQ(woken, 2);
}

TEST_F(CallsWaiting, APriorityInheritingLockIsHandedOver) {
  std::uint32_t word = 0;
  std::vector<int> order;
  Thread& owner = start([&](Running& call) -> Script {
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_LOCK_PI, 0, nullptr), 0);
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_LOCK_PI, 0, nullptr), -EDEADLK);
    const timespec span{1, 0};
    co_await call(SYS_nanosleep, &span, nullptr);
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_UNLOCK_PI), 0);
    order.push_back(1);
  });
  Thread& heir = machine.add_thread(*owner.process, [&](Running& call) -> Script {
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_TRYLOCK_PI), -EAGAIN);
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_UNLOCK_PI), -EPERM);
    EXPECT_EQ(co_await call(SYS_futex, &word, FUTEX_LOCK_PI, 0, nullptr), 0);
    EXPECT_EQ(now(), 1s);
    order.push_back(2);
  });
  run();
  EXPECT_THAT(order, ElementsAre(1, 2));
  EXPECT_EQ(word, static_cast<std::uint32_t>(heir.id));
}

TEST_F(CallsWaiting, WhoDiesWithARobustLockWakesTheNext) {
  // the word lies 100 bytes behind the entry
  alignas(8) static std::array<std::byte, 256> memory{};
  auto* head = reinterpret_cast<robust_list_head*>(memory.data());
  auto* entry = reinterpret_cast<robust_list*>(memory.data() + 64);
  auto* lock = reinterpret_cast<std::uint32_t*>(memory.data() + 64 + 100);
  head->list.next = entry;
  head->futex_offset = 100;
  head->list_op_pending = nullptr;
  entry->next = &head->list;
  bool is_woken = false;
  Thread& waiter = start([&](Running& call) -> Script {
    const timespec span{1, 0};
    co_await call(SYS_nanosleep, &span, nullptr);
    EXPECT_EQ(co_await call(SYS_futex, lock, FUTEX_WAIT, *lock, nullptr), 0);
    is_woken = true;
  });
  Thread& owner = machine.add_thread(*waiter.process, [&](Running& call) -> Script {
    co_await call(SYS_set_robust_list, head, sizeof *head);
    const timespec span{2, 0};
    co_await call(SYS_nanosleep, &span, nullptr);
    co_await call(SYS_exit, 0);
  });
  *lock = static_cast<std::uint32_t>(owner.id) | FUTEX_WAITERS;
  run();
  EXPECT_TRUE(is_woken);
  EXPECT_EQ(*lock, FUTEX_WAITERS | FUTEX_OWNER_DIED);
}

TEST_F(CallsWaiting, ACallWithAMaskEndsForASignalThatItLetsThrough) {
  Thread& waiter = start([&](Running& call) -> Script {
    const std::uint64_t none = 0;
    EXPECT_EQ(co_await call(SYS_ppoll, nullptr, 0, nullptr, &none, 8), -EINTR);
    EXPECT_EQ(now(), 2s);
  });
  machine.signals_of(waiter).blocked = signal_bit(SIGTERM);
  machine.signals_of(waiter).caught = signal_bit(SIGTERM);
  start([&](Running& call) -> Script {
    const timespec span{2, 0};
    co_await call(SYS_nanosleep, &span, nullptr);
    co_await call(SYS_kill, waiter.process->id, SIGTERM);
  });
  run();
  EXPECT_TRUE(machine.is_over(waiter));
}

}  // namespace
}  // namespace longarm::programs
