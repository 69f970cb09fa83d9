// SPDX-License-Identifier: Apache-2.0
// Two queues with a mutex each.
#include "longarm/study/thread_team.h"

#include <utility>

namespace longarm::study {

void PointQueue::push(std::size_t point) {
  const std::lock_guard lock(mutex_);
  points_.push_back(point);
  changed_.notify_one();
}

void PointQueue::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  changed_.notify_all();
}

void PointQueue::stop() {
  const std::lock_guard lock(mutex_);
  points_.clear();
  is_closed_ = true;
  changed_.notify_all();
}

std::optional<std::size_t> PointQueue::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_closed_ || !points_.empty(); });
  if (points_.empty()) {
    return std::nullopt;
  }
  const std::size_t point = points_.front();
  points_.pop_front();
  return point;
}

std::optional<std::size_t> PointQueue::try_take() {
  const std::lock_guard lock(mutex_);
  if (points_.empty()) {
    return std::nullopt;
  }
  const std::size_t point = points_.front();
  points_.pop_front();
  return point;
}

ThreadTeam::ThreadTeam(PointQueue& queue, std::function<PointAnswer(std::size_t)> answer,
                       int threads)
    : queue_(queue), answer_(std::move(answer)), running_(threads) {
  for (int i = 0; i < threads; ++i) {
    threads_.emplace_back([this] { run(); });
  }
}

ThreadTeam::~ThreadTeam() {
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void ThreadTeam::run() {
  try {
    while (const std::optional<std::size_t> point = queue_.take()) {
      PointAnswer answer = answer_(*point);
      const std::lock_guard lock(mutex_);
      answers_.push_back(std::move(answer));
      arrived_.notify_one();
    }
  } catch (...) {
    queue_.stop();
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  --running_;
  arrived_.notify_one();
}

std::optional<PointAnswer> ThreadTeam::next(std::chrono::microseconds longest) {
  std::unique_lock lock(mutex_);
  arrived_.wait_for(lock, longest, [&] { return !answers_.empty() || failure_ || running_ == 0; });
  if (failure_) {
    std::rethrow_exception(failure_);
  }
  if (answers_.empty()) {
    return std::nullopt;
  }
  PointAnswer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

bool ThreadTeam::is_over() {
  const std::lock_guard lock(mutex_);
  return running_ == 0 && answers_.empty() && !failure_;
}

}  // namespace longarm::study
