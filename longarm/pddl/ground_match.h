// SPDX-License-Identifier: Apache-2.0
// Finds the objects that an action may be about, from what never changes; private to grounding.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "longarm/pddl/domain.h"

namespace longarm::pddl {

using ObjectId = std::int32_t;

/// An atom in numbers: predicate and objects.
using AtomKey = std::vector<std::int32_t>;

/// Objects, predicates and what is true of them at first.
struct Vocabulary {
  Vocabulary(const Domain& domain, const Problem& problem);

  /// The atom with `arguments` for the action's parameters.
  AtomKey key_of(const Atom& atom, const Action& action,
                 const std::vector<ObjectId>& arguments) const;
  AtomKey key_of(const Atom& atom) const;
  std::string text_of(const AtomKey& key) const;

  const Domain& domain;
  std::vector<std::string> objects;
  std::vector<std::vector<std::string>> types;  ///< of the objects
  std::map<std::string, ObjectId> object_ids;
  std::map<std::string, std::int32_t> predicate_ids;
  std::vector<bool> is_static;  ///< by predicate: in no effect
  std::set<AtomKey> initial;
  std::vector<std::vector<AtomKey>> initial_of;  ///< by predicate
};

/// Calls `found` with the arguments of every instance of the action whose types are right and whose
/// static preconditions hold, in a fixed order, until it returns false.
void match_action(const Vocabulary& words, const Action& action,
                  const std::function<bool(const std::vector<ObjectId>&)>& found);

}  // namespace longarm::pddl
