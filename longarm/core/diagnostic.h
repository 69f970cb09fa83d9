// SPDX-License-Identifier: Apache-2.0
// What we tell a user whose input is wrong: where, what, and what would have been right.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace longarm {

/// A position in a user's file. Lines and columns count from one; zero means unknown.
struct SourceLocation {
  std::string path;
  int line = 0;
  int column = 0;
};

enum class Severity { kError, kWarning };

struct Diagnostic {
  SourceLocation where;
  std::string message;
  std::string hint;
  Severity severity = Severity::kError;

  /// "cell.yaml:12:5: error: unknown key 'dealy'\n  hint: did you mean 'delay'?"
  std::string format() const;
};

/// Gathers everything wrong with an input, so that the user sees all of it at once.
class Diagnostics {
 public:
  void error(SourceLocation where, std::string message, std::string hint = {});
  void warning(SourceLocation where, std::string message, std::string hint = {});
  void add(Diagnostic diagnostic);

  bool has_errors() const;
  const std::vector<Diagnostic>& all() const { return all_; }

  /// Throws one InputError with all the errors gathered so far, in file order; returns if there are
  /// none.
  void throw_if_errors() const;

 private:
  std::vector<Diagnostic> all_;
};

/// Thrown while a scenario is loaded or a cell is built; never from inside a step.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Diagnostic> diagnostics);
  explicit InputError(Diagnostic diagnostic) : InputError(std::vector{std::move(diagnostic)}) {}

  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// Throws an InputError of one error.
[[noreturn]] void refuse(SourceLocation where, std::string message, std::string hint);
[[noreturn]] void refuse(std::string message, std::string hint);

}  // namespace longarm
