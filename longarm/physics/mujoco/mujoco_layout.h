// SPDX-License-Identifier: Apache-2.0
// Where bodies and shapes are in MuJoCo's arrays: what is merged takes no place among the bodies.
#pragma once

#include <vector>

#include "longarm/physics/merged_bodies.h"
#include "longarm/physics/mujoco/mujoco_model.h"

namespace longarm::physics {

/// MuJoCo cannot change a compiled model's tree, but it only looks at the first nbody bodies, nv
/// degrees of freedom and so on of its arrays. Bodies that float freely come last there, all alike,
/// in places that any of them can take. Those that are merged give theirs up: the others close
/// ranks and the counts shrink. Their shapes join the shapes of their root, and their mass its
/// mass. So a merged body costs what its shapes cost, and nothing is compiled again.
///
/// Places can be taken and given up at any time; the model follows in arrange().
class MujocoLayout {
 public:
  MujocoLayout(const FlatCell& cell, mjModel& model, MujocoNumbers& numbers);

  /// All bodies that can have a place, by number.
  const std::vector<BodyId>& free_bodies() const { return free_bodies_; }
  bool has_place(BodyId body) const { return place(body) >= 0; }
  /// Where its seven positions and its six velocities begin.
  int position(BodyId body) const { return first_position_ + 7 * place(body); }
  int dof(BodyId body) const { return first_dof_ + 6 * place(body); }
  /// How many positions and velocities of joints there are ahead of the places.
  std::size_t joint_positions() const { return static_cast<std::size_t>(first_position_); }
  std::size_t joint_dofs() const { return static_cast<std::size_t>(first_dof_); }

  void take_place(BodyId body);
  void give_up_place(BodyId body);
  /// Everybody who is not merged has a place, in the order of numbers.
  void assign_places(const MergedBodies& merged);

  /// Writes bodies, shapes and counts into the model. Places must be assigned.
  void arrange(const MergedBodies& merged);

  /// Data with room for everybody.
  MujocoDataPtr make_data();

 private:
  int place(BodyId body) const { return places_[static_cast<std::size_t>(body)]; }
  int original_body(BodyId body) const {
    return original_numbers_.body[static_cast<std::size_t>(body)];
  }
  void set_counts(std::size_t places);
  void number_bodies(const MergedBodies& merged);
  void write_body(int from, int to);
  void write_load(const MergedBodies& merged, BodyId root);
  void write_sums();
  void write_shapes(const MergedBodies& merged);
  void write_shape(int from, int to, BodyId body, const MergedBodies& merged);

  mjModel& model_;
  MujocoNumbers& numbers_;
  MujocoModelPtr original_;  ///< as compiled
  MujocoNumbers original_numbers_;
  std::vector<BodyId> free_bodies_;
  std::vector<char> is_static_;  ///< by body
  std::vector<int> places_;      ///< by body; -1 for none
  std::vector<char> is_taken_;   ///< by place
  std::size_t placed_count_ = 0;
  int first_body_ = 0;
  int first_position_ = 0;
  int first_dof_ = 0;
};

}  // namespace longarm::physics
