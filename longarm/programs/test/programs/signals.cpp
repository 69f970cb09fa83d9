// SPDX-License-Identifier: Apache-2.0
// A program for tests: handlers of signals that end waits, or do not.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <ctime>

#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

volatile int alarms = 0;
volatile int children = 0;

void count(int signal) {
  if (signal == SIGALRM) {
    alarms = alarms + 1;
  } else {
    children = children + 1;
  }
}

void handle(int signal, int flags) {
  struct sigaction action {};
  action.sa_handler = count;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

long milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

}  // namespace

int main() {
  handle(SIGALRM, 0);
  alarm(2);
  int result = pause();
  std::printf("pause %d %s at %ld\n", result, errno == EINTR ? "EINTR" : "?", milliseconds());
  const itimerval every{{0, 100'000}, {0, 100'000}};
  setitimer(ITIMER_REAL, &every, nullptr);
  for (int i = 0; i < 3; ++i) {
    const timespec long_time{10, 0};
    timespec left{};
    result = nanosleep(&long_time, &left);
    std::printf("nanosleep %d, %ld.%09ld left at %ld\n", result, left.tv_sec, left.tv_nsec,
                milliseconds());
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);

  // SA_RESTART: reads go on, whatever comes
  handle(SIGCHLD, SA_RESTART);
  handle(SIGALRM, SA_RESTART);
  alarms = 0;
  int ends[2];
  if (pipe(ends) != 0) {
    return 1;
  }
  if (fork() == 0) {
    usleep(500'000);
    _exit(0);
  }
  if (fork() == 0) {
    sleep(2);
    _exit(write(ends[1], "x", 1) == 1 ? 0 : 1);
  }
  alarm(1);
  char byte = 0;
  result = static_cast<int>(read(ends[0], &byte, 1));
  std::printf("read %d '%c' at %ld, %d alarms, %d children\n", result, byte, milliseconds(), alarms,
              children);
  // the second child's SIGCHLD ends this
  const timespec second{1, 0};
  result = nanosleep(&second, nullptr);
  std::printf("nanosleep %d, %d children at %ld\n", result, children, milliseconds());

  // blocked until sigsuspend lets it through
  sigset_t blocked;
  sigset_t open;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGALRM);
  sigprocmask(SIG_BLOCK, &blocked, &open);
  alarm(1);
  result = nanosleep(&second, nullptr);
  result = nanosleep(&second, nullptr);
  std::printf("nanosleep %d, %d alarms\n", result, alarms);
  result = sigsuspend(&open);
  std::printf("sigsuspend %d, %d alarms at %ld\n", result, alarms, milliseconds());
  while (wait(nullptr) > 0) {
  }
}
