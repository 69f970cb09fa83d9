// SPDX-License-Identifier: Apache-2.0
// Keeps what fingers hold from creeping: static friction as MuJoCo alone does not have it.
#pragma once

#include <span>
#include <vector>

#include "longarm/physics/mujoco/mujoco_model.h"
#include "longarm/physics/snapshot.h"

namespace longarm::physics {

/// MuJoCo's contacts give: a friction force f takes a tangential velocity of R·f/b, some 50 µm/s
/// for a part in a gripper, for as long as it is held. Here the force of the last step is in the
/// reference of the next one, so that only a *change* of the force takes a motion (the method of
/// multipliers, one iteration a step). The friction cone is still the solver's: what a contact
/// holds at most does not change, and neither does the number of its equations. Only contacts of
/// bodies that set() named with what can move are treated so: a tool in its stand is not held.
///
/// What is kept is what two shapes exert on each other along their surface: a force, and a moment
/// about the normal.
class MujocoSticking {
 public:
  MujocoSticking(const mjModel& model, const MujocoNumbers& numbers);

  /// Whether contacts of this body do not creep from now on.
  void set(BodyId body, bool is_gripping);

  /// Between making the constraints of a step and solving them.
  void prepare(mjData& data) const;
  /// After the solution.
  void remember(const mjModel& model, const mjData& data);

  void save(SnapshotWriter& writer) const;
  void restore(SnapshotReader& reader);

 private:
  /// Of a pair of shapes, in the frame of the first: what is held moves with the arm.
  struct Hold {
    int geom1 = 0;  ///< as compiled
    int geom2 = 0;
    model::Vector3 p = model::Vector3::Zero();  ///< where the force acts
    model::Vector3 force = model::Vector3::Zero();
    double moment = 0.0;
  };
  /// Of the contact points of a pair.
  struct Spread {
    model::Vector3 middle_W = model::Vector3::Zero();
    model::Vector3 normal_W = model::Vector3::Zero();
    double square_m2 = 0.0;  ///< sum of the squares of their distances from the middle
  };

  template <typename Action>
  void each_pair(const mjData& data, const Action& action) const;
  static Spread spread_of(std::span<const mjContact> contacts);
  bool is_gripping(const mjContact& contact) const;
  const MujocoShape& shape(int geom) const {
    return numbers_.shapes[static_cast<std::size_t>(geom)];
  }

  const MujocoNumbers& numbers_;
  bool is_needed_;              ///< MuJoCo's own iterations against creep would do it twice
  std::vector<char> is_loose_;  ///< by geom: not a part of what stands in the world
  std::vector<char> grips_;     ///< by body; empty: none does
  std::vector<Hold> holds_;
};

}  // namespace longarm::physics
