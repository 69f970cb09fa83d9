// SPDX-License-Identifier: Apache-2.0
// Who can bring which part into which slot, as the world is now; private to making problems.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "labs/kitting/problem.h"

namespace longarm::kitting {

/// In tenths of a second: costs are estimates.
pddl::Cost cost_of(double seconds);

/// What is known, in the form in which problems need it. Places on a belt that works are where they
/// will be at the station.
class Supply {
 public:
  Supply(const Ontology& ontology, const WorldModel& world, const Circumstances& circumstances);

  struct Robot {
    const RobotAbility* ability = nullptr;
    bool works = true;
    std::string holds{};
  };
  const std::vector<Robot>& robots() const { return robots_; }
  const std::vector<SlotView>& slots() const { return slots_; }
  const std::vector<PartView>& parts() const { return parts_; }
  const SlotView* find_slot(const std::string& name) const;

  bool is_ready(const Zone& zone) const;    ///< robots may work there as it is
  bool is_movable(const Zone& zone) const;  ///< the belt can bring what stands in it
  bool can_work_in(const std::string& zone) const;
  /// Where a part would be picked or placed.
  Vector3 place_of(const SlotView& slot) const;
  Vector3 place_of(const PartView& part) const;

  /// Can be picked, or is in the hand of a robot that works.
  bool is_usable(const PartView& part) const;
  const Robot* holder_of(const std::string& part) const;
  /// Whether the part can come into the slot, if need be from robot to robot. Both are ours.
  bool serves(const PartView& part, const SlotView& slot) const;
  /// One robot can do it.
  bool has_one_robot(const PartView& part, const SlotView& slot) const;
  pddl::Cost pick_cost(const RobotAbility& robot, const Vector3& p_W,
                       const std::string& zone) const;
  pddl::Cost place_cost(const RobotAbility& robot, const Vector3& p_W,
                        const std::string& zone) const;
  const PartView* find_part(const std::string& name) const;

  /// A part for each of the slots, none twice and none of `taken`; nothing if one has none, which
  /// is then told.
  bool covers(const std::vector<const SlotView*>& wanted, const std::set<std::string>& taken,
              const SlotView*& uncovered) const;
  /// Of all such choices the cheapest in all; covers() must have said that there is one.
  std::vector<const PartView*> match(const std::vector<const SlotView*>& wanted,
                                     const std::set<std::string>& taken) const;
  /// Why no part is left for it.
  std::string why_uncovered(const SlotView& slot, const std::set<std::string>& taken) const;
  /// A pickable part is in it, or none is.
  bool can_be_cleared(const SlotView& slot) const;

 private:
  Vector3 at_station(const Vector3& p_W, const std::string& zone) const;
  void find_reach();
  std::vector<bool> holders_for(const PartView& part) const;
  std::vector<const PartView*> available(const std::set<std::string>& taken) const;
  pddl::Cost carry_cost(const PartView& part, const SlotView& slot) const;
  bool reaches(std::size_t robot, const SlotView& slot) const {
    return slot_reach_[static_cast<std::size_t>(&slot - slots_.data())][robot];
  }

  const Ontology& ontology_;
  const Circumstances& circumstances_;
  double to_station_m_ = 0.0;
  bool is_at_station_ = true;
  std::vector<Robot> robots_;
  std::vector<SlotView> slots_;
  std::vector<PartView> parts_;
  std::vector<std::vector<bool>> slot_reach_;  // by slot and robot: it works and gets there
  std::vector<std::vector<bool>> holders_;     // by part and robot: it may come to hold it
};

}  // namespace longarm::kitting
