// SPDX-License-Identifier: Apache-2.0
// Calls of URScript made into code: positional and named arguments, and defaults in their places.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/protocols/ur/script/compiler.h"

namespace longarm::protocols::ur::script {

void Compiler::compile_call(const Token& name) {
  if (const Builtin* builtin = find_builtin(name.text)) {
    return compile_builtin_call(name, *builtin);
  }
  const auto found = scopes_.function_numbers.find(name.text);
  if (found != scopes_.function_numbers.end()) {
    return compile_function_call(name, static_cast<std::size_t>(found->second));
  }
  std::vector<std::string> names;
  for (const auto& builtin : builtins()) {
    names.emplace_back(builtin.name);
  }
  for (const auto& [own, number] : scopes_.function_numbers) {
    names.emplace_back(own);
  }
  const std::string near = nearest_name(name.text.substr(0, 80), names);
  fail_of_name(name, fmt::format("there is no function '{}'", name.text.substr(0, 40)),
               near.empty() ? "docs/reference/urscript.md lists the robot's"
                            : fmt::format("did you mean '{}'?", near));
}

void Compiler::compile_builtin_call(const Token& name, const Builtin& builtin) {
  if (builtin.effect == Effect::kMotion || builtin.effect == Effect::kForce) {
    code_.moves_robot = true;
    if (code_.is_secondary) {
      return fail(name, fmt::format("'{}' in a secondary program", builtin.name),
                  "a 'sec' cannot move the robot; send a 'def'");
    }
  }
  std::array<Value, Builtin::kMaximumParameters> values;
  Callee callee{builtin.name, {}, {}};
  const auto parameters = builtin.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    values[i] = default_value(parameters[i]);
    const bool is_needed = parameters[i].kind == Parameter::Default::kRequired;
    callee.parameters.push_back(parameters[i].name);
    callee.defaults.push_back(is_needed ? nullptr : &values[i]);
  }
  const auto arguments = compile_arguments(callee);
  arrange(name, callee, arguments);
  if (has_failed_) {
    return;
  }
  if (builtin.name == "sync") {
    emit(name, Operation::kSync);
    return;
  }
  const auto number = static_cast<std::size_t>(&builtin - builtins().data());
  emit(name, builtin.effect == Effect::kPure ? Operation::kCallPure : Operation::kCallHost, number);
}

void Compiler::compile_function_call(const Token& name, std::size_t number) {
  const auto& scope = scopes_.functions[number];
  if (scope.is_thread) {
    return fail(name, fmt::format("'{}' is a thread", name.text),
                fmt::format("write 'run {}()'", name.text));
  }
  Callee callee{scope.name, {}, {}};
  for (const auto& parameter : scope.parameters) {
    callee.parameters.push_back(parameter.name);
    callee.defaults.push_back(parameter.value ? &*parameter.value : nullptr);
  }
  const auto arguments = compile_arguments(callee);
  arrange(name, callee, arguments);
  emit(name, Operation::kCallFunction, number);
}

std::vector<Compiler::Argument> Compiler::compile_arguments(const Callee& callee) {
  std::vector<Argument> arguments;
  ++at_;
  if (take(Word::kClose)) {
    return arguments;
  }
  do {
    Argument argument;
    if (!place_argument(callee, arguments, argument)) {
      return arguments;
    }
    argument.begin = body().size();
    compile_expression();
    argument.end = body().size();
    arguments.push_back(argument);
  } while (take(Word::kComma));
  expect(Word::kClose, ")", "write arguments as (1, 2, name=3)");
  return arguments;
}

namespace {

std::string list_of(std::span<const std::string_view> parameters) {
  if (parameters.empty()) {
    return "it takes none";
  }
  return fmt::format("it takes {}", fmt::join(parameters, ", "));
}

}  // namespace

/// Which parameter the argument that begins here is for; takes `name=` if it is there.
bool Compiler::place_argument(const Callee& callee, std::span<const Argument> before,
                              Argument& argument) {
  const Token& first = now();
  argument.is_named = first.word == Word::kName && next().word == Word::kAssign;
  if (!argument.is_named) {
    argument.parameter = before.size();
    if (before.size() >= callee.parameters.size()) {
      fail(first, fmt::format("too many arguments for '{}'", callee.name),
           list_of(callee.parameters));
    } else if (!before.empty() && before.back().is_named) {
      fail(first, "an argument without a name after one with a name", "give this one a name, too");
    }
    return !has_failed_;
  }
  const auto found = std::find(callee.parameters.begin(), callee.parameters.end(), first.text);
  argument.parameter = static_cast<std::size_t>(found - callee.parameters.begin());
  if (found == callee.parameters.end()) {
    fail(first, fmt::format("'{}' has no parameter '{}'", callee.name, first.text.substr(0, 40)),
         list_of(callee.parameters));
    return false;
  }
  for (const auto& other : before) {
    if (other.parameter != argument.parameter) {
      continue;
    }
    fail(first, fmt::format("'{}' is given twice", first.text), list_of(callee.parameters));
    return false;
  }
  at_ += 2;
  return true;
}

/// Puts the arguments' code in the order of the parameters, defaults in between: hence arguments
/// are computed in that order, however a call with names is written.
void Compiler::arrange(const Token& name, const Callee& callee,
                       std::span<const Argument> arguments) {
  if (has_failed_) {
    return;
  }
  std::vector<Instruction> written;
  const std::size_t begin = arguments.empty() ? body().size() : arguments.front().begin;
  const bool has_named = !arguments.empty() && arguments.back().is_named;
  if (has_named) {
    written.assign(body().begin() + static_cast<std::ptrdiff_t>(begin), body().end());
    body().resize(begin);
  }
  for (std::size_t i = has_named ? 0 : arguments.size(); i < callee.parameters.size(); ++i) {
    const auto given =
        std::find_if(arguments.begin(), arguments.end(),
                     [i](const Argument& argument) { return argument.parameter == i; });
    if (given != arguments.end()) {
      body().insert(body().end(),
                    written.begin() + static_cast<std::ptrdiff_t>(given->begin - begin),
                    written.begin() + static_cast<std::ptrdiff_t>(given->end - begin));
    } else if (callee.defaults[i] != nullptr) {
      emit_constant(name, *callee.defaults[i]);
    } else {
      return fail(name, fmt::format("'{}' needs '{}'", callee.name, callee.parameters[i]),
                  list_of(callee.parameters));
    }
  }
}

}  // namespace longarm::protocols::ur::script
