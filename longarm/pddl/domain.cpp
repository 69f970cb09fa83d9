// SPDX-License-Identifier: Apache-2.0
// Lookups in a domain, and atoms and steps as text.
#include "longarm/pddl/domain.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace longarm::pddl {
namespace {

template <typename Item>
const Item* find_named(const std::vector<Item>& items, const std::string& name) {
  const auto found =
      std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

std::string listed(const std::string& head, const std::vector<std::string>& rest) {
  std::string text = "(" + head;
  for (const std::string& word : rest) {
    text += " " + word;
  }
  return text + ")";
}

}  // namespace

const Action* Domain::find_action(const std::string& name_) const {
  return find_named(actions, name_);
}

const Symbol* Domain::find_predicate(const std::string& name_) const {
  return find_named(predicates, name_);
}

bool Domain::is_kind_of(const std::string& kind, const std::string& type) const {
  // upwards through all parents; a circle is visited once
  std::vector<std::string> open{kind};
  std::set<std::string> seen;
  while (!open.empty()) {
    const std::string at = open.back();
    open.pop_back();
    if (at == type) {
      return true;
    }
    const TypedName* found = find_named(types, at);
    if (found != nullptr && seen.insert(at).second) {
      open.insert(open.end(), found->types.begin(), found->types.end());
    }
  }
  return type == "object";
}

bool Domain::is_any_of(const std::string& kind, const std::vector<std::string>& wanted) const {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const std::string& type) { return is_kind_of(kind, type); });
}

std::string text_of(const Step& step) {
  return listed(step.action, step.arguments);
}

std::string text_of(const Atom& atom) {
  return listed(atom.predicate, atom.terms);
}

std::string text_of(const Literal& literal) {
  return literal.is_negated ? "(not " + text_of(literal.atom) + ")" : text_of(literal.atom);
}

std::string cost_text(Cost cost) {
  std::string text = fmt::format("{}{}", cost < 0 ? "-" : "", std::abs(cost) / kCostUnit);
  if (const Cost rest = std::abs(cost) % kCostUnit; rest != 0) {
    text += fmt::format(".{:03}", rest);
    text.erase(text.find_last_not_of('0') + 1);
  }
  return text;
}

}  // namespace longarm::pddl
