// SPDX-License-Identifier: Apache-2.0
// Whether a user's own planning domain has the words in which problems are written.
#pragma once

#include <vector>

#include "labs/kitting/ontology.h"

namespace longarm::kitting {

/// What make_problem() may say and `domain` does not understand: types, predicates and functions,
/// each once, without a place. Empty for make_domain()'s own.
std::vector<Diagnostic> what_domain_lacks(const pddl::Domain& domain, const Ontology& ontology);

}  // namespace longarm::kitting
