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
  double acceleration_m_s2 = 0.5;  ///< of its ramps; 0: at once
  double max_speed_m_s = 0.2;      ///< commands beyond are cut
  double max_force_N = 2000.0;     ///< of its drive; a jam needs more
  double reset_after_m = 0.1;      ///< displacement after which the surface is put back
};

void list_fields(Fields& fields, BeltConfig& config);

class Belt {
 public:
  /// Borrows the engine; `joint` is the prismatic joint that carries the surface, number `joint` of
  /// the cell. `simplifier` may be null. Throws InputError if the joint is no slider, its surface
  /// has no length, or a value makes no sense.
  Belt(physics::Engine& engine, const model::Cell& cell, physics::JointId joint,
       const BeltConfig& config, Duration period, Simplifier* simplifier);

  /// Signed; reached along a ramp.
  void command(double velocity_m_s);
  /// Stops at once with all of its force, until the next command.
  void stop();

  /// Right before and right after each step of the engine.
  void before_step();
  void after_step();

  double velocity_m_s() const;  ///< of the surface
  double encoder_m() const;     ///< how far the surface has come, resets not counted
  bool is_jammed() const;       ///< its drive presses with all it has and does not get there
  physics::BodyId surface() const;

 private:
  physics::Engine& engine_;
  physics::JointId joint_;
  physics::BodyId surface_{};
  BeltConfig config_;
  double period_s_ = 0.0;
  Simplifier* simplifier_ = nullptr;
  double target_m_s_ = 0.0;
  double ramped_m_s_ = 0.0;
  double encoder_m_ = 0.0;
};

}  // namespace longarm::mechanisms
