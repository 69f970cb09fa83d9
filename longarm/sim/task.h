// SPDX-License-Identifier: Apache-2.0
// Coroutine tasks on the kernel: code that waits for times, messages and other tasks in straight
// lines.
#pragma once

#include <coroutine>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "longarm/core/check.h"
#include "longarm/sim/kernel.h"

namespace longarm::sim {

/// A coroutine that starts when awaited (or spawned) and gives a T. It owns its frame: destroying a
/// Task destroys the frame wherever it is suspended, and with it everything it was waiting for.
/// Exceptions do not leave a step, so none may leave a task. Never make a capturing lambda a
/// coroutine: its captures die before its frame does.
template <typename T = void>
class Task;

namespace internal {

struct PromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> finished) const noexcept {
      return finished.promise().continuation;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() const { fail_check("an exception left a task"); }
};

template <typename T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  void return_value(T result) { value = std::move(result); }
  T take() { return std::move(*value); }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() const {}
  void take() const {}
};

}  // namespace internal

template <typename T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle frame) : frame_(frame) {}
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(frame_, other.frame_);
    return *this;
  }
  ~Task() {
    if (frame_) {
      frame_.destroy();
    }
  }

  bool is_done() const { return frame_.done(); }
  /// Runs until the first suspension. For the owner of a root task only.
  void start() { frame_.resume(); }

  /// `co_await task` runs it to its end and gives its value.
  auto operator co_await() && {
    struct Awaiter {
      Handle frame;
      bool await_ready() const { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> parent) {
        frame.promise().continuation = parent;
        return frame;
      }
      T await_resume() { return frame.promise().take(); }
    };
    return Awaiter{frame_};
  }

 private:
  Handle frame_;
};

template <typename T>
Task<T> internal::Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> internal::Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

/// What a task needs to wait: the kernel and its own name on it.
struct TaskContext {
  Kernel& kernel;
  SourceId source;
};

/// `co_await sleep_until(context, t)`: goes on in the control phase of `t`, or at once if t is not
/// in the future.
class SleepAwaiter {
 public:
  SleepAwaiter(TaskContext context, Time when) : context_(context), when_(when) {}
  SleepAwaiter(const SleepAwaiter&) = delete;
  SleepAwaiter& operator=(const SleepAwaiter&) = delete;
  ~SleepAwaiter() { context_.kernel.cancel(wake_up_); }  // harmless if it has happened

  bool await_ready() const { return when_ <= context_.kernel.now(); }
  void await_suspend(std::coroutine_handle<> frame) {
    wake_up_ = context_.kernel.at(when_, Phase::kControl, context_.source,
                                  [frame](Time) { frame.resume(); });
  }
  void await_resume() const {}

 private:
  TaskContext context_;
  Time when_;
  EventId wake_up_{UINT32_MAX, 0};
};

inline SleepAwaiter sleep_until(TaskContext context, Time when) {
  return {context, when};
}
inline SleepAwaiter sleep_for(TaskContext context, Duration span) {
  return {context, context.kernel.now() + span};
}

/// Messages for one waiting task, in order of arrival. push() resumes the waiter at once. Outlives
/// the tasks that wait for it.
template <typename T>
class Mailbox {
 public:
  void push(T message) {
    messages_.push_back(std::move(message));
    if (waiter_) {
      std::exchange(waiter_, {}).resume();
    }
  }

  std::size_t size() const { return messages_.size(); }

  /// `T message = co_await mailbox.receive();` One task at a time may wait.
  auto receive() {
    struct Awaiter {
      explicit Awaiter(Mailbox& mailbox) : box(mailbox) {}
      Awaiter(const Awaiter&) = delete;
      Awaiter& operator=(const Awaiter&) = delete;
      ~Awaiter() {
        if (is_waiting) {
          box.waiter_ = {};  // cancelled while waiting: later messages stay in the box
        }
      }
      bool await_ready() const { return !box.messages_.empty(); }
      void await_suspend(std::coroutine_handle<> frame) {
        check(!box.waiter_, "two tasks wait for one mailbox");
        box.waiter_ = frame;
        is_waiting = true;
      }
      T await_resume() {
        is_waiting = false;
        T message = std::move(box.messages_.front());
        box.messages_.pop_front();
        return message;
      }
      Mailbox& box;
      bool is_waiting = false;
    };
    return Awaiter(*this);
  }

 private:
  std::deque<T> messages_;
  std::coroutine_handle<> waiter_;
};

enum class TaskId : std::uint32_t {};

/// Owns root tasks. Starting and cancelling are deliveries of the present instant, so they happen
/// before its next phase and never in the middle of another task's line. Cancelling destroys the
/// frame where it is suspended: the destructors of its locals run, innermost task first, and
/// nothing it waited for resumes it any more. A task may cancel itself. Destroying the Tasks
/// cancels all of them at once, the newest first.
class Tasks {
 public:
  explicit Tasks(Kernel& kernel) : kernel_(kernel) {}
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;
  ~Tasks();

  /// A name on the kernel for a task about to be made.
  TaskContext context(std::string name) { return {kernel_, kernel_.add_source(std::move(name))}; }

  TaskId spawn(TaskContext context, Task<void> task);
  void cancel(TaskId id);
  /// Ran to its end, or was cancelled.
  bool is_over(TaskId id) const;

 private:
  struct Root {
    std::optional<Task<void>> task;
    EventId start;
    SourceId source;
  };

  Kernel& kernel_;
  std::vector<Root> roots_;  // TaskId is the index; the frames themselves never move
};

}  // namespace longarm::sim
