// SPDX-License-Identifier: Apache-2.0
// What domains and problems are read with; private to the reader.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "longarm/pddl/domain.h"
#include "longarm/pddl/tree.h"

namespace longarm::pddl {

/// Reads pieces of a definition and checks them against what has been declared so far.
class PartReader {
 public:
  explicit PartReader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void error(const Tree& at, std::string message, std::string hint) {
    diagnostics_.error(at.where, std::move(message), std::move(hint));
  }

  /// "a b - type c - (either d e)", from `first` on.
  std::vector<TypedName> typed_names(const Tree& list, std::size_t first, bool are_variables);
  /// (p a b); no check of its name.
  std::optional<Atom> atom(const Tree& tree);
  /// An atom, its negation, or (and …) of such, put behind `out`.
  void literals(const Tree& tree, const char* what, std::vector<Literal>& out);
  /// A number of at most three places behind the point.
  std::optional<Cost> number(const Tree& tree);
  /// (define (KIND name) …); false after an error.
  bool open(const Tree& root, const std::string& kind, std::string& name);

  // --- checks
  /// Each type is declared.
  void check_types(const Domain& domain, const std::vector<TypedName>& names);
  void check_twice(const std::vector<TypedName>& names, const char* what);
  /// Name, number and types of the terms; `scope` has all variables and objects in sight.
  bool check_atom(const Domain& domain, const Atom& atom, const std::vector<Symbol>& symbols,
                  const char* what, const std::vector<TypedName>& scope);

 private:
  Diagnostics& diagnostics_;
};

/// Every predicate, type and variable of the domain's actions is declared.
void check_domain(const Domain& domain, Diagnostics& diagnostics);

}  // namespace longarm::pddl
