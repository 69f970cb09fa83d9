// SPDX-License-Identifier: Apache-2.0
// A cell as engines see it: all bodies and joints in one list each, checked once for what no engine
// can simulate.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::physics {

struct FlatBody {
  const model::Body* body = nullptr;
  int placement = 0;
  int parent = -1;         ///< body number; -1 for the root of a placement
  int joint = -1;          ///< joint number that carries it; -1 for a root
  bool is_static = false;  ///< never moves: nothing but fixed roots and locked joints below it
  bool is_single = false;  ///< floats freely and carries no joints
};

struct FlatJoint {
  const model::TreeJoint* joint = nullptr;
  int parent_body = 0;
  int child_body = 0;
  int leader = -1;         ///< joint number it mimics; -1 for a joint of its own will
  bool is_locked = false;  ///< belongs to a static model: stays where it starts
  double initial_position = 0.0;

  bool takes_commands() const { return leader < 0 && !is_locked; }
  /// Keeps a command for the coming steps if the joint takes any.
  void take(const JointCommand& command, JointCommand& kept) const;
  /// Where it belongs when its leader is at `leader_position`.
  double follow(double leader_position) const {
    return joint->mimic->multiplier * leader_position + joint->mimic->offset;
  }
};

/// Owns a copy of the cell and says what numbers its bodies and joints have. Throws InputError on a
/// list of initial positions of the wrong length.
class FlatCell {
 public:
  explicit FlatCell(const model::Cell& cell);
  FlatCell(const FlatCell&) = delete;
  FlatCell& operator=(const FlatCell&) = delete;

  const model::Cell& cell() const { return cell_; }
  const std::vector<FlatBody>& bodies() const { return bodies_; }
  const std::vector<FlatJoint>& joints() const { return joints_; }
  const FlatBody& body(BodyId id) const { return bodies_[static_cast<std::size_t>(id)]; }
  const FlatJoint& joint(JointId id) const { return joints_[static_cast<std::size_t>(id)]; }
  std::size_t body_count() const { return bodies_.size(); }
  std::size_t joint_count() const { return joints_.size(); }

  /// Per joint, with joints that mimic another already in step with it.
  std::vector<double> initial_positions() const;
  /// Where a placement's root starts.
  const model::Pose& root_pose(int placement) const {
    return cell_.placements[static_cast<std::size_t>(placement)].X_WR;
  }

 private:
  void add_placement(int number, Diagnostics& diagnostics);
  void add_joints(int number, int first_body, int first_joint, Diagnostics& diagnostics);

  model::Cell cell_;
  std::vector<FlatBody> bodies_;
  std::vector<FlatJoint> joints_;
};

/// What engines of bodies with mass have in common.
inline constexpr Capabilities kDynamicsCapabilities{.has_dynamics = true,
                                                    .has_contacts = true,
                                                    .has_constraint_motors = true,
                                                    .has_attachments = true,
                                                    .has_merging = true,
                                                    .has_rays = true,
                                                    .has_collision_query = true,
                                                    .is_thread_deterministic = true};

/// Throws InputError on bodies that move without mass and on half spaces that move; otherwise
/// returns its argument.
const FlatCell& check_dynamics(const FlatCell& cell);

/// Throws InputError with the valid names unless `solver` is one of them; empty means the first.
std::string choose_solver(const std::string& solver, const std::vector<std::string>& valid);
std::string choose_integrator(const std::string& integrator, const std::vector<std::string>& valid);

/// Which pairs of bodies may touch: all but neighbours in a tree, pairs the model ignores and pairs
/// that cannot move.
class PairFilter {
 public:
  explicit PairFilter(const FlatCell& cell);

  bool may_touch(int a, int b) const { return is_stored(a, b) && may_touch_[index(a, b)] != 0; }
  /// Does nothing for two bodies that cannot move.
  void set(int a, int b, bool enabled);
  /// All of it, for snapshots.
  std::vector<char>& states() { return may_touch_; }
  const std::vector<char>& states() const { return may_touch_; }

 private:
  int row(int body) const { return rows_[static_cast<std::size_t>(body)]; }
  bool is_stored(int a, int b) const { return row(a) >= 0 || row(b) >= 0; }
  /// Of two bodies that move, the first has the row.
  std::size_t index(int a, int b) const {
    if (row(a) < 0 || (row(b) >= 0 && b < a)) {
      std::swap(a, b);
    }
    return static_cast<std::size_t>(row(a)) * rows_.size() + static_cast<std::size_t>(b);
  }

  std::vector<int> rows_;  ///< by body; -1 for one that never moves: worlds have many of those
  std::vector<char> may_touch_;
};

/// The pose of the child frame in the joint's frame, at position `q`.
model::Pose joint_motion(const model::TreeJoint& joint, double q);

/// Poses of all bodies; those of roots must be filled in beforehand.
void forward_kinematics(const FlatCell& cell, std::span<const double> positions,
                        std::span<model::Pose> X_WB);

/// Twists of all bodies; those of roots must be filled in beforehand.
void forward_twists(const FlatCell& cell, std::span<const double> velocities,
                    std::span<const model::Pose> X_WB, std::span<Twist> twists);

}  // namespace longarm::physics
