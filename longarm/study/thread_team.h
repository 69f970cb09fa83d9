// SPDX-License-Identifier: Apache-2.0
// Threads that answer points, and the queue that their answers come in.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "longarm/study/point.h"

namespace longarm::study {

/// Points waiting to be begun; for any number of threads.
class PointQueue {
 public:
  explicit PointQueue(const std::vector<std::size_t>& points = {})
      : points_(points.begin(), points.end()) {}

  void push(std::size_t point);
  /// No more will be pushed.
  void close();
  /// Forgets what waits, and closes.
  void stop();

  /// Waits for a point; nothing once the queue is closed and empty.
  std::optional<std::size_t> take();
  /// The same without waiting.
  std::optional<std::size_t> try_take();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> points_;
  bool is_closed_ = false;
};

/// Ends a queue however its owner ends, so that the threads that wait for it can be joined.
struct StopAtEnd {
  PointQueue& queue;
  ~StopAtEnd() { queue.stop(); }
};

/// Runs until the queue is closed and empty. The queue must be closed before this is destroyed.
class ThreadTeam {
 public:
  ThreadTeam(PointQueue& queue, std::function<PointAnswer(std::size_t)> answer, int threads);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  /// The next answer, waiting for it so long at most. Throws what a thread threw.
  std::optional<PointAnswer> next(std::chrono::microseconds longest);
  /// All threads have ended and all answers were taken.
  bool is_over();

 private:
  void run();

  PointQueue& queue_;
  std::function<PointAnswer(std::size_t)> answer_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<PointAnswer> answers_;
  std::exception_ptr failure_;
  int running_;
  std::vector<std::thread> threads_;
};

}  // namespace longarm::study
