// SPDX-License-Identifier: Apache-2.0
// PDDL in: domains and problems, with everything that is wrong said at its place.
#pragma once

#include <string>
#include <string_view>

#include "longarm/core/diagnostic.h"
#include "longarm/pddl/domain.h"

namespace longarm::pddl {

/// :strips, :typing (with either), :negative-preconditions, :equality and :action-costs. What we do
/// not know (or, forall, when, numeric preconditions …) is an error that says so.
Domain read_domain(std::string_view text, const std::string& path, Diagnostics& diagnostics);

/// Checked against the domain: names, numbers and types of arguments.
Problem read_problem(std::string_view text, const std::string& path, const Domain& domain,
                     Diagnostics& diagnostics);

/// Whole files. Throw InputError.
Domain load_domain(const std::string& path);
Problem load_problem(const std::string& path, const Domain& domain);

}  // namespace longarm::pddl
