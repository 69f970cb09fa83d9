// SPDX-License-Identifier: Apache-2.0
// A program for tests: threads that sleep, count under a mutex and wake another by a condition.
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

int main() {
  using std::chrono::milliseconds;
  std::mutex mutex;
  std::condition_variable changed;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 1; i <= 5; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 100; ++k) {
        std::this_thread::sleep_for(milliseconds(i));
        const std::lock_guard lock(mutex);
        ++count;
        changed.notify_one();
      }
    });
  }
  std::unique_lock lock(mutex);
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return static_cast<long>((std::chrono::steady_clock::now() - begin).count());
  };
  changed.wait(lock, [&] { return count == 500; });
  std::printf("500 after %ld\n", elapsed());
  const bool more = changed.wait_for(lock, milliseconds(3000), [&] { return count > 500; });
  std::printf("%s after %ld\n", more ? "more" : "no more", elapsed());
  lock.unlock();
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::puts("joined");
}
