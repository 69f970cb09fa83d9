// SPDX-License-Identifier: Apache-2.0
// Statements of URScript made into code.
#include <fmt/format.h>

#include "longarm/protocols/ur/script/compiler.h"

namespace longarm::protocols::ur::script {

namespace {

constexpr std::string_view kStatementHint =
    "a statement is an assignment, a call, or begins with if, while, return, run, …";

bool is_value(Word word) {
  switch (word) {
    case Word::kName:
    case Word::kInteger:
    case Word::kFloat:
    case Word::kText:
    case Word::kTrue:
    case Word::kFalse:
    case Word::kMinus:
    case Word::kNot:
    case Word::kOpen:
    case Word::kOpenList:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Compiler::compile_program() {
  if (code_.is_bare) {
    while (!is(Word::kEndOfText)) {
      compile_statement();
    }
  } else {
    const Token begin = now();
    at_ = scopes_.functions.front().body;
    expect(Word::kColon, ":", "write 'def name():'");
    compile_block();
    end_block(begin);
    take(Word::kNewline);
    if (!is(Word::kEndOfText)) {
      fail(now(), "text after the program's 'end'", "send the next program by itself");
    }
  }
  emit(now(), Operation::kNothing);
  emit(now(), Operation::kReturn);
}

/// Up to `end`, `elif` or `else`, which it leaves.
void Compiler::compile_block() {
  if (go_deeper()) {
    take(Word::kNewline);
    while (!is(Word::kEnd) && !is(Word::kElif) && !is(Word::kElse) && !is(Word::kEndOfText)) {
      compile_statement();
    }
  }
  --depth_;
}

void Compiler::end_block(const Token& begin) {
  if (take(Word::kEnd)) {
    return;
  }
  if (is(Word::kEndOfText)) {
    fail(begin, fmt::format("'{}' without 'end'", begin.text), "close every block with 'end'");
  } else {
    fail(now(), fmt::format("'{}' without 'if'", now().text),
         "'elif' and 'else' belong into an 'if', 'else' last");
  }
}

void Compiler::end_statement() {
  if (is(Word::kEnd) || is(Word::kElif) || is(Word::kElse) || is(Word::kEndOfText)) {
    return;
  }
  if (take(Word::kNewline) || begins_statement()) {
    return;
  }
  fail(now(), fmt::format("'{}' does not belong here", now().text.substr(0, 40)),
       "one statement per line");
}

/// Some programs have several on a line, with nothing in between.
bool Compiler::begins_statement() const {
  switch (now().word) {
    case Word::kDef:
    case Word::kThread:
    case Word::kIf:
    case Word::kWhile:
    case Word::kReturn:
    case Word::kBreak:
    case Word::kContinue:
    case Word::kGlobal:
    case Word::kLocal:
    case Word::kJoin:
    case Word::kKill:
    case Word::kPass:
    case Word::kHalt:
    case Word::kEnterCritical:
    case Word::kExitCritical:
    case Word::kRun:
      return true;
    case Word::kName:
      return next().word == Word::kAssign || next().word == Word::kOpenList ||
             next().word == Word::kOpen;
    default:
      return false;
  }
}

void Compiler::compile_statement() {
  const Token& first = now();
  switch (first.word) {
    case Word::kDef:
    case Word::kThread:
      return compile_function();
    case Word::kSec:
      return fail(first, "'sec' inside of a program", "a secondary program is sent by itself");
    case Word::kIf:
      return compile_if();
    case Word::kWhile:
      return compile_while();
    case Word::kReturn:
      return compile_return();
    case Word::kBreak:
    case Word::kContinue:
      return compile_loop_jump();
    case Word::kGlobal:
    case Word::kLocal:
      return compile_declaration();
    case Word::kJoin:
      return compile_handle_statement(Operation::kJoin);
    case Word::kKill:
      return compile_handle_statement(Operation::kKill);
    case Word::kPass:
      ++at_;
      return end_statement();
    case Word::kHalt:
    case Word::kEnterCritical:
    case Word::kExitCritical:
      ++at_;
      emit(first, first.word == Word::kHalt            ? Operation::kHalt
                  : first.word == Word::kEnterCritical ? Operation::kEnterCritical
                                                       : Operation::kExitCritical);
      return end_statement();
    case Word::kName:
      if (next().word == Word::kAssign) {
        return compile_assignment(first);
      }
      if (next().word == Word::kOpenList) {
        return compile_element_assignment(first);
      }
      if (next().word != Word::kOpen) {
        break;
      }
      [[fallthrough]];
    case Word::kRun:
      compile_expression();
      emit(first, Operation::kPop);
      return end_statement();
    case Word::kEnd:
      return fail(first, "'end' without a block", "remove it");
    default:
      break;
  }
  fail(first, fmt::format("'{}' does not start a statement", first.text.substr(0, 40)),
       std::string(kStatementHint));
}

void Compiler::compile_function() {
  const Token begin = now();
  if (code_.is_bare) {
    return fail(begin, fmt::format("'{}' after another statement", begin.text),
                "a program begins with 'def' and holds everything");
  }
  const std::size_t outer = function_;
  const auto outer_loops = std::move(loops_);
  loops_.clear();
  function_ = functions_seen_++;
  at_ = scopes_.functions[function_].body;
  expect(Word::kColon, ":", fmt::format("write '{} name():'", begin.text));
  compile_block();
  emit(now(), Operation::kNothing);
  emit(now(), Operation::kReturn);
  end_block(begin);
  function_ = outer;
  loops_ = outer_loops;
  end_statement();
}

void Compiler::compile_if() {
  const Token begin = now();
  std::vector<std::size_t> to_end;
  bool is_open = true;
  while (is_open) {
    const Token& condition = tokens_[at_++];
    compile_expression();
    expect(Word::kColon, ":", "a condition ends with a colon");
    const std::size_t over = emit(condition, Operation::kJumpIfFalse);
    compile_block();
    is_open = is(Word::kElif);
    const bool is_last = !is_open && !is(Word::kElse);
    if (!is_last) {
      to_end.push_back(emit(now(), Operation::kJump));
    }
    land(over);
  }
  if (take(Word::kElse)) {
    expect(Word::kColon, ":", "write 'else:'");
    compile_block();
  }
  for (const std::size_t jump : to_end) {
    land(jump);
  }
  end_block(begin);
  end_statement();
}

void Compiler::compile_while() {
  const Token begin = now();
  ++at_;
  loops_.push_back({body().size(), {}});
  compile_expression();
  expect(Word::kColon, ":", "a condition ends with a colon");
  const std::size_t over = emit(begin, Operation::kJumpIfFalse);
  compile_block();
  jump_to(begin, Operation::kJump, loops_.back().begin);
  land(over);
  for (const std::size_t jump : loops_.back().breaks) {
    land(jump);
  }
  loops_.pop_back();
  end_block(begin);
  end_statement();
}

void Compiler::compile_loop_jump() {
  const Token& word = tokens_[at_++];
  if (loops_.empty()) {
    return fail(word, fmt::format("'{}' outside of a loop", word.text),
                "it belongs into a 'while'");
  }
  if (word.word == Word::kBreak) {
    loops_.back().breaks.push_back(emit(word, Operation::kJump));
  } else {
    jump_to(word, Operation::kJump, loops_.back().begin);
  }
  end_statement();
}

void Compiler::compile_return() {
  const Token& word = tokens_[at_++];
  if (is(Word::kNewline) || is(Word::kEnd) || is(Word::kEndOfText)) {
    emit(word, Operation::kNothing);
  } else {
    compile_expression();
  }
  emit(word, Operation::kReturn);
  end_statement();
}

void Compiler::compile_declaration() {
  const Token& qualifier = tokens_[at_++];
  const Token& name = now();
  if (name.word == Word::kName && next().word == Word::kAssign) {
    return compile_assignment(name);
  }
  fail(name, fmt::format("'{}' without an assignment", qualifier.text),
       fmt::format("write '{} name = value'", qualifier.text));
}

void Compiler::compile_assignment(const Token& name) {
  at_ += 2;
  defined_ = &name;
  compile_assigned();
  defined_ = nullptr;
  store(name);
  end_statement();
}

/// The value may stand on the next line: libraries write `x = # offset` and put a value below it.
void Compiler::compile_assigned() {
  if (is(Word::kNewline) && is_value(next().word)) {
    ++at_;
    if (begins_statement()) {
      --at_;  // the value is missing, and another statement begins
    }
  }
  compile_expression();
}

void Compiler::store(const Token& name) {
  if (has_failed_) {
    return;
  }
  const auto place = scopes_.find(function_, name.text);
  if (!place) {
    return fail(name, "unexpected assignment", std::string(kStatementHint));
  }
  emit(name, place->is_global ? Operation::kStoreGlobal : Operation::kStoreLocal,
       static_cast<std::size_t>(place->slot));
}

void Compiler::compile_element_assignment(const Token& name) {
  const auto place = scopes_.find(function_, name.text);
  if (!place) {
    if (const OldArray* array = find_old_array(name.text)) {
      return compile_old_array_assignment(name, *array);
    }
    return fail_of_name(name, fmt::format("there is no variable '{}'", name.text.substr(0, 40)),
                        hint_for_name(name.text));
  }
  ++at_;
  std::size_t indices = 0;
  while (take(Word::kOpenList)) {
    compile_expression();
    expect(Word::kCloseList, "]", "write an index as [0]");
    ++indices;
  }
  expect(Word::kAssign, "=", std::string(kStatementHint));
  compile_assigned();
  emit(name, place->is_global ? Operation::kSetGlobal : Operation::kSetLocal,
       static_cast<std::size_t>(place->slot), indices);
  end_statement();
}

/// digital_out[2] = True is set_digital_out(2, True).
void Compiler::compile_old_array_assignment(const Token& name, const OldArray& array) {
  const Builtin* setter = find_builtin(array.setter);
  if (setter == nullptr) {
    return fail(name, fmt::format("'{}' cannot be set", name.text), "it is an input");
  }
  at_ += 2;
  compile_expression();
  expect(Word::kCloseList, "]", "write an index as [0]");
  expect(Word::kAssign, "=", std::string(kStatementHint));
  compile_assigned();
  emit(name, Operation::kCallHost, static_cast<std::size_t>(setter - builtins().data()));
  emit(name, Operation::kPop);
  end_statement();
}

void Compiler::compile_handle_statement(Operation operation) {
  const Token& word = tokens_[at_++];
  compile_expression();
  emit(word, operation);
  end_statement();
}

}  // namespace longarm::protocols::ur::script
