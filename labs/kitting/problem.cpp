// SPDX-License-Identifier: Apache-2.0
// Chooses trays for kits, writes down what is so, and asks the planner.
#include "labs/kitting/problem.h"

#include <algorithm>

#include <fmt/format.h>

#include "labs/kitting/problem_supply.h"
#include "longarm/pddl/read.h"
#include "longarm/pddl/write.h"

namespace longarm::kitting {
namespace {

/// Chooses trays, one kit after the other.
class Assignment {
 public:
  Assignment(const Ontology& ontology, const Supply& supply, const WorldModel& world)
      : ontology_(ontology), supply_(supply), trays_(world.trays()) {}

  void run(const Request& request, KittingProblem& out) {
    for (const KitRequest& kit : request.kits) {
      for (std::int64_t i = 0; i < kit.count; ++i) {
        assign(kit, i, out);
      }
    }
  }

  /// Slots that still lack their part.
  const std::vector<const SlotView*>& wanted() const { return wanted_; }
  /// Parts that are where they should be.
  const std::set<std::string>& taken() const { return taken_; }

 private:
  struct Candidate {
    KitAssignment kit;
    std::vector<const SlotView*> open;  ///< slots without their part
  };

  void assign(const KitRequest& kit, std::int64_t number, KittingProblem& out) {
    std::vector<Candidate> candidates = candidates_for(kit);
    std::string tray;
    LeftOut left_out = without_tray(kit, number, tray);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      Candidate& candidate = candidates[c];
      std::set<std::string> taken = taken_;
      for (const std::string& name : candidate.kit.slots) {
        const SlotView* slot = supply_.find_slot(name);
        if (slot->is_filled) {
          taken.insert(slot->part);
        }
      }
      std::vector<const SlotView*> wanted = wanted_;
      wanted.insert(wanted.end(), candidate.open.begin(), candidate.open.end());
      const SlotView* uncovered = nullptr;
      if (supply_.covers(wanted, taken, uncovered)) {
        taken_ = std::move(taken);
        wanted_ = std::move(wanted);
        used_trays_.insert(candidate.kit.tray);
        out.kits.push_back(std::move(candidate.kit));
        return;
      }
      if (c == 0) {
        left_out = {fmt::format("{} on {}", kit.name, candidate.kit.tray),
                    supply_.why_uncovered(*uncovered, taken)};
        tray = candidate.kit.tray;
      }
    }
    used_trays_.insert(tray);
    out.left_out.push_back(std::move(left_out));
  }

  /// A tray for it that is not to be seen now, or none.
  LeftOut without_tray(const KitRequest& kit, std::int64_t number, std::string& tray) const {
    const TrayKind* kind = ontology_.find_kit(kit.name);
    for (const SeenObject& each : trays_) {
      if (ontology_.tray_of(each.name) != kind || used_trays_.contains(each.name)) {
        continue;
      }
      tray = each.name;
      const double since_s = to_seconds(each.seen.time_since_epoch());
      return {fmt::format("{} on {}", kit.name, each.name),
              each.is_missing || each.is_stale
                  ? fmt::format("{} has not been seen since {:.1f} s", each.name, since_s)
                  : fmt::format("{} stands in no zone", each.name)};
    }
    const bool is_seen = std::any_of(trays_.begin(), trays_.end(), [&](const SeenObject& each) {
      return ontology_.tray_of(each.name) == kind;
    });
    return {fmt::format("{} ({} of {})", kit.name, number + 1, kit.count),
            is_seen ? fmt::format("no tray is left for a kit {}", kit.name)
                    : fmt::format("no tray for a kit {} was ever seen", kit.name)};
  }

  /// Least work first, then by name.
  std::vector<Candidate> candidates_for(const KitRequest& kit) const {
    const std::vector<PartCount> contents = contents_of(kit, ontology_);
    const TrayKind* kind = ontology_.find_kit(kit.name);
    std::vector<Candidate> out;
    std::string last;
    for (const SlotView& slot : supply_.slots()) {
      if (slot.tray == last || used_trays_.contains(slot.tray) ||
          ontology_.tray_of(slot.tray) != kind) {
        continue;
      }
      last = slot.tray;
      out.push_back(candidate(kit.name, slot.tray, contents));
    }
    std::stable_sort(out.begin(), out.end(), [](const Candidate& a, const Candidate& b) {
      return a.open.size() < b.open.size();
    });
    return out;
  }

  Candidate candidate(const std::string& kit, const std::string& tray,
                      const std::vector<PartCount>& contents) const {
    Candidate out{{tray, kit, {}}, {}};
    for (const PartCount& part : contents) {
      std::vector<const SlotView*> slots;
      for (const SlotView& slot : supply_.slots()) {
        if (slot.tray == tray && slot.takes == part.part) {
          slots.push_back(&slot);
        }
      }
      std::stable_sort(slots.begin(), slots.end(), [](const SlotView* a, const SlotView* b) {
        return a->is_filled && !b->is_filled;
      });
      slots.resize(std::min(slots.size(), static_cast<std::size_t>(part.count)));
      for (const SlotView* slot : slots) {
        out.kit.slots.push_back(slot->name);
        if (!slot->is_filled) {
          out.open.push_back(slot);
        }
      }
    }
    return out;
  }

  const Ontology& ontology_;
  const Supply& supply_;
  const std::vector<SeenObject> trays_;
  std::vector<const SlotView*> wanted_;  // by the kits so far
  std::set<std::string> taken_;          // parts that are where they should be
  std::set<std::string> used_trays_;
};

/// Writes down what is so.
class Facts {
 public:
  Facts(const Ontology& ontology, const Supply& supply, const Circumstances& circumstances,
        pddl::Problem& problem)
      : ontology_(ontology), supply_(supply), circumstances_(circumstances), problem_(problem) {}

  void run() {
    for (const Zone& zone : ontology_.zones) {
      add_zone(zone);
    }
    for (const Supply::Robot& robot : supply_.robots()) {
      add_robot(robot);
    }
    for (const Tool& tool : ontology_.tools) {
      add_tool(tool);
    }
    std::string last;
    for (const SlotView& slot : supply_.slots()) {
      if (slot.tray != last) {
        last = slot.tray;
        object(slot.tray, ontology_.tray_of(slot.tray)->name);
      }
      add_slot(slot);
    }
    for (const PartView& part : supply_.parts()) {
      add_part(part);
    }
  }

 private:
  void object(const std::string& name, const std::string& type) {
    problem_.objects.push_back({name, {type}});
  }
  void fact(const std::string& predicate, std::vector<std::string> terms) {
    problem_.initial.push_back({predicate, std::move(terms)});
  }
  void value(const std::string& function, std::vector<std::string> terms, pddl::Cost cost) {
    problem_.values.push_back({{function, std::move(terms)}, cost});
  }

  void add_zone(const Zone& zone) {
    object(zone.name, "zone");
    if (supply_.is_ready(zone)) {
      fact("ready", {zone.name});
    }
    if (supply_.is_movable(zone)) {
      fact("movable", {zone.name});
      value("bring-time", {zone.name}, cost_of(ontology_.belt.bring_s));
    }
  }

  void add_robot(const Supply::Robot& robot) {
    object(robot.ability->name, "robot");
    if (robot.works) {
      fact("works", {robot.ability->name});
    }
    if (robot.holds.empty()) {
      fact("free", {robot.ability->name});
    }
    if (!ontology_.tools.empty()) {
      value("change-time", {robot.ability->name}, cost_of(robot.ability->change_s));
      if (carried_by(robot.ability->name).empty()) {
        fact("bare", {robot.ability->name});
      }
    }
  }

  std::string carried_by(const std::string& robot) const {
    const auto found = circumstances_.carried_tools.find(robot);
    return found == circumstances_.carried_tools.end() ? "" : found->second;
  }

  void add_tool(const Tool& tool) {
    const std::string& zone = ontology_.zone_at(tool.stand())->name;
    object(tool.name, "tool");
    fact("place-of", {tool.name, zone});
    for (const std::string& robot : tool.robots) {
      fact("fits", {tool.name, robot});
    }
    bool is_carried = false;
    for (const Supply::Robot& robot : supply_.robots()) {
      if (carried_by(robot.ability->name) == tool.name) {
        fact("carries", {robot.ability->name, tool.name});
        is_carried = true;
      }
    }
    if (!is_carried) {
      fact("hangs", {tool.name, zone});
    }
  }

  void add_reach(const std::string& name, const Vector3& p_W, const std::string& zone,
                 bool is_slot) {
    for (const Supply::Robot& robot : supply_.robots()) {
      const RobotAbility& ability = *robot.ability;
      if (!ability.reaches(p_W)) {
        continue;
      }
      fact("reaches", {ability.name, name});
      value("pick-time", {ability.name, name}, supply_.pick_cost(ability, p_W, zone));
      if (is_slot) {
        value("place-time", {ability.name, name}, supply_.place_cost(ability, p_W, zone));
      }
    }
  }

  void add_slot(const SlotView& slot) {
    object(slot.name, "slot");
    fact("of", {slot.name, slot.tray});
    fact("in", {slot.name, slot.zone});
    if (slot.part.empty()) {
      fact("empty", {slot.name});
    }
    if (slot.is_filled) {
      fact("filled", {slot.name});
    }
    add_reach(slot.name, supply_.place_of(slot), slot.zone, true);
  }

  void add_part(const PartView& part) {
    const std::string& name = part.object.name;
    const Supply::Robot* holder = supply_.holder_of(name);
    if (holder == nullptr && !supply_.is_usable(part)) {
      return;  // the planner need not know of what nobody can pick
    }
    object(name, part.object.kind);
    for (const Tool& tool : ontology_.tools) {
      if (tool.kind == ontology_.find_part(part.object.kind)->tool) {
        fact("handles", {tool.name, name});
      }
    }
    if (holder != nullptr) {
      fact("holds", {holder->ability->name, name});
    } else if (!part.slot.empty() && supply_.find_slot(part.slot) != nullptr) {
      fact("at", {name, part.slot});
    } else {
      fact("loose", {name, part.zone});
      add_reach(name, supply_.place_of(part), part.zone, false);
    }
  }

  const Ontology& ontology_;
  const Supply& supply_;
  const Circumstances& circumstances_;
  pddl::Problem& problem_;
};

/// Which part is meant for which slot: the cheapest way for what is wanted, and for what is only in
/// the way, or in a hand, any slot for its kind that nobody wants.
class Meaning {
 public:
  Meaning(const Supply& supply, const Assignment& assignment, pddl::Problem& problem)
      : supply_(supply), assignment_(assignment), problem_(problem) {}

  void run() {
    const std::vector<const SlotView*>& wanted = assignment_.wanted();
    const std::vector<const PartView*> matched = supply_.match(wanted, assignment_.taken());
    for (std::size_t s = 0; s < wanted.size(); ++s) {
      mean(*matched[s], *wanted[s]);
      if (!supply_.has_one_robot(*matched[s], *wanted[s])) {
        put_aside(*matched[s]);  // it changes hands there
      }
    }
    for (std::size_t s = 0; s < wanted.size(); ++s) {
      const PartView* in_the_way = supply_.find_part(wanted[s]->part);
      if (in_the_way != nullptr && in_the_way != matched[s]) {
        put_aside(*in_the_way);
      }
    }
    for (const Supply::Robot& robot : supply_.robots()) {
      const PartView* part = supply_.find_part(robot.holds);
      if (!robot.works || part == nullptr) {
        continue;
      }
      const bool is_wanted = std::find(matched.begin(), matched.end(), part) != matched.end();
      if (put_aside(*part) || is_wanted) {
        problem_.goal.push_back({{"free", {robot.ability->name}}, false});
      }
    }
  }

 private:
  void mean(const PartView& part, const SlotView& slot) {
    pddl::Atom atom{"meant", {part.object.name, slot.name}};
    if (std::find(problem_.initial.begin(), problem_.initial.end(), atom) ==
        problem_.initial.end()) {
      problem_.initial.push_back(std::move(atom));
    }
  }

  /// Whether there is any.
  bool put_aside(const PartView& part) {
    bool is_found = false;
    for (const SlotView& slot : supply_.slots()) {
      const bool is_wanted = std::find(assignment_.wanted().begin(), assignment_.wanted().end(),
                                       &slot) != assignment_.wanted().end();
      if (!is_wanted && slot.part.empty() && supply_.serves(part, slot)) {
        mean(part, slot);
        is_found = true;
      }
    }
    return is_found;
  }

  const Supply& supply_;
  const Assignment& assignment_;
  pddl::Problem& problem_;
};

}  // namespace

KittingProblem make_problem(const Ontology& ontology, const Request& request,
                            const WorldModel& world, const Circumstances& circumstances,
                            const std::string& domain) {
  const Supply supply(ontology, world, circumstances);
  KittingProblem out;
  out.problem.name = "kits";
  out.problem.domain = domain;
  out.problem.minimizes_cost = true;
  Assignment assignment(ontology, supply, world);
  assignment.run(request, out);
  Facts(ontology, supply, circumstances, out.problem).run();
  for (const KitAssignment& kit : out.kits) {
    for (const std::string& slot : kit.slots) {
      out.problem.goal.push_back({{"filled", {slot}}, false});
    }
  }
  Meaning(supply, assignment, out.problem).run();
  return out;
}

KittingPlan plan_kits(const Ontology& ontology, const pddl::Domain& domain, const Request& request,
                      const WorldModel& world, const Circumstances& circumstances,
                      const pddl::PlannerOptions& options) {
  KittingPlan out;
  out.question = make_problem(ontology, request, world, circumstances, domain.name);
  for (;;) {
    // through text: a user's own domain may lack what the problem speaks of
    Diagnostics diagnostics;
    const pddl::Problem problem = pddl::read_problem(pddl::write_problem(out.question.problem),
                                                     "problem.pddl", domain, diagnostics);
    diagnostics.throw_if_errors();
    out.plan = pddl::make_plan(domain, problem, options);
    if (out.plan.outcome == pddl::PlanOutcome::kSolved || out.question.kits.empty()) {
      return out;
    }
    // fewer kits are better than none: without the last one, again
    const KitAssignment last = out.question.kits.back();
    out.question.kits.pop_back();
    out.question.left_out.push_back({fmt::format("{} on {}", last.kit, last.tray),
                                     out.plan.outcome == pddl::PlanOutcome::kUnsolvable
                                         ? "no plan exists"
                                         : "no plan was found in time"});
    std::erase_if(out.question.problem.goal, [&](const pddl::Literal& literal) {
      return std::find(last.slots.begin(), last.slots.end(), literal.atom.terms[0]) !=
             last.slots.end();
    });
  }
}

}  // namespace longarm::kitting
