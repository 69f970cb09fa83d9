// SPDX-License-Identifier: Apache-2.0
// Compiled URScript: flat code per function, for a machine with a stack of values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "longarm/protocols/ur/script/builtins.h"
#include "longarm/protocols/ur/script/value.h"

namespace longarm::protocols::ur::script {

enum class Operation : std::uint8_t {
  kConstant,       ///< pushes constant a
  kNothing,        ///< pushes nothing
  kLoadGlobal,     ///< pushes variable a
  kLoadLocal,      ///< likewise
  kStoreGlobal,    ///< pops into variable a
  kStoreLocal,     ///< likewise
  kSetGlobal,      ///< pops a value, then b indices: variable a [i][j]… = value
  kSetLocal,       ///< likewise
  kMakeList,       ///< pops a values
  kMakePose,       ///< pops six numbers
  kIndex,          ///< pops index and list
  kElementGlobal,  ///< pops an index into variable a
  kElementLocal,   ///< likewise
  kNegate,
  kNot,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kEqual,
  kUnequal,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kXor,
  kJump,          ///< to a
  kJumpIfFalse,   ///< pops a boolean
  kJumpIfTrue,    ///< likewise
  kCheckBoolean,  ///< the top must be one
  kPop,
  kCallPure,      ///< builtin a with all of its parameters on the stack
  kCallHost,      ///< likewise
  kCallFunction,  ///< function a with its parameters on the stack
  kReturn,        ///< pops what the function gives
  kRun,           ///< begins thread function a, pushes its handle
  kJoin,          ///< pops a handle
  kKill,          ///< likewise
  kHalt,
  kSync,
  kEnterCritical,
  kExitCritical
};

struct Instruction {
  Operation operation = Operation::kNothing;
  std::int32_t a = 0;
  std::int32_t b = 0;
  std::int32_t line = 0;
  std::int32_t column = 0;
};

struct Function {
  std::string name;
  std::size_t parameters = 0;
  std::size_t variables = 0;  ///< parameters and locals
  bool is_thread = false;
  std::vector<Instruction> code;
  std::vector<std::string> names;  ///< of the variables, for messages
};

struct Code {
  std::string name;
  bool is_secondary = false;
  bool is_bare = false;
  bool moves_robot = false;
  std::vector<Value> constants;
  std::vector<Function> functions;   ///< the first is the program itself
  std::vector<std::string> globals;  ///< their names
  std::size_t instructions = 0;      ///< of all functions
};

}  // namespace longarm::protocols::ur::script
