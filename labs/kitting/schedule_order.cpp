// SPDX-License-Identifier: Apache-2.0
// Causal links and threats, seen pair by pair.
#include "labs/kitting/schedule_order.h"

#include <algorithm>

#include "longarm/core/check.h"

namespace longarm::kitting {
namespace {

std::string bound_text(const pddl::Atom& atom, const pddl::Action& action, const pddl::Step& step) {
  pddl::Atom out = atom;
  for (std::string& term : out.terms) {
    for (std::size_t p = 0; p < action.parameters.size(); ++p) {
      if (action.parameters[p].name == term) {
        term = step.arguments[p];
        break;
      }
    }
  }
  return text_of(out);
}

bool share(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() && j != b.end()) {
    const int order = i->compare(*j);
    if (order == 0) {
      return true;
    }
    order < 0 ? ++i : ++j;
  }
  return false;
}

/// `a` makes or undoes what `b` needs, or undoes what it makes.
bool disturbs(const BoundStep& a, const BoundStep& b) {
  return share(a.adds, b.needs) || share(a.deletes, b.needs) || share(a.deletes, b.adds);
}

}  // namespace

BoundStep bind_step(const pddl::Domain& domain, const pddl::Problem& problem,
                    const pddl::Step& step) {
  const pddl::Action* action = domain.find_action(step.action);
  check(action != nullptr && action->parameters.size() == step.arguments.size(),
        "a plan has an action that its domain lacks");
  BoundStep out;
  for (const pddl::Literal& literal : action->preconditions) {
    // what is negative is needed, and disturbed, as the atom it is about
    out.needs.push_back(bound_text(literal.atom, *action, step));
  }
  for (const pddl::Literal& literal : action->effects) {
    (literal.is_negated ? out.deletes : out.adds)
        .push_back(bound_text(literal.atom, *action, step));
  }
  for (std::vector<std::string>* each : {&out.needs, &out.adds, &out.deletes}) {
    std::sort(each->begin(), each->end());
  }
  if (action->cost && !action->cost->function) {
    out.cost = action->cost->constant;
  } else if (action->cost) {
    const std::string function = bound_text(*action->cost->function, *action, step);
    for (const pddl::FunctionValue& value : problem.values) {
      if (text_of(value.function) == function) {
        out.cost = value.value;
      }
    }
  }
  return out;
}

bool interfere(const BoundStep& a, const BoundStep& b) {
  return disturbs(a, b) || disturbs(b, a);
}

std::vector<std::vector<std::size_t>> order_of(const std::vector<BoundStep>& steps) {
  std::vector<std::vector<std::size_t>> after(steps.size());
  std::vector<std::vector<bool>> follows(steps.size(), std::vector<bool>(steps.size(), false));
  for (std::size_t j = 0; j < steps.size(); ++j) {
    for (std::size_t i = j; i-- > 0;) {
      if (follows[j][i] || !interfere(steps[i], steps[j])) {
        continue;
      }
      after[j].push_back(i);
      follows[j][i] = true;
      for (std::size_t k = 0; k < i; ++k) {
        follows[j][k] = follows[j][k] || follows[i][k];
      }
    }
    std::sort(after[j].begin(), after[j].end());
  }
  return after;
}

}  // namespace longarm::kitting
