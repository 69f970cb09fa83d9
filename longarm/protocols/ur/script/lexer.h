// SPDX-License-Identifier: Apache-2.0
// URScript text cut into words: what the compiler reads.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "longarm/protocols/ur/script/program.h"

namespace longarm::protocols::ur::script {

enum class Word : std::uint8_t {
  kEndOfText,
  kNewline,
  kName,
  kInteger,
  kFloat,
  kText,
  // reserved words
  kAnd,
  kBreak,
  kContinue,
  kDef,
  kElif,
  kElse,
  kEnd,
  kEnterCritical,
  kExitCritical,
  kFalse,
  kGlobal,
  kHalt,
  kIf,
  kJoin,
  kKill,
  kLocal,
  kNot,
  kOr,
  kPass,
  kReturn,
  kRun,
  kSec,
  kThread,
  kTrue,
  kWhile,
  kXor,
  // signs
  kOpen,
  kClose,
  kOpenList,
  kCloseList,
  kComma,
  kColon,
  kAssign,
  kEqual,
  kUnequal,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kPlus,
  kMinus,
  kTimes,
  kDivide,
  kModulo
};

struct Token {
  Word word = Word::kEndOfText;
  std::string_view text;  ///< as written; of a kText what is between the quotes
  double number = 0.0;    ///< of kInteger and kFloat
  int line = 1;
  int column = 1;
};

/// Ends with kEndOfText. Newlines inside brackets and after operators are left out, and so are
/// empty lines. False with `error` filled in when the text has something that is no word.
bool cut(std::string_view text, std::vector<Token>& tokens, SyntaxError& error);

}  // namespace longarm::protocols::ur::script
