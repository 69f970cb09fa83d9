// SPDX-License-Identifier: Apache-2.0
// What each instruction does to the thread that executes it.
#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/protocols/ur/script/operators.h"
#include "longarm/protocols/ur/script/run.h"

namespace longarm::protocols::ur::script {

const Instruction& Run::last(const Thread& thread) const {
  const Frame& frame = thread.frames.back();
  return code_.functions[frame.function].code[frame.at > 0 ? frame.at - 1 : 0];
}

void Run::execute(Thread& thread) {
  while (thread.state == Thread::State::kReady && !ended_ && thread.budget > 0) {
    Frame& frame = thread.frames.back();
    const Instruction& now = code_.functions[frame.function].code[frame.at++];
    --thread.budget;
    ++work_;
    if (!step(thread, now)) {
      control(thread, now);
    }
  }
}

void Run::push(Thread& thread, Value value, const Instruction& now) {
  if (thread.stack.size() >= kMaximumStack) {
    finish(kFailed, now, fmt::format("more than {} values at once in a thread", kMaximumStack));
    return;
  }
  thread.stack.push_back(std::move(value));
}

Value Run::pop(Thread& thread) {
  Value value = std::move(thread.stack.back());
  thread.stack.pop_back();
  return value;
}

Value& Run::variable(Thread& thread, const Instruction& now, bool is_global) {
  const auto slot = static_cast<std::size_t>(now.a);
  return is_global ? globals_[slot] : thread.stack[thread.frames.back().base + slot];
}

// Long values take longer, and more room.
void Run::charge(Thread& thread, const Value& value) {
  const bool is_small =
      !std::holds_alternative<List>(value.kind) && !std::holds_alternative<std::string>(value.kind);
  if (is_small) {
    return;
  }
  const std::size_t size = weight(value);
  work_ += size;
  thread.budget -= static_cast<int>(size / 16);
}

/// Values and variables; false if it is something else.
bool Run::step(Thread& thread, const Instruction& now) {
  Failure failure;
  switch (now.operation) {
    case Operation::kConstant: {
      const Value& constant = code_.constants[static_cast<std::size_t>(now.a)];
      charge(thread, constant);
      push(thread, constant, now);
      return true;
    }
    case Operation::kNothing:
      push(thread, {}, now);
      return true;
    case Operation::kLoadGlobal:
    case Operation::kLoadLocal:
      load(thread, now);
      return true;
    case Operation::kStoreGlobal:
    case Operation::kStoreLocal: {
      Value value = pop(thread);
      variable(thread, now, now.operation == Operation::kStoreGlobal) = std::move(value);
      return true;
    }
    case Operation::kSetGlobal:
    case Operation::kSetLocal:
      set(thread, now);
      return true;
    case Operation::kElementGlobal:
    case Operation::kElementLocal:
    case Operation::kIndex:
      element(thread, now);
      return true;
    case Operation::kMakeList:
      make_list(thread, now);
      return true;
    case Operation::kMakePose:
      make_pose(thread, now);
      return true;
    case Operation::kNegate:
      failure = negate(thread.stack.back());
      break;
    case Operation::kNot:
    case Operation::kCheckBoolean: {
      Value& top = thread.stack.back();
      const auto flag = to_truth(top);
      if (flag) {
        top.kind = *flag != (now.operation == Operation::kNot);
      } else {
        failure = fmt::format("True or False is needed, not {}", kind_name(top));
      }
      break;
    }
    case Operation::kPop:
      thread.stack.pop_back();
      return true;
    default: {
      if (now.operation < Operation::kAdd || now.operation > Operation::kXor) {
        return false;
      }
      const Value right = pop(thread);
      failure = combine(now.operation, thread.stack.back(), right);
    }
  }
  if (!failure.empty()) {
    finish(kFailed, now, std::move(failure));
  }
  return true;
}

/// Jumps, calls and threads.
void Run::control(Thread& thread, const Instruction& now) {
  switch (now.operation) {
    case Operation::kJump:
    case Operation::kJumpIfFalse:
    case Operation::kJumpIfTrue:
      return jump(thread, now);
    case Operation::kCallPure:
      return call_pure(thread, now);
    case Operation::kCallHost:
      return call_host(thread, now);
    case Operation::kCallFunction:
      return call_function(thread, now);
    case Operation::kReturn:
      return give_back(thread);
    case Operation::kRun:
      return start_thread(thread, now);
    case Operation::kJoin:
    case Operation::kKill:
      return take_handle(thread, now);
    case Operation::kHalt:
      return finish(ProgramEnd::Kind::kHalted, now);
    case Operation::kSync:
      push(thread, {}, now);
      if (!ended_) {
        thread.state = Thread::State::kResting;
      }
      return;
    case Operation::kEnterCritical:
      critical_ = static_cast<std::uint32_t>(thread.id);
      return;
    case Operation::kExitCritical:
      if (critical_ == static_cast<std::uint32_t>(thread.id)) {
        critical_ = 0;
      }
      return;
    default:
      return;
  }
}

void Run::load(Thread& thread, const Instruction& now) {
  const bool is_global = now.operation == Operation::kLoadGlobal;
  const Value& value = variable(thread, now, is_global);
  if (is_nothing(value)) {
    const auto slot = static_cast<std::size_t>(now.a);
    const auto& names =
        is_global ? code_.globals : code_.functions[thread.frames.back().function].names;
    return finish(kFailed, now, fmt::format("'{}' has no value", names[slot]));
  }
  charge(thread, value);
  push(thread, value, now);
}

void Run::element(Thread& thread, const Instruction& now) {
  const Value index = pop(thread);
  Value found;
  Failure failure;
  if (now.operation == Operation::kIndex) {
    failure = get_element(thread.stack.back(), index, found);
    thread.stack.pop_back();
  } else {
    const bool is_global = now.operation == Operation::kElementGlobal;
    failure = get_element(variable(thread, now, is_global), index, found);
  }
  if (!failure.empty()) {
    return finish(kFailed, now, std::move(failure));
  }
  charge(thread, found);
  push(thread, std::move(found), now);
}

void Run::set(Thread& thread, const Instruction& now) {
  Value value = pop(thread);
  const auto count = static_cast<std::size_t>(now.b);
  const std::span<const Value> indices{thread.stack.data() + thread.stack.size() - count, count};
  Value& list = variable(thread, now, now.operation == Operation::kSetGlobal);
  // a list in a list has the whole of it measured
  if (std::holds_alternative<List>(value.kind)) {
    charge(thread, list);
  }
  Failure failure = set_element(list, indices, std::move(value));
  thread.stack.resize(thread.stack.size() - count);
  if (!failure.empty()) {
    finish(kFailed, now, std::move(failure));
  }
}

void Run::make_list(Thread& thread, const Instruction& now) {
  const auto begin = thread.stack.end() - now.a;
  Value made{List(std::make_move_iterator(begin), std::make_move_iterator(thread.stack.end()))};
  thread.stack.erase(begin, thread.stack.end());
  Failure failure = check_size(made);
  if (!failure.empty()) {
    return finish(kFailed, now, std::move(failure));
  }
  charge(thread, made);
  push(thread, std::move(made), now);
}

void Run::make_pose(Thread& thread, const Instruction& now) {
  PoseValue made;
  const std::size_t begin = thread.stack.size() - made.numbers.size();
  for (std::size_t i = 0; i < made.numbers.size(); ++i) {
    const Value& element = thread.stack[begin + i];
    const auto one = to_number(element);
    if (!one) {
      return finish(kFailed, now, fmt::format("a pose holds numbers, not {}", kind_name(element)));
    }
    made.numbers[i] = *one;
  }
  thread.stack.resize(begin);
  push(thread, {made}, now);
}

void Run::jump(Thread& thread, const Instruction& now) {
  bool is_taken = true;
  if (now.operation != Operation::kJump) {
    const Value condition = pop(thread);
    const auto flag = to_truth(condition);
    if (!flag) {
      return finish(kFailed, now,
                    fmt::format("a condition must be True or False, not {}", kind_name(condition)));
    }
    is_taken = *flag == (now.operation == Operation::kJumpIfTrue);
  }
  // from the jump itself, which has been passed already
  Frame& frame = thread.frames.back();
  if (is_taken) {
    thread.has_looped = thread.has_looped || now.a <= 0;
    frame.at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(frame.at) - 1 + now.a);
  }
}

}  // namespace longarm::protocols::ur::script
