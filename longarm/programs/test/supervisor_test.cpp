// SPDX-License-Identifier: Apache-2.0
// Real programs under the supervisor: what they see of time, processes and signals, and that runs
// repeat.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "longarm/programs/test/supervisor_fixture.h"

namespace longarm::programs {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Supervisor, SleepsAreExact) {
  ProgramWorld world;
  EXPECT_EQ(world.run({test_program("ticks"), "1000"}), "0 inexact\n");
  EXPECT_EQ(world.status(), 0);
  EXPECT_EQ(world.ended(), Time(1s));
}

TEST(Supervisor, ThreadsWaitForEachOther) {
  ProgramWorld world;
  // the slowest thread counts 100 times every 5 ms
  EXPECT_EQ(world.run({test_program("threads")}),
            "500 after 500000000\nno more after 3500000000\njoined\n");
}

TEST(Supervisor, StaticallyLinkedProgramsRun) {
  ProgramWorld world;
  EXPECT_EQ(world.run({test_program("static_threads")}),
            "500 after 500000000\nno more after 3500000000\njoined\n");
}

// programs that print times print uptimes: a second more than the simulation's
TEST(Supervisor, ProcessesEndAsTheirParentsHear) {
  ProgramWorld world;
  EXPECT_EQ(world.run({test_program("family")}),
            "13 at 1010\n12 at 1020\n11 at 1030\n"
            "killed -15 at 1035\nkilled -9\ncrashed -11\naborted -6\nraised -2\n");
  EXPECT_THAT(world.log(), HasSubstr("edge: family (pid 8) was killed by signal 11"));
}

TEST(Supervisor, SignalsEndWaitsOrRestartThem) {
  ProgramWorld world;
  EXPECT_EQ(world.run({test_program("signals")}),
            "pause -1 EINTR at 3000\n"
            "nanosleep -1, 9.900000000 left at 3100\n"
            "nanosleep -1, 9.900000000 left at 3200\n"
            "nanosleep -1, 9.900000000 left at 3300\n"
            "read 1 'x' at 5300, 1 alarms, 2 children\n"
            "nanosleep 0, 2 children at 6300\n"
            "nanosleep 0, 1 alarms\n"
            "sigsuspend -1, 2 alarms at 8300\n");
}

TEST(Supervisor, ShellsRunPipelines) {
  ProgramWorld world;
  EXPECT_EQ(world.run({"sh", "-c", "echo a | tr a b; sleep 3600; date; sh -c 'exit 3'; echo $?"}),
            "b\nSat Jan  1 01:00:00 UTC 2000\n3\n");
}

TEST(Supervisor, ShellsReadFromProcesses) {
  ProgramWorld world;
  EXPECT_EQ(world.run({"bash", "-c", "cat <(echo a; sleep 1; echo b); date > /dev/stderr"}),
            "a\nb\nSat Jan  1 00:00:01 UTC 2000\n");
}

/// SIGCHLD's handler ends waits: make's pselect(2), whose mask lets it through, and a shell's
/// wait(2).
TEST(Supervisor, HandlersHearOfChildren) {
  ProgramWorld world;
  EXPECT_EQ(world.run({"sh", "-c",
                       "printf 'all: a b c\na b c:\n\t@sleep 1; echo $@\n' | make -s -j2 -f -"}),
            "a\nb\nc\n");
  EXPECT_EQ(world.ended(), Time(2s));
}

TEST(Supervisor, TrapsOfAShellRunWhileItWaits) {
  ProgramWorld world;
  EXPECT_EQ(world.run({"bash", "-c",
                       "trap 'echo trapped' USR1; (sleep 1; kill -USR1 $$; sleep 1) & wait; wait; "
                       "date"}),
            "trapped\nSat Jan  1 00:00:02 UTC 2000\n");
}

TEST(Supervisor, PythonSleepsThreadsAndStartsProcesses) {
  ProgramWorld world;
  EXPECT_EQ(world.run({"/usr/bin/python3", "-IBc", R"(
import subprocess, threading, time
begin = time.monotonic_ns()
time.sleep(1.5)
print(time.monotonic_ns() - begin)
threads = [threading.Thread(target=time.sleep, args=(i,)) for i in range(3)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(time.monotonic_ns() - begin)
print(subprocess.run(['sh', '-c', 'echo text; sleep 2; exit 5'], capture_output=True))
print(time.monotonic_ns() - begin)
)"}),
            "1500000000\n3500000000\n"
            "CompletedProcess(args=['sh', '-c', 'echo text; sleep 2; exit 5'], returncode=5, "
            "stdout=b'text\\n', stderr=b'')\n5500000000\n");
}

TEST(Supervisor, AnotherThanTheFirstThreadMayExecute) {
  ProgramWorld world;
  EXPECT_EQ(world.run({test_program("becomes")}), "failed 1\nexecuted 1\n");
  EXPECT_EQ(world.ended(), Time(1ms));
}

TEST(Supervisor, ClocksAreThoseOfTheHost) {
  // 3 s ahead, and fast by 1000 ppm: 1.234 s of its uptime pass in 1.234 s / 1.001
  ProgramWorld world({}, control::HostClock(3s, 1000.0));
  EXPECT_EQ(world.run({test_program("strange"), "clocks"}),
            "946684804.234000000 2.234000000 946684804\n");
  EXPECT_EQ(world.ended(), Time(Duration(1'232'767'233)));
}

TEST(Supervisor, AProgramThatSpinsOnAClockGoesOn) {
  ProgramWorld world;
  // 200 readings are free, and from then on each takes 5 us: the first that reads 5 ms or more
  EXPECT_EQ(world.run({test_program("spins")}), "5005000\n");
  EXPECT_THAT(world.log(), HasSubstr("spins (pid 2) on edge has computed for 200 ms without a "
                                     "system call"));
}

TEST(Supervisor, AThreadThatSpinsOnMemoryGivesWayToThoseThatItWaitsFor) {
  SupervisorOptions options;
  options.spinning = 100ms;
  options.gives_way = 200ms;
  ProgramWorld world(options);
  // it sees each turn at the instant of it
  EXPECT_EQ(world.run({test_program("spins"), "memory"}), "5000000\n10000000\n15000000\n");
  EXPECT_THAT(world.log(), HasSubstr("spins (pid 2) on edge: other threads go on while its thread "
                                     "2 computes"));
}

TEST(Supervisor, ACrashIsReported) {
  ProgramWorld world;
  world.run({test_program("strange"), "crash"});
  ASSERT_TRUE(world.status());
  EXPECT_TRUE(WIFSIGNALED(*world.status()));
  EXPECT_EQ(WTERMSIG(*world.status()), SIGSEGV);
  EXPECT_EQ(world.ended(), Time(1234ms));
  EXPECT_THAT(world.log(), HasSubstr("edge: strange (pid 2) was killed by signal 11 "
                                     "(Segmentation fault)"));
}

TEST(Supervisor, AProcessThatIsKilledFromOutsideHasEnded) {
  ProgramWorld world;
  ASSERT_TRUE(world.launch({"sleep", "10"}));
  ASSERT_TRUE(world.launch({test_program("ticks"), "2000"}));
  ASSERT_TRUE(world.clock().run_until(Time(1s)));
  EXPECT_FALSE(world.status());
  ASSERT_EQ(::kill(world.id_here(2), SIGKILL), 0);
  // it is noticed when something runs next, and not before its end
  ASSERT_TRUE(world.clock().run_until(Time(3s)));
  EXPECT_THAT(world.log(), HasSubstr("edge: sleep (pid 2) was killed by signal 9 (Killed)"));
  EXPECT_EQ(world.output(), "0 inexact\n");
}

TEST(Supervisor, ACallThatNobodyEmulatesEndsTheRunWithWords) {
  ProgramWorld world;
  const std::string error = world.run({test_program("strange"), "call"});
  EXPECT_THAT(error, StartsWith("strange (pid 2) on edge made the system call call 511(0x1, 0x2, "
                                "0x3, 0x4, 0x5, 0x6) at libc.so.6+0x"));
  EXPECT_THAT(error, HasSubstr(" at 1.234000 s, which Longarm does not emulate\n  hint: "));
  EXPECT_THAT(error, HasSubstr("longarm proxy --tun"));
}

TEST(Supervisor, CallsOf32BitProgramsEndTheRun) {
  ProgramWorld world;
  EXPECT_THAT(world.run({test_program("strange"), "32-bit"}),
              StartsWith("strange (pid 2) on edge made a system call of 32-bit programs"));
}

TEST(Supervisor, StoppedProcessesEndTheRun) {
  ProgramWorld world;
  EXPECT_EQ(world.run({test_program("strange"), "stop"}),
            "strange (pid 2) on edge was stopped by a signal at 1.234000 s; Longarm does not "
            "emulate job control");
}

TEST(Supervisor, AForkBombEndsTheRun) {
  SupervisorOptions options;
  options.most_processes = 30;
  ProgramWorld world(options);
  EXPECT_EQ(world.run({test_program("strange"), "bomb"}),
            "strange (pid 2) on edge made more than 30 processes at 1.234000 s");
}

TEST(Supervisor, ANestedSupervisorSaysWhyItCannot) {
  ProgramWorld world;
  const std::string text = world.run({test_program("nested")});
  EXPECT_THAT(text,
              StartsWith("cannot install a seccomp filter with a listener: Device or resource "
                         "busy\n  hint: this process is itself watched"));
  EXPECT_THAT(text, HasSubstr("longarm proxy --tun"));
  EXPECT_EQ(world.status(), 0);
}

/// As a user without rights, which needs a user namespace.
void run_unprivileged() {
  constexpr id_t kNobody = 65534;
  if (::geteuid() == 0 && (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 ||
                           ::setuid(kNobody) != 0 || ::prctl(PR_SET_DUMPABLE, 1) != 0)) {
    std::exit(1);
  }
  ProgramWorld world;
  const std::string output = world.run({"sh", "-c", "sleep 3600; date; id -u"});
  world.end();
  std::fprintf(stderr, "%s", output.c_str());
  std::exit(testing::Test::HasFailure() ? 2 : 0);
}

TEST(SupervisorDeathTest, RunsWithoutPrivileges) {
  EXPECT_EXIT(run_unprivileged(), testing::ExitedWithCode(0),
              "Sat Jan  1 01:00:00 UTC 2000\n[0-9]+");
}

TEST(Supervisor, AThreadThatComputesForLongIsReported) {
  SupervisorOptions options;
  options.spinning = 1ms;
  options.remarkable = 2ms;
  ProgramWorld world(options);
  EXPECT_EQ(world.run({test_program("strange"), "compute"}), "");
  EXPECT_THAT(world.log(), HasSubstr("strange (pid 2) on edge (thread 2) has computed for 0 s "
                                     "without a system call, now at strange+0x"));
  EXPECT_THAT(world.log(), HasSubstr(" (main), libc.so.6+0x"));
  EXPECT_EQ(world.ended(), Time(1234ms));
}

TEST(Supervisor, AThreadThatWaitsOutsideTheSimulationEndsTheRun) {
  SupervisorOptions options;
  options.stuck = 1ms;
  ProgramWorld world(options);
  const std::string pipe = testing::TempDir() + "/supervisor_test_pipe";
  ::unlink(pipe.c_str());
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(
      world.run({"cat", pipe}),
      StartsWith("cat (pid 2) on edge waits in the system call openat for something outside "
                 "the simulation"));
  ::unlink(pipe.c_str());
}

TEST(Supervisor, ProgramsThatCannotStartAreRefused) {
  ProgramWorld world;
  EXPECT_EQ(world.run({"no-such-program"}),
            "program 'no-such-program' not found or not executable");
  EXPECT_EQ(world.run({LONGARM_SOURCE_DIR "/README.md"}),
            "program '" LONGARM_SOURCE_DIR "/README.md' not found or not executable");
}

TEST(Supervisor, NothingIsLeftOfProgramsThatGoOn) {
  ProgramWorld world;
  // the shell's children outlive it, and the run
  world.run({"sh", "-c", "for i in 1 2 3; do (trap '' TERM; sleep 1000) & done; sleep 1"},
            Time(10s));
  EXPECT_EQ(world.status(), 0);
  EXPECT_GE(world.kernel().processes().size(), 4U);
  world.end();
}

/// Twenty runs, every other one beside a thread that takes all of the core that it can get.
TEST(Supervisor, EqualRunsMakeEqualCalls) {
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{test_program("threads")},
        std::vector<std::string>{test_program("family")},
        std::vector<std::string>{test_program("signals")},
        std::vector<std::string>{"bash", "-c", "for i in 1 2 3; do echo $i | cat & done; wait"},
        std::vector<std::string>{"/usr/bin/python3", "-IBc",
                                 "import os, threading; print({'a', 'b', 'c'}, os.urandom(4)); "
                                 "[threading.Thread(target=print, args=(i,)).start() for i in "
                                 "range(5)]"}}) {
    std::set<std::uint64_t> digests;
    std::set<std::string> outputs;
    for (int i = 0; i < 20; ++i) {
      ProgramWorld world;
      std::atomic<bool> is_over{false};
      std::thread hog;
      if (i % 2 == 1) {
        hog = std::thread([&] {
          while (!is_over) {
          }
        });
      }
      outputs.insert(world.run(command));
      digests.insert(world.supervisor().digest());
      is_over = true;
      if (hog.joinable()) {
        hog.join();
      }
    }
    EXPECT_EQ(outputs.size(), 1U) << command.front() << *outputs.begin();
    EXPECT_EQ(digests.size(), 1U) << command.front();
  }
}

}  // namespace
}  // namespace longarm::programs
