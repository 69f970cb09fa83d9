// SPDX-License-Identifier: Apache-2.0
// Algorithm 2 of contact simplification: parts joined to their supports, and when they must part.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "longarm/mechanisms/friction_cone.h"
#include "longarm/mechanisms/part_motions.h"
#include "longarm/mechanisms/resting_pairs.h"

namespace longarm::mechanisms {

/// A part in the place of whose contacts stands a joint.
struct HeldPart {
  int support = 0;
  int part = 0;
  physics::AttachmentId attachment{};
  bool is_welded = false;                      ///< not merged
  bool is_away = false;                        ///< split off between let_go() and hold_again()
  model::Pose X_SP = model::Pose::Identity();  ///< where it was joined
  bool is_struck = false;                      ///< its load changed all at once
  int age_steps = 0;
  physics::Wrench reaction;                          ///< on the part, of the last step
  model::Vector3 load_W = model::Vector3::Zero();    ///< recorded; see load_of()
  model::Vector3 change_W = model::Vector3::Zero();  ///< of the present load, low-passed
  FrictionCone::Wrench6 demanded_S = FrictionCone::Wrench6::Zero();  ///< low-passed
  FrictionCone cone;  ///< of its contacts, in the support's axes
};

class HeldParts {
 public:
  HeldParts(physics::Engine& engine, std::span<const BodyRole> roles, bool merges, double release_N,
            double period_s);

  /// Takes the reactions of the last step.
  void read_reactions();
  /// Parts that something pulls at, or that their contacts could not have held.
  std::vector<int> find_released(PartMotions& motions);

  /// `exerted_S` is the wrench of the contacts on the part, in the support's axes. False if the
  /// part cannot be joined: it is already, its support rests on it, or friction hardly holds it.
  bool join(const RestingPair& pair, std::span<const HoldingContact> contacts,
            const FrictionCone::Wrench6& exerted_S, bool& was_welded);
  /// Returns what the joint exerted on the part.
  model::Vector3 release(int part);
  void let_go(int support);
  void hold_again(int support, const model::Vector3& moved_S);

  /// What passes from contact to joint or back changes the recorded load of who carries it.
  void shift_load(int part, const model::Vector3& change_W);
  /// Force of each body on those joined to it, during the last step.
  std::span<const model::Vector3> carried_force_W() const { return carried_force_W_; }
  const HeldPart* find(int part) const;
  std::span<const HeldPart> all() const { return held_; }
  std::size_t count() const { return held_.size(); }

 private:
  HeldPart* held(int part);
  bool rests_on(int body, int part) const;
  void attach(HeldPart& held);
  bool must_release(HeldPart& held, PartMotions& motions) const;

  physics::Engine& engine_;
  std::span<const BodyRole> roles_;
  bool merges_;
  double release_N_;
  int fresh_steps_;
  double share_;  ///< of a new value in a low-passed one
  std::vector<HeldPart> held_;
  std::vector<int> place_;  ///< in held_, by body; -1 for one that is not held
  std::vector<model::Vector3> carried_force_W_;
};

}  // namespace longarm::mechanisms
