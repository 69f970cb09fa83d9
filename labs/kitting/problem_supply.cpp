// SPDX-License-Identifier: Apache-2.0
// Reach, routes from hand to hand, and a matching of parts to slots.
#include "labs/kitting/problem_supply.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "labs/kitting/problem_pairs.h"
#include "longarm/core/suggest.h"

namespace longarm::kitting {
namespace {

/// What changing hands counts, what clearing a slot, and what cannot be done at all.
constexpr pddl::Cost kChange = 1000 * pddl::kCostUnit;
constexpr pddl::Cost kClear = 100 * pddl::kCostUnit;
constexpr pddl::Cost kNeverCost = 1'000'000 * pddl::kCostUnit;

}  // namespace

pddl::Cost cost_of(double seconds) {
  return std::llround(seconds * 10.0) * (pddl::kCostUnit / 10);
}

Supply::Supply(const Ontology& ontology, const WorldModel& world,
               const Circumstances& circumstances)
    : ontology_(ontology),
      circumstances_(circumstances),
      slots_(world.slots()),
      parts_(world.parts()) {
  if (const std::optional<double> distance = world.distance_to_station_m()) {
    is_at_station_ = std::abs(*distance) <= ontology.belt.tolerance_m;
    to_station_m_ = is_at_station_ ? 0.0 : *distance * ontology.belt.direction;
  }
  const std::vector<RobotRow> rows = world.robots();
  for (const RobotAbility& ability : ontology.robots) {
    Robot& robot = robots_.emplace_back();
    robot.ability = &ability;
    for (const RobotRow& row : rows) {
      if (row.name == ability.name) {
        robot.works = row.works;
        robot.holds = row.holds;
      }
    }
  }
  std::erase_if(slots_, [](const SlotView& slot) { return !slot.is_known || slot.zone.empty(); });
  // what a robot holds is in no slot, wherever its last picture shows it
  for (PartView& part : parts_) {
    if (holder_of(part.object.name) == nullptr) {
      continue;
    }
    part.state = PartState::kInAir;
    part.slot.clear();
    for (SlotView& slot : slots_) {
      if (slot.part == part.object.name) {
        slot.part.clear();
        slot.is_filled = false;
      }
    }
  }
  find_reach();
}

const SlotView* Supply::find_slot(const std::string& name) const {
  const auto found = std::find_if(slots_.begin(), slots_.end(),
                                  [&](const SlotView& slot) { return slot.name == name; });
  return found == slots_.end() ? nullptr : &*found;
}

const PartView* Supply::find_part(const std::string& name) const {
  const auto found = std::find_if(parts_.begin(), parts_.end(),
                                  [&](const PartView& part) { return part.object.name == name; });
  return found == parts_.end() ? nullptr : &*found;
}

const Supply::Robot* Supply::holder_of(const std::string& part) const {
  const auto found = std::find_if(robots_.begin(), robots_.end(),
                                  [&](const Robot& robot) { return robot.holds == part; });
  return found == robots_.end() ? nullptr : &*found;
}

bool Supply::is_movable(const Zone& zone) const {
  const auto& blocked = circumstances_.blocked_zones;
  return zone.is_belt && circumstances_.belt_works && !is_at_station_ &&
         std::find(blocked.begin(), blocked.end(), zone.name) == blocked.end();
}

bool Supply::is_ready(const Zone& zone) const {
  const auto& blocked = circumstances_.blocked_zones;
  return !is_movable(zone) && std::find(blocked.begin(), blocked.end(), zone.name) == blocked.end();
}

bool Supply::can_work_in(const std::string& zone) const {
  const Zone* found = ontology_.find_zone(zone);
  return found != nullptr && (is_ready(*found) || is_movable(*found));
}

Vector3 Supply::at_station(const Vector3& p_W, const std::string& zone) const {
  const Zone* found = ontology_.find_zone(zone);
  const bool comes = found != nullptr && is_movable(*found);
  return comes ? Vector3(p_W + Vector3(to_station_m_, 0.0, 0.0)) : p_W;
}

Vector3 Supply::place_of(const SlotView& slot) const {
  return at_station(slot.X_WS.translation(), slot.zone);
}

Vector3 Supply::place_of(const PartView& part) const {
  return at_station(part.object.X_WO.translation(), part.zone);
}

bool Supply::is_usable(const PartView& part) const {
  const auto& refused = circumstances_.refused_parts;
  if (const Robot* holder = holder_of(part.object.name)) {
    return holder->works;
  }
  const bool can_be_picked = part.state == PartState::kSeated ||
                             part.state == PartState::kCrooked || part.state == PartState::kLoose;
  return can_be_picked && can_work_in(part.zone) &&
         std::find(refused.begin(), refused.end(), part.object.name) == refused.end();
}

void Supply::find_reach() {
  for (const SlotView& slot : slots_) {
    std::vector<bool>& reach = slot_reach_.emplace_back();
    for (const Robot& robot : robots_) {
      reach.push_back(robot.works && can_work_in(slot.zone) &&
                      robot.ability->reaches(place_of(slot)));
    }
  }
  for (const PartView& part : parts_) {
    holders_.push_back(holders_for(part));
  }
}

/// Robots that reach it, then those that reach where these can put it down, and so on.
std::vector<bool> Supply::holders_for(const PartView& part) const {
  std::vector<bool> holds(robots_.size(), false);
  const Robot* holder = holder_of(part.object.name);
  for (std::size_t r = 0; r < robots_.size(); ++r) {
    const Robot& robot = robots_[r];
    holds[r] = robot.works &&
               (holder != nullptr ? holder == &robot : robot.ability->reaches(place_of(part)));
  }
  for (bool grows = true; grows;) {
    grows = false;
    for (const SlotView& slot : slots_) {
      if (slot.takes != part.object.kind || !slot.part.empty()) {
        continue;
      }
      bool is_reached = false;
      for (std::size_t r = 0; r < robots_.size(); ++r) {
        is_reached = is_reached || (holds[r] && reaches(r, slot));
      }
      for (std::size_t r = 0; r < robots_.size() && is_reached; ++r) {
        grows = grows || (!holds[r] && reaches(r, slot));
        holds[r] = holds[r] || reaches(r, slot);
      }
    }
  }
  return holds;
}

bool Supply::serves(const PartView& part, const SlotView& slot) const {
  if (slot.takes != part.object.kind) {
    return false;
  }
  const std::vector<bool>& holds = holders_[static_cast<std::size_t>(&part - parts_.data())];
  for (std::size_t r = 0; r < robots_.size(); ++r) {
    if (holds[r] && reaches(r, slot)) {
      return true;
    }
  }
  return false;
}

bool Supply::has_one_robot(const PartView& part, const SlotView& slot) const {
  return carry_cost(part, slot) < kChange;
}

pddl::Cost Supply::pick_cost(const RobotAbility& robot, const Vector3& p_W,
                             const std::string& zone) const {
  const Zone* found = ontology_.find_zone(zone);
  return cost_of(robot.pick_s + robot.travel_s_m * robot.distance_m(p_W) +
                 (found == nullptr ? 0.0 : found->wait_s));
}

pddl::Cost Supply::place_cost(const RobotAbility& robot, const Vector3& p_W,
                              const std::string& zone) const {
  const Zone* found = ontology_.find_zone(zone);
  return cost_of(robot.place_s + robot.travel_s_m * robot.distance_m(p_W) +
                 (found == nullptr ? 0.0 : found->wait_s));
}

/// Of the cheapest robot that can do both; changing hands is dear.
pddl::Cost Supply::carry_cost(const PartView& part, const SlotView& slot) const {
  const Robot* holder = holder_of(part.object.name);
  pddl::Cost least = kChange;
  for (std::size_t r = 0; r < robots_.size(); ++r) {
    const RobotAbility& ability = *robots_[r].ability;
    const bool can_have_it =
        holder != nullptr ? holder == &robots_[r] : ability.reaches(place_of(part));
    if (!can_have_it || !reaches(r, slot)) {
      continue;
    }
    const pddl::Cost pick = holder != nullptr ? 0 : pick_cost(ability, place_of(part), part.zone);
    least = std::min(least, pick + place_cost(ability, place_of(slot), slot.zone));
  }
  return least;
}

std::vector<const PartView*> Supply::available(const std::set<std::string>& taken) const {
  std::vector<const PartView*> out;
  for (const PartView& part : parts_) {
    if (!taken.contains(part.object.name) && is_usable(part)) {
      out.push_back(&part);
    }
  }
  return out;
}

std::vector<const PartView*> Supply::match(const std::vector<const SlotView*>& wanted,
                                           const std::set<std::string>& taken) const {
  const std::vector<const PartView*> parts = available(taken);
  std::vector<std::vector<pddl::Cost>> costs;
  for (const SlotView* slot : wanted) {
    std::vector<pddl::Cost>& row = costs.emplace_back();
    for (const PartView* part : parts) {
      // what sits there anyway would have to be carried away for another one
      const bool is_other = !slot->part.empty() && slot->part != part->object.name;
      row.push_back(serves(*part, *slot) ? carry_cost(*part, *slot) + (is_other ? kClear : 0)
                                         : kNeverCost);
    }
  }
  std::vector<const PartView*> out;
  for (const std::size_t p : cheapest_pairs(costs)) {
    out.push_back(parts[p]);
  }
  return out;
}

bool Supply::can_be_cleared(const SlotView& slot) const {
  if (slot.part.empty()) {
    return true;
  }
  const PartView* part = find_part(slot.part);
  return part != nullptr && is_usable(*part) &&
         std::any_of(robots_.begin(), robots_.end(), [&](const Robot& robot) {
           return robot.works && robot.ability->reaches(place_of(*part));
         });
}

bool Supply::covers(const std::vector<const SlotView*>& wanted, const std::set<std::string>& taken,
                    const SlotView*& uncovered) const {
  const std::vector<const PartView*> parts = available(taken);
  std::vector<std::vector<std::size_t>> options;
  for (const SlotView* slot : wanted) {
    std::vector<std::size_t>& of_slot = options.emplace_back();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (serves(*parts[p], *slot)) {
        of_slot.push_back(p);
      }
    }
  }
  // a matching, one augmenting path per slot
  std::vector<int> given_to(parts.size(), -1);
  std::vector<bool> is_tried;
  const std::function<bool(int)> give = [&](int s) {
    for (const std::size_t p : options[static_cast<std::size_t>(s)]) {
      if (is_tried[p]) {
        continue;
      }
      is_tried[p] = true;
      if (given_to[p] < 0 || give(given_to[p])) {
        given_to[p] = s;
        return true;
      }
    }
    return false;
  };
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    is_tried.assign(parts.size(), false);
    if (!can_be_cleared(*wanted[s]) || !give(static_cast<int>(s))) {
      uncovered = wanted[s];
      return false;
    }
  }
  return true;
}

std::string Supply::why_uncovered(const SlotView& slot, const std::set<std::string>& taken) const {
  const std::string where = fmt::format("{} of {}", slot.slot, slot.tray);
  if (!can_work_in(slot.zone)) {
    return fmt::format("no robot can work at {}: zone '{}' is blocked", where, slot.zone);
  }
  const bool is_reached = std::any_of(robots_.begin(), robots_.end(), [&](const Robot& robot) {
    return robot.works && robot.ability->reaches(place_of(slot));
  });
  if (!is_reached) {
    return fmt::format("no working robot reaches {}", where);
  }
  if (!can_be_cleared(slot)) {
    return fmt::format("{} is in the way at {} and cannot be picked", slot.part, where);
  }
  const PartKind* kind = ontology_.find_part(slot.takes);
  std::vector<std::string> others;
  for (const PartView& part : parts_) {
    if (part.object.kind != slot.takes || taken.contains(part.object.name)) {
      continue;
    }
    const Vector3 p = part.object.X_WO.translation();
    const Robot* holder = holder_of(part.object.name);
    std::string state;
    if (holder != nullptr && !holder->works) {
      state = fmt::format("is held by {}, which does not work", holder->ability->name);
    } else if (!is_usable(part)) {
      const bool is_refused = part.state == PartState::kSeated ||
                              part.state == PartState::kCrooked || part.state == PartState::kLoose;
      state = fmt::format("{} at ({:.3f}, {:.3f})",
                          is_refused ? "was given up" : fmt::format("is {}", name_of(part.state)),
                          p.x(), p.y());
    } else if (!serves(part, slot)) {
      state = fmt::format("at ({:.3f}, {:.3f}) is out of reach", p.x(), p.y());
    } else {
      continue;  // needed elsewhere
    }
    others.push_back(part.object.name + " " + state);
  }
  return fmt::format("no {} is left for {}{}{}", kind == nullptr ? slot.takes : plain_name(*kind),
                     where, others.empty() ? "" : ": ", join(others, "; "));
}

}  // namespace longarm::kitting
