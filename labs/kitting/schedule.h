// SPDX-License-Identifier: Apache-2.0
// A plan in time: which action waits for which others, who does it, and when.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "labs/kitting/ontology.h"
#include "longarm/core/time.h"
#include "longarm/pddl/planner.h"

namespace longarm::kitting {

struct TimedStep {
  pddl::Step step;
  std::string robot;               ///< empty: the belt
  std::vector<std::string> zones;  ///< shared ones that nobody else may be in meanwhile
  std::vector<std::size_t> after;  ///< steps of the schedule that must have ended; in order
  Duration start{};
  Duration end{};
};

struct Schedule {
  std::vector<TimedStep> steps;  ///< in order of their starts; a linear order that the plan allows
  Duration makespan{};
  Duration overlap{};        ///< during which more than one robot works
  Duration critical_path{};  ///< longest chain of steps that wait for each other, zones left aside
};

struct ScheduleOptions {
  bool balances = true;  ///< gives work to another robot where that ends sooner
};

/// Durations are the actions' costs, in seconds. Of two steps that cannot be swapped (one makes or
/// undoes what the other needs or makes) the first of the plan goes first; all others may run at
/// the same time, a robot doing one thing and a shared zone having one robot at a time, and the
/// belt moving only while nobody is in its zone. A robot stays in a zone from a pick there to the
/// end of the place if that is in the zone too.
Schedule make_schedule(const pddl::Domain& domain, const pddl::Problem& problem,
                       const pddl::Plan& plan, const Ontology& ontology,
                       const ScheduleOptions& options = {});

/// During which more than one robot works.
Duration overlap_of(const std::vector<TimedStep>& steps);

/// A table for people: start, end, who, what.
std::string schedule_text(const Schedule& schedule);

}  // namespace longarm::kitting
