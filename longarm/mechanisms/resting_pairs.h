// SPDX-License-Identifier: Apache-2.0
// Algorithm 1 of contact simplification: which pairs of bodies touch and have come to rest on each
// other.
#pragma once

#include <span>
#include <vector>

#include "longarm/core/time.h"
#include "longarm/mechanisms/part_motions.h"
#include "longarm/mechanisms/simplifier.h"

namespace longarm::mechanisms {

/// Two bodies that touch. Forces and velocities are low-passed: some solvers let bodies at rest
/// tremble.
struct RestingPair {
  int first = 0;  ///< of the two the smaller number
  int second = 0;
  int carried = 0;                                       ///< the one that rests on the other
  model::Vector3 contact_W = model::Vector3::Zero();     ///< force of all contacts on `carried`
  model::Vector3 load_W = model::Vector3::Zero();        ///< see Loads
  model::Vector3 quick_load_W = model::Vector3::Zero();  ///< the same, less low-passed
  model::Vector3 velocity_W = model::Vector3::Zero();    ///< of the second as the first sees it
  model::Vector3 spin_W = model::Vector3::Zero();
  model::Vector3 acceleration_W = model::Vector3::Zero();  ///< low-passed
  int rest_steps = 0;
  int lost_steps = 0;  ///< for which it has not touched
  // of the present step
  bool touches = false;
  bool is_new = true;
  double reach_m = 0.0;  ///< of its farthest contact from the second's origin
  model::Vector3 force_on_second_W = model::Vector3::Zero();

  int support() const { return carried == first ? second : first; }
};

/// What acts on a part beside its weight and its own support: load = force of the support − m·a −
/// forces of what it carries. Resting or joined, alone or on a tray that accelerates, it is −m·g
/// unless something pulls; hence changes of it say that something does.
inline model::Vector3 load_of(const BodyRole& role, const model::Vector3& support_force_W,
                              const model::Vector3& acceleration_W,
                              const model::Vector3& carried_force_W) {
  return support_force_W - role.mass_kg * acceleration_W - carried_force_W;
}

class RestingPairs {
 public:
  RestingPairs(std::span<const BodyRole> roles, const model::Vector3& gravity_m_s2,
               const SimplifierConfig& config, double period_s);

  /// After each step; `carried_force_W` is what each body exerts on those joined to it.
  void update(std::span<const physics::Contact> contacts, PartMotions& motions,
              std::span<const model::Vector3> carried_force_W);

  /// Pairs that have been at rest for long enough, by the numbers of their bodies.
  std::vector<RestingPair> settled() const;
  bool has_settled() const { return has_settled_; }
  void forget(int first, int second);
  /// What `part` carries passes from contact to joint or back: its load seems to change by so much.
  void shift_load(int part, const model::Vector3& change_W);

 private:
  bool may_join(int a, int b) const;
  RestingPair& pair_of(int a, int b);
  void gather(std::span<const physics::Contact> contacts, PartMotions& motions);
  void judge(RestingPair& pair, PartMotions& motions,
             std::span<const model::Vector3> carried_force_W);
  void follow_motion(RestingPair& pair, PartMotions& motions, bool is_first) const;
  bool is_at_rest(const RestingPair& pair) const;
  int choose_carried(const RestingPair& pair) const;
  bool is_settled(const RestingPair& pair) const;

  std::span<const BodyRole> roles_;
  model::Vector3 up_;  ///< zero without gravity
  SimplifierConfig config_;
  double period_s_;
  int hold_steps_;
  double slower_;  ///< share of a new value in a low-passed one
  double slow_;
  double quick_;
  std::vector<RestingPair> pairs_;  ///< by first, then second
  bool has_settled_ = false;
};

}  // namespace longarm::mechanisms
