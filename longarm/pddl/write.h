// SPDX-License-Identifier: Apache-2.0
// PDDL out: text that reads back as the same domain or problem.
#pragma once

#include <string>

#include "longarm/pddl/domain.h"

namespace longarm::pddl {

/// `comment` goes on top, each line behind a ';'.
std::string write_domain(const Domain& domain, const std::string& comment = {});
std::string write_problem(const Problem& problem, const std::string& comment = {});

}  // namespace longarm::pddl
