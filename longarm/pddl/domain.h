// SPDX-License-Identifier: Apache-2.0
// A planning domain and a problem in it, as their PDDL says: typed STRIPS with negative
// preconditions, equality and action costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "longarm/core/diagnostic.h"

namespace longarm::pddl {

/// In thousandths, so that sums are exact: a cost of 2.5 is 2500.
using Cost = std::int64_t;
inline constexpr Cost kCostUnit = 1000;

/// Names are in lower case: PDDL does not tell cases apart.
struct TypedName {
  std::string name;                ///< variables begin with '?'
  std::vector<std::string> types;  ///< any of them: more than one was an `either`
  SourceLocation where{};
};

/// Terms are objects, or variables, which begin with '?'. The predicate "=" compares two terms.
struct Atom {
  std::string predicate;
  std::vector<std::string> terms;
  SourceLocation where{};

  friend bool operator==(const Atom& a, const Atom& b) {
    return a.predicate == b.predicate && a.terms == b.terms;
  }
};

struct Literal {
  Atom atom;
  bool is_negated = false;

  friend bool operator==(const Literal&, const Literal&) = default;
};

/// A predicate or a function of objects to numbers.
struct Symbol {
  std::string name;
  std::vector<TypedName> parameters;
  SourceLocation where{};
};

/// What an action adds to the total cost: a constant, or a function of its parameters.
struct CostTerm {
  Cost constant = 0;
  std::optional<Atom> function{};
};

struct Action {
  std::string name;
  std::vector<TypedName> parameters;
  std::vector<Literal> preconditions;
  std::vector<Literal> effects;
  std::optional<CostTerm> cost{};  ///< absent: it costs nothing
  SourceLocation where{};
};

/// Everything in the order of the file. The type `object` is not listed.
struct Domain {
  std::string name;
  std::vector<std::string> requirements;
  std::vector<TypedName> types;  ///< with what they are kinds of
  std::vector<TypedName> constants;
  std::vector<Symbol> predicates;
  std::vector<Symbol> functions;  ///< without total-cost
  std::vector<Action> actions;

  const Action* find_action(const std::string& name) const;
  const Symbol* find_predicate(const std::string& name) const;
  /// Whether what is a `kind` is a `type` too.
  bool is_kind_of(const std::string& kind, const std::string& type) const;
  bool is_any_of(const std::string& kind, const std::vector<std::string>& types) const;
};

struct FunctionValue {
  Atom function;
  Cost value = 0;
};

struct Problem {
  std::string name;
  std::string domain;
  std::vector<TypedName> objects;
  std::vector<Atom> initial;
  std::vector<FunctionValue> values;
  std::vector<Literal> goal;
  bool minimizes_cost = false;  ///< otherwise every action counts one
};

/// An action with objects for its parameters: one line of a plan.
struct Step {
  std::string action;
  std::vector<std::string> arguments;

  friend bool operator==(const Step&, const Step&) = default;
};

/// "(pick fanuc gear_1)", for steps and atoms alike.
std::string text_of(const Step& step);
std::string text_of(const Atom& atom);
std::string text_of(const Literal& literal);
/// "2.5"
std::string cost_text(Cost cost);

}  // namespace longarm::pddl
