// SPDX-License-Identifier: Apache-2.0
// Expressions of URScript made into code.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "longarm/core/suggest.h"
#include "longarm/protocols/ur/script/compiler.h"

namespace longarm::protocols::ur::script {

namespace {

struct Sign {
  int strength = 0;  ///< stronger ones bind first
  Operation operation = Operation::kNothing;
};

constexpr int kOrStrength = 1;
constexpr int kAndStrength = 2;
constexpr int kNotStrength = 3;
constexpr int kComparisonStrength = 4;
constexpr int kSumStrength = 5;
constexpr int kProductStrength = 6;

std::optional<Sign> sign_of(Word word) {
  switch (word) {
    case Word::kOr:
      return Sign{kOrStrength, Operation::kJumpIfTrue};
    case Word::kXor:
      return Sign{kOrStrength, Operation::kXor};
    case Word::kAnd:
      return Sign{kAndStrength, Operation::kJumpIfFalse};
    case Word::kEqual:
      return Sign{kComparisonStrength, Operation::kEqual};
    case Word::kUnequal:
      return Sign{kComparisonStrength, Operation::kUnequal};
    case Word::kLess:
      return Sign{kComparisonStrength, Operation::kLess};
    case Word::kLessOrEqual:
      return Sign{kComparisonStrength, Operation::kLessOrEqual};
    case Word::kGreater:
      return Sign{kComparisonStrength, Operation::kGreater};
    case Word::kGreaterOrEqual:
      return Sign{kComparisonStrength, Operation::kGreaterOrEqual};
    case Word::kPlus:
      return Sign{kSumStrength, Operation::kAdd};
    case Word::kMinus:
      return Sign{kSumStrength, Operation::kSubtract};
    case Word::kTimes:
      return Sign{kProductStrength, Operation::kMultiply};
    case Word::kDivide:
      return Sign{kProductStrength, Operation::kDivide};
    case Word::kModulo:
      return Sign{kProductStrength, Operation::kModulo};
    default:
      return std::nullopt;
  }
}

}  // namespace

void Compiler::compile_expression(int least_strength) {
  if (!go_deeper()) {
    --depth_;
    return;
  }
  compile_operand();
  for (auto sign = sign_of(now().word); sign && sign->strength >= least_strength;
       sign = sign_of(now().word)) {
    const Token& token = tokens_[at_++];
    if (token.word == Word::kAnd || token.word == Word::kOr) {
      compile_short_circuit(token, sign->strength);
      continue;
    }
    compile_expression(sign->strength + 1);
    emit(token, sign->operation);
  }
  --depth_;
}

// The right side is not looked at where the left one decides.
void Compiler::compile_short_circuit(const Token& sign, int strength) {
  const bool is_and = sign.word == Word::kAnd;
  const std::size_t decided = emit(sign, is_and ? Operation::kJumpIfFalse : Operation::kJumpIfTrue);
  compile_expression(strength + 1);
  emit(sign, Operation::kCheckBoolean);
  const std::size_t over = emit(sign, Operation::kJump);
  land(decided);
  emit_constant(sign, {!is_and});
  land(over);
}

void Compiler::compile_operand() {
  const Token& token = now();
  switch (token.word) {
    case Word::kMinus:
    case Word::kPlus:
    case Word::kNot:
      return compile_signed_operand(token);
    case Word::kInteger:
      emit_constant(token, {static_cast<std::int64_t>(token.number)});
      ++at_;
      break;
    case Word::kFloat:
      emit_constant(token, {token.number});
      ++at_;
      break;
    case Word::kText:
      emit_constant(token, {std::string(token.text)});
      ++at_;
      break;
    case Word::kTrue:
    case Word::kFalse:
      emit_constant(token, {token.word == Word::kTrue});
      ++at_;
      break;
    case Word::kOpen:
      compile_brackets(token);
      break;
    case Word::kOpenList:
      compile_list(token);
      break;
    case Word::kName:
      compile_name(token);
      break;
    case Word::kRun:
      return compile_run(token);
    default:
      return fail(token, "a value is missing here", "write a number, a variable, a list or a call");
  }
  while (is(Word::kOpenList)) {
    compile_index();
  }
}

/// Of whatever was compiled last. An element of a variable is taken without copying the variable.
void Compiler::compile_index() {
  const Token& bracket = tokens_[at_++];
  const Instruction last = body().back();
  const bool is_global = last.operation == Operation::kLoadGlobal;
  const bool is_variable = is_global || last.operation == Operation::kLoadLocal;
  if (is_variable) {
    body().pop_back();
  }
  compile_expression();
  expect(Word::kCloseList, "]", "write an index as [0]");
  if (!is_variable) {
    emit(bracket, Operation::kIndex);
    return;
  }
  emit(bracket, is_global ? Operation::kElementGlobal : Operation::kElementLocal,
       static_cast<std::size_t>(last.a));
}

void Compiler::compile_signed_operand(const Token& sign) {
  ++at_;
  if (sign.word == Word::kNot) {
    compile_expression(kNotStrength + 1);
    emit(sign, Operation::kNot);
    return;
  }
  compile_expression(kProductStrength + 1);
  if (sign.word == Word::kMinus) {
    emit(sign, Operation::kNegate);
  }
}

/// Behind the bracket that opens them; how many there are.
std::size_t Compiler::compile_elements(Word end, std::string_view written) {
  std::size_t elements = 0;
  if (!is(end)) {
    do {
      compile_expression();
      ++elements;
    } while (take(Word::kComma));
  }
  expect(end, written, end == Word::kClose ? "close the bracket" : "write a list as [1, 2, 3]");
  return elements;
}

/// (a) is a; (a, b, c), which libraries made with Python send, is a list.
void Compiler::compile_brackets(const Token& begin) {
  ++at_;
  if (is(Word::kClose)) {
    return fail(now(), "a value is missing here", "write a number, a variable, a list or a call");
  }
  const std::size_t elements = compile_elements(Word::kClose, ")");
  if (!has_failed_ && elements > 1) {
    emit(begin, Operation::kMakeList, elements);
  }
}

void Compiler::compile_list(const Token& begin) {
  ++at_;
  const std::size_t elements = compile_elements(Word::kCloseList, "]");
  if (!has_failed_) {
    emit(begin, Operation::kMakeList, elements);
  }
}

/// p[x, y, z, rx, ry, rz] is a pose; p[i] an element of a variable that is called p.
void Compiler::compile_p(const Token& name) {
  ++at_;
  const std::size_t elements = compile_elements(Word::kCloseList, "]");
  if (has_failed_) {
    return;
  }
  const auto variable = scopes_.find(function_, name.text);
  if (elements == 1 && variable) {
    emit(name, variable->is_global ? Operation::kElementGlobal : Operation::kElementLocal,
         static_cast<std::size_t>(variable->slot));
    return;
  }
  if (elements != 6) {
    return fail(name, fmt::format("a pose of {} number{}", elements, elements == 1 ? "" : "s"),
                "write p[x, y, z, rx, ry, rz]");
  }
  emit(name, Operation::kMakePose);
}

/// digital_in[2] is get_digital_in(2).
void Compiler::compile_old_array(const Token& name, const OldArray& array) {
  ++at_;
  compile_expression();
  expect(Word::kCloseList, "]", "write an index as [0]");
  const Builtin* getter = find_builtin(array.getter);
  emit(name, Operation::kCallHost, static_cast<std::size_t>(getter - builtins().data()));
}

void Compiler::compile_name(const Token& name) {
  ++at_;
  if (is(Word::kOpen)) {
    return compile_call(name);
  }
  if (name.text == "p" && is(Word::kOpenList)) {
    return compile_p(name);
  }
  const auto place = scopes_.find(function_, name.text);
  if (!place) {
    if (const OldArray* array = is(Word::kOpenList) ? find_old_array(name.text) : nullptr) {
      return compile_old_array(name, *array);
    }
    return fail_of_name(name, fmt::format("there is no variable '{}'", name.text.substr(0, 40)),
                        hint_for_name(name.text));
  }
  emit(name, place->is_global ? Operation::kLoadGlobal : Operation::kLoadLocal,
       static_cast<std::size_t>(place->slot));
}

void Compiler::compile_run(const Token& begin) {
  ++at_;
  const Token& name = now();
  const auto found = scopes_.function_numbers.find(name.text);
  const bool is_thread = found != scopes_.function_numbers.end() &&
                         code_.functions[static_cast<std::size_t>(found->second)].is_thread;
  if (name.word != Word::kName || !is_thread) {
    return fail(name, fmt::format("'{}' is not a thread", name.text.substr(0, 40)),
                "'run' starts a thread defined by 'thread name(): … end'");
  }
  ++at_;
  expect(Word::kOpen, "(", "write 'run name()'");
  expect(Word::kClose, ")", "a thread takes no parameters");
  emit(begin, Operation::kRun, static_cast<std::size_t>(found->second));
}

std::string Compiler::hint_for_name(std::string_view name) const {
  if (name == "true" || name == "false") {
    return "write True or False";
  }
  for (const auto& scope : scopes_.functions) {
    if (scope.locals.contains(name)) {
      return fmt::format("it is a variable of '{}': write 'global {} = …' there", scope.name, name);
    }
  }
  std::vector<std::string> names = code_.globals;
  const auto& own = code_.functions[function_].names;
  names.insert(names.end(), own.begin(), own.end());
  std::erase_if(names, [this](const std::string& each) { return is_being_defined(each); });
  const std::string near = nearest_name(name.substr(0, 80), names);
  if (!near.empty()) {
    return fmt::format("did you mean '{}'?", near);
  }
  return "assign a value to it first";
}

/// For the first time: then it is no help to those who look for a value.
bool Compiler::is_being_defined(std::string_view name) const {
  if (defined_ == nullptr || defined_->text != name) {
    return false;
  }
  return std::none_of(tokens_.data(), defined_, [&](const Token& before) {
    return before.word == Word::kName && before.text == name;
  });
}

}  // namespace longarm::protocols::ur::script
