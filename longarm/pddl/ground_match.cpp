// SPDX-License-Identifier: Apache-2.0
// Joins the tables of static predicates, most bound first, then tries what is left by type.
#include "longarm/pddl/ground_match.h"

#include <algorithm>

#include "longarm/core/check.h"

namespace longarm::pddl {
namespace {

constexpr ObjectId kUnbound = -1;

int parameter_of(const Action& action, const std::string& term) {
  for (std::size_t i = 0; i < action.parameters.size(); ++i) {
    if (action.parameters[i].name == term) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

class Matcher {
 public:
  Matcher(const Vocabulary& words, const Action& action,
          const std::function<bool(const std::vector<ObjectId>&)>& found)
      : words_(words),
        action_(action),
        found_(found),
        arguments_(action.parameters.size(), kUnbound) {
    for (std::size_t p = 0; p < action.parameters.size(); ++p) {
      std::vector<bool>& fits = fits_.emplace_back(words.objects.size(), false);
      for (std::size_t o = 0; o < words.objects.size(); ++o) {
        fits[o] = std::any_of(words.types[o].begin(), words.types[o].end(), [&](const auto& type) {
          return words.domain.is_any_of(type, action.parameters[p].types);
        });
      }
    }
    order_tables();
  }

  void run() { match_table(0); }

 private:
  bool is_table(const Literal& literal) const {
    return !literal.is_negated && literal.atom.predicate != "=" &&
           words_.is_static[static_cast<std::size_t>(
               words_.predicate_ids.at(literal.atom.predicate))];
  }

  /// Next the one that leaves fewest parameters open, the shorter table where they are equal.
  void order_tables() {
    std::vector<const Atom*> open;
    for (const Literal& literal : action_.preconditions) {
      if (is_table(literal)) {
        open.push_back(&literal.atom);
      }
    }
    std::set<std::string> bound;
    while (!open.empty()) {
      const auto rank = [&](const Atom* atom) {
        std::size_t unbound = 0;
        for (const std::string& term : atom->terms) {
          unbound += term.starts_with("?") && !bound.contains(term) ? 1 : 0;
        }
        return std::pair(unbound, table_of(*atom).size());
      };
      const auto best = std::min_element(open.begin(), open.end(),
                                         [&](auto* a, auto* b) { return rank(a) < rank(b); });
      bound.insert((*best)->terms.begin(), (*best)->terms.end());
      tables_.push_back(*best);
      open.erase(best);
    }
  }

  const std::vector<AtomKey>& table_of(const Atom& atom) const {
    return words_.initial_of[static_cast<std::size_t>(words_.predicate_ids.at(atom.predicate))];
  }

  bool match_table(std::size_t t) {
    if (t == tables_.size()) {
      return match_parameter(0);
    }
    const Atom& atom = *tables_[t];
    for (const AtomKey& row : table_of(atom)) {
      const std::vector<ObjectId> before = arguments_;
      const bool goes_on = !bind(atom, row) || match_table(t + 1);
      arguments_ = before;
      if (!goes_on) {
        return false;
      }
    }
    return true;
  }

  bool bind(const Atom& atom, const AtomKey& row) {
    for (std::size_t i = 0; i < atom.terms.size(); ++i) {
      const int p = parameter_of(action_, atom.terms[i]);
      const ObjectId object = row[i + 1];
      if (p < 0) {
        if (words_.object_ids.at(atom.terms[i]) != object) {
          return false;
        }
        continue;
      }
      ObjectId& argument = arguments_[static_cast<std::size_t>(p)];
      if (argument != kUnbound && argument != object) {
        return false;
      }
      if (!fits_[static_cast<std::size_t>(p)][static_cast<std::size_t>(object)]) {
        return false;
      }
      argument = object;
    }
    return true;
  }

  bool match_parameter(std::size_t p) {
    while (p < arguments_.size() && arguments_[p] != kUnbound) {
      ++p;
    }
    if (p == arguments_.size()) {
      return !holds() || found_(arguments_);
    }
    bool goes_on = true;
    for (std::size_t o = 0; o < words_.objects.size() && goes_on; ++o) {
      if (fits_[p][o]) {
        arguments_[p] = static_cast<ObjectId>(o);
        goes_on = match_parameter(p + 1);
      }
    }
    arguments_[p] = kUnbound;
    return goes_on;
  }

  /// What the tables did not check: equalities and static negations.
  bool holds() const {
    return std::all_of(
        action_.preconditions.begin(), action_.preconditions.end(), [&](const Literal& literal) {
          const AtomKey key = words_.key_of(literal.atom, action_, arguments_);
          if (literal.atom.predicate == "=") {
            return (key[1] == key[2]) != literal.is_negated;
          }
          return !literal.is_negated || !words_.is_static[static_cast<std::size_t>(key[0])] ||
                 !words_.initial.contains(key);
        });
  }

  const Vocabulary& words_;
  const Action& action_;
  const std::function<bool(const std::vector<ObjectId>&)>& found_;
  std::vector<ObjectId> arguments_;
  std::vector<std::vector<bool>> fits_;  // by parameter and object
  std::vector<const Atom*> tables_;
};

}  // namespace

Vocabulary::Vocabulary(const Domain& the_domain, const Problem& problem) : domain(the_domain) {
  for (const std::vector<TypedName>* names : {&domain.constants, &problem.objects}) {
    for (const TypedName& name : *names) {
      check(object_ids.emplace(name.name, static_cast<ObjectId>(objects.size())).second,
            "an object was declared twice");
      objects.push_back(name.name);
      types.push_back(name.types);
    }
  }
  predicate_ids.emplace("=", -1);
  for (const Symbol& predicate : domain.predicates) {
    predicate_ids.emplace(predicate.name, static_cast<std::int32_t>(is_static.size()));
    is_static.push_back(true);
  }
  for (const Action& action : domain.actions) {
    for (const Literal& effect : action.effects) {
      is_static[static_cast<std::size_t>(predicate_ids.at(effect.atom.predicate))] = false;
    }
  }
  initial_of.resize(is_static.size());
  for (const Atom& atom : problem.initial) {
    const AtomKey key = key_of(atom);
    if (initial.insert(key).second) {
      initial_of[static_cast<std::size_t>(key[0])].push_back(key);
    }
  }
}

AtomKey Vocabulary::key_of(const Atom& atom, const Action& action,
                           const std::vector<ObjectId>& arguments) const {
  AtomKey key{predicate_ids.at(atom.predicate)};
  for (const std::string& term : atom.terms) {
    const int p = parameter_of(action, term);
    key.push_back(p < 0 ? object_ids.at(term) : arguments[static_cast<std::size_t>(p)]);
  }
  return key;
}

AtomKey Vocabulary::key_of(const Atom& atom) const {
  AtomKey key{predicate_ids.at(atom.predicate)};
  for (const std::string& term : atom.terms) {
    key.push_back(object_ids.at(term));
  }
  return key;
}

std::string Vocabulary::text_of(const AtomKey& key) const {
  std::string text = "(" + domain.predicates[static_cast<std::size_t>(key[0])].name;
  for (std::size_t i = 1; i < key.size(); ++i) {
    text += " " + objects[static_cast<std::size_t>(key[i])];
  }
  return text + ")";
}

void match_action(const Vocabulary& words, const Action& action,
                  const std::function<bool(const std::vector<ObjectId>&)>& found) {
  Matcher(words, action, found).run();
}

}  // namespace longarm::pddl
