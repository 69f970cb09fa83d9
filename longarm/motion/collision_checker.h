// SPDX-License-Identifier: Apache-2.0
// Whether an arm can stand and move in a cell without touching anything.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longarm/motion/arm_sweep.h"
#include "longarm/physics/engine.h"

namespace longarm::motion {

/// Two bodies that are too near to each other.
struct Collision {
  std::string a;
  std::string b;
  double margin_m = 0.0;  ///< the distance they should keep; zero: they overlap

  /// "'forearm_link' and 'post' overlap"
  std::string text() const;
};

/// Answers for configurations of one arm. Asking may use the object's own memory: one object per
/// thread.
class CollisionChecker {
 public:
  virtual ~CollisionChecker() = default;

  bool is_free(std::span<const double> q) const { return do_is_free(q); }
  /// One of the pairs that are in the way; nothing if `q` is free.
  std::optional<Collision> collision_at(std::span<const double> q) const {
    return do_collision_at(q);
  }

 private:
  virtual bool do_is_free(std::span<const double> q) const = 0;
  virtual std::optional<Collision> do_collision_at(std::span<const double> q) const = 0;
};

/// Asks a physics engine. The arm is one placement of a cell; all other placements stand where they
/// start and are grown by a margin. The arm's own bodies must not overlap each other. What the root
/// of the arm touches is no business of a plan and is not looked at.
class CellCollisionChecker : public CollisionChecker {
 public:
  /// Throws std::invalid_argument if the engine has no collision query.
  CellCollisionChecker(const model::Cell& cell, int placement, double margin_m,
                       const physics::EngineRegistry& engines,
                       const std::string& engine = "mujoco");

 private:
  bool do_is_free(std::span<const double> q) const override;
  std::optional<Collision> do_collision_at(std::span<const double> q) const override;
  std::vector<std::pair<physics::BodyId, physics::BodyId>> pairs_at(
      std::span<const double> q) const;

  std::unique_ptr<physics::Engine> engine_;
  mutable std::vector<double> positions_;  ///< of all joints of the cell
  std::size_t first_joint_;
  std::vector<JointSource> sources_;  ///< of the arm's joints
  std::vector<std::string> names_;    ///< of all bodies of the cell
  std::vector<bool> is_grown_;
  double margin_m_;
};

/// Straight motions in joint space, looked at so often that no point of the arm moves further than
/// `resolution_m` in between.
class FreeMotion {
 public:
  /// Keeps references to the checker.
  FreeMotion(const model::BodyTree& tree, const CollisionChecker& checker, double resolution_m)
      : sweep_(tree), checker_(checker), resolution_m_(resolution_m) {}

  const CollisionChecker& checker() const { return checker_; }
  const ArmSweep& sweep() const { return sweep_; }
  double resolution_m() const { return resolution_m_; }

  /// Everything between `a` and `b`, and `b`; whoever asks knows about `a`.
  bool is_free(std::span<const double> a, std::span<const double> b) const;

 private:
  ArmSweep sweep_;
  const CollisionChecker& checker_;
  double resolution_m_;
};

}  // namespace longarm::motion
