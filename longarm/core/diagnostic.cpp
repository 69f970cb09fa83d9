// SPDX-License-Identifier: Apache-2.0
// How diagnostics are gathered, ordered and spelled.
#include "longarm/core/diagnostic.h"

#include <algorithm>
#include <tuple>

namespace longarm {
namespace {

std::string format_all(const std::vector<Diagnostic>& diagnostics) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics) {
    text += (text.empty() ? "" : "\n") + diagnostic.format();
  }
  return text;
}

}  // namespace

std::string Diagnostic::format() const {
  std::string text = where.path;
  if (where.line > 0) {
    text += ":" + std::to_string(where.line);
  }
  if (where.line > 0 && where.column > 0) {
    text += ":" + std::to_string(where.column);
  }
  if (!text.empty()) {
    text += ": ";
  }
  text += (severity == Severity::kError ? "error: " : "warning: ") + message;
  if (!hint.empty()) {
    text += "\n  hint: " + hint;
  }
  return text;
}

void Diagnostics::error(SourceLocation where, std::string message, std::string hint) {
  add({std::move(where), std::move(message), std::move(hint), Severity::kError});
}

void Diagnostics::warning(SourceLocation where, std::string message, std::string hint) {
  add({std::move(where), std::move(message), std::move(hint), Severity::kWarning});
}

void Diagnostics::add(Diagnostic diagnostic) {
  all_.push_back(std::move(diagnostic));
}

bool Diagnostics::has_errors() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const Diagnostic& d) { return d.severity == Severity::kError; });
}

void Diagnostics::throw_if_errors() const {
  std::vector<Diagnostic> errors;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(errors),
               [](const Diagnostic& d) { return d.severity == Severity::kError; });
  if (errors.empty()) {
    return;
  }
  const auto place = [](const Diagnostic& d) {
    return std::tie(d.where.path, d.where.line, d.where.column);
  };
  std::stable_sort(errors.begin(), errors.end(),
                   [&](const Diagnostic& a, const Diagnostic& b) { return place(a) < place(b); });
  throw InputError(std::move(errors));
}

InputError::InputError(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(format_all(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void refuse(SourceLocation where, std::string message, std::string hint) {
  throw InputError(Diagnostic{std::move(where), std::move(message), std::move(hint)});
}

void refuse(std::string message, std::string hint) {
  refuse(SourceLocation{}, std::move(message), std::move(hint));
}

}  // namespace longarm
