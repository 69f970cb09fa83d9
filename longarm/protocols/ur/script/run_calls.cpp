// SPDX-License-Identifier: Apache-2.0
// Calls: of pure functions, of the robot, of the program's own functions and threads.
#include <utility>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/protocols/ur/script/operators.h"
#include "longarm/protocols/ur/script/run.h"

namespace longarm::protocols::ur::script {

void Run::call_pure(Thread& thread, const Instruction& now) {
  const Builtin& builtin = builtins()[static_cast<std::size_t>(now.a)];
  const std::size_t begin = thread.stack.size() - builtin.count;
  Value result;
  Failure failure =
      script::call_pure(builtin, {thread.stack.data() + begin, builtin.count}, result);
  thread.stack.resize(begin);
  if (!failure.empty()) {
    return finish(kFailed, now, std::move(failure));
  }
  charge(thread, result);
  push(thread, std::move(result), now);
}

void Run::call_host(Thread& thread, const Instruction& now) {
  const Builtin& builtin = builtins()[static_cast<std::size_t>(now.a)];
  const std::size_t begin = thread.stack.size() - builtin.count;
  Outcome outcome =
      shared_.host.begin(thread.id, builtin.name, {thread.stack.data() + begin, builtin.count});
  thread.stack.resize(begin);
  accept(thread, std::move(outcome), now);
}

void Run::accept(Thread& thread, Outcome outcome, const Instruction& now) {
  thread.state = Thread::State::kReady;
  if (outcome.kind == Outcome::Kind::kWaiting) {
    thread.state = Thread::State::kAtHost;
    return;
  }
  if (outcome.kind == Outcome::Kind::kFailed) {
    return finish(kFailed, now, std::move(outcome.failure));
  }
  if (outcome.took_input) {
    thread.has_looped = false;
    thread.busy_cycles = 0;
  }
  Failure failure = check_size(outcome.value);
  if (failure.empty()) {
    failure = take_in(outcome.value);
  }
  if (!failure.empty()) {
    return finish(kFailed, now, std::move(failure));
  }
  charge(thread, outcome.value);
  push(thread, std::move(outcome.value), now);
}

void Run::call_function(Thread& thread, const Instruction& now) {
  const auto number = static_cast<std::size_t>(now.a);
  const Function& function = code_.functions[number];
  if (thread.frames.size() >= kMaximumFrames) {
    return finish(kFailed, now,
                  fmt::format("functions that call functions, {} deep", kMaximumFrames));
  }
  const std::size_t base = thread.stack.size() - function.parameters;
  if (base + function.variables > kMaximumStack) {
    return finish(kFailed, now,
                  fmt::format("more than {} values at once in a thread", kMaximumStack));
  }
  const std::size_t locals = function.variables - function.parameters;
  thread.stack.resize(base + function.variables);
  work_ += locals;
  thread.budget -= static_cast<int>(locals / 16);
  thread.frames.push_back({number, 0, base});
}

void Run::give_back(Thread& thread) {
  Value result = pop(thread);
  thread.stack.resize(thread.frames.back().base);
  if (thread.frames.size() == 1) {
    end_thread(thread);
    return;
  }
  thread.frames.pop_back();
  thread.stack.push_back(std::move(result));
}

void Run::start_thread(Thread& thread, const Instruction& now) {
  if (shared_.threads >= kMaximumThreads) {
    return finish(kFailed, now, fmt::format("more than {} threads", kMaximumThreads));
  }
  const std::uint32_t id = shared_.next_thread;
  begin_thread(static_cast<std::size_t>(now.a));
  push(thread, {ThreadHandle{id}}, now);
}

void Run::take_handle(Thread& thread, const Instruction& now) {
  const Value value = pop(thread);
  const auto* handle = std::get_if<ThreadHandle>(&value.kind);
  const bool is_join = now.operation == Operation::kJoin;
  // programs write 0 where there is no thread yet
  if (to_number(value)) {
    return;
  }
  if (handle == nullptr) {
    return finish(kFailed, now,
                  fmt::format("'{}' takes what 'run' gave, not {}", is_join ? "join" : "kill",
                              kind_name(value)));
  }
  Thread* other = find(handle->id);
  if (other == nullptr || other->state == Thread::State::kEnded) {
    return;
  }
  if (!is_join) {
    end_thread(*other);
    return;
  }
  thread.joined = handle->id;
  thread.state = Thread::State::kJoining;
}

}  // namespace longarm::protocols::ur::script
