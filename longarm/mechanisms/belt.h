// SPDX-License-Identifier: Apache-2.0
// A conveyor: a surface on a slider, driven at a velocity, put back after every small displacement.
#pragma once

#include <string>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/mechanisms/simplifier.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::mechanisms {

struct BeltConfig {
  double acceleration_m_s2 = 0.5;   ///< of its ramps; 0: at once
  double max_speed_m_s = 0.2;       ///< command() cuts what is beyond
  double max_force_N = 2000.0;      ///< of its drive; a jam needs more
  double reset_after_m = 0.1;       ///< displacement after which the surface is put back
  Duration jam_after{200'000'000};  ///< so long at its full force without getting there is a jam
};

void list_fields(Fields& fields, BeltConfig& config);

/// Carries by friction alone. To what lies on it the surface moves on and on; to everyone else it
/// seems to stand still, because it is put back without its load. Where the load is joined to the
/// surface, the simplifier joins it again where it lies then.
class Belt {
 public:
  /// Borrows the engine; `joint` is the prismatic joint that carries the surface, number `joint` of
  /// the cell. `simplifier` may be null. Throws InputError if the joint is no slider, its surface
  /// has no length, or a value makes no sense.
  Belt(physics::Engine& engine, const model::Cell& cell, physics::JointId joint,
       const BeltConfig& config, Duration period, Simplifier* simplifier);

  /// Signed; reached along a ramp. While it is stopped, it is kept for resume().
  void command(double velocity_m_s);
  /// Stops at once with all of its force, and stays so until resume().
  void stop();
  /// Back along the ramp to what was commanded last.
  void resume();

  /// Right before and right after each step of the engine.
  void before_step();
  void after_step();

  double velocity_m_s() const;  ///< of the surface
  double commanded_m_s() const { return commanded_m_s_; }
  double encoder_m() const { return encoder_m_; }  ///< how far it has come, resets not counted
  bool is_stopped() const { return is_stopped_; }
  /// Its drive has pressed with all it has for longer than `jam_after`, and is not there.
  bool is_jammed() const { return at_limit_for_ > config_.jam_after; }
  physics::BodyId surface() const { return surface_; }
  /// Along which it moves, in the axes of the surface.
  const model::Vector3& axis_S() const { return axis_S_; }

 private:
  void watch_drive();
  void put_back(double position_m);

  physics::Engine& engine_;
  physics::JointId joint_;
  physics::BodyId surface_{};
  model::Vector3 axis_S_ = model::Vector3::UnitX();  ///< of its slider, in the surface's frame
  BeltConfig config_;
  Duration period_;
  Simplifier* simplifier_ = nullptr;
  double commanded_m_s_ = 0.0;
  double ramped_m_s_ = 0.0;
  double start_m_ = 0.0;  ///< where the surface is put back to
  double last_position_m_ = 0.0;
  double encoder_m_ = 0.0;
  bool is_stopped_ = false;
  Duration at_limit_for_{0};
};

}  // namespace longarm::mechanisms
