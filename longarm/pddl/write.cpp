// SPDX-License-Identifier: Apache-2.0
// One fact a line, names of one type together.
#include "longarm/pddl/write.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "longarm/core/suggest.h"

namespace longarm::pddl {
namespace {

std::string type_text(const std::vector<std::string>& types) {
  return types.size() == 1 ? types[0] : fmt::format("(either {})", join(types, " "));
}

/// "a b - type c - other", with neighbours of one type together.
std::string typed_text(const std::vector<TypedName>& names, const char* separator = " ") {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += names[i].name;
    const bool is_last = i + 1 == names.size();
    if (is_last || names[i + 1].types != names[i].types) {
      text += " - " + type_text(names[i].types);
      text += is_last ? "" : separator;
    } else {
      text += " ";
    }
  }
  return text;
}

std::string conjunction(const std::vector<Literal>& literals, const std::string& indent,
                        const std::string& last = {}) {
  std::string text = "(and";
  for (const Literal& literal : literals) {
    text += indent + text_of(literal);
  }
  return text + (last.empty() ? "" : indent + last) + ")";
}

std::string symbols_text(const std::vector<Symbol>& symbols) {
  std::string text;
  for (const Symbol& symbol : symbols) {
    text += fmt::format("\n    ({}{}{})", symbol.name, symbol.parameters.empty() ? "" : " ",
                        typed_text(symbol.parameters));
  }
  return text;
}

std::string comment_text(const std::string& comment) {
  std::string text;
  std::istringstream lines(comment);
  for (std::string line; std::getline(lines, line);) {
    text += "; " + line + "\n";
  }
  return text;
}

std::string action_text(const Action& action) {
  std::string cost;
  if (action.cost) {
    cost = fmt::format("(increase (total-cost) {})", action.cost->function
                                                         ? text_of(*action.cost->function)
                                                         : cost_text(action.cost->constant));
  }
  return fmt::format("\n  (:action {}\n    :parameters ({})\n    :precondition {}\n    :effect {})",
                     action.name, typed_text(action.parameters),
                     conjunction(action.preconditions, "\n      "),
                     conjunction(action.effects, "\n      ", cost));
}

}  // namespace

std::string write_domain(const Domain& domain, const std::string& comment) {
  std::string text = comment_text(comment) + fmt::format("(define (domain {})", domain.name);
  if (!domain.requirements.empty()) {
    text += fmt::format("\n  (:requirements {})", join(domain.requirements, " "));
  }
  if (!domain.types.empty()) {
    text += fmt::format("\n  (:types\n    {})", typed_text(domain.types, "\n    "));
  }
  if (!domain.constants.empty()) {
    text += fmt::format("\n  (:constants {})", typed_text(domain.constants));
  }
  text += fmt::format("\n  (:predicates{})", symbols_text(domain.predicates));
  const bool has_costs = std::any_of(domain.actions.begin(), domain.actions.end(),
                                     [](const Action& action) { return action.cost.has_value(); });
  if (has_costs || !domain.functions.empty()) {
    text += fmt::format("\n  (:functions\n    (total-cost){})", symbols_text(domain.functions));
  }
  for (const Action& action : domain.actions) {
    text += "\n" + action_text(action);
  }
  return text + ")\n";
}

std::string write_problem(const Problem& problem, const std::string& comment) {
  std::string text = comment_text(comment) + fmt::format("(define (problem {})\n  (:domain {})",
                                                         problem.name, problem.domain);
  text += fmt::format("\n  (:objects\n    {})\n  (:init", typed_text(problem.objects, "\n    "));
  for (const Atom& atom : problem.initial) {
    text += "\n    " + text_of(atom);
  }
  if (problem.minimizes_cost) {
    text += "\n    (= (total-cost) 0)";
  }
  for (const FunctionValue& value : problem.values) {
    text += fmt::format("\n    (= {} {})", text_of(value.function), cost_text(value.value));
  }
  text += fmt::format(")\n  (:goal {})", conjunction(problem.goal, "\n    "));
  if (problem.minimizes_cost) {
    text += "\n  (:metric minimize (total-cost))";
  }
  return text + ")\n";
}

}  // namespace longarm::pddl
