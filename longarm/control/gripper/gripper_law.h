// SPDX-License-Identifier: Apache-2.0
// The laws that drive a gripper's fingers, each for any number of them.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "longarm/control/gripper/gripper_config.h"
#include "longarm/core/time.h"
#include "longarm/physics/engine.h"

namespace longarm::control {

/// A joint that takes part in a grasp. Laws think in p, which grows while the gripper closes and is
/// the same for all fingers when they stand symmetrically: joint position = multiplier·p + offset.
struct Finger {
  physics::JointId joint{};
  physics::BodyId body{};  ///< that carries the pad
  double multiplier = 1.0;
  double offset = 0.0;
  double max_effort = std::numeric_limits<double>::infinity();  ///< of the joint, in its own unit
};

/// Where the fingers are and whither they shall go, in p.
struct FingerMotion {
  std::span<const double> p;
  std::span<const double> velocity;
  double goal = 0.0;  ///< where the stroke ends; laws of force do not look at it
  bool closes = true;
};

/// The commands of one step, in p as well: what set_effort(), set_velocity() or set_position() get.
struct FingerCommand {
  enum class Mode { kForce, kVelocity, kPosition } mode = Mode::kForce;
  double value = 0.0;
  double max_force_N = 0.0;  ///< of a motor
};

class GripperLaw {
 public:
  virtual ~GripperLaw() = default;
  /// Forgets the past: a new motion begins.
  virtual void reset() {}
  /// One command per finger.
  virtual void drive(const FingerMotion& motion, std::span<FingerCommand> out) = 0;
};

/// F_i = F_j(p_i) + Σ_{n≠i} F_s(p_n − p_i), and −F_open + the same sum while opening.
class ParallelLaw final : public GripperLaw {
 public:
  using Force = std::function<double(double)>;
  /// `most_align_N` limits the sum; infinite: the law as published.
  ParallelLaw(Force joint_force, Force align_force, double open_force_N, double most_align_N);
  void drive(const FingerMotion& motion, std::span<FingerCommand> out) override;

 private:
  Force joint_force_;
  Force align_force_;
  double open_force_N_;
  double most_align_N_;
};

/// The law that a config names; it must have passed judge_gripper(). `period` is that of drive().
std::unique_ptr<GripperLaw> make_gripper_law(const GripperConfig& config, std::size_t fingers,
                                             Duration period);

}  // namespace longarm::control
