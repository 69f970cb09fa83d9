// SPDX-License-Identifier: Apache-2.0
// A Machine whose programs are coroutines of the test, in its own memory: each co_await is a system
// call.
#pragma once

#include <coroutine>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/syscall.h>

#include "longarm/programs/kernel/kernel.h"
#include "longarm/sim/kernel.h"

namespace longarm::programs {

class TestMachine;

/// What a fake thread runs.
class Script {
 public:
  struct promise_type {
    Script get_return_object() {
      return Script(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    static std::suspend_always initial_suspend() { return {}; }
    static std::suspend_always final_suspend() noexcept { return {}; }
    static void return_void() {}
    [[noreturn]] static void unhandled_exception() { std::terminate(); }
  };

  explicit Script(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Script(Script&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Script& operator=(Script&&) = delete;
  ~Script() {
    if (handle_) {
      handle_.destroy();
    }
  }
  void go_on() { handle_.resume(); }
  bool is_over() const { return handle_.done(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

template <typename T>
std::uint64_t argument_of(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<std::uint64_t>(value);
  } else if constexpr (std::is_null_pointer_v<T>) {
    return 0;
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

class TestMachine final : public Machine {
 public:
  struct Running {
    Thread* thread = nullptr;
    std::function<Script(Running&)> code;  ///< kept: a coroutine refers to its lambda
    std::unique_ptr<Script> script;
    std::int64_t result = 0;
    TestMachine* machine = nullptr;
    SignalState signals;

    struct Made {
      Running& running;
      Call call;
      bool await_ready() { return running.machine->made(running, call); }
      void await_suspend(std::coroutine_handle<>) {}
      std::int64_t await_resume() { return running.result; }
    };
    /// A system call: its result, or an error number below zero.
    template <typename... Arguments>
    Made operator()(std::int64_t number, Arguments... arguments) {
      Call call;
      call.number = number;
      std::size_t index = 0;
      ((call.arguments[index++] = argument_of(arguments)), ...);
      return {*this, call};
    }
  };
  using Code = std::function<Script(Running&)>;

  void set_kernel(Kernel& kernel) { kernel_ = &kernel; }

  Thread& start(Host& host, const std::string& name, Code code) {
    Thread& thread = kernel_->start(host, {name, next_id_, {}, nullptr});
    native_[thread.process] = {0, 1, 2};
    add(thread, std::move(code));
    return thread;
  }
  /// A second thread of the process, which runs when the simulation goes on.
  Thread& add_thread(Process& process, Code code) {
    Thread& thread = kernel_->add_thread(process, ++next_id_, 0);
    add(thread, std::move(code));
    kernel_->finish(thread, Reply::native());
    return thread;
  }
  SignalState& signals_of(Thread& thread) { return running_.at(&thread)->signals; }
  std::set<int>& native_descriptors(const Process& process) { return native_[&process]; }
  const std::vector<Signal>& sent() const { return sent_; }
  bool is_over(Thread& thread) const { return running_.at(&thread)->script->is_over(); }

  /// A call that no script makes; nothing: it waits.
  std::optional<std::int64_t> call(Thread& thread, const Call& call) {
    Running& running = *running_.at(&thread);
    return made(running, call) ? std::optional(running.result) : std::nullopt;
  }

  /// True: it has been answered.
  bool made(Running& running, const Call& call) {
    const Reply reply = kernel_->call(*running.thread, call);
    if (reply.kind == Reply::Kind::kWaits) {
      return false;
    }
    running.result = result_of(running, reply);
    return true;
  }

  // Machine
  void resume(Thread& thread, const Reply& reply) override {
    Running& running = *running_.at(&thread);
    running.result = result_of(running, reply);
    running.script->go_on();
  }
  std::size_t read_memory(const Process&, std::uint64_t address,
                          std::span<std::byte> out) override {
    return copy(out.data(), reinterpret_cast<const void*>(address), address, out.size());
  }
  std::size_t write_memory(const Process&, std::uint64_t address,
                           std::span<const std::byte> in) override {
    return copy(reinterpret_cast<void*>(address), in.data(), address, in.size());
  }
  std::optional<std::pair<std::uint64_t, std::uint64_t>> shared_place(const Process&,
                                                                      std::uint64_t) override {
    return std::nullopt;
  }
  int add_descriptor(Thread& thread, Placeholder, bool, std::optional<int> exactly) override {
    constexpr int kLimit = 1024;
    std::set<int>& numbers = native_[thread.process];
    int number = exactly.value_or(0);
    while (!exactly && numbers.contains(number)) {
      ++number;
    }
    if (number < 0 || number >= kLimit) {
      return exactly ? -EBADF : -EMFILE;
    }
    numbers.insert(number);
    return number;
  }
  int add_content(Thread& thread, const std::string& content, bool closes_on_exec) override {
    contents_.push_back(content);
    return add_descriptor(thread, Placeholder::kNull, closes_on_exec, std::nullopt);
  }
  std::shared_ptr<NativeFile> take_native(const Process&, int) override { return nullptr; }
  int add_native(Thread&, const NativeFile&, bool) override { return -EMFILE; }
  std::int64_t read_native(const Process&, int, std::optional<std::int64_t> offset,
                           std::span<std::byte> out) override {
    const std::string& text = contents_.back();
    const auto from = std::min(text.size(), static_cast<std::size_t>(offset.value_or(position_)));
    const std::size_t count = std::min(out.size(), text.size() - from);
    std::memcpy(out.data(), text.data() + from, count);
    if (!offset) {
      position_ += static_cast<std::int64_t>(count);
    }
    return static_cast<std::int64_t>(count);
  }
  std::int64_t native_position(const Process&, int) override { return position_; }
  bool is_native_open(const Process& process, int descriptor) override {
    return native_[&process].contains(descriptor);
  }
  int add_signal_descriptor(Thread& thread, std::uint64_t, bool closes_on_exec) override {
    return add_descriptor(thread, Placeholder::kAnonymous, closes_on_exec, std::nullopt);
  }
  SignalState signals(const Thread& thread) override {
    return running_.at(&const_cast<Thread&>(thread))->signals;
  }
  int send_signal(Process& process, Thread* thread, const Signal& signal) override {
    sent_.push_back(signal);
    for (Thread* one : process.threads) {
      if (thread == nullptr || one == thread) {
        SignalState& state = running_.at(one)->signals;
        state.pending |= std::uint64_t{1} << (signal.number - 1);
      }
    }
    return 0;
  }

 private:
  void add(Thread& thread, Code code) {
    next_id_ = std::max(next_id_, thread.id) + 1;
    auto running = std::make_unique<Running>();
    running->thread = &thread;
    running->machine = this;
    running->code = std::move(code);
    running->script = std::make_unique<Script>(running->code(*running));
    running_[&thread] = std::move(running);
  }

  std::size_t copy(void* to, const void* from, std::uint64_t address, std::size_t count) {
    constexpr std::uint64_t kFirstPage = 4096;
    if (count == 0) {
      return 0;
    }
    if (address < kFirstPage) {
      return 0;
    }
    std::memcpy(to, from, count);
    return count;
  }

  /// Native calls that matter here are those about descriptors; a signal runs its handler, and the
  /// call is never made again.
  std::int64_t result_of(Running& running, const Reply& reply) {
    if (reply.kind == Reply::Kind::kUnsupported) {
      return -1000;
    }
    if (reply.kind == Reply::Kind::kRestart || reply.value == -EINTR) {
      running.signals.pending = 0;
      return -EINTR;
    }
    if (reply.kind != Reply::Kind::kNative) {
      return reply.value;
    }
    return native(running);
  }
  std::int64_t native(Running& running) {
    const Call& call = running.thread->call;
    std::set<int>& numbers = native_[running.thread->process];
    const int descriptor = call.descriptor();
    switch (call.number) {
      case SYS_close:
        return numbers.erase(descriptor) == 1 ? 0 : -EBADF;
      case SYS_close_range: {
        const auto first = static_cast<std::uint32_t>(call.arguments[0]);
        const auto last = static_cast<std::uint32_t>(call.arguments[1]);
        if (first > last || (call.arguments[2] & ~std::uint64_t{6}) != 0) {
          return -EINVAL;
        }
        std::erase_if(numbers, [&](int one) {
          return call.arguments[2] == 0 && static_cast<std::uint32_t>(one) >= first &&
                 static_cast<std::uint32_t>(one) <= last;
        });
        return 0;
      }
      case SYS_dup3:
      case SYS_dup2: {
        const int to = static_cast<int>(call.arguments[1]);
        if (!numbers.contains(descriptor) || to < 0) {
          return -EBADF;
        }
        numbers.insert(to);
        return to;
      }
      case SYS_dup: {
        return numbers.contains(descriptor)
                   ? add_descriptor(*running.thread, Placeholder::kNull, false, std::nullopt)
                   : -EBADF;
      }
      case SYS_rt_sigtimedwait: {
        std::uint64_t wanted = 0;
        std::memcpy(&wanted, reinterpret_cast<const void*>(call.arguments[0]), sizeof wanted);
        for (int number = 1; number <= 64; ++number) {
          const std::uint64_t bit = std::uint64_t{1} << (number - 1);
          if ((running.signals.pending & wanted & bit) != 0) {
            running.signals.pending &= ~bit;
            return number;
          }
        }
        return -EAGAIN;
      }
      // only let through if a signal ends them
      case SYS_ppoll:
      case SYS_pselect6:
      case SYS_epoll_pwait:
      case SYS_rt_sigsuspend:
        running.signals.pending = 0;
        return -EINTR;
      case SYS_fcntl:
        if (!numbers.contains(descriptor)) {
          return -EBADF;
        }
        return call.arguments[1] == F_SETFD ? 0 : -EINVAL;
      case SYS_ioctl:
        return numbers.contains(descriptor) ? 0 : -EBADF;
      case SYS_wait4:
      case SYS_waitid:
        return 0;
      default:
        // all others that come here are about a descriptor
        return numbers.contains(descriptor) ? -ENOTSOCK : -EBADF;
    }
  }

  Kernel* kernel_ = nullptr;
  pid_t next_id_ = 1;
  std::map<Thread*, std::unique_ptr<Running>> running_;
  std::map<const Process*, std::set<int>> native_;
  std::vector<Signal> sent_;
  std::vector<std::string> contents_{""};
  std::int64_t position_ = 0;
};

}  // namespace longarm::programs
