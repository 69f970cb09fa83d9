// SPDX-License-Identifier: Apache-2.0
// A program for tests: does what nobody emulates, as its first word says.
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <sys/syscall.h>
#include <unistd.h>

int main(int, char** words) {
  const auto is = [&](const char* word) { return std::strcmp(words[1], word) == 0; };
  usleep(1'234'000);
  if (is("call")) {
    syscall(511, 1, 2, 3, 4, 5, 6);
  } else if (is("32-bit")) {
    long result = 20;  // getpid of i386
    asm volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
  } else if (is("stop")) {
    raise(SIGSTOP);
  } else if (is("crash")) {
    *static_cast<volatile int*>(nullptr) = 1;
  } else if (is("bomb")) {
    for (;;) {
      fork();
    }
  } else if (is("compute")) {
    for (volatile long i = 0; i < 1'500'000'000; i = i + 1) {
    }
  } else if (is("clocks")) {
    timespec real{};
    timespec uptime{};
    clock_gettime(CLOCK_REALTIME, &real);
    clock_gettime(CLOCK_BOOTTIME, &uptime);
    std::printf("%ld.%09ld %ld.%09ld %ld\n", real.tv_sec, real.tv_nsec, uptime.tv_sec,
                uptime.tv_nsec, time(nullptr));
  }
}
