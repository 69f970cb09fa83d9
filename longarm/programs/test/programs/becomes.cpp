// SPDX-License-Identifier: Apache-2.0
// A program for tests: a thread that is not the first executes another program.
#include <cerrno>
#include <cstdio>
#include <thread>

#include <unistd.h>

int main(int count, char** words) {
  if (count > 1) {
    std::printf("%s %d\n", words[1], getpid() == gettid());
    return 0;
  }
  std::thread([words] {
    usleep(1000);
    execl("/nonexistent", "nonexistent", nullptr);
    std::printf("failed %d\n", errno == ENOENT);
    std::fflush(stdout);
    execl(words[0], words[0], "executed", nullptr);
  }).detach();
  std::thread([] { pause(); }).detach();
  pause();
}
