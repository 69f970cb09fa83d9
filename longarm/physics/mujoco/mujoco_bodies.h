// SPDX-License-Identifier: Apache-2.0
// Where the bodies of a cell are in MuJoCo, how they move, what pushes them and which are one.
#pragma once

#include <span>
#include <vector>

#include "longarm/physics/merged_bodies.h"
#include "longarm/physics/mujoco/mujoco_layout.h"
#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::physics {

/// Owns positions and velocities as far as they are not in MuJoCo's data. Bodies that are merged or
/// split have their new poses and twists at once, but the model waits for arrange().
class MujocoBodies {
 public:
  MujocoBodies(const FlatCell& cell, mjModel& model, mjData& data, MujocoNumbers& numbers);

  model::Pose pose(BodyId body) const;
  /// With the joints as in `query`, which has the present model's layout.
  model::Pose pose_in(const mjData& query, BodyId body) const;
  Twist twist(BodyId body) const;
  /// The root of a free placement. What is merged into it comes along.
  void put(BodyId body, const model::Pose& X_WB, const Twist& twist);
  /// Acts during the coming step, about the centre of mass.
  void apply(BodyId body, const Wrench& wrench);
  /// Generalised forces of all that was applied; room for everybody.
  std::span<const double> external() const { return external_; }

  MergedBodies& merged() { return merged_; }
  const MergedBodies& merged() const { return merged_; }
  void merge(BodyId a, BodyId b);
  void split(BodyId b);
  /// Whether the model is not what bodies were merged into.
  bool is_stale() const { return is_stale_; }
  /// Changes the model. All that MuJoCo computes from positions must be computed anew, from
  /// take_raw_positions().
  void arrange();

  /// After the solution of a step, before anything moves.
  void find_reactions(std::span<const Contact> contacts);
  /// Moves everything by one period and forgets what was applied.
  void integrate();
  /// What is left of a step when everything has moved.
  void end_step();

  /// MuJoCo normalises quaternions in place, which twice is not the same as once: these are the
  /// positions before.
  void keep_raw_positions();
  void take_raw_positions();
  MujocoDataPtr make_query_data() { return layout_.make_data(); }

  void save(SnapshotWriter& writer) const;
  /// Leaves the model to arrange().
  void restore(SnapshotReader& reader);

 private:
  /// Everything of a body that floats freely.
  struct FreeState {
    double position[7];
    double raw_position[7];
    double velocity[6];
    double warm_start[6];
    double external[6];
  };

  int mujoco_body(BodyId body) const { return numbers_.body[static_cast<std::size_t>(body)]; }
  bool is_free(BodyId body) const { return layout_.has_place(body); }
  FreeState free_state(BodyId body) const;
  void set_free_state(BodyId body, const FreeState& state);
  void push(BodyId body, const Wrench& wrench);
  BodyMotion motion(BodyId root) const;
  Twist acceleration(BodyId root) const;

  const FlatCell& cell_;
  mjModel& model_;
  mjData& data_;
  const MujocoNumbers& numbers_;
  MergedBodies merged_;
  MujocoLayout layout_;
  std::vector<double> external_;
  std::vector<double> raw_positions_;
  std::vector<FreeState> states_;    ///< while they change places
  std::vector<BodyMotion> motions_;  ///< by body, of roots with a load
  bool has_external_ = false;
  bool is_stale_ = false;
};

}  // namespace longarm::physics
