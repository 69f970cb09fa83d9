// SPDX-License-Identifier: Apache-2.0
// How a UR arm gives way: force_mode along chosen axes, freedrive_mode along all.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "longarm/robots/ur/path.h"

namespace longarm::robots {

/// What force_mode asks for, in its own frame F.
struct UrForceTask {
  enum class Type : std::uint8_t {
    kPoint = 1,   ///< y of F is turned so that it points from the tool to the origin of F
    kSimple = 2,  ///< F is as given
    kMotion = 3   ///< x of F is turned to the tool's velocity in the plane of x and y
  };
  model::Pose X_BF = model::Pose::Identity();
  std::array<bool, 6> is_compliant{};
  Vector6 wrench{};  ///< that the tool is to exert on what it meets: N, N·m
  Type type = Type::kSimple;
  /// Largest speed along compliant axes, largest deviation from the program along the others.
  Vector6 limits{};
};

/// Along a compliant axis the tool moves as a mass m with a damper d would that the wrench pushes,
/// and what it meets pushes back: m·v' = wrench + felt − d·v, solved implicitly per cycle. While
/// something is felt the damper is so strong that the error of the force falls by a third per
/// cycle, given the stiffness that shows in how the force changes with the way. Along the other
/// axes it is where the program wants it.
class UrCompliance {
 public:
  /// `damping` 0 … 1, `gain` 0 … 2 as in URScript.
  void set(const UrForceTask& task, double damping, double gain);
  const UrForceTask& task() const { return task_; }
  void rest() { speed_ = {}; }

  struct Step {
    model::Pose X_BT = model::Pose::Identity();
    Vector6 velocity{};
  };
  /// One cycle further: from where the tool is wanted, with the program's own way from one place to
  /// the next; `felt` is what pushes the tool, in the axes of the base about the tool centre point.
  struct Input {
    UrToolTarget now;
    UrToolTarget program_before;
    UrToolTarget program;
    Vector6 felt{};
  };
  Step next(const Input& input, double cycle_s);
  /// How far along axis i, or about it, the tool is from where the program wants it; only where the
  /// axis is not compliant.
  std::optional<std::size_t> axis_beyond_limits(const model::Pose& actual,
                                                const model::Pose& program) const;

 private:
  model::Matrix3 axes(const UrToolTarget& now) const;
  double next_speed(std::size_t i, double felt, double cycle_s);

  UrForceTask task_;
  double damping_ = 0.0;
  double gain_ = 1.0;
  model::Matrix3 R_ = model::Matrix3::Identity();  ///< axes of the last cycle in those of the base
  Vector6 speed_{};
  Vector6 step_{};       ///< of the last cycle, in the axes of then
  Vector6 felt_{};       ///< then
  Vector6 stiffness_{};  ///< of what it meets
  bool has_felt_ = false;
};

}  // namespace longarm::robots
