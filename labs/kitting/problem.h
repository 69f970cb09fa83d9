// SPDX-License-Identifier: Apache-2.0
// From a request and what is known of the world to a planning problem, and to a plan for it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "labs/kitting/request.h"
#include "labs/kitting/world_model.h"
#include "longarm/pddl/planner.h"

namespace longarm::kitting {

/// What the executor knows beside the world model.
struct Circumstances {
  std::vector<std::string> blocked_zones{};  ///< something stands in them that cannot be moved
  bool belt_works = true;
  std::vector<std::string> refused_parts{};  ///< were tried too often
  /// What robots carry, by their names; empty: nothing. A tool that nobody carries hangs.
  std::map<std::string, std::string> carried_tools{};
};

/// Which tray is to become which kit.
struct KitAssignment {
  std::string tray;                ///< "m2l1_kit_1"
  std::string kit;                 ///< "m2l1"
  std::vector<std::string> slots;  ///< that are to be filled: "m2l1_kit_1_slot_1"
};

/// A kit that cannot be made now.
struct LeftOut {
  std::string kit;     ///< "m2l1 on m2l1_kit_2", or "m2l1 (3 of 3)" where there is no tray for it
  std::string reason;  ///< "no medium_gear is left for slot_2 of m2l1_kit_2: …"
};

struct KittingProblem {
  pddl::Problem problem;
  std::vector<KitAssignment> kits;  ///< that the goal is about, finished ones included
  std::vector<LeftOut> left_out;
};

/// Trays are assigned by least work: those with most right parts in them first, then by name. Kits
/// for which there are not enough parts within reach of one working robot are left out, with the
/// reason. `domain` gives the name only.
KittingProblem make_problem(const Ontology& ontology, const Request& request,
                            const WorldModel& world, const Circumstances& circumstances,
                            const std::string& domain = "kitting");

struct KittingPlan {
  KittingProblem question;
  pddl::Plan plan;
  bool is_finished() const {  ///< nothing is left to do of what can be done
    return plan.outcome == pddl::PlanOutcome::kSolved && plan.steps.empty();
  }
};

/// Plans for as many of the kits as can be made. `domain` is make_domain()'s or the user's own.
KittingPlan plan_kits(const Ontology& ontology, const pddl::Domain& domain, const Request& request,
                      const WorldModel& world, const Circumstances& circumstances,
                      const pddl::PlannerOptions& options = {});

/// The arguments of an action of make_domain() by what they mean.
struct KittingAction {
  enum class Kind { kPick, kPickLoose, kPlace, kBring, kTakeTool, kHangTool };
  Kind kind = Kind::kPick;
  std::string robot;  ///< empty for kBring
  std::string part;
  std::string slot;  ///< where from or where to; empty for kPickLoose and kBring
  std::string zone;
  std::string tool{};  ///< of kTakeTool and kHangTool
};
/// Nothing for an action that is not one of ours, e.g. of a user's own domain.
std::optional<KittingAction> read_action(const pddl::Step& step);
/// Actions of a user's domain that nobody could carry out, by the key `domain`.
std::vector<RequestRemark> check_actions(const pddl::Domain& domain);

}  // namespace longarm::kitting
