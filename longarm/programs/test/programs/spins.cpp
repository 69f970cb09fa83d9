// SPDX-License-Identifier: Apache-2.0
// A program for tests: waits for a clock to go on without any system call.
#include <cstdio>
#include <ctime>

namespace {

long read_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

int main() {
  const long begin = read_clock();
  while (read_clock() - begin < 5'000'000) {
  }
  std::printf("%ld\n", read_clock() - begin);
}
