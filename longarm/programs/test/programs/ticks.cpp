// SPDX-License-Identifier: Apache-2.0
// A program for tests: sleeps by absolute time, once per millisecond, and counts what is inexact.
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

constexpr long kBillion = 1'000'000'000;

long read_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kBillion + now.tv_nsec;
}

}  // namespace

int main(int, char** words) {
  const int count = std::atoi(words[1]);
  long next = read_clock();
  int inexact = 0;
  for (int i = 0; i < count; ++i) {
    next += 1'000'000;
    const timespec when{next / kBillion, next % kBillion};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, nullptr);
    inexact += read_clock() == next ? 0 : 1;
  }
  std::printf("%d inexact\n", inexact);
}
