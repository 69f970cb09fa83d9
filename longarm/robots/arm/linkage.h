// SPDX-License-Identifier: Apache-2.0
// Two pads on one drive: how far they are apart for each angle of it, told from the model.
#pragma once

#include <optional>
#include <vector>

#include "longarm/model/cell.h"
#include "longarm/physics/engine.h"

namespace longarm::robots {

/// A turning joint and the joints that mimic it, two of whose bodies are pads.
class Linkage {
 public:
  /// The one whose drive turns on `body` of a placement; nothing if there is none.
  static std::optional<Linkage> find(const model::Cell& cell, int placement, int body);

  physics::JointId drive() const { return drive_; }
  const std::vector<physics::BodyId>& pads() const { return pads_; }
  /// Everything that the drive moves.
  const std::vector<physics::BodyId>& bodies() const { return bodies_; }

  double open_rad() const { return open_rad_; }
  double closed_rad() const { return closed_rad_; }
  /// Between the pads' inner faces.
  double separation_m(double angle_rad) const;
  /// Change of the separation per turn of the drive, at least a trace: forces are divided by it.
  double slope_m_rad(double angle_rad) const;
  /// Of a separation within the stroke; beyond it, the nearer end.
  double angle_rad(double separation_m) const;

 private:
  Linkage() = default;
  double place(double angle_rad) const;

  physics::JointId drive_{};
  std::vector<physics::BodyId> pads_;
  std::vector<physics::BodyId> bodies_;
  double open_rad_ = 0.0;
  double closed_rad_ = 0.0;
  std::vector<double> separations_m_;  ///< at equal angles from open to closed, falling
};

/// How far a shape of primitive kind reaches along a direction of its body.
double reach_along(const model::Geometry& geometry, const model::Vector3& direction);

}  // namespace longarm::robots
