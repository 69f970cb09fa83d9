// SPDX-License-Identifier: Apache-2.0
// URScript: any text compiles or is refused with its place; what compiles runs within its limits.
#include <cmath>
#include <set>
#include <string>

#include "longarm/protocols/ur/script/builtins.h"
#include "longarm/protocols/ur/script/convert.h"
#include "longarm/protocols/ur/script/machine.h"
#include "require.h"

namespace {

using namespace longarm;
using namespace longarm::protocols::ur::script;

void require_finite(const Value& value, int depth = 0) {
  require(depth <= 8, "lists are not deeper than the limit");
  if (const auto* number = std::get_if<double>(&value.kind)) {
    require(std::isfinite(*number), "numbers are finite");
  }
  if (const auto* pose = std::get_if<PoseValue>(&value.kind)) {
    for (const double one : pose->numbers) {
      require(std::isfinite(one), "poses are finite");
    }
  }
  if (const auto* elements = std::get_if<List>(&value.kind)) {
    require(elements->size() <= kMaximumElements, "lists are not longer than the limit");
    for (const auto& element : *elements) {
      require_finite(element, depth + 1);
    }
  }
}

/// Answers anything, and checks what it is asked.
class AnyHost : public Host {
 public:
  explicit AnyHost(std::uint64_t seed) : state_(seed) {}

  std::uint64_t hash = 0;  ///< of all calls
  std::set<ThreadId> waiting;

  Outcome begin(ThreadId thread, std::string_view function,
                std::span<const Value> arguments) override {
    const Builtin* builtin = find_builtin(function);
    require(builtin != nullptr && builtin->effect != Effect::kPure, "the host has that function");
    require(arguments.size() == builtin->count, "every argument is there");
    require(!waiting.contains(thread), "a thread that waits does not call");
    mix(static_cast<std::uint64_t>(builtin - builtins().data()));
    for (const auto& argument : arguments) {
      require_finite(argument);
      mix(argument.kind.index());
    }
    return answer(thread);
  }

  Outcome go_on(ThreadId thread) override {
    require(waiting.erase(thread) == 1, "only who waits is asked");
    return answer(thread);
  }

  void abandon(ThreadId thread) override {
    require(waiting.erase(thread) == 1, "only who waits is abandoned");
  }

 private:
  std::uint64_t draw() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 33;
  }

  void mix(std::uint64_t what) { hash = hash * 1099511628211U + what; }

  Outcome answer(ThreadId thread) {
    switch (draw() % 8) {
      case 0:
        waiting.insert(thread);
        return {Outcome::Kind::kWaiting, {}, {}};
      case 1:
        return {Outcome::Kind::kDone, number(static_cast<double>(draw()) / 1000.0), {}};
      case 2:
        return {Outcome::Kind::kDone, boolean(draw() % 2 == 0), {}};
      case 3:
        return {Outcome::Kind::kDone, list(std::array{1.0, 2.0, 3.0, 4.0, 5.0, 6.0}), {}};
      case 4:
        return {Outcome::Kind::kDone, text("answer"), {}};
      case 5:
        return {Outcome::Kind::kDone, integer(static_cast<std::int64_t>(draw() << 20U)), {}};
      case 6:
        if (draw() % 16 == 0) {
          return {Outcome::Kind::kFailed, {}, "the robot says no"};
        }
        return {Outcome::Kind::kDone, pose({0.1, 0.2, 0.3, 0.4, 0.5, 0.6}), {}};
      default:
        return {};
    }
  }

  std::uint64_t state_;
};

std::uint64_t run(const Program& program, std::uint64_t seed) {
  AnyHost host(seed);
  std::uint64_t result = 0;
  {
    Machine machine(host);
    program.is_secondary() ? machine.start_secondary(program) : machine.start(program);
    for (int cycle = 0; cycle < 12; ++cycle) {
      machine.run_cycle();
      for (const auto& end : machine.take_ends()) {
        const bool has_failed = end.kind == ProgramEnd::Kind::kFailed;
        require(has_failed == !end.text.empty(), "who fails says why");
        require(!has_failed || (end.line >= 1 && end.column >= 1), "and where");
        result = result * 31U + static_cast<std::uint64_t>(end.line);
      }
    }
  }
  require(host.waiting.empty(), "who waits is told when nobody asks any more");
  return result * 31U + host.hash;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view script = text_of(data, size);
  std::uint64_t seed = 14695981039346656037U;
  for (const char c : script) {
    seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  SyntaxError error;
  const auto program = compile(script, &error);
  if (!program) {
    require(error.line >= 1 && error.column >= 1, "an error has a place");
    require(!error.message.empty() && !error.hint.empty(), "and words");
    return 0;
  }
  require(!(program->is_secondary() && program->moves_robot()), "a sec does not move the robot");
  require(run(*program, seed) == run(*program, seed), "the same again");
  return 0;
}
