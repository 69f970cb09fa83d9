// SPDX-License-Identifier: Apache-2.0
// A program for tests: makes processes, waits for them and says how each ended.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <sys/wait.h>
#include <unistd.h>

namespace {

long milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1'000'000;
}

template <typename Action>
pid_t make(Action action) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    action();
    _exit(0);
  }
  return child;
}

int ending_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int main() {
  for (int i = 1; i <= 3; ++i) {
    make([i] {
      usleep(static_cast<useconds_t>(10'000 * (4 - i)));
      _exit(10 + i);
    });
  }
  int status = 0;
  for (pid_t child = wait(&status); child > 0; child = wait(&status)) {
    std::printf("%d at %ld\n", WEXITSTATUS(status), milliseconds());
  }
  const pid_t sleeper = make([] { pause(); });
  usleep(5000);
  kill(sleeper, SIGTERM);
  std::printf("killed %d at %ld\n", ending_of(sleeper), milliseconds());
  const pid_t victim = make([] { pause(); });
  kill(victim, SIGKILL);
  std::printf("killed %d\n", ending_of(victim));
  std::printf("crashed %d\n", ending_of(make([] { *static_cast<volatile int*>(nullptr) = 1; })));
  std::printf("aborted %d\n", ending_of(make([] { std::abort(); })));
  std::printf("raised %d\n", ending_of(make([] { raise(SIGINT); })));
}
