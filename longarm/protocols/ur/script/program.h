// SPDX-License-Identifier: Apache-2.0
// URScript text made into code that a Machine runs.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "longarm/core/result.h"

namespace longarm::protocols::ur::script {

struct Code;

/// What is wrong with a text, and where. Lines and columns count from 1.
struct SyntaxError {
  int line = 0;
  int column = 0;
  std::string message;
  std::string hint;
  std::string
      code{};  ///< as the maker's controller would say it, where clients look at that; or empty
};

/// Never changes; copies share the code, so a loaded program can be played again and again.
class Program {
 public:
  explicit Program(std::shared_ptr<const Code> code) : code_(std::move(code)) {}

  /// Of the `def` or `sec`; of a bare statement the statement's first word.
  const std::string& name() const;
  /// A `sec`: runs beside the program. It cannot command motion; compile() refuses that.
  bool is_secondary() const;
  /// Some call in it commands motion (movej … stopl). A bare statement that does not move the
  /// robot is run beside the program as well on the real controller.
  bool moves_robot() const;
  /// Neither `def` nor `sec`.
  bool is_bare() const;

  const Code& code() const { return *code_; }

 private:
  std::shared_ptr<const Code> code_;
};

/// Longest text, deepest nesting of brackets and blocks, most variables of one function.
constexpr std::size_t kMaximumProgramBytes = 1 << 20;
constexpr int kMaximumNesting = 64;
constexpr int kMaximumVariables = 1000;
/// Of the compiled code: calls may fill in more defaults than they have text.
constexpr std::size_t kMaximumCode = 1'000'000;

/// One `def` or `sec` up to its `end`, or bare statements. The error's message reads
/// "line 3, column 7: …" with a hint; `where`, if given, gets the parts of it.
Result<Program> compile(std::string_view text, SyntaxError* where = nullptr);

}  // namespace longarm::protocols::ur::script
