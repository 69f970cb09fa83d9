// SPDX-License-Identifier: Apache-2.0
// Tests of clocks, sleeps and timers: everything happens at the nanosecond it was asked for.
#include <array>

#include <sys/syscall.h>
#include <sys/timerfd.h>

#include "longarm/programs/kernel/signals.h"
#include "longarm/programs/test/kernel_fixture.h"

namespace longarm::programs {
namespace {

using ::testing::ElementsAre;

class CallsTime : public ProgramsTest {};

TEST_F(CallsTime, SleepsAreExactAHundredThousandTimes) {
  int inexact = 0;
  start([&](Running& call) -> Script {
    timespec next{};
    co_await call(SYS_clock_gettime, CLOCK_MONOTONIC, &next);
    for (int tick = 0; tick < 100'000; ++tick) {
      next.tv_nsec += 1'000'000;
      if (next.tv_nsec == 1'000'000'000) {
        next.tv_nsec = 0;
        ++next.tv_sec;
      }
      co_await call(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &next, nullptr);
      timespec read{};
      co_await call(SYS_clock_gettime, CLOCK_MONOTONIC, &read);
      inexact += read.tv_sec != next.tv_sec || read.tv_nsec != next.tv_nsec ? 1 : 0;
    }
    EXPECT_EQ(now(), 100s);
  });
  run();
  EXPECT_EQ(inexact, 0);
}

TEST_F(CallsTime, RealTimeBeginsWithTheYear2000AndMonotonicTimeWithASecond) {
  start([&](Running& call) -> Script {
    timespec real{};
    timespec uptime{};
    EXPECT_EQ(co_await call(SYS_clock_gettime, CLOCK_REALTIME, &real), 0);
    EXPECT_EQ(co_await call(SYS_clock_gettime, CLOCK_MONOTONIC, &uptime), 0);
    EXPECT_EQ(real.tv_sec, 946'684'800);  // date -u -d 2000-01-01 +%s
    EXPECT_EQ(uptime.tv_sec, 1);          // programs take zero for a clock that was never read
    EXPECT_EQ(co_await call(SYS_clock_gettime, 77, &real), -EINVAL);
    EXPECT_EQ(co_await call(SYS_clock_settime, CLOCK_REALTIME, &real), -EPERM);
  });
  run();
}

TEST_F(CallsTime, AHostWhoseClockGainsSleepsShorter) {
  // a clock that gains 1 s in 1000 s shows 10.01 s after 10 s
  Host& fast = kernel.add_host({"fast", {}, 0, control::HostClock(-5s, 1000.0)});
  machine.start(fast, "fast", [&](Running& call) -> Script {
    const timespec span{10, 10'000'000};
    co_await call(SYS_nanosleep, &span, nullptr);
    EXPECT_EQ(now(), 10s);
    timespec uptime{};
    co_await call(SYS_clock_gettime, CLOCK_MONOTONIC, &uptime);
    EXPECT_EQ(uptime.tv_sec, 11);  // since a second before
    EXPECT_EQ(uptime.tv_nsec, 10'000'000);
    timespec real{};
    co_await call(SYS_clock_gettime, CLOCK_REALTIME, &real);
    EXPECT_EQ(real.tv_sec, 946'684'800 + 5);
  });
  run();
}

TEST_F(CallsTime, ASignalEndsASleepWhichSaysWhatIsLeft) {
  Thread& sleeper = start([&](Running& call) -> Script {
    const timespec span{10, 0};
    timespec left{};
    EXPECT_EQ(co_await call(SYS_nanosleep, &span, &left), -EINTR);
    EXPECT_EQ(now(), 4s);
    EXPECT_EQ(left.tv_sec, 6);
  });
  machine.signals_of(sleeper).caught = signal_bit(SIGUSR1);
  start([&](Running& call) -> Script {
    const timespec span{4, 0};
    co_await call(SYS_nanosleep, &span, nullptr);
    EXPECT_EQ(co_await call(SYS_kill, sleeper.process->id, SIGUSR1), 0);
  });
  run();
  EXPECT_TRUE(machine.is_over(sleeper));
}

TEST_F(CallsTime, ATimerfdCountsWhatNobodyRead) {
  start([&](Running& call) -> Script {
    const auto timer =
        static_cast<int>(co_await call(SYS_timerfd_create, CLOCK_MONOTONIC, TFD_NONBLOCK));
    EXPECT_EQ(timer, 3);
    const itimerspec every{{0, 1'000'000}, {0, 3'000'000}};  // at 3 ms, 4 ms, 5 ms, …
    EXPECT_EQ(co_await call(SYS_timerfd_settime, timer, 0, &every, nullptr), 0);
    std::uint64_t count = 0;
    EXPECT_EQ(co_await call(SYS_read, timer, &count, 8), -EAGAIN);
    const timespec span{0, 7'500'000};
    co_await call(SYS_nanosleep, &span, nullptr);
    EXPECT_EQ(co_await call(SYS_read, timer, &count, 8), 8);
    EXPECT_EQ(count, 5U);
    itimerspec left{};
    EXPECT_EQ(co_await call(SYS_timerfd_gettime, timer, &left), 0);
    EXPECT_EQ(left.it_value.tv_nsec, 500'000);
    EXPECT_EQ(left.it_interval.tv_nsec, 1'000'000);
    co_await call(SYS_fcntl, timer, F_SETFL, 0);
    EXPECT_EQ(co_await call(SYS_read, timer, &count, 8), 8);
    EXPECT_EQ(now(), 8ms);
    EXPECT_EQ(count, 1U);
  });
  run(1s);
}

TEST_F(CallsTime, AnAbsoluteTimerInThePastHasExpired) {
  run(1s);
  start([&](Running& call) -> Script {
    const auto timer = co_await call(SYS_timerfd_create, CLOCK_REALTIME, 0);
    const itimerspec past{{0, 0}, {946'684'800, 500'000'000}};
    co_await call(SYS_timerfd_settime, timer, TFD_TIMER_ABSTIME, &past, nullptr);
    std::uint64_t count = 0;
    EXPECT_EQ(co_await call(SYS_read, timer, &count, 8), 8);
    EXPECT_EQ(count, 1U);
    EXPECT_EQ(now(), 1s);
  });
  run(1s);
}

TEST_F(CallsTime, AnAlarmRingsAndIsToldHowMuchWasLeft) {
  Thread& thread = start([&](Running& call) -> Script {
    EXPECT_EQ(co_await call(SYS_alarm, 10), 0);
    const timespec span{2, 600'000'000};
    co_await call(SYS_nanosleep, &span, nullptr);
    EXPECT_EQ(co_await call(SYS_alarm, 5), 7);  // of 7.4 s
    EXPECT_EQ(co_await call(SYS_pause), -EINTR);
    EXPECT_EQ(now(), 7'600ms);
  });
  machine.signals_of(thread).caught = signal_bit(SIGALRM);
  run();
  EXPECT_TRUE(machine.is_over(thread));
}

TEST_F(CallsTime, AProcessTimerCountsExpiriesWhileItsSignalIsPending) {
  Thread& thread = start([&](Running& call) -> Script {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR2;
    event.sigev_value.sival_int = 17;
    int id = -1;
    EXPECT_EQ(co_await call(SYS_timer_create, CLOCK_MONOTONIC, &event, &id), 0);
    const itimerspec every{{1, 0}, {1, 0}};
    EXPECT_EQ(co_await call(SYS_timer_settime, id, 0, &every, nullptr), 0);
    const timespec span{3, 500'000'000};
    co_await call(SYS_nanosleep, &span, nullptr);  // SIGUSR2 is blocked: at 1 s, 2 s and 3 s
    const std::uint64_t wanted = signal_bit(SIGUSR2);
    EXPECT_EQ(co_await call(SYS_rt_sigtimedwait, &wanted, nullptr, nullptr, 8), SIGUSR2);
    EXPECT_EQ(co_await call(SYS_rt_sigtimedwait, &wanted, nullptr, nullptr, 8), SIGUSR2);
    EXPECT_EQ(now(), 4s);
    EXPECT_EQ(co_await call(SYS_timer_getoverrun, id), 2);
    EXPECT_EQ(co_await call(SYS_timer_delete, id), 0);
    EXPECT_EQ(co_await call(SYS_timer_delete, id), -EINVAL);
  });
  machine.signals_of(thread).blocked = signal_bit(SIGUSR2);
  run();
  EXPECT_TRUE(machine.is_over(thread));
  EXPECT_EQ(machine.sent().size(), 2U);
  EXPECT_EQ(machine.sent().front().code, SI_TIMER);
  EXPECT_EQ(machine.sent().front().value, 17U);
}

TEST_F(CallsTime, ComputingTimeIsWhatWasCharged) {
  start([&](Running& call) -> Script {
    timespec used{1, 1};
    for (int count = 0; count < 200; ++count) {
      co_await call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
    }
    EXPECT_EQ(used.tv_sec + used.tv_nsec, 0);
    EXPECT_EQ(now(), 0s);
    // 200 are free; each further one at this instant costs 5 us
    co_await call(SYS_sched_yield);
    EXPECT_EQ(now(), 5us);
    co_await call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
    EXPECT_EQ(used.tv_nsec, 5'000);
  });
  run();
}

TEST_F(CallsTime, WhoeverSpinsOnTheClockGetsOn) {
  int reads = 0;
  start([&](Running& call) -> Script {
    timespec now_read{};
    while (now_read.tv_nsec < 1'000'000) {
      co_await call(SYS_clock_gettime, CLOCK_MONOTONIC, &now_read);
      ++reads;
    }
  });
  run();
  // 200 free ones, one for each of 200 times 5 us, and the one that reads 1 ms
  EXPECT_EQ(reads, 200 + 200 + 1);
}

// --- computing -----------------------------------------------------------------------------------

Charge charge_of(const std::string& name, Charge::On on, Duration time) {
  Charge charge;
  charge.name = name;
  charge.on = on;
  charge.time.fixed = time;
  return charge;
}

TEST_F(CallsTime, ComputingIsChargedWhenAThreadWakesAndForWhatItReads) {
  Charge poke = charge_of("poke", Charge::On::kReceive, 40us);
  poke.contains = {"echo", "poke"};
  poke.time.per_byte_ns = 2.0;
  const auto computing = std::make_shared<Computing>(
      std::vector{charge_of("wake", Charge::On::kWake, 20us), poke}, 0.0, 1, "program");
  std::array<int, 2> pipe{};
  Thread& reader = start([&](Running& call) -> Script {
    co_await call(SYS_pipe2, pipe.data(), 0);
    std::array<char, 100> bytes{};
    EXPECT_EQ(co_await call(SYS_read, pipe[0], bytes.data(), bytes.size()), 9);
    EXPECT_EQ(now(), 1s + 20us + 40us + 18ns);  // it has waited, and 9 bytes cost 18 ns
    EXPECT_EQ(co_await call(SYS_read, pipe[0], bytes.data(), bytes.size()), 9);
    EXPECT_EQ(now(), 2s + 20us);  // the other order is another message
    EXPECT_EQ(co_await call(SYS_write, pipe[1], "echo poke", 9), 9);
    EXPECT_EQ(co_await call(SYS_read, pipe[0], bytes.data(), bytes.size()), 9);
    EXPECT_EQ(now(), 2s + 20us + 40us + 18ns);  // it was there already
    timespec used{};
    EXPECT_EQ(co_await call(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used), 0);
    EXPECT_EQ(used.tv_nsec, 120'036 + 40'000);  // of both threads
  });
  reader.process->computing = computing;
  machine.add_thread(*reader.process, [&](Running& call) -> Script {
    const timespec second{1, 0};
    const timespec rest{0, 999'980'000};  // it is charged for waking, too
    co_await call(SYS_nanosleep, &rest, nullptr);
    co_await call(SYS_write, pipe[1], "echo poke", 9);
    co_await call(SYS_nanosleep, &rest, nullptr);
    co_await call(SYS_write, pipe[1], "poke echo", 9);
    co_await call(SYS_nanosleep, &second, nullptr);
  });
  run();
  EXPECT_EQ(computing->sum(0).count, 5);  // two readings and three sleeps
  EXPECT_EQ(computing->sum(1).count, 2);
  EXPECT_EQ(computing->sum(1).time, 80us + 36ns);
}

TEST_F(CallsTime, ComputingForACallComesBeforeTheCall) {
  Charge open = charge_of("open", Charge::On::kCall, 5us);
  open.call = SYS_pipe2;
  const auto computing = std::make_shared<Computing>(
      std::vector{charge_of("any", Charge::On::kCall, 1us), open}, 2.0, 1, "program");
  Thread& thread = start([&](Running&) -> Script { co_return; });
  thread.process->computing = computing;
  run(0s);
  Call call;
  call.number = SYS_pipe2;
  // 1 us and 5 us, and twice what was measured
  EXPECT_TRUE(kernel.computes_first(thread, call, 3us));
  EXPECT_EQ(thread.charged, 12us);
  call.number = SYS_read;
  computing->on_measured(1us);
  EXPECT_EQ(computing->measured().time, 8us);
  EXPECT_EQ(computing->on_call(SYS_read), 1us);
}

}  // namespace
}  // namespace longarm::programs
