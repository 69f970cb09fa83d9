// SPDX-License-Identifier: Apache-2.0
// All instances of all actions; then only those that are reached if nothing is ever undone.
#include "longarm/pddl/ground.h"

#include <algorithm>

#include <fmt/format.h>

#include "longarm/core/check.h"
#include "longarm/pddl/ground_match.h"

namespace longarm::pddl {
namespace {

/// A fact or its negation, while they are being found.
struct Condition {
  AtomKey atom;
  bool is_negated = false;

  auto operator<=>(const Condition&) const = default;
};

void sort_unique(std::vector<FactId>& facts) {
  std::sort(facts.begin(), facts.end());
  facts.erase(std::unique(facts.begin(), facts.end()), facts.end());
}

class Grounder {
 public:
  Grounder(const Domain& domain, const Problem& problem)
      : domain_(domain), problem_(problem), words_(domain, problem) {
    for (const FunctionValue& value : problem.values) {
      values_[text_of(value.function)] = value.value;
    }
  }

  Result<GroundProblem> run(std::int64_t most_operators) {
    for (std::size_t a = 0; a < domain_.actions.size(); ++a) {
      const Action& action = domain_.actions[a];
      bool is_too_many = false;
      match_action(words_, action, [&](const std::vector<ObjectId>& arguments) {
        is_too_many = static_cast<std::int64_t>(all_.size()) >= most_operators;
        if (!is_too_many) {
          add_operator(static_cast<std::int32_t>(a), action, arguments);
        }
        return !is_too_many;
      });
      if (is_too_many) {
        return Error{fmt::format("more than {} instances of actions", most_operators)};
      }
    }
    for (const Literal& literal : problem_.goal) {
      if (literal.atom.predicate != "=") {
        fact({words_.key_of(literal.atom), literal.is_negated});
      }
    }
    add_negations();
    reach();
    return finish();
  }

 private:
  FactId fact(const Condition& condition) {
    const auto [place, is_new] = ids_.emplace(condition, static_cast<FactId>(conditions_.size()));
    if (is_new) {
      conditions_.push_back(condition);
    }
    return place->second;
  }

  void add_operator(std::int32_t number, const Action& action,
                    const std::vector<ObjectId>& arguments) {
    const std::optional<Cost> cost =
        problem_.minimizes_cost ? cost_of(action, arguments) : std::optional(kCostUnit);
    if (!cost) {
      return;  // PDDL: what has no cost cannot be done
    }
    Operator each;
    each.cost = *cost;
    each.action = number;
    each.arguments = arguments;
    for (const Literal& literal : action.preconditions) {
      if (literal.atom.predicate == "=") {
        continue;  // it was matched
      }
      const AtomKey key = words_.key_of(literal.atom, action, arguments);
      if (!words_.is_static[static_cast<std::size_t>(key[0])]) {
        each.needs.push_back(fact({key, literal.is_negated}));
      }
    }
    for (const Literal& literal : action.effects) {
      const FactId changed = fact({words_.key_of(literal.atom, action, arguments), false});
      (literal.is_negated ? each.deletes : each.adds).push_back(changed);
    }
    sort_unique(each.needs);
    sort_unique(each.adds);
    std::erase_if(each.deletes, [&](FactId f) {
      return std::find(each.adds.begin(), each.adds.end(), f) != each.adds.end();
    });
    all_.push_back(std::move(each));
  }

  std::optional<Cost> cost_of(const Action& action, const std::vector<ObjectId>& arguments) const {
    if (!action.cost) {
      return 0;
    }
    if (!action.cost->function) {
      return action.cost->constant;
    }
    Atom function = *action.cost->function;
    for (std::string& term : function.terms) {
      for (std::size_t p = 0; p < action.parameters.size(); ++p) {
        if (action.parameters[p].name == term) {
          term = words_.objects[static_cast<std::size_t>(arguments[p])];
          break;
        }
      }
    }
    const auto found = values_.find(text_of(function));
    return found == values_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Who deletes an atom adds its negation, if anybody asks for that.
  void add_negations() {
    for (Operator& each : all_) {
      std::vector<FactId> more_adds;
      for (const FactId deleted : each.deletes) {
        if (const auto found = ids_.find({conditions_[index(deleted)].atom, true});
            found != ids_.end()) {
          more_adds.push_back(found->second);
        }
      }
      for (const FactId added : each.adds) {
        if (const auto found = ids_.find({conditions_[index(added)].atom, true});
            found != ids_.end()) {
          each.deletes.push_back(found->second);
        }
      }
      each.adds.insert(each.adds.end(), more_adds.begin(), more_adds.end());
      sort_unique(each.adds);
      sort_unique(each.deletes);
    }
  }

  bool is_initial(const Condition& condition) const {
    return words_.initial.contains(condition.atom) != condition.is_negated;
  }

  /// Relaxed reachability: facts only ever come.
  void reach() {
    is_reached_.assign(conditions_.size(), false);
    is_applied_.assign(all_.size(), false);
    std::vector<std::vector<std::int32_t>> needed_by(conditions_.size());
    std::vector<std::size_t> open(all_.size());
    std::vector<FactId> queue;
    const auto come = [&](FactId f) {
      if (!is_reached_[index(f)]) {
        is_reached_[index(f)] = true;
        queue.push_back(f);
      }
    };
    const auto apply = [&](std::size_t o) {
      is_applied_[o] = true;
      std::for_each(all_[o].adds.begin(), all_[o].adds.end(), come);
    };
    for (std::size_t f = 0; f < conditions_.size(); ++f) {
      if (is_initial(conditions_[f])) {
        come(static_cast<FactId>(f));
      }
    }
    for (std::size_t o = 0; o < all_.size(); ++o) {
      open[o] = all_[o].needs.size();
      for (const FactId f : all_[o].needs) {
        needed_by[index(f)].push_back(static_cast<std::int32_t>(o));
      }
      if (open[o] == 0) {
        apply(o);
      }
    }
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const std::int32_t o : needed_by[index(queue[next])]) {
        if (--open[static_cast<std::size_t>(o)] == 0) {
          apply(static_cast<std::size_t>(o));
        }
      }
    }
  }

  /// Keeps the facts that come true and may change, under new numbers.
  GroundProblem finish() {
    std::vector<bool> may_end(conditions_.size(), false);
    for (std::size_t o = 0; o < all_.size(); ++o) {
      for (const FactId f : all_[o].deletes) {
        may_end[index(f)] = may_end[index(f)] || is_applied_[o];
      }
    }
    GroundProblem out;
    out.objects = words_.objects;
    std::vector<FactId> renamed(conditions_.size(), -1);
    for (std::size_t f = 0; f < conditions_.size(); ++f) {
      const bool is_always = is_initial(conditions_[f]) && !may_end[f];
      if (!is_reached_[f] || is_always) {
        continue;
      }
      renamed[f] = static_cast<FactId>(out.facts.size());
      const std::string text = words_.text_of(conditions_[f].atom);
      out.facts.push_back(conditions_[f].is_negated ? "(not " + text + ")" : text);
      if (is_initial(conditions_[f])) {
        out.initial.push_back(renamed[f]);
      }
    }
    const auto rename = [&](std::vector<FactId>& facts) {
      std::vector<FactId> kept;
      for (const FactId f : facts) {
        if (renamed[index(f)] >= 0) {
          kept.push_back(renamed[index(f)]);
        }
      }
      facts = std::move(kept);
    };
    for (std::size_t o = 0; o < all_.size(); ++o) {
      if (!is_applied_[o]) {
        continue;
      }
      rename(all_[o].needs);
      rename(all_[o].adds);
      rename(all_[o].deletes);
      out.operators.push_back(std::move(all_[o]));
    }
    finish_goal(renamed, out);
    return out;
  }

  void finish_goal(const std::vector<FactId>& renamed, GroundProblem& out) const {
    for (const Literal& literal : problem_.goal) {
      if (literal.atom.predicate == "=") {
        if ((literal.atom.terms[0] == literal.atom.terms[1]) == literal.is_negated) {
          out.unreachable.push_back(text_of(literal));
        }
        continue;
      }
      const FactId f = ids_.at({words_.key_of(literal.atom), literal.is_negated});
      if (!is_reached_[index(f)]) {
        out.unreachable.push_back(text_of(literal));
      } else if (renamed[index(f)] >= 0) {
        out.goal.push_back(renamed[index(f)]);
      }
    }
    sort_unique(out.goal);
  }

  static std::size_t index(FactId f) { return static_cast<std::size_t>(f); }

  const Domain& domain_;
  const Problem& problem_;
  Vocabulary words_;
  std::map<std::string, Cost> values_;
  std::map<Condition, FactId> ids_;
  std::vector<Condition> conditions_;
  std::vector<Operator> all_;
  std::vector<bool> is_reached_;
  std::vector<bool> is_applied_;
};

}  // namespace

Step GroundProblem::step_of(const Domain& domain, const Operator& each) const {
  Step step{domain.actions[static_cast<std::size_t>(each.action)].name, {}};
  for (const std::int32_t object : each.arguments) {
    step.arguments.push_back(objects[static_cast<std::size_t>(object)]);
  }
  return step;
}

Result<GroundProblem> ground(const Domain& domain, const Problem& problem,
                             std::int64_t most_operators) {
  return Grounder(domain, problem).run(most_operators);
}

}  // namespace longarm::pddl
