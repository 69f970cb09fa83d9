// SPDX-License-Identifier: Apache-2.0
// Tests of pipes, descriptors, paths, standard streams, and of the table of calls.
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>

#include "longarm/programs/kernel/calls.h"
#include "longarm/programs/kernel/output_file.h"
#include "longarm/programs/kernel/signals.h"
#include "longarm/programs/test/kernel_fixture.h"

namespace longarm::programs {
namespace {

using ::testing::ElementsAre;

class CallsFile : public ProgramsTest {};

TEST_F(CallsFile, ShortWritesToAPipeAreWholeOrNot) {
  start([&](Running& call) -> Script {
    std::array<int, 2> ends{};
    co_await call(SYS_pipe2, ends.data(), O_NONBLOCK);
    std::vector<char> bytes(65536, 'x');
    EXPECT_EQ(co_await call(SYS_write, ends[1], bytes.data(), 65536 - 4096), 65536 - 4096);
    EXPECT_EQ(co_await call(SYS_write, ends[1], bytes.data(), 100), 100);
    // 3996 bytes of room are too few for 4096, which PIPE_BUF says are not to be split
    EXPECT_EQ(co_await call(SYS_write, ends[1], bytes.data(), 4096), -EAGAIN);
    EXPECT_EQ(co_await call(SYS_write, ends[1], bytes.data(), 3996), 3996);
    EXPECT_EQ(co_await call(SYS_write, ends[1], bytes.data(), 1), -EAGAIN);
    EXPECT_EQ(co_await call(SYS_fcntl, ends[0], F_GETPIPE_SZ), 65536);
  });
  run();
}

TEST_F(CallsFile, ALongWriteWaitsForItsReader) {
  std::array<int, 2> ends{};
  std::vector<char> bytes(200'000);
  for (std::size_t index = 0; index < bytes.size(); ++index) {
    bytes[index] = static_cast<char>(index / 4096);
  }
  Thread& writer = start([&](Running& call) -> Script {
    co_await call(SYS_pipe2, ends.data(), 0);
    EXPECT_EQ(co_await call(SYS_write, ends[1], bytes.data(), bytes.size()), 200'000);
    EXPECT_EQ(now(), 1s);
    co_await call(SYS_close, ends[1]);
  });
  std::vector<char> read_bytes;
  machine.add_thread(*writer.process, [&](Running& call) -> Script {
    const timespec span{1, 0};
    co_await call(SYS_nanosleep, &span, nullptr);
    std::vector<char> some(10'000);
    std::int64_t count = 0;
    while ((count = co_await call(SYS_read, ends[0], some.data(), some.size())) > 0) {
      read_bytes.insert(read_bytes.end(), some.begin(), some.begin() + count);
    }
    EXPECT_EQ(count, 0);
  });
  run();
  EXPECT_EQ(read_bytes, bytes);
}

TEST_F(CallsFile, WritingWhereNobodyReadsIsAnErrorAndASignal) {
  start([&](Running& call) -> Script {
    std::array<int, 2> ends{};
    co_await call(SYS_pipe2, ends.data(), 0);
    co_await call(SYS_close, ends[0]);
    EXPECT_EQ(co_await call(SYS_write, ends[1], "x", 1), -EPIPE);
  });
  run();
  ASSERT_EQ(machine.sent().size(), 1U);
  EXPECT_EQ(machine.sent()[0].number, SIGPIPE);
}

TEST_F(CallsFile, DoubledDescriptorsAreOneFile) {
  start([&](Running& call) -> Script {
    std::array<int, 2> ends{};
    co_await call(SYS_pipe2, ends.data(), O_CLOEXEC);
    EXPECT_EQ(co_await call(SYS_fcntl, ends[0], F_GETFD), FD_CLOEXEC);
    EXPECT_EQ(co_await call(SYS_dup2, ends[0], 0), 0);
    EXPECT_EQ(co_await call(SYS_fcntl, 0, F_GETFD), 0);
    EXPECT_EQ(co_await call(SYS_fcntl, 0, F_SETFL, O_NONBLOCK), 0);
    EXPECT_EQ(co_await call(SYS_fcntl, ends[0], F_GETFL), O_RDONLY | O_NONBLOCK);
    EXPECT_EQ(co_await call(SYS_fcntl, ends[1], F_GETFL), O_WRONLY);
    EXPECT_EQ(co_await call(SYS_fcntl, ends[1], F_DUPFD, 10), 10);
    EXPECT_EQ(co_await call(SYS_fcntl, ends[1], F_DUPFD, 2000), -EINVAL);
    EXPECT_EQ(co_await call(SYS_close, ends[0]), 0);
    EXPECT_EQ(co_await call(SYS_write, 10, "abc", 3), 3);
    std::array<char, 8> bytes{};
    EXPECT_EQ(co_await call(SYS_read, 0, bytes.data(), bytes.size()), 3);
    EXPECT_EQ(co_await call(SYS_close_range, 3, ~0U, 0), 0);
    EXPECT_EQ(co_await call(SYS_write, 10, "abc", 3), -EBADF);
    EXPECT_EQ(co_await call(SYS_read, 0, bytes.data(), bytes.size()), 0);  // no writer is left
  });
  run();
}

TEST(RandomCalls, AreTheProgramsOwn) {
  const auto random_of = [](std::uint64_t seed) {
    sim::Kernel other_clock;
    TestMachine other_machine;
    KernelOptions options;
    options.seed = seed;
    Kernel other_kernel(other_clock, other_machine, options);
    other_machine.set_kernel(other_kernel);
    Host& other_host = other_kernel.add_host({"edge"});
    std::array<std::uint64_t, 3> numbers{};
    other_machine.start(other_host, "program", [&](Running& call) -> Script {
      EXPECT_EQ(co_await call(SYS_getrandom, numbers.data(), 16, 0), 16);
      const auto file = co_await call(SYS_openat, AT_FDCWD, "/dev/urandom", O_RDONLY);
      EXPECT_EQ(co_await call(SYS_read, file, &numbers[2], 8), 8);
    });
    EXPECT_TRUE(other_clock.run_until(Time(std::chrono::seconds(1))));
    return numbers;
  };
  EXPECT_EQ(random_of(1), random_of(1));
  EXPECT_NE(random_of(1), random_of(2));
  const auto numbers = random_of(1);
  EXPECT_NE(numbers[0], numbers[1]);
  EXPECT_NE(numbers[1], numbers[2]);
}

TEST_F(CallsFile, TheHostHasItsNameAndItsFiles) {
  host.files["/etc/hostname"] = "edge\n";
  start([&](Running& call) -> Script {
    utsname names{};
    EXPECT_EQ(co_await call(SYS_uname, &names), 0);
    EXPECT_STREQ(names.nodename, "edge");
    EXPECT_EQ(co_await call(SYS_openat, AT_FDCWD, "/etc/hostname", O_RDONLY), 3);
    std::array<int, 2> ends{};
    co_await call(SYS_pipe2, ends.data(), 0);
    // sendfile reads it natively, and moves where it stands
    EXPECT_EQ(co_await call(SYS_sendfile, ends[1], 3, nullptr, 3), 3);
    EXPECT_EQ(co_await call(SYS_sendfile, ends[1], 3, nullptr, 100), 2);
    EXPECT_EQ(co_await call(SYS_sendfile, ends[1], 3, nullptr, 100), 0);
    std::array<char, 9> bytes{};
    EXPECT_EQ(co_await call(SYS_read, ends[0], bytes.data(), 9), 5);
    EXPECT_STREQ(bytes.data(), "edge\n");
    EXPECT_EQ(co_await call(SYS_splice, ends[0], 0, 3, 0, 10, 0), -EINVAL);
  });
  run();
}

TEST_F(CallsFile, OutputComesWithItsTime) {
  std::vector<std::pair<Time, std::string>> written;
  const auto out =
      std::make_shared<OutputFile>(kernel, [&](Time when, std::span<const std::byte> bytes) {
        written.emplace_back(
            when, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
      });
  Thread& thread = start([&](Running& call) -> Script {
    const timespec span{0, 20};
    co_await call(SYS_nanosleep, &span, nullptr);
    char first[] = "a ";
    char second[] = "line\n";
    const iovec pieces[2] = {{first, 2}, {second, 5}};
    EXPECT_EQ(co_await call(SYS_writev, 1, pieces, 2), 7);
    EXPECT_EQ(co_await call(SYS_read, 1, first, 1), -EBADF);
  });
  thread.process->descriptors->set(1, out, false);
  run();
  EXPECT_THAT(written, ElementsAre(std::pair(Time(20ns), std::string("a line\n"))));
}

TEST_F(CallsFile, WaitedForChildrenAreReapedNatively) {
  int id = 0;
  Thread& parent = start([&](Running& call) -> Script {
    EXPECT_EQ(co_await call(SYS_wait4, id, nullptr, 0, nullptr), 0);
    EXPECT_EQ(now(), 3s);
  });
  Process& child = kernel.fork(parent, 77, false, false);
  id = child.id;
  clock.deliver(Time(3s), clock.add_source("end"), [&](Time) { kernel.process_ended(child, 0); });
  run();
  EXPECT_TRUE(machine.is_over(parent));
  EXPECT_TRUE(child.is_reaped);
}

TEST(CallTable, SaysOfEachCallWhatTheHandlersSay) {
  for (std::int64_t number = 0; number < static_cast<std::int64_t>(kCallCount); ++number) {
    EXPECT_EQ(class_of(number) == CallClass::kEmulated, handler_of(number) != nullptr)
        << name_of_call(number);
  }
  EXPECT_EQ(name_of_call(SYS_recvmsg), "recvmsg");
  EXPECT_EQ(name_of_call(499), "call 499");
  EXPECT_EQ(class_of(SYS_mmap), CallClass::kNative);
  EXPECT_EQ(class_of(SYS_ptrace), CallClass::kUnsupported);
  EXPECT_EQ(class_of(-1), CallClass::kUnsupported);
}

}  // namespace
}  // namespace longarm::programs
