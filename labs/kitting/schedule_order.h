// SPDX-License-Identifier: Apache-2.0
// Which steps of a plan cannot be swapped, and how long each takes; private to scheduling.
#pragma once

#include <string>
#include <vector>

#include "longarm/pddl/domain.h"

namespace longarm::kitting {

/// A step's conditions and effects with objects for variables, as sorted text.
struct BoundStep {
  std::vector<std::string> needs;  ///< "(not …)" where they are negative
  std::vector<std::string> adds;
  std::vector<std::string> deletes;
  pddl::Cost cost = 0;
};

BoundStep bind_step(const pddl::Domain& domain, const pddl::Problem& problem,
                    const pddl::Step& step);

/// Whether one makes or undoes what the other needs or makes.
bool interfere(const BoundStep& a, const BoundStep& b);

/// For each step those before it that it interferes with, less those that follow from others.
std::vector<std::vector<std::size_t>> order_of(const std::vector<BoundStep>& steps);

}  // namespace longarm::kitting
