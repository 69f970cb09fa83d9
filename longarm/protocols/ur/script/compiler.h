// SPDX-License-Identifier: Apache-2.0
// From words to code in one pass; private to compile().
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "longarm/protocols/ur/script/code.h"
#include "longarm/protocols/ur/script/lexer.h"
#include "longarm/protocols/ur/script/scopes.h"

namespace longarm::protocols::ur::script {

/// The first error ends the text as far as the compiler sees it, so that every loop ends.
class Compiler {
 public:
  Compiler(std::span<const Token> tokens, const Scopes& scopes, Code& code, SyntaxError& error)
      : tokens_(tokens), scopes_(scopes), code_(code), error_(error) {}

  /// False with the error filled in.
  bool compile();

 private:
  struct Loop {
    std::size_t begin = 0;
    std::vector<std::size_t> breaks;  ///< jumps to the end that is not known yet
  };
  struct Argument {
    std::size_t parameter = 0;
    std::size_t begin = 0;  ///< its code
    std::size_t end = 0;
    bool is_named = false;
  };
  /// What a call may be given; of builtins and of the program's own functions.
  struct Callee {
    std::string_view name;
    std::vector<std::string_view> parameters;
    std::vector<const Value*> defaults;  ///< null: must be given
  };

  // words
  const Token& now() const { return tokens_[at_]; }
  const Token& next() const;
  bool is(Word word) const { return now().word == word; }
  bool take(Word word);
  bool expect(Word word, std::string_view written, std::string_view hint);
  void fail(const Token& token, std::string message, std::string hint);
  void fail_of_name(const Token& name, std::string message, std::string hint);
  bool go_deeper();

  // code
  std::vector<Instruction>& body() { return code_.functions[function_].code; }
  std::size_t emit(const Token& where, Operation operation, std::size_t a = 0, std::size_t b = 0);
  void emit_constant(const Token& where, Value value);
  void jump_to(const Token& where, Operation operation, std::size_t target);
  void land(std::size_t jump);

  // statements: compiler_statements.cpp
  void compile_program();
  void compile_block();
  void compile_statement();
  void compile_function();
  void compile_if();
  void compile_while();
  void compile_return();
  void compile_assignment(const Token& name);
  void compile_assigned();
  void compile_element_assignment(const Token& name);
  void compile_declaration();
  void compile_loop_jump();
  void compile_handle_statement(Operation operation);
  void compile_old_array_assignment(const Token& name, const OldArray& array);
  bool begins_statement() const;
  void end_statement();
  void end_block(const Token& begin);
  void store(const Token& name);

  // expressions: compiler_expressions.cpp
  void compile_expression(int least_strength = 1);
  void compile_short_circuit(const Token& sign, int strength);
  void compile_operand();
  void compile_signed_operand(const Token& sign);
  void compile_index();
  void compile_brackets(const Token& begin);
  std::size_t compile_elements(Word end, std::string_view written);
  void compile_list(const Token& begin);
  void compile_p(const Token& name);
  void compile_old_array(const Token& name, const OldArray& array);
  void compile_name(const Token& name);
  void compile_run(const Token& begin);
  std::string hint_for_name(std::string_view name) const;
  bool is_being_defined(std::string_view name) const;

  // calls: compiler_calls.cpp
  void compile_call(const Token& name);
  void compile_builtin_call(const Token& name, const Builtin& builtin);
  void compile_function_call(const Token& name, std::size_t number);
  std::vector<Argument> compile_arguments(const Callee& callee);
  bool place_argument(const Callee& callee, std::span<const Argument> before, Argument& argument);
  void arrange(const Token& name, const Callee& callee, std::span<const Argument> arguments);

  std::span<const Token> tokens_;
  const Scopes& scopes_;
  Code& code_;
  SyntaxError& error_;
  std::size_t at_ = 0;
  std::size_t function_ = 0;
  std::size_t functions_seen_ = 1;
  int depth_ = 0;
  std::size_t emitted_ = 0;
  bool has_failed_ = false;
  const Token* defined_ = nullptr;  ///< the variable that is being assigned to
  std::vector<Loop> loops_;
};

}  // namespace longarm::protocols::ur::script
