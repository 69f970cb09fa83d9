// SPDX-License-Identifier: Apache-2.0
// A suction cup: a force up to pressure times area while it is sealed, never a weld.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "longarm/core/fields.h"
#include "longarm/core/time.h"
#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::control {

struct VacuumConfig {
  double pressure_Pa = 60e3;        ///< below the air around it
  double radius_m = 0.015;          ///< of the sealed disc
  std::optional<double> area_m2{};  ///< absent: that of the disc
  double max_tilt_deg = 10.0;       ///< between cup and surface, for a seal
  Duration seal_after{10'000'000};  ///< of unbroken contact all around
  Duration leak_after{5'000'000};   ///< without it

  /// What it can hold against a straight pull.
  double force_N() const;
};
void list_fields(Fields& fields, VacuumConfig& config);

/// Where a cup is on a body: the centre of its lip, and the direction it sucks from.
struct CupPlace {
  physics::BodyId body{};
  model::Vector3 p_BC = model::Vector3::Zero();
  model::Vector3 outwards_B = model::Vector3::UnitZ();
};

enum class VacuumState {
  kOff,
  kSearching,  ///< on, and open to the air
  kSealed,
  kLost,  ///< pulled or peeled off; told to turn on again it searches again
};
std::string_view to_string(VacuumState state);

/// Suction acts along the cup's axis, on the part and with the opposite sign on the cup. What it
/// presses together, contact keeps apart and friction holds sideways. It is sealed to a body whose
/// contacts with the cup surround the cup's axis (no gap of half a turn) with normals along it: a
/// straight pull lifts the part off all around, an eccentric one on one side first.
class VacuumCup {
 public:
  /// Borrows the engine, which was made of `cell`. Throws InputError for values without sense.
  VacuumCup(physics::Engine& engine, const model::Cell& cell, const CupPlace& place,
            const VacuumConfig& config, Duration period);

  void turn_on();
  void turn_off();

  /// Right before each step of the engine: looks at the last one's contacts, then sucks.
  void before_step();

  VacuumState state() const { return state_; }
  /// What it is sealed to.
  std::optional<physics::BodyId> held() const;
  /// Suction during the coming step.
  double suction_N() const { return state_ == VacuumState::kSealed ? config_.force_N() : 0.0; }

 private:
  std::optional<physics::BodyId> find_seal() const;
  bool is_sealed_to(physics::BodyId part) const;
  void look();
  void suck();

  physics::Engine& engine_;
  std::vector<model::Vector3> p_BCom_;  ///< centre of mass, by body
  CupPlace place_;
  VacuumConfig config_;
  Duration period_;
  VacuumState state_ = VacuumState::kOff;
  physics::BodyId part_{};   ///< sealed to, or about to be
  Duration sealed_for_{0};   ///< while searching
  Duration leaking_for_{0};  ///< while sealed
};

}  // namespace longarm::control
