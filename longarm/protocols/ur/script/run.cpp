// SPDX-License-Identifier: Apache-2.0
// Threads of a program: whose turn it is, what they wait for, how they end.
#include "longarm/protocols/ur/script/run.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/operators.h"

namespace longarm::protocols::ur::script {

namespace {

/// What a program may make before what it holds is counted again.
constexpr std::size_t kWorkBetweenCounts = 50'000;

}  // namespace

Run::Run(Program program, Shared& shared)
    : program_(std::move(program)), code_(program_.code()), shared_(shared) {
  globals_.resize(code_.globals.size());
  begin_thread(0);
}

Run::~Run() {
  for (auto& thread : threads_) {
    end_thread(*thread);
  }
  shared_.threads -= threads_.size();
  shared_.held -= held_;
}

void Run::begin_thread(std::size_t function) {
  auto thread = std::make_unique<Thread>();
  thread->id = ThreadId{shared_.next_thread++};
  thread->frames.push_back({function, 0, 0});
  thread->stack.resize(code_.functions[function].variables);
  threads_.push_back(std::move(thread));
  ++shared_.threads;
}

Thread* Run::find(std::uint32_t id) {
  for (auto& thread : threads_) {
    if (static_cast<std::uint32_t>(thread->id) == id) {
      return thread.get();
    }
  }
  return nullptr;
}

void Run::run_cycle() {
  // by number: threads begin while others run
  for (std::size_t i = 0; i < threads_.size() && !ended_; ++i) {
    Thread& thread = *threads_[i];
    if (is_held_up(thread)) {
      continue;
    }
    take_turn(thread);
    if (threads_.front()->state == Thread::State::kEnded && !ended_) {
      finish(ProgramEnd::Kind::kFinished, {});
    }
    if (work_ > kWorkBetweenCounts) {
      count();
    }
  }
  remove_ended_threads();
}

/// By another thread that ran out of its cycle inside of a critical section. One that waits there
/// holds up nobody.
bool Run::is_held_up(const Thread& thread) {
  if (critical_ == 0 || critical_ == static_cast<std::uint32_t>(thread.id)) {
    return false;
  }
  const Thread* inside = find(critical_);
  return inside != nullptr && inside->state == Thread::State::kReady;
}

void Run::take_turn(Thread& thread) {
  thread.budget = kMaximumInstructions;
  thread.has_looped = false;
  if (!is_awake(thread)) {
    thread.busy_cycles = 0;
    return;
  }
  execute(thread);
  if (thread.state != Thread::State::kReady || ended_) {
    thread.busy_cycles = 0;
    return;
  }
  // statements in a row, however many, come to an end
  if (!thread.has_looped || ++thread.busy_cycles < kMaximumBusyCycles) {
    return;
  }
  finish(
      ProgramEnd::Kind::kFailed, last(thread),
      fmt::format("infinite loop: a thread that does not wait, for {} cycles", kMaximumBusyCycles));
}

/// Asks whoever it waits for.
bool Run::is_awake(Thread& thread) {
  switch (thread.state) {
    case Thread::State::kReady:
      return true;
    case Thread::State::kResting:
      thread.state = Thread::State::kReady;
      return true;
    case Thread::State::kAtHost:
      accept(thread, shared_.host.go_on(thread.id), last(thread));
      return thread.state == Thread::State::kReady;
    case Thread::State::kJoining: {
      const Thread* other = find(thread.joined);
      if (other == nullptr || other->state == Thread::State::kEnded) {
        thread.state = Thread::State::kReady;
      }
      return thread.state == Thread::State::kReady;
    }
    case Thread::State::kEnded:
      return false;
  }
  return false;
}

void Run::end_thread(Thread& thread) {
  if (thread.state == Thread::State::kAtHost) {
    shared_.host.abandon(thread.id);
  }
  if (critical_ == static_cast<std::uint32_t>(thread.id)) {
    critical_ = 0;
  }
  thread.state = Thread::State::kEnded;
}

void Run::remove_ended_threads() {
  const std::size_t before = threads_.size();
  // the program's own stays, it is asked for when the program ends
  threads_.erase(
      std::remove_if(threads_.begin() + 1, threads_.end(),
                     [](const auto& thread) { return thread->state == Thread::State::kEnded; }),
      threads_.end());
  shared_.threads -= before - threads_.size();
}

void Run::count() {
  work_ = 0;
  shared_.held -= held_;
  held_ = 0;
  for (const auto& value : globals_) {
    held_ += weight(value);
  }
  for (const auto& thread : threads_) {
    for (const auto& value : thread->stack) {
      held_ += weight(value);
    }
  }
  shared_.held += held_;
  if (shared_.held <= kMaximumHeld || ended_) {
    return;
  }
  finish(ProgramEnd::Kind::kFailed, last(*threads_.front()),
         fmt::format("out of memory: {} values in lists and strings; {} are the limit",
                     shared_.held, kMaximumHeld));
}

void Run::finish(ProgramEnd::Kind kind, const Instruction& where, std::string text) {
  if (ended_) {
    return;
  }
  ended_ =
      ProgramEnd{kind, code_.name, code_.is_secondary, std::move(text), where.line, where.column};
}

}  // namespace longarm::protocols::ur::script
