// SPDX-License-Identifier: Apache-2.0
// A program for tests: waits for a clock to go on, or for another thread ("memory"), without any
// system call.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <thread>

namespace {

long read_clock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

int main(int count, char** words) {
  const long begin = read_clock();
  if (count > 1 && std::string_view(words[1]) == "memory") {
    std::atomic<int> turns = 0;
    std::thread other([&] {
      for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++turns;
      }
    });
    for (int seen = 0; seen < 3; ++seen) {
      while (turns == seen) {
      }
      std::printf("%ld\n", read_clock() - begin);
    }
    other.join();
    return 0;
  }
  while (read_clock() - begin < 5'000'000) {
  }
  std::printf("%ld\n", read_clock() - begin);
}
