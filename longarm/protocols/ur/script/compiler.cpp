// SPDX-License-Identifier: Apache-2.0
// compile(): cuts the text, finds its scopes, makes the code; and what all of the compiler uses.
#include "longarm/protocols/ur/script/compiler.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace longarm::protocols::ur::script {

const Token& Compiler::next() const {
  return tokens_[std::min(at_ + 1, tokens_.size() - 1)];
}

bool Compiler::take(Word word) {
  if (!is(word) || word == Word::kEndOfText) {
    return false;
  }
  ++at_;
  return true;
}

bool Compiler::expect(Word word, std::string_view written, std::string_view hint) {
  if (take(word)) {
    return true;
  }
  std::string found = fmt::format("before '{}'", now().text.substr(0, 40));
  if (is(Word::kNewline)) {
    found = "at the end of the line";
  }
  if (is(Word::kEndOfText)) {
    found = "at the end of the text";
  }
  fail(now(), fmt::format("'{}' is missing {}", written, found), std::string(hint));
  return false;
}

void Compiler::fail(const Token& token, std::string message, std::string hint) {
  if (!has_failed_) {
    error_ = {token.line, token.column, std::move(message), std::move(hint)};
  }
  has_failed_ = true;
  at_ = tokens_.size() - 1;
}

void Compiler::fail_of_name(const Token& name, std::string message, std::string hint) {
  const bool is_first = !has_failed_;
  fail(name, std::move(message), std::move(hint));
  if (is_first) {
    error_.code = fmt::format("compile_error_name_not_found:{}:", name.text.substr(0, 40));
  }
}

// Whoever calls it gives depth_ back.
bool Compiler::go_deeper() {
  if (++depth_ <= kMaximumNesting) {
    return true;
  }
  fail(now(), fmt::format("nested more than {} deep", kMaximumNesting),
       "use variables or functions for the inner parts");
  return false;
}

std::size_t Compiler::emit(const Token& where, Operation operation, std::size_t a, std::size_t b) {
  if (++emitted_ > kMaximumCode && !has_failed_) {
    fail(where, fmt::format("a program of more than {} instructions", kMaximumCode),
         "send it in parts");
  }
  body().push_back({operation, static_cast<std::int32_t>(a), static_cast<std::int32_t>(b),
                    where.line, where.column});
  return body().size() - 1;
}

void Compiler::emit_constant(const Token& where, Value value) {
  code_.constants.push_back(std::move(value));
  emit(where, Operation::kConstant, code_.constants.size() - 1);
}

// Jumps count from themselves, so that code can be moved as a whole.
void Compiler::jump_to(const Token& where, Operation operation, std::size_t target) {
  const std::size_t from = emit(where, operation);
  body()[from].a = static_cast<std::int32_t>(target) - static_cast<std::int32_t>(from);
}

void Compiler::land(std::size_t jump) {
  body()[jump].a = static_cast<std::int32_t>(body().size() - jump);
}

bool Compiler::compile() {
  code_.functions.resize(scopes_.functions.size());
  for (std::size_t i = 0; i < scopes_.functions.size(); ++i) {
    const auto& scope = scopes_.functions[i];
    auto& function = code_.functions[i];
    function.name = scope.name;
    function.parameters = scope.parameters.size();
    function.variables = scope.locals.size();
    function.is_thread = scope.is_thread;
    function.names.resize(scope.locals.size());
    for (const auto& [name, slot] : scope.locals) {
      function.names[static_cast<std::size_t>(slot)] = name;
    }
  }
  code_.globals.resize(scopes_.globals.size());
  for (const auto& [name, slot] : scopes_.globals) {
    code_.globals[static_cast<std::size_t>(slot)] = name;
  }
  compile_program();
  for (const auto& function : code_.functions) {
    code_.instructions += function.code.size();
  }
  return !has_failed_;
}

namespace {

Error error_of(const SyntaxError& error, SyntaxError* where) {
  if (where != nullptr) {
    *where = error;
  }
  std::string message =
      fmt::format("line {}, column {}: {}", error.line, error.column, error.message);
  if (!error.hint.empty()) {
    message += "; " + error.hint;
  }
  return {std::move(message)};
}

}  // namespace

const std::string& Program::name() const {
  return code_->name;
}
bool Program::is_secondary() const {
  return code_->is_secondary;
}
bool Program::moves_robot() const {
  return code_->moves_robot;
}
bool Program::is_bare() const {
  return code_->is_bare;
}

Result<Program> compile(std::string_view text, SyntaxError* where) {
  SyntaxError error;
  if (text.size() > kMaximumProgramBytes) {
    error = {1, 1, fmt::format("a program of {} bytes", text.size()),
             fmt::format("{} bytes are the limit", kMaximumProgramBytes)};
    return error_of(error, where);
  }
  std::vector<Token> tokens;
  tokens.reserve(std::min<std::size_t>(text.size() / 3 + 8, 65'536));
  if (!cut(text, tokens, error)) {
    return error_of(error, where);
  }
  if (tokens.size() == 1) {
    error = {1, 1, "there is no statement", "send 'def name():' … 'end' or one statement"};
    return error_of(error, where);
  }
  auto code = std::make_shared<Code>();
  const Word first = tokens.front().word;
  code->is_secondary = first == Word::kSec;
  code->is_bare = first != Word::kDef && first != Word::kSec;
  Scopes scopes;
  if (!find_scopes(tokens, code->is_bare, scopes, error)) {
    return error_of(error, where);
  }
  code->name = code->is_bare ? tokens.front().text : scopes.functions.front().name;
  if (!Compiler(tokens, scopes, *code, error).compile()) {
    return error_of(error, where);
  }
  return Program(std::move(code));
}

}  // namespace longarm::protocols::ur::script
