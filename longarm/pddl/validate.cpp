// SPDX-License-Identifier: Apache-2.0
// A set of atoms as text, changed step by step.
#include "longarm/pddl/validate.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

namespace longarm::pddl {
namespace {

using Binding = std::map<std::string, std::string>;

Atom bound(const Atom& atom, const Binding& binding) {
  Atom out = atom;
  for (std::string& term : out.terms) {
    const auto found = binding.find(term);
    term = found == binding.end() ? term : found->second;
  }
  return out;
}

class Execution {
 public:
  Execution(const Domain& domain, const Problem& problem) : domain_(domain), problem_(problem) {
    for (const Atom& atom : problem.initial) {
      true_.insert(text_of(atom));
    }
    for (const FunctionValue& value : problem.values) {
      values_[text_of(value.function)] = value.value;
    }
    for (const std::vector<TypedName>* names : {&domain.constants, &problem.objects}) {
      for (const TypedName& name : *names) {
        types_[name.name] = name.types;
      }
    }
  }

  bool holds(const Literal& literal) const {
    if (literal.atom.predicate == "=") {
      return (literal.atom.terms[0] == literal.atom.terms[1]) != literal.is_negated;
    }
    return true_.contains(text_of(literal.atom)) != literal.is_negated;
  }

  /// What is wrong with the step; nothing: it was done.
  std::optional<std::string> take(const Step& step) {
    const Action* action = domain_.find_action(step.action);
    if (action == nullptr) {
      return "unknown action";
    }
    Binding binding;
    if (const auto wrong = bind(*action, step, binding)) {
      return wrong;
    }
    for (const Literal& literal : action->preconditions) {
      const Literal needed{bound(literal.atom, binding), literal.is_negated};
      if (!holds(needed)) {
        return text_of(needed) + " does not hold";
      }
    }
    for (const bool is_adding : {false, true}) {  // deletes first: what is added stays
      for (const Literal& literal : action->effects) {
        if (literal.is_negated == is_adding) {
          continue;
        }
        const std::string text = text_of(bound(literal.atom, binding));
        is_adding ? static_cast<void>(true_.insert(text)) : static_cast<void>(true_.erase(text));
      }
    }
    return add_cost(*action, binding);
  }

  Cost cost() const { return cost_; }

 private:
  std::optional<std::string> bind(const Action& action, const Step& step, Binding& binding) const {
    if (step.arguments.size() != action.parameters.size()) {
      return fmt::format("it takes {} arguments", action.parameters.size());
    }
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
      const auto types = types_.find(step.arguments[i]);
      if (types == types_.end()) {
        return fmt::format("there is no object '{}'", step.arguments[i]);
      }
      const TypedName& parameter = action.parameters[i];
      const bool fits = std::any_of(
          types->second.begin(), types->second.end(),
          [&](const std::string& type) { return domain_.is_any_of(type, parameter.types); });
      if (!fits) {
        return fmt::format("'{}' is of the wrong type for {}", step.arguments[i], parameter.name);
      }
      binding[parameter.name] = step.arguments[i];
    }
    return std::nullopt;
  }

  std::optional<std::string> add_cost(const Action& action, const Binding& binding) {
    if (!problem_.minimizes_cost) {
      cost_ += kCostUnit;
      return std::nullopt;
    }
    if (!action.cost) {
      return std::nullopt;
    }
    if (!action.cost->function) {
      cost_ += action.cost->constant;
      return std::nullopt;
    }
    const std::string function = text_of(bound(*action.cost->function, binding));
    const auto value = values_.find(function);
    if (value == values_.end()) {
      return function + " has no value";
    }
    cost_ += value->second;
    return std::nullopt;
  }

  const Domain& domain_;
  const Problem& problem_;
  std::set<std::string> true_;
  std::map<std::string, Cost> values_;
  std::map<std::string, std::vector<std::string>> types_;
  Cost cost_ = 0;
};

}  // namespace

Result<Cost> validate(const Domain& domain, const Problem& problem, const std::vector<Step>& plan) {
  Execution execution(domain, problem);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (const auto wrong = execution.take(plan[i])) {
      return Error{fmt::format("step {}, {}: {}", i + 1, text_of(plan[i]), *wrong)};
    }
  }
  for (const Literal& literal : problem.goal) {
    if (!execution.holds(literal)) {
      return Error{fmt::format("after the last step the goal {} does not hold", text_of(literal))};
    }
  }
  return execution.cost();
}

}  // namespace longarm::pddl
