// SPDX-License-Identifier: Apache-2.0
// A robot for tests of URScript: keeps what it was asked, and answers what it was told to.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "longarm/protocols/ur/script/convert.h"
#include "longarm/protocols/ur/script/host.h"
#include "longarm/protocols/ur/script/machine.h"

namespace longarm::protocols::ur::script {

class ScriptedHost : public Host {
 public:
  /// Calls in order: "movej([0, 1], 1.4, …)".
  std::vector<std::string> calls;
  /// First arguments of textmsg, as they came.
  std::vector<Value> values;
  /// Cycles that a function waits; those that are not here do not wait.
  std::map<std::string, int, std::less<>> waits;
  /// What a function gives, one after the other; then the last for ever.
  std::map<std::string, std::vector<Value>, std::less<>> answers;
  /// Functions that fail, and what they say.
  std::map<std::string, std::string, std::less<>> failures;
  std::vector<std::uint32_t> abandoned;

  Outcome begin(ThreadId thread, std::string_view function,
                std::span<const Value> arguments) override {
    std::string call = fmt::format("{}(", function);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      call += (i > 0 ? ", " : "") + to_text(arguments[i]);
    }
    calls.push_back(call + ")");
    if (function == "textmsg") {
      values.push_back(arguments[0]);
    }
    if (const auto found = failures.find(function); found != failures.end()) {
      return {Outcome::Kind::kFailed, {}, found->second};
    }
    const auto found = waits.find(function);
    if (found == waits.end() || found->second == 0) {
      return {Outcome::Kind::kDone, answer(function), {}};
    }
    waiting_[thread] = {std::string(function), found->second};
    return {Outcome::Kind::kWaiting, {}, {}};
  }

  Outcome go_on(ThreadId thread) override {
    auto& [function, cycles] = waiting_.at(thread);
    if (--cycles > 0) {
      return {Outcome::Kind::kWaiting, {}, {}};
    }
    const std::string name = function;
    waiting_.erase(thread);
    return {Outcome::Kind::kDone, answer(name), {}};
  }

  void abandon(ThreadId thread) override {
    waiting_.erase(thread);
    abandoned.push_back(static_cast<std::uint32_t>(thread));
  }

 private:
  Value answer(std::string_view function) {
    const auto found = answers.find(function);
    if (found == answers.end()) {
      return {};
    }
    Value value = found->second.front();
    if (found->second.size() > 1) {
      found->second.erase(found->second.begin());
    }
    return value;
  }

  std::map<ThreadId, std::pair<std::string, int>> waiting_;
};

/// What is wrong with a program, or "none".
inline std::string error_of(std::string_view text) {
  const auto program = compile(text);
  return program ? "none" : program.error().message;
}

/// A program that is run with textmsg() as its only way out.
struct Played {
  std::vector<std::string> said;  ///< first arguments of textmsg
  ProgramEnd end;
  int cycles = 0;
};

inline std::vector<std::string> said_in(const std::vector<std::string>& calls) {
  std::vector<std::string> said;
  const std::string head = "textmsg(";
  for (const auto& call : calls) {
    if (call.starts_with(head)) {
      said.push_back(call.substr(head.size(), call.rfind(", ") - head.size()));
    }
  }
  return said;
}

/// Until it ends, at most for `cycles`; a text that does not compile ends in `end.text`.
inline Played play(std::string_view text, ScriptedHost& host, int cycles = 100) {
  Played played;
  auto program = compile(text);
  if (!program) {
    played.end = {ProgramEnd::Kind::kFailed, "", false, program.error().message, 0, 0};
    return played;
  }
  Machine machine(host);
  machine.start(*program);
  while (machine.is_running() && played.cycles < cycles) {
    machine.run_cycle();
    ++played.cycles;
  }
  machine.stop();
  const auto ends = machine.take_ends();
  if (!ends.empty()) {
    played.end = ends.front();
  }
  played.said = said_in(host.calls);
  return played;
}

inline Played play(std::string_view text, int cycles = 100) {
  ScriptedHost host;
  return play(text, host, cycles);
}

/// What an expression gives, or its failure.
inline std::string value_of(std::string_view expression) {
  const auto played = play(fmt::format("def f():\n textmsg({})\nend\n", expression));
  return played.said.empty() ? played.end.text : played.said.front();
}

}  // namespace longarm::protocols::ur::script
